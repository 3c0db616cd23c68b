/** English: what fields, failures and times say on every page. */
import { long } from '../long-text.js'

export const shared = {
  'time.now': 'just now',
  'act.tryAgain': 'Try again',
  'field.capsLock': 'Caps lock is on.',
  'field.show': 'Show',
  'field.hide': 'Hide',
  'field.showPassword': 'Show the password',
  'field.hidePassword': 'Hide the password',
  'failure.noAnswer': 'The wallet service does not answer right now. Try again in a moment.',
  'failure.noAnswerUnmoved':
    'The wallet service does not answer right now. No money has moved. Try again in a moment.',
  'failure.page': 'This page made a mistake. Nothing was changed by it. Load it again.',
  'failure.tries': {
    one: 'There were too many tries. Wait a minute, then try again.',
    other: 'There were too many tries. Wait {count} minutes, then try again.',
  },
  'failure.tooMuch': 'Too much is going on at once. Try again in a moment.',
  'failure.login': 'This email and password do not belong together. Check both and try again.',
  'failure.client': 'The shop that this page belongs to cannot use the wallet now. Tell the shop.',
  'failure.exists': 'There is a wallet with this email already. Log in with it.',
  'failure.session': 'The session has expired.',
  'failure.otherAccount': 'The new session is of another user or app, or ended.',
  'failure.inactive': 'The wallet is not active.',
  'failure.cards': 'Card payments are not possible now. What was paid is booked later by itself.',
  'failure.noMail': 'This service sends no mail. Ask the people who run it for a link.',
  'failure.other': 'The wallet service did not accept this. Check what you entered.',
  'fault.email': 'Enter an email address such as ann@example.com.',
  'fault.short': 'Must be at least {minimum} characters.',
  'fault.other': 'This is not accepted. Enter something else.',
  'service.same': long(
    'Your wallet at {brand} is one wallet with one balance in every app that you link.',
  ),
  'service.sameOf': long(
    'Your wallet at {brand} is run by {service}: one wallet with one balance in every app that ',
    'you link.',
  ),
  'service.support': 'Help',
  'service.terms': 'Terms',
  'service.privacy': 'Privacy',
} as const
