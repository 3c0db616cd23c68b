/** Polish: sign-up, login and the forgotten password. */
import type { Like } from '../catalog.js'
import type { signIn as english } from '../en/sign-in.js'

export const signIn: Like<typeof english> = {
  'signIn.title': 'Portfel w {brand}',
  'signIn.why':
    '{brand} przyjmuje płatności z tego portfela. Zaloguj się albo zarejestruj jeden raz; hasło ' +
    'trafia tylko do usługi portfela, {brand} nigdy go nie widzi.',
  'signIn.switched':
    'Poprzednie konto zostało opuszczone. Zaloguj się tym, którego chcesz tu używać.',
  'signIn.logIn': 'Zaloguj się',
  'signIn.signUp': 'Zarejestruj się',
  'signIn.tabs': 'Logowanie lub rejestracja',
  'signIn.firstName': 'Imię',
  'signIn.lastName': 'Nazwisko',
  'signIn.email': 'Adres e-mail',
  'signIn.password': 'Hasło',
  'signIn.passwordHint': 'Minimalna liczba znaków: {minimum}; dobrze sprawdza się całe zdanie.',
  'signIn.needsFirstName': 'Wpisz imię.',
  'signIn.needsLastName': 'Wpisz nazwisko.',
  'signIn.needsEmail': 'Wpisz adres e-mail.',
  'signIn.needsPassword': 'Wpisz hasło.',
  'signIn.exists':
    'Portfel z tym adresem e-mail już istnieje. Zaloguj się nim; drugi nie został utworzony.',
  'signIn.logInInstead': 'Zaloguj się',
  'signIn.forgot': 'Nie pamiętasz hasła?',
  'forgot.title': 'Nowe hasło',
  'forgot.asked':
    'Jeśli istnieje portfel z tym adresem e-mail, link jest już w drodze. Otwórz go, wybierz ' +
    'nowe hasło, wróć i zaloguj się. Po kilku minutach nadal nie ma e-maila? Poproś o link: ' +
    '{contact}.',
  'forgot.how': 'Wyślemy na podany adres e-mail link do wyboru nowego hasła.',
  'forgot.send': 'Wyślij link',
  'forgot.noMail':
    'Ta usługa portfela nie wysyła e-maili: o link do wyboru nowego hasła należy poprosić ' +
    'osoby, które ją prowadzą; {brand} podpowie, jak się z nimi skontaktować.',
  'forgot.back': 'Wróć do logowania',
  'forgot.askSupport':
    'Stąd nie są wysyłane e-maile. Napisz na adres {support}, podaj adres e-mail konta i ' +
    'poproś o link do wyboru nowego hasła.',
}
