/**
 * The fields of requests: each is a schema for the documentation and a rule for the value, which
 * says what is wrong as the end of a sentence, "The field 'amount' …". A rule asks the domain where
 * the domain has one. Promises: the same sentences for ever.
 * Never: converts a value; a query's text is read strictly, in one form only.
 */
import {
  Kind,
  Type,
  TypeRegistry,
  type SchemaOptions,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox'
import { balanceMaxMinor, parseAmount, toMajor } from '../../domain/money.js'
import type { AmountFault, Currency } from '../../domain/money.js'
import {
  descriptionCharactersMax,
  descriptionFault,
  referenceIdBytesMax,
  referenceTypeBytesMax,
  textFault,
} from '../../domain/reference.js'

/** What is wrong with a value; undefined when nothing is. */
export type Rule = (value: unknown) => string | undefined

// Symbols, as TypeBox's own: they are no part of the JSON of a schema.
const rule = Symbol('rule')
const inputObject = Symbol('input object')
const fieldKind = 'Field'

TypeRegistry.Set<TSchema>(fieldKind, (schema, value) => ruleIn(schema)?.(value) === undefined)

/** `problemOf` sees no undefined: what is missing is told first. */
export function field<Value>(
  schema: SchemaOptions & { readonly type?: string | readonly string[] },
  problemOf: Rule,
  { whenMissing = 'is missing' }: { readonly whenMissing?: string } = {},
): TUnsafe<Value> {
  const wholeRule: Rule = (value) => (value === undefined ? whenMissing : problemOf(value))
  return Type.Unsafe<Value>({ ...schema, [Kind]: fieldKind, [rule]: wholeRule })
}

/** The fields of a body or a query, in the order in which they are complained about. */
export function input<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { [inputObject]: true })
}

/** The rule that a schema carries, if it has one of its own. */
export function ruleIn(schema: TSchema): Rule | undefined {
  return (schema as { readonly [rule]?: Rule })[rule]
}

/** Whether anything but an object counts as an empty one. */
export function isInputObject(schema: TSchema): boolean {
  return inputObject in schema
}

export function text(schema: SchemaOptions = {}) {
  return field<string>({ type: 'string', ...schema }, stringProblem)
}

/** A text with a rule of its own beside that it is one. */
export function textWith(
  schema: SchemaOptions,
  problemOf: (value: string) => string | undefined,
): TUnsafe<string> {
  return field<string>({ type: 'string', ...schema }, (value) =>
    typeof value === 'string' ? problemOf(value) : 'must be a string',
  )
}

/** What may be missing, given twice or of any kind: it is looked at, never refused. */
export function anything(schema: SchemaOptions = {}) {
  return Type.Optional(field<unknown>({ type: 'string', ...schema }, () => undefined))
}

/** A body that is not JSON: nothing of it is looked at here. */
export function bytes(said: string) {
  const schema = { type: 'string', format: 'binary', description: said }
  return field<unknown>(schema, () => undefined)
}

export function nullableText(schema: SchemaOptions = {}) {
  return field<string | null>({ type: ['string', 'null'], ...schema }, (value) =>
    value === null ? undefined : stringProblem(value),
  )
}

/** A fault of an item names its place, such as `allowedOrigins[2]`. */
export function list<Item extends TSchema>(item: Item) {
  return Type.Array(item)
}

export function flag(schema: SchemaOptions = {}) {
  const problem = 'must be true or false'
  return field<boolean>(
    { type: 'boolean', ...schema },
    (value) => (typeof value === 'boolean' ? undefined : problem),
    { whenMissing: problem },
  )
}

export interface AmountLimits {
  readonly currency: Currency
  readonly maxMinor: number
}

/** A JSON number in major units; `toMinor` of the domain makes minor units of it. */
export function amount(limits: AmountLimits) {
  const { currency, maxMinor } = limits
  return field<number>(
    {
      type: 'number',
      description: `In ${currency.code.toUpperCase()}, at most ${currency.decimals} decimals`,
      exclusiveMinimum: 0,
      maximum: toMajor(maxMinor, currency),
      examples: [toMajor(1250, currency)],
    },
    (value) => {
      const parsed = parseAmount(value, limits)
      return 'fault' in parsed ? amountProblem(parsed.fault, limits) : undefined
    },
  )
}

/** A number in a query: digits, and a point with digits. Not `1e3`, `+5`, ` 5` or `0x10`. */
export function amountText(currency: Currency) {
  const pattern = '^[0-9]{1,15}(\\.[0-9]{1,15})?$'
  const form = new RegExp(pattern)
  return field<string>(
    { type: 'string', description: 'A decimal number', pattern, examples: ['12.50'] },
    (value) => {
      if (typeof value !== 'string' || !form.test(value))
        return 'must be a decimal number such as 12.50'
      // In the text itself: the double that it becomes may have lost the last digits.
      if ((value.split('.')[1] ?? '').replace(/0+$/, '').length > currency.decimals)
        return amountProblem('too-many-decimals', { currency, maxMinor: balanceMaxMinor })
      const parsed = parseAmount(Number(value), { currency, zeroAllowed: true })
      if ('minor' in parsed) return undefined
      return amountProblem(parsed.fault, { currency, maxMinor: balanceMaxMinor })
    },
  )
}

export const referenceType = () => boundedText('ORDER_PAYMENT', referenceTypeBytesMax)

export const referenceId = () => boundedText('ORDER-1042', referenceIdBytesMax)

export function description() {
  return Type.Optional(
    textWith(
      { description: `At most ${descriptionCharactersMax} characters`, examples: ['Order 1042'] },
      descriptionFault,
    ),
  )
}

/** The pair of the debit that a credit refunds. */
export function refundOf() {
  return Type.Optional(pair('The reference of the debit or capture that this credit refunds'))
}

/** The pair of the hold that is captured or released. */
export function holdOf() {
  return pair('The reference of the hold')
}

function pair(said: string) {
  const isPair: Rule = (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'must hold referenceType and referenceId'
  const fields = { referenceType: referenceType(), referenceId: referenceId() }
  return Type.Object(fields, { description: said, [rule]: isPair })
}

/** A JSON number: whole seconds. */
export function seconds({ min, max, standard }: { min: number; max: number; standard: number }) {
  const schema = { type: 'integer', minimum: min, maximum: max, default: standard }
  const said = `${min} to ${max} seconds`
  return Type.Optional(
    field<number>({ ...schema, description: said }, (value) =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max
        ? undefined
        : `must be a whole number from ${min} to ${max}`,
    ),
  )
}

/** In a query, so it comes as digits. */
export function wholeNumber({
  min,
  max,
  standard,
}: {
  min: number
  max: number
  standard?: number
}) {
  return Type.Optional(
    field<string>(
      {
        type: 'string',
        pattern: '^[0-9]{1,9}$',
        description: `A whole number from ${min} to ${max}`,
        ...(standard !== undefined && { default: String(standard) }),
      },
      (value) => {
        const number = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : NaN
        if (number >= min && number <= max) return undefined
        return `must be a whole number from ${min} to ${max}`
      },
    ),
  )
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** An ISO 8601 time with its zone; `utcTime` makes UTC with milliseconds of it. */
export function time(
  said: string,
  alsoProblemOf: (ms: number) => string | undefined = () => undefined,
) {
  return Type.Optional(
    field<string>({ type: 'string', format: 'date-time', description: said }, (value) => {
      const isTime = typeof value === 'string' && isoTime.test(value) && isOnCalendar(value)
      const ms = isTime ? Date.parse(value) : NaN
      if (Number.isNaN(ms)) return 'must be an ISO 8601 time with its zone'
      const utc = new Date(ms).toISOString()
      // Beyond these years the text has another form, and the database another calendar.
      if (utc < '0001' || !/^\d{4}-/.test(utc)) return 'must be within the years 0001 to 9999'
      return alsoProblemOf(ms)
    }),
  )
}

/** Of a text that `time` has let through. */
export function utcTime(value: string): string {
  return new Date(Date.parse(value)).toISOString()
}

export function choice<const Choice extends string>(choices: readonly Choice[], said = '') {
  return Type.Optional(
    field<Choice>({ type: 'string', enum: [...choices], description: said }, (value) =>
      choices.some((each) => each === value) ? undefined : `must be one of ${choices.join(', ')}`,
    ),
  )
}

function stringProblem(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a string'
}

function boundedText(example: string, bytesMax: number) {
  const said = `1 to ${bytesMax} bytes of UTF-8`
  return textWith({ description: said, minLength: 1, examples: [example] }, (value) =>
    textFault(value, { bytesMax }),
  )
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

/** Date.parse takes 31 February for 3 March. */
function isOnCalendar(value: string): boolean {
  const day = value.slice(0, 'YYYY-MM-DD'.length)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
