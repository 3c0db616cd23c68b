/** English: sign-up, login and the forgotten password. */
import { long } from '../long-text.js'

export const signIn = {
  'signIn.title': 'Your wallet at {brand}',
  'signIn.why': long(
    '{brand} takes payments from this wallet. Log in, or sign up once; your password goes to the ',
    'wallet service only and {brand} never sees it.',
  ),
  'signIn.switched': 'You have left the other account. Log in with the one you want to use here.',
  'signIn.logIn': 'Log in',
  'signIn.signUp': 'Sign up',
  'signIn.tabs': 'Log in or sign up',
  'signIn.firstName': 'First name',
  'signIn.lastName': 'Last name',
  'signIn.email': 'Email',
  'signIn.password': 'Password',
  'signIn.passwordHint': 'At least {minimum} characters; a sentence works well.',
  'signIn.needsFirstName': 'Enter your first name.',
  'signIn.needsLastName': 'Enter your last name.',
  'signIn.needsEmail': 'Enter your email.',
  'signIn.needsPassword': 'Enter your password.',
  'signIn.exists':
    'There is a wallet with this email already. Log in with it; no second one was made.',
  'signIn.logInInstead': 'Log in instead',
  'signIn.forgot': 'Forgot your password?',
  'forgot.title': 'A new password',
  'forgot.asked': long(
    'If there is a wallet with this email, a link is on its way to it. Open it, choose a new ',
    'password, then come back and log in. No mail after some minutes? Ask {contact} for a link.',
  ),
  'forgot.how': 'We send a link to your email that lets you choose a new one.',
  'forgot.send': 'Send the link',
  'forgot.noMail': long(
    'This wallet service sends no mail: please ask the people who run it for a link to choose a ',
    'new password; {brand} can tell you how to reach them.',
  ),
  'forgot.back': 'Back to the login',
  'forgot.askSupport': long(
    'No mail is sent from here. Write to {support}, say the email of your account, and ask for ',
    'a link to choose a new password.',
  ),
} as const
