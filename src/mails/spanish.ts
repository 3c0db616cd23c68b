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
  notYou:
    'Si no ha sido usted, elija enseguida una contraseña nueva: «¿Ha olvidado su ' +
    'contraseña?» al iniciar sesión.',
  'confirm.subject': '{service}: confirme su correo',
  'confirm.lead': 'Abra el enlace para confirmar que esta dirección es suya.',
  'confirm.link': 'Funciona una sola vez, durante un día:',
  'confirm.notYou': 'Si no lo ha pedido, no haga nada.',
  'login.subject': '{service}: nuevo inicio de sesión',
  'login.lead': 'Alguien ha iniciado sesión en su monedero: {device}, en la página de {app}.',
  'password.subject': '{service}: contraseña nueva',
  'password.lead': 'Se ha cambiado la contraseña de su monedero.',
  'emailAsked.subject': '{service}: se ha pedido otro correo',
  'emailAsked.lead': 'Su monedero tendrá el correo {email} en cuanto esa dirección se confirme.',
  'emailChanged.subject': '{service}: correo nuevo',
  'emailChanged.lead': 'El correo de su monedero es ahora {email}. Esta dirección ya no se usa.',
  'closed.subject': '{service}: su cuenta está cerrada',
  'closed.lead': 'Hasta el {date}, iniciar sesión la reabre. Después se borra.',
  'reopened.subject': '{service}: su cuenta vuelve a estar abierta',
  'reopened.lead': 'Un inicio de sesión ha reabierto la cuenta que usted había cerrado.',
  'money.subject': '{service}: hay dinero en su monedero cerrado',
  'money.lead':
    'Ha llegado dinero al monedero que usted cerró. Es suyo: inicie sesión para usarlo.',
  'money.kept': 'La cuenta no se borra mientras haya dinero en ella.',
  'cardSaved.subject': '{service}: tarjeta guardada',
  'cardSaved.lead':
    'Se ha guardado la tarjeta {card}. Con su inicio de sesión paga con ella en un toque.',
  'cardRemoved.subject': '{service}: tarjeta eliminada',
  'cardRemoved.lead':
    'Se ha eliminado la tarjeta {card}. Aquí ya no se puede cobrar nada con ella.',
  'autoOn.subject': '{service}: la recarga automática está activada',
  'autoOn.lead': 'Cuando su saldo baja del importe elegido, se cobra en su tarjeta guardada.',
  'autoOff.subject': '{service}: la recarga automática está desactivada',
  'autoOff.lead':
    'Su banco ha rechazado dos veces la recarga automática. Está desactivada y no se ' +
    'ha cobrado nada.',
  'autoOff.next': 'Inicie sesión para recargar usted o para activarla de nuevo con otra tarjeta.',
  'returned.subject': '{service}: su dinero vuelve a la tarjeta',
  'returned.lead':
    'Lo que se pagó con tarjeta y quedaba en su monedero vuelve a la tarjeta de la que vino. ' +
    'Los bancos tardan hasta diez días.',
}
