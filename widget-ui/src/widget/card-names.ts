/** How a saved card is called and how long it is good, the same in every language. Values only. */
export interface CardFace {
  readonly brand: string
  readonly lastFour: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** As the brands write themselves; another one is shown as the processor has it. */
const names: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

export function cardName({ brand, lastFour }: Pick<CardFace, 'brand' | 'lastFour'>): string {
  return `${names[brand] ?? brand} •••• ${lastFour}`
}

export function expiryOf({ expiryMonth, expiryYear }: CardFace): string {
  return `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`
}

/** Good until the end of its month. */
export function isExpired({ expiryMonth, expiryYear }: CardFace, nowMs: number): boolean {
  return nowMs > Date.UTC(expiryYear, expiryMonth)
}
