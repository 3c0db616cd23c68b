/**
 * The brand of a card by the first digits of its number (ISO/IEC 7812). Values only. Promises: a
 * brand is only said when the digits leave no doubt. Never: says that a card is good.
 */
export const brands = [
  { brand: 'visa', name: 'Visa', starts: /^4/ },
  {
    brand: 'mastercard',
    name: 'Mastercard',
    starts: /^(5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/,
  },
  { brand: 'amex', name: 'American Express', starts: /^3[47]/ },
  { brand: 'discover', name: 'Discover', starts: /^(6011|64[4-9]|65)/ },
  { brand: 'diners', name: 'Diners Club', starts: /^(30[0-5]|36|38)/ },
  { brand: 'jcb', name: 'JCB', starts: /^35(2[89]|[3-8]\d)/ },
] as const

export type CardBrandName = (typeof brands)[number]['brand']

/** `digits`: a number, also one that is still being typed. */
export function brandOf(digits: string): CardBrandName | undefined {
  return brands.find(({ starts }) => starts.test(digits))?.brand
}
