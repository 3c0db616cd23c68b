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
  'cards.title': 'Karten und automatisches Aufladen',
  'auto.rule': 'Unter {threshold} wird von selbst um {amount} aufgeladen.',
  'auto.month': '{used} von höchstens {most} in diesem Monat.',
  'auto.off': 'Abschalten',
  'auto.failed': 'Ihre Bank hat zweimal abgelehnt: Das automatische Aufladen ist aus.',
  'auto.on': 'Automatisches Aufladen einschalten',
  'auto.change': 'Automatisches Aufladen ändern',
  'auto.threshold': 'Wenn weniger als so viel verfügbar ist',
  'auto.amount': 'So viel aufladen',
  'auto.monthMaximum': 'Höchstens so viel im Monat',
  'auto.card': 'Mit dieser Karte',
  'auto.fault': 'Geben Sie einen Betrag über 0 ein.',
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
