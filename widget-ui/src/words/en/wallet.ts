/** English: the wallet, its entries, its menu and the cards that stand in its place. */
import { long } from '../long-text.js'

export const wallet = {
  'wallet.title': 'Wallet',
  'wallet.word': 'wallet',
  'wallet.latest': 'Latest entries',
  'wallet.balance': 'Balance',
  'wallet.lastKnown': 'Last known balance',
  'wallet.balanceIs': 'Balance: {amount}',
  'wallet.reserved': 'Reserved {held}, available {available}',
  'wallet.negative':
    'A top-up was taken back after it had been spent. Payments are declined until this is ' +
    'covered.',
  'wallet.topUp': 'Top up',
  'wallet.lost':
    'No connection to the wallet service. Last seen {time}. Your money is safe; we keep trying.',
  'wallet.tryNow': 'Try now',
  'wallet.noTopUpPage': 'No top-up page opened?',
  'wallet.topUpHere': 'Top up here',
  'wallet.paused': 'This wallet is paused.',
  'wallet.pausedWhy': 'Reason: {reason}',
  'wallet.pausedMeans':
    'Your balance stays as it is. Payments and top-ups are refused until it goes on.',
  'wallet.loading': 'Loading your wallet.',
  'wallet.spokenBalance': 'Balance {amount}.',
  'wallet.spokenNew': 'New: {title}, {amount}.',
  'wallet.pendingOne':
    'A top-up of {amount} is being processed by your bank. You need not pay it again.',
  'wallet.pendingMany': {
    one: '{count} top-up is being processed by your bank. You need not pay it again.',
    other: '{count} top-ups are being processed by your bank. You need not pay them again.',
  },
  'menu.word': 'account menu',
  'menu.yourAccount': 'Your account',
  'menu.switch': 'Switch account',
  'menu.switchMeans': long(
    '{brand} forgets this account here, and you log in with another one. Your money stays where ',
    'it is.',
  ),
  'menu.language': 'Language',
  'entry.none':
    'Nothing has happened in this wallet yet. Top up to pay with it for the first time.',
  'entry.otherApps':
    'What you do in other apps is shown without details here, so that {brand} cannot read it.',
  'entry.processing': 'Processing',
  'entry.state': 'State',
  'entry.atBank': 'Your bank is at it. The money is not in your balance yet.',
  'entry.balanceAfter': 'Balance after',
  'entry.whatFor': 'What for',
  'entry.details': 'Details',
  'entry.hidden': 'Hidden, so that {brand} cannot read them.',
  'entry.app': 'App',
  'entry.seenByYou': '{app}: {kind}. You see this as you have logged in here; {brand} does not.',
  'entry.reference': 'Reference',
  'entry.creditElsewhere': 'Credit from another app',
  'entry.paymentElsewhere': 'Payment in another app',
  'entry.topUp': 'Top-up',
  'entry.topUpTaken': 'Top-up taken back',
  'entry.topUpRestored': 'Top-up restored',
  'entry.topUpRefunded': 'Top-up refunded to your card',
  'entry.disputeRestored': 'Disputed top-up restored',
  'entry.disputed': 'Top-up disputed with your bank',
  'entry.bonus': 'Bonus',
  'entry.bonusTaken': 'Bonus taken back',
  'ended.title': 'Your wallet session has ended',
  'ended.why': 'It ends after five minutes to keep your wallet safe. No money has moved.',
  'ended.logInOrLoad': 'Log in here to go on, or load the page of {brand} again.',
  'ended.load': 'Load the page of the shop again to go on.',
  'ended.logIn': 'Log in here',
  'problem.off': 'This wallet is switched off here',
  'problem.offMeans': long(
    '{brand} cannot use the wallet at the moment. Your money is safe and no money has moved. Ask ',
    '{brand} when it will be back.',
  ),
  'problem.noShop': 'No shop named',
  'problem.noShopMeans': long(
    'This wallet page was opened without the shop it belongs to, so nobody can log in here. No ',
    'money has moved. Go back to the shop and open your wallet from there.',
  ),
  'problem.makers': long(
    'For the people who build the shop: the address needs the clientId of a registered client ',
    'app, such as {address}. The {doctor} tells what else is missing.',
  ),
  'problem.doctor': 'widget doctor',
} as const
