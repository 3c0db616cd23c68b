/** Polish: the wallet, its entries, its menu and the cards in its place. */
import type { Like } from '../catalog.js'
import type { wallet as english } from '../en/wallet.js'

export const wallet: Like<typeof english> = {
  'wallet.title': 'Portfel',
  'wallet.word': 'portfel',
  'wallet.latest': 'Ostatnie operacje',
  'wallet.balance': 'Saldo',
  'wallet.lastKnown': 'Ostatnie znane saldo',
  'wallet.balanceIs': 'Saldo: {amount}',
  'wallet.reserved': 'Zarezerwowane: {held}, dostępne: {available}',
  'wallet.negative':
    'Doładowanie zostało cofnięte po tym, jak je wydano. Płatności są odrzucane, dopóki ta ' +
    'kwota nie zostanie pokryta.',
  'wallet.topUp': 'Doładuj',
  'wallet.lost':
    'Brak połączenia z usługą portfela. Ostatnia odpowiedź: {time}. Pieniądze są bezpieczne; ' +
    'próbujemy dalej.',
  'wallet.tryNow': 'Spróbuj teraz',
  'wallet.noTopUpPage': 'Nie otworzyła się strona doładowania?',
  'wallet.topUpHere': 'Doładuj tutaj',
  'wallet.paused': 'Ten portfel jest wstrzymany.',
  'wallet.pausedWhy': 'Powód: {reason}',
  'wallet.pausedMeans':
    'Saldo pozostaje bez zmian. Płatności i doładowania są odrzucane do czasu wznowienia.',
  'wallet.loading': 'Ładowanie portfela.',
  'wallet.spokenBalance': 'Saldo {amount}.',
  'wallet.spokenNew': 'Nowa operacja: {title}, {amount}.',
  'wallet.pendingOne':
    'Bank przetwarza doładowanie na kwotę {amount}. Nie trzeba płacić za nie ponownie.',
  'wallet.pendingMany': {
    one: 'Bank przetwarza {count} doładowanie. Nie trzeba płacić za nie ponownie.',
    few: 'Bank przetwarza {count} doładowania. Nie trzeba płacić za nie ponownie.',
    many: 'Bank przetwarza {count} doładowań. Nie trzeba płacić za nie ponownie.',
    other: 'Bank przetwarza {count} doładowania. Nie trzeba płacić za nie ponownie.',
  },
  'menu.word': 'menu konta',
  'menu.yourAccount': 'Konto',
  'menu.switch': 'Zmień konto',
  'menu.switchMeans':
    '{brand} zapomina tu to konto, a logowanie następuje innym. Pieniądze zostają tam, gdzie są.',
  'menu.language': 'Język',
  'entry.none':
    'W tym portfelu nic się jeszcze nie wydarzyło. Doładuj go, aby zapłacić nim po raz pierwszy.',
  'entry.otherApps':
    'Operacje w innych aplikacjach są tu pokazane bez szczegółów, aby {brand} nie mogło ich ' +
    'odczytać.',
  'entry.processing': 'W toku',
  'entry.state': 'Stan',
  'entry.atBank': 'Bank przetwarza płatność. Pieniędzy nie ma jeszcze w saldzie.',
  'entry.balanceAfter': 'Saldo po operacji',
  'entry.whatFor': 'Opis',
  'entry.details': 'Szczegóły',
  'entry.hidden': 'Ukryte, aby {brand} nie mogło ich odczytać.',
  'entry.app': 'Aplikacja',
  'entry.seenByYou':
    '{app}: {kind}. Widać to dzięki zalogowaniu się tutaj; {brand} tego nie widzi.',
  'entry.reference': 'Numer referencyjny',
  'entry.creditElsewhere': 'Wpływ z innej aplikacji',
  'entry.paymentElsewhere': 'Płatność w innej aplikacji',
  'entry.topUp': 'Doładowanie',
  'entry.topUpTaken': 'Doładowanie cofnięte',
  'entry.topUpRestored': 'Doładowanie przywrócone',
  'entry.topUpRefunded': 'Doładowanie zwrócone na kartę',
  'entry.disputeRestored': 'Zareklamowane doładowanie przywrócone',
  'entry.disputed': 'Doładowanie zareklamowane w banku',
  'entry.bonus': 'Bonus',
  'entry.bonusTaken': 'Bonus cofnięty',
  'ended.title': 'Sesja portfela się skończyła',
  'ended.why':
    'Kończy się po pięciu minutach, aby portfel był bezpieczny. Żadne pieniądze nie zostały ' +
    'przesunięte.',
  'ended.logInOrLoad': 'Zaloguj się tutaj, aby kontynuować, albo ponownie załaduj stronę {brand}.',
  'ended.load': 'Aby kontynuować, ponownie załaduj stronę sklepu.',
  'ended.logIn': 'Zaloguj się tutaj',
  'problem.off': 'Ten portfel jest tu wyłączony',
  'problem.offMeans':
    '{brand} nie może teraz korzystać z portfela. Pieniądze są bezpieczne i żadne nie zostały ' +
    'przesunięte. O termin powrotu zapytaj: {brand}.',
  'problem.noShop': 'Nie podano sklepu',
  'problem.noShopMeans':
    'Ta strona portfela została otwarta bez sklepu, do którego należy, więc nie można się tu ' +
    'zalogować. Żadne pieniądze nie zostały przesunięte. Wróć do sklepu i otwórz portfel ' +
    'stamtąd.',
  'problem.makers':
    'Dla osób, które tworzą sklep: adres wymaga clientId zarejestrowanej aplikacji, na przykład ' +
    '{address}. {doctor} powie, czego jeszcze brakuje.',
  'problem.doctor': 'Doktor widżetu',
}
