/** German: the wallet, its entries, its menu and the cards in its place. */
import type { Like } from '../catalog.js'
import type { wallet as english } from '../en/wallet.js'

export const wallet: Like<typeof english> = {
  'wallet.title': 'Wallet',
  'wallet.word': 'Wallet',
  'wallet.latest': 'Letzte Buchungen',
  'wallet.balance': 'Guthaben',
  'wallet.lastKnown': 'Letztes bekanntes Guthaben',
  'wallet.balanceIs': 'Guthaben: {amount}',
  'wallet.reserved': 'Reserviert: {held}, verfügbar: {available}',
  'wallet.negative':
    'Eine Aufladung wurde zurückgeholt, nachdem sie ausgegeben war. Zahlungen werden abgelehnt, ' +
    'bis der Betrag ausgeglichen ist.',
  'wallet.topUp': 'Aufladen',
  'wallet.lost':
    'Keine Verbindung zum Wallet-Dienst. Zuletzt gesehen: {time}. Ihr Geld ist sicher; wir ' +
    'versuchen es weiter.',
  'wallet.tryNow': 'Jetzt versuchen',
  'wallet.noTopUpPage': 'Hat sich keine Seite zum Aufladen geöffnet?',
  'wallet.topUpHere': 'Hier aufladen',
  'wallet.paused': 'Diese Wallet ist angehalten.',
  'wallet.pausedWhy': 'Grund: {reason}',
  'wallet.pausedMeans':
    'Ihr Guthaben bleibt, wie es ist. Zahlungen und Aufladungen werden abgelehnt, bis es ' +
    'weitergeht.',
  'wallet.loading': 'Ihre Wallet wird geladen.',
  'wallet.spokenBalance': 'Guthaben {amount}.',
  'wallet.spokenNew': 'Neu: {title}, {amount}.',
  'wallet.pendingOne':
    'Ihre Bank bearbeitet gerade eine Aufladung über {amount}. Sie müssen sie nicht noch einmal ' +
    'bezahlen.',
  'wallet.pendingMany': {
    one: 'Ihre Bank bearbeitet {count} Aufladung. Sie müssen sie nicht noch einmal bezahlen.',
    other: 'Ihre Bank bearbeitet {count} Aufladungen. Sie müssen sie nicht noch einmal bezahlen.',
  },
  'menu.word': 'Kontomenü',
  'menu.yourAccount': 'Ihr Konto',
  'menu.switch': 'Konto wechseln',
  'menu.switchMeans':
    '{brand} vergisst dieses Konto hier, und Sie melden sich mit einem anderen an. Ihr Geld ' +
    'bleibt, wo es ist.',
  'menu.language': 'Sprache',
  'entry.none':
    'In dieser Wallet ist noch nichts geschehen. Laden Sie sie auf, um zum ersten Mal damit zu ' +
    'bezahlen.',
  'entry.otherApps':
    'Was Sie in anderen Apps tun, steht hier ohne Einzelheiten, damit {brand} es nicht lesen ' +
    'kann.',
  'entry.processing': 'In Bearbeitung',
  'entry.state': 'Stand',
  'entry.atBank': 'Ihre Bank bearbeitet die Zahlung. Das Geld ist noch nicht in Ihrem Guthaben.',
  'entry.balanceAfter': 'Guthaben danach',
  'entry.whatFor': 'Wofür',
  'entry.details': 'Einzelheiten',
  'entry.hidden': 'Verborgen, damit {brand} sie nicht lesen kann.',
  'entry.app': 'App',
  'entry.seenByYou':
    '{app}: {kind}. Sie sehen das, weil Sie sich hier angemeldet haben; {brand} sieht es nicht.',
  'entry.reference': 'Referenz',
  'entry.creditElsewhere': 'Gutschrift aus einer anderen App',
  'entry.paymentElsewhere': 'Zahlung in einer anderen App',
  'entry.topUp': 'Aufladung',
  'entry.topUpTaken': 'Aufladung zurückgeholt',
  'entry.topUpRestored': 'Aufladung wiederhergestellt',
  'entry.topUpRefunded': 'Aufladung auf Ihre Karte erstattet',
  'entry.disputeRestored': 'Angefochtene Aufladung wiederhergestellt',
  'entry.disputed': 'Aufladung bei Ihrer Bank angefochten',
  'entry.bonus': 'Bonus',
  'entry.bonusTaken': 'Bonus zurückgenommen',
  'ended.title': 'Ihre Wallet-Sitzung ist beendet',
  'ended.why':
    'Sie endet nach fünf Minuten, damit Ihre Wallet sicher bleibt. Es wurde kein Geld bewegt.',
  'ended.logInOrLoad':
    'Melden Sie sich hier an, um fortzufahren, oder laden Sie die Seite von {brand} neu.',
  'ended.load': 'Laden Sie die Seite des Shops neu, um fortzufahren.',
  'ended.logIn': 'Hier anmelden',
  'problem.off': 'Diese Wallet ist hier abgeschaltet',
  'problem.offMeans':
    '{brand} kann die Wallet zurzeit nicht nutzen. Ihr Geld ist sicher, und es wurde kein Geld ' +
    'bewegt. Fragen Sie {brand}, wann es weitergeht.',
  'problem.noShop': 'Kein Shop angegeben',
  'problem.noShopMeans':
    'Diese Wallet-Seite wurde ohne den Shop geöffnet, zu dem sie gehört; deshalb kann sich hier ' +
    'niemand anmelden. Es wurde kein Geld bewegt. Gehen Sie zurück zum Shop und öffnen Sie Ihre ' +
    'Wallet von dort.',
  'problem.makers':
    'Für die Menschen, die den Shop bauen: Die Adresse braucht die clientId einer registrierten ' +
    'Client-App, etwa {address}. Der {doctor} sagt, was sonst noch fehlt.',
  'problem.doctor': 'Widget-Doktor',
}
