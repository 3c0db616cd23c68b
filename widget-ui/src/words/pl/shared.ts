/** Polish: what fields, failures and times say on every page. */
import type { Like } from '../catalog.js'
import type { shared as english } from '../en/shared.js'

export const shared: Like<typeof english> = {
  'time.now': 'przed chwilą',
  'act.tryAgain': 'Spróbuj ponownie',
  'field.capsLock': 'Klawisz Caps Lock jest włączony.',
  'field.show': 'Pokaż',
  'field.hide': 'Ukryj',
  'field.showPassword': 'Pokaż hasło',
  'field.hidePassword': 'Ukryj hasło',
  'failure.noAnswer': 'Usługa portfela teraz nie odpowiada. Spróbuj ponownie za chwilę.',
  'failure.noAnswerUnmoved':
    'Usługa portfela teraz nie odpowiada. Żadne pieniądze nie zostały przesunięte. Spróbuj ' +
    'ponownie za chwilę.',
  'failure.page': 'Na tej stronie wystąpił błąd. Nic się nie zmieniło. Załaduj ją ponownie.',
  'failure.tries': {
    one: 'Było zbyt wiele prób. Odczekaj minutę i spróbuj ponownie.',
    few: 'Było zbyt wiele prób. Odczekaj {count} minuty i spróbuj ponownie.',
    many: 'Było zbyt wiele prób. Odczekaj {count} minut i spróbuj ponownie.',
    other: 'Było zbyt wiele prób. Odczekaj {count} minuty i spróbuj ponownie.',
  },
  'failure.tooMuch': 'Zbyt wiele dzieje się naraz. Spróbuj ponownie za chwilę.',
  'failure.login': 'Ten adres e-mail i hasło do siebie nie pasują. Sprawdź oba i spróbuj ponownie.',
  'failure.client':
    'Sklep, do którego należy ta strona, nie może teraz korzystać z portfela. Powiadom sklep.',
  'failure.exists': 'Portfel z tym adresem e-mail już istnieje. Zaloguj się nim.',
  'failure.session': 'Sesja wygasła.',
  'failure.otherAccount': 'Nowa sesja należy do innej osoby lub aplikacji albo się skończyła.',
  'failure.inactive': 'Portfel nie jest aktywny.',
  'failure.cards':
    'Płatności kartą są teraz niemożliwe. To, co zostało zapłacone, zostanie zaksięgowane ' +
    'później automatycznie.',
  'failure.noMail':
    'Ta usługa nie wysyła e-maili. O link należy poprosić osoby, które ją prowadzą.',
  'failure.other': 'Usługa portfela tego nie przyjęła. Sprawdź wpisane dane.',
  'fault.email': 'Wpisz adres e-mail, na przykład anna@example.com.',
  'fault.short': 'Minimalna liczba znaków: {minimum}.',
  'fault.other': 'Tej wartości nie można przyjąć. Wpisz inną.',
  'service.same':
    'Portfel w {brand} to jeden portfel z jednym saldem we wszystkich połączonych aplikacjach.',
  'service.sameOf':
    'Portfel w {brand} prowadzi {service}: to jeden portfel z jednym saldem we wszystkich ' +
    'połączonych aplikacjach.',
  'service.support': 'Pomoc',
  'service.terms': 'Regulamin',
  'service.privacy': 'Prywatność',
}
