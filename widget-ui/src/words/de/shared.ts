/** German: what fields, failures and times say on every page. */
import type { Like } from '../catalog.js'
import type { shared as english } from '../en/shared.js'

export const shared: Like<typeof english> = {
  'time.now': 'gerade eben',
  'act.tryAgain': 'Erneut versuchen',
  'field.capsLock': 'Die Feststelltaste ist aktiv.',
  'field.show': 'Anzeigen',
  'field.hide': 'Verbergen',
  'field.showPassword': 'Passwort anzeigen',
  'field.hidePassword': 'Passwort verbergen',
  'failure.noAnswer':
    'Der Wallet-Dienst antwortet gerade nicht. Versuchen Sie es gleich noch einmal.',
  'failure.noAnswerUnmoved':
    'Der Wallet-Dienst antwortet gerade nicht. Es wurde kein Geld bewegt. Versuchen Sie es ' +
    'gleich noch einmal.',
  'failure.page':
    'Auf dieser Seite ist ein Fehler aufgetreten. Es wurde nichts geändert. Laden Sie die Seite ' +
    'neu.',
  'failure.tries': {
    one: 'Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es dann noch einmal.',
    other:
      'Es gab zu viele Versuche. Warten Sie {count} Minuten und versuchen Sie es dann noch ' +
      'einmal.',
  },
  'failure.tooMuch': 'Gerade ist zu viel los. Versuchen Sie es gleich noch einmal.',
  'failure.login':
    'E-Mail-Adresse und Passwort passen nicht zusammen. Prüfen Sie beide und versuchen Sie es ' +
    'noch einmal.',
  'failure.client':
    'Der Shop, zu dem diese Seite gehört, kann die Wallet gerade nicht nutzen. Bitte sagen Sie ' +
    'dem Shop Bescheid.',
  'failure.exists': 'Zu dieser E-Mail-Adresse gibt es schon eine Wallet. Melden Sie sich damit an.',
  'failure.session': 'Die Sitzung ist abgelaufen.',
  'failure.otherAccount':
    'Die neue Sitzung gehört zu einer anderen Person oder App oder ist beendet.',
  'failure.inactive': 'Die Wallet ist nicht aktiv.',
  'failure.cards':
    'Kartenzahlungen sind gerade nicht möglich. Was bezahlt wurde, wird später von selbst ' +
    'gebucht.',
  'failure.noMail':
    'Dieser Dienst verschickt keine E-Mails. Bitten Sie seine Betreiber um einen Link.',
  'failure.other': 'Der Wallet-Dienst hat das nicht angenommen. Prüfen Sie Ihre Angaben.',
  'fault.email': 'Geben Sie eine E-Mail-Adresse wie anna@example.com ein.',
  'fault.short': 'Mindestens {minimum} Zeichen sind nötig.',
  'fault.other': 'Das wird nicht angenommen. Geben Sie etwas anderes ein.',
  'service.same':
    'Ihre Wallet bei {brand} ist eine einzige Wallet mit einem Guthaben in allen Apps, die Sie ' +
    'verknüpfen.',
  'service.sameOf':
    'Ihre Wallet bei {brand} wird von {service} betrieben: eine einzige Wallet mit einem ' +
    'Guthaben in allen Apps, die Sie verknüpfen.',
  'service.support': 'Hilfe',
  'service.terms': 'Bedingungen',
  'service.privacy': 'Datenschutz',
}
