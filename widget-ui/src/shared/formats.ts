/**
 * How amounts, counts and times read in this browser's language and this deployment's currency.
 * Promises: an amount from the service is only ever printed, never calculated with beyond a sum for
 * display; a typed amount is read exactly or not at all. Never: guesses what somebody meant.
 */
import { say } from '../words/say.js'
import { pageLanguage } from './page-language.js'

export { inWords } from './words.js'

export interface Currency {
  /** Lower case, as the service spells it. */
  readonly code: string
  readonly decimals: number
}

export interface Formats {
  readonly money: (amount: number) => string
  /** With its sign: "+$5.00", "−$5.00". */
  readonly signedMoney: (amount: number) => string
  /** Short, for an axis: "$1.2K". */
  readonly axisMoney: (amount: number) => string
  readonly count: (value: number) => string
  /** "1 entry", "2,000 entries". */
  readonly counted: (value: number, one: string, many: string) => string
  /** Undefined when the text is no amount above zero with at most the currency's decimals. */
  readonly readAmount: (text: string) => number | undefined
  /** As somebody would type it: "1234.50" or "1234,50". */
  readonly typedAmount: (amount: number) => string
  readonly currency: Currency
}

export function formatsFor(currency: Currency, language = pageLanguage()): Formats {
  const style = { style: 'currency', currency: currency.code.toUpperCase() } as const
  const digits = {
    minimumFractionDigits: currency.decimals,
    maximumFractionDigits: currency.decimals,
  }
  const money = new Intl.NumberFormat(language, { ...style, ...digits })
  const signed = new Intl.NumberFormat(language, {
    ...style,
    ...digits,
    signDisplay: 'exceptZero',
  })
  const axis = new Intl.NumberFormat(language, {
    ...style,
    notation: 'compact',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  })
  const whole = new Intl.NumberFormat(language)
  const typed = new Intl.NumberFormat(language, {
    ...digits,
    useGrouping: false,
    numberingSystem: 'latn',
  })
  const count = (value: number): string => withMinus(whole.format(value))
  return {
    money: (amount) => withMinus(money.format(amount)),
    signedMoney: (amount) => withMinus(signed.format(amount)),
    axisMoney: (amount) => withMinus(axis.format(amount)),
    count,
    counted: (value, one, many) => `${count(value)} ${value === 1 ? one : many}`,
    readAmount: (text) => readAmount(text, currency.decimals),
    typedAmount: (amount) => typed.format(amount),
    currency,
  }
}

/** The minus of a figure is as wide as its plus; a hyphen is easily overlooked. */
function withMinus(text: string): string {
  return text.replace('-', '−')
}

// A group separator is refused: "1,000" means a thousand to some and one to others.
function readAmount(text: string, decimals: number): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim()) ?? []
  if (whole === '' || fraction.length > decimals) return undefined
  const amount = Number(`${whole}.${fraction === '' ? '0' : fraction}`)
  return amount > 0 ? amount : undefined
}

const relativeSteps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3_600_000],
  ['month', 30 * 24 * 3_600_000],
  ['day', 24 * 3_600_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** "2 hours ago"; below a minute "just now", also where the two clocks differ a little. */
export function relativeTime(iso: string, nowMs = Date.now(), language = pageLanguage()) {
  const agoMs = nowMs - Date.parse(iso)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  for (const [unit, lengthMs] of relativeSteps)
    if (Math.abs(agoMs) >= lengthMs) return format.format(-Math.trunc(agoMs / lengthMs), unit)
  return say('time.now')
}

export function exactTime(iso: string, language = pageLanguage()): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(iso),
  )
}

/** A day of the service's calendar (UTC), such as "2026-03-01", whatever zone the browser is in. */
export function dayName(day: string, language = pageLanguage()): string {
  return new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))
}

/** 0 ms, 850 ms, 12 s, 4 min. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return `${Math.round(ms / 60_000)} min`
}
