/** Polish: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Wybierz nowe hasło',
  'reset.done': 'Nowe hasło zostało ustawione. Wróć do sklepu i zaloguj się nim do portfela.',
  'reset.unusable':
    'Ten link został już użyty albo wygasł. Nic się nie zmieniło. Poproś o nowy w ten sam ' +
    'sposób.',
  'reset.forWallet': 'Do portfela.',
  'reset.password': 'Nowe hasło',
  'reset.needsPassword': 'Wpisz nowe hasło.',
  'reset.send': 'Ustaw nowe hasło',
}
