/**
 * The kinds of values that answers are made of. Nothing but TypeBox is imported here: pages take
 * the types of answers from this folder.
 */
import { FormatRegistry, Type, type TSchema } from '@sinclair/typebox'

const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// For whoever holds a value against its schema; serialising asks no format.
FormatRegistry.Set('date-time', (value) => utcTime.test(value))

export function money() {
  return Type.Number({ description: 'In major units', examples: [12.5] })
}

/** UTC with milliseconds. */
export function timestamp() {
  return Type.String({ format: 'date-time', examples: ['2025-03-01T09:30:00.000Z'] })
}

export function nullable<Value extends TSchema>(value: Value) {
  return Type.Union([value, Type.Null()])
}

/** One of these texts. */
export function oneOf<const Text extends string>(...texts: readonly Text[]) {
  return Type.Unsafe<Text>(Type.Union(texts.map((each) => Type.Literal(each))))
}
