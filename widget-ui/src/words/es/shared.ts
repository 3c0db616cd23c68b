/** Spanish: what fields, failures and times say on every page. */
import type { Like } from '../catalog.js'
import type { shared as english } from '../en/shared.js'

export const shared: Like<typeof english> = {
  'time.now': 'ahora mismo',
  'act.tryAgain': 'Intentar de nuevo',
  'field.capsLock': 'El bloqueo de mayúsculas está activado.',
  'field.show': 'Mostrar',
  'field.hide': 'Ocultar',
  'field.showPassword': 'Mostrar la contraseña',
  'field.hidePassword': 'Ocultar la contraseña',
  'failure.noAnswer':
    'El servicio del monedero no responde en este momento. Inténtelo de nuevo en un momento.',
  'failure.noAnswerUnmoved':
    'El servicio del monedero no responde en este momento. No se ha movido dinero. Inténtelo de ' +
    'nuevo en un momento.',
  'failure.page':
    'Se ha producido un error en esta página. No ha cambiado nada. Vuelva a cargarla.',
  'failure.tries': {
    one: 'Ha habido demasiados intentos. Espere un minuto e inténtelo de nuevo.',
    other: 'Ha habido demasiados intentos. Espere {count} minutos e inténtelo de nuevo.',
  },
  'failure.tooMuch': 'Hay demasiadas solicitudes a la vez. Inténtelo de nuevo en un momento.',
  'failure.login':
    'Este correo electrónico y esta contraseña no coinciden. Compruebe ambos e inténtelo de ' +
    'nuevo.',
  'failure.client':
    'La tienda a la que pertenece esta página no puede usar el monedero ahora. Avise a la ' +
    'tienda.',
  'failure.exists': 'Ya existe un monedero con este correo electrónico. Inicie sesión con él.',
  'failure.session': 'La sesión ha caducado.',
  'failure.otherAccount':
    'La nueva sesión es de otra persona o de otra aplicación, o ha terminado.',
  'failure.inactive': 'El monedero no está activo.',
  'failure.cards':
    'Los pagos con tarjeta no son posibles ahora. Lo que se haya pagado se abonará más tarde ' +
    'por sí solo.',
  'failure.noMail':
    'Este servicio no envía correos. Pida un enlace a las personas que lo gestionan.',
  'failure.other': 'El servicio del monedero no lo ha aceptado. Compruebe los datos introducidos.',
  'fault.email': 'Introduzca un correo electrónico, por ejemplo ana@example.com.',
  'fault.short': 'Debe tener al menos {minimum} caracteres.',
  'fault.other': 'Este valor no se acepta. Introduzca otro.',
  'service.same':
    'Su monedero en {brand} es un único monedero, con un único saldo, en todas las ' +
    'aplicaciones que vincule.',
  'service.sameOf':
    'Su monedero en {brand} lo gestiona {service}: un único monedero, con un único saldo, en ' +
    'todas las aplicaciones que vincule.',
  'service.support': 'Ayuda',
  'service.terms': 'Condiciones',
  'service.privacy': 'Privacidad',
}
