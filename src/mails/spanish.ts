/**
 * Spanish: the mails, by the keys of English. Formal, short, and exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const spanish: MailWords = {
  wallet: 'Monedero',
  'foot.account': 'Este correo se refiere a la cuenta de monedero de {account}.',
  'foot.support': '¿Preguntas? {support}',
  'foot.doNotAnswer': 'Se ha enviado automáticamente; las respuestas no se leen.',
  'reset.subject': '{service}: elegir una contraseña nueva',
  'reset.lead':
    'Alguien, esperamos que usted, ha pedido elegir una contraseña nueva para su monedero.',
  'reset.link': 'El enlace funciona una sola vez, durante una hora:',
  'reset.notYou': 'Si no ha sido usted, no haga nada: no ha cambiado nada.',
}
