/**
 * German: the mails, by the keys of English. Formal, short, and exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const german: MailWords = {
  wallet: 'Wallet',
  'foot.account': 'Diese E-Mail betrifft das Wallet-Konto von {account}.',
  'foot.support': 'Fragen? {support}',
  'foot.doNotAnswer': 'Sie wurde automatisch verschickt; Antworten darauf werden nicht gelesen.',
  'reset.subject': '{service}: neues Passwort wählen',
  'reset.lead': 'Jemand, hoffentlich Sie, möchte ein neues Passwort für Ihre Wallet wählen.',
  'reset.link': 'Der Link gilt einmal, eine Stunde lang:',
  'reset.notYou': 'Wenn Sie das nicht waren, tun Sie nichts: Es hat sich nichts geändert.',
  notYou:
    'Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort: „Passwort vergessen?“ ' +
    'bei der Anmeldung.',
  'confirm.subject': '{service}: E-Mail bestätigen',
  'confirm.lead': 'Öffnen Sie den Link, um zu bestätigen, dass diese Adresse Ihnen gehört.',
  'confirm.link': 'Er gilt einmal, einen Tag lang:',
  'confirm.notYou': 'Wenn Sie das nicht angefordert haben, tun Sie nichts.',
  'login.subject': '{service}: neue Anmeldung',
  'login.lead': 'Jemand hat sich bei Ihrer Wallet angemeldet: {device}, auf der Seite von {app}.',
  'password.subject': '{service}: neues Passwort',
  'password.lead': 'Das Passwort Ihrer Wallet wurde geändert.',
  'emailAsked.subject': '{service}: andere E-Mail angefordert',
  'emailAsked.lead':
    'Ihre Wallet soll die E-Mail {email} bekommen, sobald diese Adresse bestätigt ist.',
  'emailChanged.subject': '{service}: neue E-Mail',
  'emailChanged.lead':
    'Die E-Mail Ihrer Wallet ist jetzt {email}. Diese Adresse wird nicht mehr verwendet.',
  'closed.subject': '{service}: Ihr Konto ist geschlossen',
  'closed.lead': 'Bis {date} öffnet eine Anmeldung es wieder. Dann wird es gelöscht.',
  'reopened.subject': '{service}: Ihr Konto ist wieder offen',
  'reopened.lead': 'Eine Anmeldung hat das Konto, das Sie geschlossen hatten, wieder geöffnet.',
  'money.subject': '{service}: Geld in Ihrer geschlossenen Wallet',
  'money.lead':
    'In die Wallet, die Sie geschlossen haben, ist Geld gekommen. Es gehört Ihnen: Melden ' +
    'Sie sich an.',
  'money.kept': 'Das Konto wird nicht gelöscht, solange Geld darin ist.',
  'cardSaved.subject': '{service}: Karte gespeichert',
  'cardSaved.lead':
    'Die Karte {card} wurde gespeichert. Mit Ihrer Anmeldung zahlen Sie damit in einem Schritt.',
  'cardRemoved.subject': '{service}: Karte entfernt',
  'cardRemoved.lead': 'Die Karte {card} wurde entfernt. Sie kann hier nicht mehr belastet werden.',
  'autoOn.subject': '{service}: automatisches Aufladen ist an',
  'autoOn.lead':
    'Fällt Ihr Guthaben unter den gewählten Betrag, wird Ihre gespeicherte Karte belastet.',
  'autoOff.subject': '{service}: automatisches Aufladen ist aus',
  'autoOff.lead':
    'Ihre Bank hat das automatische Aufladen zweimal abgelehnt. Es ist abgeschaltet, ' +
    'und es wurde nichts abgebucht.',
  'autoOff.next':
    'Melden Sie sich an, um selbst aufzuladen oder es mit einer anderen Karte wieder ' +
    'einzuschalten.',
  'returned.subject': '{service}: Geld geht auf Ihre Karte zurück',
  'returned.lead':
    'Was mit Karte eingezahlt und noch im Wallet war, geht auf die Karte zurück, von der es ' +
    'kam. Banken brauchen dafür bis zu zehn Tage.',
}
