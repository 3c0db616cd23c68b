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
}
