/** English: choosing a new password with a link. */
import { long } from '../long-text.js'

export const reset = {
  'reset.title': 'Choose a new password',
  'reset.done': 'Go back to the shop and log in to your wallet with it.',
  'reset.unusable': long(
    'It was used already or has expired. Nothing was changed. Ask for a new one the way you ',
    'got this one.',
  ),
  'reset.password': 'New password',
  'reset.needsPassword': 'Enter a new password.',
  'reset.send': 'Set the new password',
  'reset.checking': 'Looking at your link',
  'reset.doneTitle': 'The new password is set',
  'reset.unusableTitle': 'This link cannot be used any more',
  'reset.account': 'For the wallet account of {account}.',
} as const
