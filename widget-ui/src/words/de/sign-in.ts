/** German: sign-up, login and the forgotten password. */
import type { Like } from '../catalog.js'
import type { signIn as english } from '../en/sign-in.js'

export const signIn: Like<typeof english> = {
  'signIn.title': 'Ihre Wallet bei {brand}',
  'signIn.why':
    '{brand} nimmt Zahlungen aus dieser Wallet an. Melden Sie sich an oder registrieren Sie ' +
    'sich einmalig; Ihr Passwort geht nur an den Wallet-Dienst, {brand} sieht es nie.',
  'signIn.switched':
    'Sie haben das andere Konto verlassen. Melden Sie sich mit dem an, das Sie hier nutzen ' +
    'möchten.',
  'signIn.logIn': 'Anmelden',
  'signIn.signUp': 'Registrieren',
  'signIn.tabs': 'Anmelden oder registrieren',
  'signIn.firstName': 'Vorname',
  'signIn.lastName': 'Nachname',
  'signIn.email': 'E-Mail-Adresse',
  'signIn.password': 'Passwort',
  'signIn.passwordHint': 'Mindestens {minimum} Zeichen; ein Satz eignet sich gut.',
  'signIn.needsFirstName': 'Geben Sie Ihren Vornamen ein.',
  'signIn.needsLastName': 'Geben Sie Ihren Nachnamen ein.',
  'signIn.needsEmail': 'Geben Sie Ihre E-Mail-Adresse ein.',
  'signIn.needsPassword': 'Geben Sie Ihr Passwort ein.',
  'signIn.exists':
    'Zu dieser E-Mail-Adresse gibt es schon eine Wallet. Melden Sie sich damit an; es wurde ' +
    'keine zweite angelegt.',
  'signIn.logInInstead': 'Stattdessen anmelden',
  'signIn.forgot': 'Passwort vergessen?',
  'forgot.title': 'Ein neues Passwort',
  'forgot.asked':
    'Wenn es zu dieser E-Mail-Adresse eine Wallet gibt, ist ein Link dorthin unterwegs. Öffnen ' +
    'Sie ihn, wählen Sie ein neues Passwort, kommen Sie zurück und melden Sie sich an. Nach ' +
    'einigen Minuten keine E-Mail? Bitten Sie {contact} um einen Link.',
  'forgot.how':
    'Wir senden Ihnen per E-Mail einen Link, mit dem Sie ein neues Passwort wählen können.',
  'forgot.send': 'Link senden',
  'forgot.noMail':
    'Dieser Wallet-Dienst verschickt keine E-Mails: Bitte bitten Sie seine Betreiber um einen ' +
    'Link für ein neues Passwort; {brand} kann Ihnen sagen, wie Sie sie erreichen.',
  'forgot.back': 'Zurück zur Anmeldung',
  'forgot.askSupport':
    'Von hier werden keine E-Mails verschickt. Schreiben Sie an {support}, nennen Sie die ' +
    'E-Mail-Adresse Ihres Kontos und bitten Sie um einen Link für ein neues Passwort.',
}
