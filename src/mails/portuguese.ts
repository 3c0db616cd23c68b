/**
 * Portuguese: the mails, by the keys of English. Formal, short, exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const portuguese: MailWords = {
  wallet: 'Carteira',
  'foot.account': 'Este e-mail diz respeito à conta de carteira de {account}.',
  'foot.support': 'Dúvidas? {support}',
  'foot.doNotAnswer': 'Foi enviado automaticamente; as respostas não são lidas.',
  'reset.subject': '{service}: escolher uma nova senha',
  'reset.lead':
    'Alguém, esperamos que você, pediu para escolher uma nova senha para a sua carteira.',
  'reset.link': 'O link funciona uma única vez, durante uma hora:',
  'reset.notYou': 'Se não foi você, não faça nada: nada mudou.',
}
