/**
 * The test cards of the sandbox, and what it finds wrong with a card's data. Pure. The numbers are
 * those that Stripe's own test mode uses for the same ends. Never: a number of a real card.
 */

export type CardEnd =
  | 'success'
  | 'declined'
  | 'authentication'
  | 'always-authentication'
  | 'declined-later'
  | 'processing'
  | 'network-failure'
  | 'later-refund'
  | 'later-dispute'

export interface TestCard {
  readonly number: string
  readonly label: string
  readonly description: string
  readonly end: CardEnd
}

export const testCards: readonly TestCard[] = [
  {
    number: '4242424242424242',
    label: 'Success',
    description: 'The payment succeeds at once.',
    end: 'success',
  },
  {
    number: '4000000000000002',
    label: 'Declined',
    description: 'The bank declines the card; nothing is taken.',
    end: 'declined',
  },
  {
    number: '4000002500003155',
    label: '3-D Secure',
    description: 'The bank asks you to approve the payment first.',
    end: 'authentication',
  },
  {
    number: '4000002760003184',
    label: '3-D Secure every time',
    description: 'The bank asks at every payment; saved, it cannot be charged while you are away.',
    end: 'always-authentication',
  },
  {
    number: '4000000000000341',
    label: 'Declined once it is saved',
    description: 'The first payment succeeds; later ones with the saved card are declined.',
    end: 'declined-later',
  },
  {
    number: '4000000000000077',
    label: 'Processing, then success',
    description: 'The payment takes a few seconds and then succeeds.',
    end: 'processing',
  },
  {
    number: '4000000000000119',
    label: 'Network failure',
    description: 'The connection is cut before anything is taken.',
    end: 'network-failure',
  },
  {
    number: '4000000000005126',
    label: 'Success, refunded later',
    description: 'The payment succeeds; some seconds later it is refunded in full.',
    end: 'later-refund',
  },
  {
    number: '4000000000000259',
    label: 'Success, disputed later',
    description: 'The payment succeeds; some seconds later the card holder disputes it.',
    end: 'later-dispute',
  },
]

export interface CardData {
  readonly cardNumber: string
  /** MM/YY. */
  readonly expiry: string
  readonly cvc: string
}

export interface CardFault {
  readonly code: string
  readonly message: string
}

/** The test card, or what a person reads about why it is none. */
export function readCard(card: CardData, nowMs: number): TestCard | CardFault {
  const number = card.cardNumber.replaceAll(/[ -]/g, '')
  const found = testCards.find((testCard) => testCard.number === number)
  if (found === undefined)
    return { code: 'incorrect_number', message: 'This is not one of the test cards.' }
  if (isOver(card.expiry, nowMs))
    return { code: 'expired_card', message: 'The card has expired. Check the date (MM/YY).' }
  if (!/^\d{3,4}$/.test(card.cvc.trim()))
    return { code: 'incorrect_cvc', message: 'The security code has three or four digits.' }
  return found
}

/** A test card that was saved, as its row keeps it. */
export interface SavedTestCard {
  readonly number: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** Of data that `readCard` has let through. */
export function savedCardOf({ number }: TestCard, { expiry }: CardData): SavedTestCard {
  const [month, year] = expiry.split('/').map((part) => Number(part.trim()))
  return { number, expiryMonth: month ?? 0, expiryYear: 2000 + (year ?? 0) }
}

/** Undefined: charged as it is; else what becomes of it without a word from the card holder. */
export function savedCardFault(card: SavedTestCard, nowMs: number): CardFault | undefined {
  const [month, year] = [card.expiryMonth, card.expiryYear % 100].map(twoDigits)
  const expiry = `${month}/${year}`
  if (isOver(expiry, nowMs)) return { code: 'expired_card', message: 'Your card has expired.' }
  const { end } = testCards.find(({ number }) => number === card.number) ?? {}
  return end === 'declined-later' ? declinedCard : undefined
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

export const declinedCard: CardFault = {
  code: 'card_declined',
  message: 'Your card was declined.',
}

/** A card is good until the end of its month, whatever the time zone: 14 hours more. */
function isOver(expiry: string, nowMs: number): boolean {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\s*\/\s*(\d\d)$/.exec(expiry.trim()) ?? []
  if (month === '') return true
  return nowMs > Date.UTC(2000 + Number(year), Number(month)) + 14 * 60 * 60_000
}
