/** German: saved cards. */
import type { Like } from '../catalog.js'
import type { cards as english } from '../en/cards.js'
import { long } from '../long-text.js'

export const cards: Like<typeof english> = {
  'saved.pay': '{amount} mit {card} bezahlen',
  'saved.other': 'Andere Karte verwenden',
  'saved.save': 'Diese Karte für das nächste Mal speichern',
  'saved.saveMeans':
    'Sie bleibt beim Zahlungsdienst. Ihr Passwort stellt sicher, dass Sie es sind.',
  'saved.expires': 'Gültig bis {date}',
  'saved.expired': 'Abgelaufen {date}',
  'cards.title': 'Gespeicherte Karten',
  'cards.none': long(
    'Keine Karte ist gespeichert. Wählen Sie beim Aufladen „Diese Karte für das ',
    'nächste Mal speichern“.',
  ),
  'cards.remove': 'Entfernen',
  'cards.removeAsk': long(
    '{card} wird hier und beim Zahlungsdienst entfernt. Um sie wieder zu nutzen, ',
    'geben Sie sie neu ein.',
  ),
  'failure.tooManyCards': 'Mehr Karten können nicht gespeichert werden. Entfernen Sie zuerst eine.',
  'failure.noCard': 'Diese Karte ist nicht mehr gespeichert.',
  'test.always': '3-D Secure jedes Mal',
  'test.alwaysMeans':
    'Die Bank fragt bei jeder Zahlung; gespeichert kann sie nicht ohne Sie belastet werden.',
  'test.later': 'Abgelehnt, sobald gespeichert',
  'test.laterMeans':
    'Die erste Zahlung gelingt; spätere mit der gespeicherten Karte werden abgelehnt.',
}
