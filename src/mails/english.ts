/**
 * English: the mails. A new one gets its keys here first, then in the other languages; {service},
 * {account} and {support} are known in all of them.
 */
export const english = {
  wallet: 'Wallet',
  'foot.account': 'This mail is about the wallet account of {account}.',
  'foot.support': 'Questions? {support}',
  'foot.doNotAnswer': 'It was sent by itself; answers to it are not read.',
  'reset.subject': '{service}: choose a new password',
  'reset.lead': 'Somebody, hopefully you, asked to choose a new password for your wallet.',
  'reset.link': 'The link works once, for one hour:',
  'reset.notYou': 'If you did not ask, do nothing: nothing has changed.',
  notYou:
    'If this was not you, choose a new password at once: “Forgot your password?” at the login.',
  'confirm.subject': '{service}: confirm your email',
  'confirm.lead': 'Open the link to confirm that this address is yours.',
  'confirm.link': 'It works once, for a day:',
  'confirm.notYou': 'If you did not ask for it, do nothing.',
  'login.subject': '{service}: a new login',
  'login.lead': 'Somebody logged in to your wallet: {device}, on the page of {app}.',
  'password.subject': '{service}: a new password',
  'password.lead': 'The password of your wallet was changed.',
  'emailAsked.subject': '{service}: another email was asked for',
  'emailAsked.lead':
    'Your wallet is to get the email {email}, as soon as that address is confirmed.',
  'emailChanged.subject': '{service}: a new email',
  'emailChanged.lead':
    'The email of your wallet is {email} now. This address is not used any more.',
  'closed.subject': '{service}: your account is closed',
  'closed.lead': 'Until {date} a login opens it again. Then it is erased.',
  'reopened.subject': '{service}: your account is open again',
  'reopened.lead': 'A login has opened the account again that you had closed.',
  'money.subject': '{service}: there is money in your closed wallet',
  'money.lead': 'Money has come to the wallet that you closed. It is yours: log in to use it.',
  'money.kept': 'The account is not erased as long as there is money in it.',
  'cardSaved.subject': '{service}: a card was saved',
  'cardSaved.lead': 'The card {card} was saved. With your login it pays with one tap.',
  'cardRemoved.subject': '{service}: a card was removed',
  'cardRemoved.lead': 'The card {card} was removed. Nothing can be charged to it here any more.',
  'autoOn.subject': '{service}: automatic top-up is on',
  'autoOn.lead':
    'When your balance falls below the amount that you chose, your saved card is charged.',
  'autoOff.subject': '{service}: automatic top-up is off',
  'autoOff.lead':
    'Your bank refused the automatic top-up twice. It is switched off, and no money was taken.',
  'autoOff.next': 'Log in to top up yourself, or to switch it on again with another card.',
  'returned.subject': '{service}: money goes back to your card',
  'returned.lead':
    'What came by card and was left in your wallet goes back to the card that paid it. ' +
    'Banks take up to ten days for it.',
} as const
