/** English: choosing a new password with a link. */
import { long } from '../long-text.js'

export const reset = {
  'reset.title': 'Choose a new password',
  'reset.done': 'The new password is set. Go back to the shop and log in to your wallet with it.',
  'reset.unusable': long(
    'This link was used already or has expired. Nothing was changed. Ask for a new one the way ',
    'you got this one.',
  ),
  'reset.forWallet': 'For your wallet.',
  'reset.password': 'New password',
  'reset.needsPassword': 'Enter a new password.',
  'reset.send': 'Set the new password',
} as const
