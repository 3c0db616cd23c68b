/** Spanish: the wallet, its entries, its menu and the cards in its place. */
import type { Like } from '../catalog.js'
import type { wallet as english } from '../en/wallet.js'

export const wallet: Like<typeof english> = {
  'wallet.title': 'Monedero',
  'wallet.word': 'monedero',
  'wallet.latest': 'Últimos movimientos',
  'wallet.balance': 'Saldo',
  'wallet.lastKnown': 'Último saldo conocido',
  'wallet.balanceIs': 'Saldo: {amount}',
  'wallet.reserved': 'Reservado: {held}, disponible: {available}',
  'wallet.negative':
    'Se retiró una recarga después de haberse gastado. Los pagos se rechazan hasta que se cubra ' +
    'este importe.',
  'wallet.topUp': 'Recargar',
  'wallet.lost':
    'Sin conexión con el servicio del monedero. Última respuesta: {time}. Su dinero está a ' +
    'salvo; seguimos intentándolo.',
  'wallet.tryNow': 'Intentar ahora',
  'wallet.noTopUpPage': '¿No se ha abierto la página de recarga?',
  'wallet.topUpHere': 'Recargar aquí',
  'wallet.paused': 'Este monedero está en pausa.',
  'wallet.pausedWhy': 'Motivo: {reason}',
  'wallet.pausedMeans':
    'Su saldo queda como está. Los pagos y las recargas se rechazan hasta que se reanude.',
  'wallet.loading': 'Cargando su monedero.',
  'wallet.spokenBalance': 'Saldo {amount}.',
  'wallet.spokenNew': 'Nuevo: {title}, {amount}.',
  'wallet.pendingOne':
    'Su banco está procesando una recarga de {amount}. No hace falta que la pague otra vez.',
  'wallet.pendingMany': {
    one: 'Su banco está procesando {count} recarga. No hace falta que la pague otra vez.',
    other: 'Su banco está procesando {count} recargas. No hace falta que las pague otra vez.',
  },
  'menu.word': 'menú de la cuenta',
  'menu.yourAccount': 'Su cuenta',
  'menu.switch': 'Cambiar de cuenta',
  'menu.switchMeans':
    '{brand} olvida esta cuenta aquí y usted inicia sesión con otra. Su dinero se queda donde ' +
    'está.',
  'menu.language': 'Idioma',
  'entry.none':
    'Todavía no hay movimientos en este monedero. Recárguelo para pagar con él por primera vez.',
  'entry.otherApps':
    'Lo que hace en otras aplicaciones aparece aquí sin detalles, para que {brand} no pueda ' +
    'leerlo.',
  'entry.processing': 'En proceso',
  'entry.state': 'Estado',
  'entry.atBank': 'Su banco lo está procesando. El dinero aún no está en su saldo.',
  'entry.balanceAfter': 'Saldo posterior',
  'entry.whatFor': 'Concepto',
  'entry.details': 'Detalles',
  'entry.hidden': 'Ocultos, para que {brand} no pueda leerlos.',
  'entry.app': 'Aplicación',
  'entry.seenByYou': '{app}: {kind}. Usted lo ve porque ha iniciado sesión aquí; {brand} no lo ve.',
  'entry.reference': 'Referencia',
  'entry.creditElsewhere': 'Abono de otra aplicación',
  'entry.paymentElsewhere': 'Pago en otra aplicación',
  'entry.topUp': 'Recarga',
  'entry.topUpTaken': 'Recarga retirada',
  'entry.topUpRestored': 'Recarga restablecida',
  'entry.topUpRefunded': 'Recarga reembolsada a su tarjeta',
  'entry.disputeRestored': 'Recarga impugnada restablecida',
  'entry.disputed': 'Recarga impugnada ante su banco',
  'entry.bonus': 'Bonificación',
  'entry.bonusTaken': 'Bonificación retirada',
  'ended.title': 'La sesión de su monedero ha terminado',
  'ended.why': 'Termina a los cinco minutos para proteger su monedero. No se ha movido dinero.',
  'ended.logInOrLoad': 'Inicie sesión aquí para continuar o vuelva a cargar la página de {brand}.',
  'ended.load': 'Vuelva a cargar la página de la tienda para continuar.',
  'ended.logIn': 'Iniciar sesión aquí',
  'problem.off': 'Este monedero está desactivado aquí',
  'problem.offMeans':
    '{brand} no puede usar el monedero en este momento. Su dinero está a salvo y no se ha ' +
    'movido nada. Pregunte a {brand} cuándo volverá a estar disponible.',
  'problem.noShop': 'Falta la tienda',
  'problem.noShopMeans':
    'Esta página del monedero se abrió sin la tienda a la que pertenece, así que nadie puede ' +
    'iniciar sesión aquí. No se ha movido dinero. Vuelva a la tienda y abra su monedero desde ' +
    'allí.',
  'problem.makers':
    'Para quienes crean la tienda: la dirección necesita el clientId de una aplicación cliente ' +
    'registrada, por ejemplo {address}. El {doctor} dice qué más falta.',
  'problem.doctor': 'doctor del widget',
}
