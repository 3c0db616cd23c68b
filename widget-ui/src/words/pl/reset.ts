/** Polish: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Wybierz nowe hasło',
  'reset.done': 'Wróć do sklepu i zaloguj się nim do portfela.',
  'reset.unusable':
    'Został już użyty albo wygasł. Nic się nie zmieniło. Poproś o nowy w ten sam sposób.',
  'reset.password': 'Nowe hasło',
  'reset.needsPassword': 'Wpisz nowe hasło.',
  'reset.send': 'Ustaw nowe hasło',
  'reset.checking': 'Sprawdzanie linku',
  'reset.doneTitle': 'Nowe hasło zostało ustawione',
  'reset.unusableTitle': 'Tego linku nie można już użyć',
  'reset.account': 'Do konta portfela: {account}.',
}
