/**
 * Money: integers in minor units inside, JSON numbers in major units on the wire, one currency a
 * deployment from a closed table. Promises: parsing and printing are exact, never rounded.
 * Never: adds, compares or stores a fraction.
 */
import { invariant } from './invariant.js'

export interface Currency {
  readonly code: string
  readonly decimals: 0 | 2
  /** Digits after the point in the card processor's amounts. */
  readonly processorExponent: 0 | 2
}

// Left out on purpose: currencies of three decimals, and those whose processor amounts follow rules
// of their own (isk, ugx, huf, twd, mga). An unknown code is a configuration fault, never a guess.
const twoDecimals =
  'aed ars aud bam bgn brl cad chf cny cop crc czk dkk dop egp eur gbp gel ghs gtq hkd hnl idr ' +
  'ils inr jmd kes lkr mad mdl mkd mop mur mxn myr ngn nok nzd pab pen php pkr pln qar ron rsd ' +
  'sar sek sgd thb try tzs uah usd uyu zar'
const noDecimals = 'clp jpy krw pyg vnd xaf xof xpf'

export const currencies: ReadonlyMap<string, Currency> = new Map(
  [
    ...twoDecimals.split(' ').map((code): Currency => currency(code, 2)),
    ...noDecimals.split(' ').map((code): Currency => currency(code, 0)),
  ].map((entry) => [entry.code, entry]),
)

export function findCurrency(code: string): Currency | undefined {
  return currencies.get(code)
}

/**
 * No credit lifts a balance above this: with 15 digits every amount prints exactly as a JSON
 * number. Payments already received are booked beyond it, up to what an integer holds.
 */
export const balanceMaxMinor = 999_999_999_999_999

export type AmountFault = 'not-a-number' | 'not-positive' | 'too-many-decimals' | 'too-large'

export interface AmountRules {
  readonly currency: Currency
  /** Inclusive; left out where any size is allowed (`requiredAmount`). */
  readonly maxMinor?: number
  /** Whether 0 is allowed (`requiredAmount`). */
  readonly zeroAllowed?: boolean
}

/** A JSON number in major units as minor units. Strings, booleans and null are no numbers. */
export function parseAmount(
  value: unknown,
  rules: AmountRules,
): { readonly minor: number } | { readonly fault: AmountFault } {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { fault: 'not-a-number' }
  if (value < 0 || (value === 0 && rules.zeroAllowed !== true)) return { fault: 'not-positive' }
  if (value > balanceMaxMinor) return { fault: 'too-large' }
  // Of at most 15 digits no two decimals are the same double: who divides back to this very one is
  // what the client wrote, and nothing was rounded.
  const units = 10 ** rules.currency.decimals
  const minor = Math.round(value * units)
  const maxMinor = rules.maxMinor ?? balanceMaxMinor
  if (minor <= maxMinor && minor / units === value) return { minor }
  // The shortest decimal that names a double is what was written.
  const [, fraction = ''] = plainDecimal(value).split('.')
  const isTooFine = fraction.length > rules.currency.decimals
  return { fault: isTooFine ? 'too-many-decimals' : 'too-large' }
}

/**
 * Minor units of an amount that `parseAmount` lets through. Exact: of at most 15 digits, so the
 * product is off by less than a half, and rounding gives the very integer.
 */
export function toMinor(major: number, currency: Currency): number {
  const minor = Math.round(major * 10 ** currency.decimals)
  invariant(minor / 10 ** currency.decimals === major, 'an amount has whole minor units')
  return minor
}

/** Minor units as the JSON number of the wire: a division by a power of ten rounds correctly. */
export function toMajor(minor: number, currency: Currency): number {
  invariant(Number.isSafeInteger(minor), 'an amount in minor units is a safe integer')
  return minor / 10 ** currency.decimals
}

/** For people and logs: "12.30 USD". */
export function formatMoney(minor: number, currency: Currency): string {
  return `${toMajor(minor, currency).toFixed(currency.decimals)} ${currency.code.toUpperCase()}`
}

function currency(code: string, digits: 0 | 2): Currency {
  return { code, decimals: digits, processorExponent: digits }
}

// Numbers below 1e-6 print with an exponent; they have too many decimals in every currency.
function plainDecimal(value: number): string {
  const text = String(value)
  return text.includes('e-') ? `0.${'0'.repeat(6)}1` : text
}
