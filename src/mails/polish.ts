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
}
