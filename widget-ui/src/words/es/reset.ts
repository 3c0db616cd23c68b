/** Spanish: choosing a new password with a link. */
import type { Like } from '../catalog.js'
import type { reset as english } from '../en/reset.js'

export const reset: Like<typeof english> = {
  'reset.title': 'Elegir una contraseña nueva',
  'reset.done':
    'La contraseña nueva está guardada. Vuelva a la tienda e inicie sesión en su monedero con ' +
    'ella.',
  'reset.unusable':
    'Este enlace ya se ha usado o ha caducado. No ha cambiado nada. Pida uno nuevo del mismo ' +
    'modo.',
  'reset.forWallet': 'Para su monedero.',
  'reset.password': 'Contraseña nueva',
  'reset.needsPassword': 'Introduzca una contraseña nueva.',
  'reset.send': 'Guardar la contraseña nueva',
}
