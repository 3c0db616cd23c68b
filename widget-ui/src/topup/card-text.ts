/**
 * The text of a card's fields: number in groups, expiry as MM / YY, security code. Pure. Promises:
 * whatever is pasted or typed, only digits are kept; a fault is said in words for its field.
 * Never: says that a card is good. That only the processor knows.
 */
import { say } from '../words/say.js'

export interface CardText {
  readonly number: string
  readonly expiry: string
  readonly code: string
}

export type CardFaults = { readonly [Field in keyof CardText]?: string }

/** The longest card number there is (ISO/IEC 7812). */
const numberDigitsMax = 19
const codeDigitsMax = 4

export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '')
}

/** "4242 4242 4242 4242"; American Express prints 4, 6 and 5 digits. */
export function formatNumber(text: string): string {
  const digits = digitsOf(text).slice(0, numberDigitsMax)
  const groups = /^3[47]/.test(digits)
    ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)]
    : (digits.match(/.{1,4}/g) ?? [])
  return groups.filter((group) => group !== '').join(' ')
}

/** "12 / 30"; a first digit above 1 can only be a month of one digit, "12/2030" loses its 20. */
export function formatExpiry(text: string): string {
  const single = /^\s*([1-9])\s*\//.exec(text)
  const plain = digitsOf(text)
  const digits = single !== null || /^[2-9]/.test(plain) ? `0${plain}` : plain
  const month = digits.slice(0, 2)
  const year = /^20\d\d$/.test(digits.slice(2, 6)) ? digits.slice(4, 6) : digits.slice(2, 4)
  // No slash before there is a year: it would come back as often as it is deleted.
  return digits.length < 3 ? month : `${month} / ${year}`
}

export function formatCode(text: string): string {
  return digitsOf(text).slice(0, codeDigitsMax)
}

/** Where the caret belongs after formatting: behind as many digits as it stood behind before. */
export function caretAfter(formatted: string, digitsBefore: number): number {
  let seen = 0
  for (const [index, character] of Array.from(formatted).entries()) {
    if (seen === digitsBefore) return index
    if (/\d/.test(character)) seen += 1
  }
  return formatted.length
}

export function faultsOf(card: CardText, nowMs: number): CardFaults {
  const faults = {
    number: numberFault(digitsOf(card.number)),
    expiry: expiryFault(card.expiry, nowMs),
    code: codeFault(digitsOf(card.code)),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}

function numberFault(digits: string): string | undefined {
  if (digits === '') return say('card.needsNumber')
  if (digits.length < 12) return say('card.tooShort')
  return hasCheckDigit(digits) ? undefined : say('card.noNumber')
}

/** A card is good to the last day of its month; one day more for whoever is east of the date. */
function expiryFault(text: string, nowMs: number): string | undefined {
  const [, month = '', year = ''] = /^(\d\d) \/ (\d\d)$/.exec(text) ?? []
  if (month === '') return say('card.needsExpiry')
  if (Number(month) < 1 || Number(month) > 12) return say('card.month')
  const firstDayAfterMs = Date.UTC(2000 + Number(year), Number(month), 2)
  return firstDayAfterMs <= nowMs ? say('card.expired') : undefined
}

function codeFault(digits: string): string | undefined {
  return digits.length < 3 ? say('card.needsCode') : undefined
}

/** The last digit is chosen so that one mistyped digit is found out (ISO/IEC 7812, "Luhn"). */
function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .reverse()
    .map((digit, index) => (index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2))
    .reduce((total, digit) => total + digit, 0)
  return sum % 10 === 0
}
