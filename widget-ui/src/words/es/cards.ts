/** Spanish: saved cards. */
import type { Like } from '../catalog.js'
import type { cards as english } from '../en/cards.js'
import { long } from '../long-text.js'

export const cards: Like<typeof english> = {
  'saved.pay': 'Pagar {amount} con {card}',
  'saved.other': 'Usar otra tarjeta',
  'saved.save': 'Guardar esta tarjeta para la próxima vez',
  'saved.saveMeans': 'Se queda en el procesador de pagos. Su contraseña confirma que es usted.',
  'saved.expires': 'Caduca {date}',
  'saved.expired': 'Caducada {date}',
  'cards.title': 'Tarjetas y recarga automática',
  'auto.rule': 'Por debajo de {threshold} se recargan {amount} solos.',
  'auto.month': '{used} de {most} como máximo este mes.',
  'auto.off': 'Desactivar',
  'auto.failed': 'Su banco la ha rechazado dos veces: la recarga automática está desactivada.',
  'auto.on': 'Activar la recarga automática',
  'auto.change': 'Cambiar la recarga automática',
  'auto.threshold': 'Cuando quede menos de',
  'auto.amount': 'Recargar este importe',
  'auto.monthMaximum': 'Como máximo este importe al mes',
  'auto.card': 'Con esta tarjeta',
  'auto.fault': 'Introduzca un importe mayor que 0.',
  'cards.none':
    'No hay tarjetas guardadas. Al recargar, elija «Guardar esta tarjeta para la próxima vez».',
  'cards.remove': 'Eliminar',
  'cards.removeAsk': long(
    '{card} se elimina aquí y en el procesador de pagos. Para usarla de nuevo, ',
    'vuelva a introducirla.',
  ),
  'failure.tooManyCards': 'Ya tiene el máximo de tarjetas guardadas. Elimine una primero.',
  'failure.noCard': 'Esta tarjeta ya no está guardada.',
  'test.always': '3-D Secure siempre',
  'test.alwaysMeans': 'El banco pregunta en cada pago; guardada, no se puede cobrar sin usted.',
  'test.later': 'Rechazada una vez guardada',
  'test.laterMeans': 'El primer pago funciona; los siguientes con la tarjeta guardada se rechazan.',
}
