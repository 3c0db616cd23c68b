/** Spanish: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Elegir una contraseña nueva',
  'reset.done': 'Vuelva a la tienda e inicie sesión en su monedero con ella.',
  'reset.unusable':
    'Ya se ha usado o ha caducado. No ha cambiado nada. Pida uno nuevo del mismo modo.',
  'reset.password': 'Contraseña nueva',
  'reset.needsPassword': 'Introduzca una contraseña nueva.',
  'reset.send': 'Guardar la contraseña nueva',
  'reset.checking': 'Comprobando su enlace',
  'reset.doneTitle': 'La contraseña nueva está guardada',
  'reset.unusableTitle': 'Este enlace ya no se puede usar',
  'reset.account': 'Para la cuenta de monedero de {account}.',
}
