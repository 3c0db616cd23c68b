/** Portuguese: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Escolher uma nova senha',
  'reset.done': 'Volte à loja e entre na sua carteira com ela.',
  'reset.unusable': 'Ele já foi usado ou expirou. Nada foi alterado. Peça um novo da mesma forma.',
  'reset.password': 'Nova senha',
  'reset.needsPassword': 'Informe uma nova senha.',
  'reset.send': 'Definir a nova senha',
  'reset.checking': 'Verificando o seu link',
  'reset.doneTitle': 'A nova senha está definida',
  'reset.unusableTitle': 'Este link não pode mais ser usado',
  'reset.account': 'Para a conta de carteira de {account}.',
}
