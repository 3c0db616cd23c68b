/** Polish: saved cards. */
import type { Like } from '../catalog.js'
import type { cards as english } from '../en/cards.js'
import { long } from '../long-text.js'

export const cards: Like<typeof english> = {
  'saved.pay': 'Zapłać {amount} kartą {card}',
  'saved.other': 'Użyj innej karty',
  'saved.save': 'Zapisz tę kartę na następny raz',
  'saved.saveMeans': 'Pozostaje u operatora płatności. Hasło potwierdza, że to Ty.',
  'saved.expires': 'Ważna do {date}',
  'saved.expired': 'Wygasła {date}',
  'cards.title': 'Karty i automatyczne doładowanie',
  'auto.rule': 'Poniżej {threshold} portfel doładuje się o {amount}.',
  'auto.month': '{used} z najwyżej {most} w tym miesiącu.',
  'auto.off': 'Wyłącz',
  'auto.failed': 'Bank odmówił dwa razy: automatyczne doładowanie jest wyłączone.',
  'auto.on': 'Włącz automatyczne doładowanie',
  'auto.change': 'Zmień automatyczne doładowanie',
  'auto.threshold': 'Gdy dostępne jest mniej niż',
  'auto.amount': 'Doładuj o tyle',
  'auto.monthMaximum': 'Najwyżej tyle w miesiącu',
  'auto.card': 'Tą kartą',
  'auto.fault': 'Wpisz kwotę większą od 0.',
  'cards.none':
    'Żadna karta nie jest zapisana. Przy doładowaniu wybierz „Zapisz tę kartę na następny raz”.',
  'cards.remove': 'Usuń',
  'cards.removeAsk': long(
    '{card} zostanie usunięta tutaj i u operatora płatności. Aby znów jej użyć, ',
    'trzeba ją wpisać ponownie.',
  ),
  'failure.tooManyCards': 'Zapisano już maksymalną liczbę kart. Najpierw usuń jedną.',
  'failure.noCard': 'Ta karta nie jest już zapisana.',
  'test.always': '3-D Secure za każdym razem',
  'test.alwaysMeans':
    'Bank pyta przy każdej płatności; zapisanej karty nie można obciążyć bez Ciebie.',
  'test.later': 'Odrzucona po zapisaniu',
  'test.laterMeans': 'Pierwsza płatność się udaje; następne zapisaną kartą są odrzucane.',
}
