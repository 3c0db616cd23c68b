/** German: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Neues Passwort wählen',
  'reset.done': 'Gehen Sie zurück zum Shop und melden Sie sich damit in Ihrer Wallet an.',
  'reset.unusable':
    'Er wurde schon benutzt oder ist abgelaufen. Es wurde nichts geändert. Fordern Sie auf ' +
    'demselben Weg einen neuen an.',
  'reset.password': 'Neues Passwort',
  'reset.needsPassword': 'Geben Sie ein neues Passwort ein.',
  'reset.send': 'Neues Passwort setzen',
  'reset.checking': 'Ihr Link wird geprüft',
  'reset.doneTitle': 'Das neue Passwort ist gesetzt',
  'reset.unusableTitle': 'Dieser Link kann nicht mehr benutzt werden',
  'reset.account': 'Für das Wallet-Konto von {account}.',
}
