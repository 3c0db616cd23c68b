/** Portuguese: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Escolher uma nova senha',
  'reset.done': 'A nova senha está definida. Volte à loja e entre na sua carteira com ela.',
  'reset.unusable':
    'Este link já foi usado ou expirou. Nada foi alterado. Peça um novo da mesma forma.',
  'reset.forWallet': 'Para a sua carteira.',
  'reset.password': 'Nova senha',
  'reset.needsPassword': 'Informe uma nova senha.',
  'reset.send': 'Definir a nova senha',
}
