/**
 * The fields of requests, parsed at the edge by the rules of the domain. Each function takes the
 * whole input and a name, and throws a 400 that names the field.
 * Never: coerces a body's value; a query's text is read strictly, in one form only.
 */
import type { Currency } from '../domain/money.js'
import { balanceMaxMinor, parseAmount, toMajor } from '../domain/money.js'
import type { AmountFault } from '../domain/money.js'
import {
  descriptionFault,
  referenceIdBytesMax,
  referenceTypeBytesMax,
  textFault,
} from '../domain/reference.js'
import type { Reference } from '../domain/reference.js'
import { invalidField } from './errors.js'

/** A JSON body or a query; anything else that arrived counts as empty. */
export type Input = Readonly<Record<string, unknown>>

export function inputOf(value: unknown): Input {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Input) : {}
}

export interface AmountLimits {
  readonly currency: Currency
  readonly maxMinor: number
}

/** A JSON number in major units, as minor units. */
export function amountField(input: Input, name: string, limits: AmountLimits): number {
  requirePresent(input, name)
  return minorOf(input[name], name, limits)
}

/** A number in a query: digits, and a point with digits. Not `1e3`, `+5`, ` 5` or `0x10`. */
export function requiredAmountField(input: Input, name: string, currency: Currency): number {
  requirePresent(input, name)
  const text = input[name]
  if (typeof text !== 'string' || !/^[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text))
    throw invalidField(name, 'must be a decimal number such as 12.50')
  // In the text itself: the double that it becomes may have lost the last digits.
  if ((text.split('.')[1] ?? '').replace(/0+$/, '').length > currency.decimals)
    throw invalidField(name, `must have at most ${currency.decimals} decimals`)
  const parsed = parseAmount(Number(text), { currency, zeroAllowed: true })
  if ('minor' in parsed) return parsed.minor
  throw invalidField(name, amountProblem(parsed.fault, { currency, maxMinor: balanceMaxMinor }))
}

export function stringField(input: Input, name: string): string {
  requirePresent(input, name)
  const value = input[name]
  if (typeof value !== 'string') throw invalidField(name, 'must be a string')
  return value
}

export function referenceFields(input: Input, prefix = ''): Reference {
  return {
    referenceType: boundedText(input, 'referenceType', prefix, referenceTypeBytesMax),
    referenceId: boundedText(input, 'referenceId', prefix, referenceIdBytesMax),
  }
}

export function descriptionField(input: Input): string | undefined {
  if (input['description'] === undefined) return undefined
  const description = stringField(input, 'description')
  const problem = descriptionFault(description)
  if (problem !== undefined) throw invalidField('description', problem)
  return description
}

/** The pair of the debit that a credit refunds. */
export function refundOfField(input: Input): Reference | undefined {
  const value = input['refundOf']
  if (value === undefined) return undefined
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) throw invalidField('refundOf', 'must hold referenceType and referenceId')
  return referenceFields(value as Input, 'refundOf.')
}

export function wholeNumberField(
  input: Input,
  name: string,
  { min, max, standard }: { min: number; max: number; standard: number },
): number {
  const text = input[name]
  if (text === undefined) return standard
  const value = typeof text === 'string' && /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  throw invalidField(name, `must be a whole number from ${min} to ${max}`)
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** An ISO 8601 time with its zone, as UTC with milliseconds. */
export function timeField(input: Input, name: string): string | undefined {
  const text = input[name]
  if (text === undefined) return undefined
  const isTime = typeof text === 'string' && isoTime.test(text) && isOnCalendar(text)
  const ms = isTime ? Date.parse(text) : NaN
  if (Number.isNaN(ms)) throw invalidField(name, 'must be an ISO 8601 time with its zone')
  const time = new Date(ms).toISOString()
  // Beyond these years the text has another form, and the database another calendar.
  if (time < '0001' || !/^\d{4}-/.test(time))
    throw invalidField(name, 'must be within the years 0001 to 9999')
  return time
}

/** Date.parse takes 31 February for 3 March. */
function isOnCalendar(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

export function choiceField<const Choice extends string>(
  input: Input,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = input[name]
  if (value === undefined) return undefined
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw invalidField(name, `must be one of ${choices.join(', ')}`)
  return found
}

function requirePresent(input: Input, name: string): void {
  if (input[name] === undefined) throw invalidField(name, 'is missing')
}

function minorOf(value: unknown, name: string, limits: AmountLimits): number {
  const parsed = parseAmount(value, limits)
  if ('minor' in parsed) return parsed.minor
  throw invalidField(name, amountProblem(parsed.fault, limits))
}

function amountProblem(fault: AmountFault, { currency, maxMinor }: AmountLimits): string {
  switch (fault) {
    case 'not-a-number':
      return 'must be a number'
    case 'not-positive':
      return 'must be above 0'
    case 'too-many-decimals':
      return `must have at most ${currency.decimals} decimals`
    case 'too-large':
      return `must be at most ${toMajor(maxMinor, currency).toFixed(currency.decimals)}`
  }
}

function boundedText(input: Input, name: string, prefix: string, bytesMax: number): string {
  const field = prefix + name
  const value = input[name]
  if (value === undefined) throw invalidField(field, 'is missing')
  if (typeof value !== 'string') throw invalidField(field, 'must be a string')
  const problem = textFault(value, { bytesMax })
  if (problem !== undefined) throw invalidField(field, problem)
  return value
}
