/**
 * How a card is called in a mail: its brand and its last four digits, the same in every language.
 * Pure. Never: more of a number than that.
 */
export interface MailedCard {
  readonly brand: string
  readonly lastFour: string
}

export function cardName({ brand, lastFour }: MailedCard): string {
  return `${brands[brand] ?? brand} •••• ${lastFour}`
}

/** As the brands write themselves; another one is shown as the processor has it. */
const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}
