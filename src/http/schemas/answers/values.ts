/**
 * The kinds of values that answers are made of. Nothing but TypeBox is imported here: pages take
 * the types of answers from this folder.
 */
import { FormatRegistry, Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox'

const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// For whoever holds a value against its schema; serialising asks no format.
FormatRegistry.Set('date-time', (value) => utcTime.test(value))

export function money() {
  return Type.Number({ description: 'In major units', examples: [12.5] })
}

/** Beside a balance, which is what is booked, once the wallet has an open hold. */
export const heldSums = {
  available: Type.Optional(
    Type.Number({ description: 'The balance less what is held, only while something is held' }),
  ),
  held: Type.Optional(Type.Number({ description: 'What open holds set aside of the balance' })),
}

/** UTC with milliseconds. */
export function timestamp() {
  return Type.String({ format: 'date-time', examples: ['2025-03-01T09:30:00.000Z'] })
}

export function nullable<Value extends TSchema>(value: Value) {
  return Type.Union([value, Type.Null()])
}

/** Whoever answers with a list need not own it. */
export function list<Item extends TSchema>(item: Item): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>(Type.Array(item))
}

/** One of these texts. */
export function oneOf<const Text extends string>(...texts: readonly Text[]) {
  return Type.Unsafe<Text>(Type.Union(texts.map((each) => Type.Literal(each))))
}
