/**
 * Polish: the mails, by the keys of English. Formal, short, and exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const polish: MailWords = {
  wallet: 'Portfel',
  'foot.account': 'Ten e-mail dotyczy konta portfela: {account}.',
  'foot.support': 'Pytania? {support}',
  'foot.doNotAnswer': 'Został wysłany automatycznie; odpowiedzi nie są czytane.',
  'reset.subject': '{service}: wybór nowego hasła',
  'reset.lead': 'Ktoś, zapewne właściciel konta, poprosił o wybór nowego hasła do portfela.',
  'reset.link': 'Link działa jeden raz, przez godzinę:',
  'reset.notYou': 'Jeśli to pomyłka, nic nie trzeba robić: nic się nie zmieniło.',
  notYou: 'Jeśli to nie Ty, od razu wybierz nowe hasło: „Nie pamiętasz hasła?” przy logowaniu.',
  'confirm.subject': '{service}: potwierdź e-mail',
  'confirm.lead': 'Otwórz link, aby potwierdzić, że to Twój adres.',
  'confirm.link': 'Działa jeden raz, przez dobę:',
  'confirm.notYou': 'Jeśli to pomyłka, nic nie trzeba robić.',
  'login.subject': '{service}: nowe logowanie',
  'login.lead': 'Ktoś zalogował się do Twojego portfela: {device}, na stronie {app}.',
  'password.subject': '{service}: nowe hasło',
  'password.lead': 'Hasło do Twojego portfela zostało zmienione.',
  'emailAsked.subject': '{service}: poproszono o inny e-mail',
  'emailAsked.lead':
    'Twój portfel otrzyma e-mail {email}, gdy tylko ten adres zostanie potwierdzony.',
  'emailChanged.subject': '{service}: nowy e-mail',
  'emailChanged.lead': 'E-mail Twojego portfela to teraz {email}. Ten adres nie jest już używany.',
  'closed.subject': '{service}: Twoje konto jest zamknięte',
  'closed.lead': 'Do {date} logowanie otwiera je ponownie. Potem zostanie usunięte.',
  'reopened.subject': '{service}: Twoje konto znów jest otwarte',
  'reopened.lead': 'Logowanie ponownie otworzyło konto, które było zamknięte.',
  'money.subject': '{service}: w zamkniętym portfelu są pieniądze',
  'money.lead':
    'Do zamkniętego portfela wpłynęły pieniądze. Należą do Ciebie: zaloguj się, aby ich użyć.',
  'money.kept': 'Konto nie zostanie usunięte, dopóki są w nim pieniądze.',
  'cardSaved.subject': '{service}: zapisano kartę',
  'cardSaved.lead':
    'Karta {card} została zapisana. Po zalogowaniu można nią zapłacić jednym dotknięciem.',
  'cardRemoved.subject': '{service}: usunięto kartę',
  'cardRemoved.lead': 'Karta {card} została usunięta. Nie można jej tu już obciążyć.',
  'autoOn.subject': '{service}: automatyczne doładowanie jest włączone',
  'autoOn.lead': 'Gdy saldo spadnie poniżej wybranej kwoty, zapisana karta zostanie obciążona.',
  'autoOff.subject': '{service}: automatyczne doładowanie jest wyłączone',
  'autoOff.lead':
    'Bank dwa razy odrzucił automatyczne doładowanie. Jest wyłączone i nic nie pobrano.',
  'autoOff.next': 'Zaloguj się, aby doładować samodzielnie lub włączyć je ponownie z inną kartą.',
  'returned.subject': '{service}: pieniądze wracają na kartę',
  'returned.lead':
    'To, co wpłacono kartą i zostało w portfelu, wraca na kartę, z której przyszło. ' +
    'Bankom zajmuje to do dziesięciu dni.',
}
