/**
 * An answer as JSON, by its schema. Promises: what is sent is what JSON.stringify would say: no
 * field is dropped and no value converted; an answer that differs from its schema is sent all the
 * same and logged, for a debit that is booked must never be answered with a 500.
 * Never: logs a value; the path of the field is enough.
 */
import type { TSchema } from '@sinclair/typebox'
import { KindGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import build, { type Schema } from 'fast-json-stringify'
import type { FastifyBaseLogger } from 'fastify'

export interface AnswerPlace {
  readonly log: FastifyBaseLogger
  readonly route: string
  readonly status: string | undefined
}

export function compileSerialiser(
  schema: unknown,
  { log, route, status }: AnswerPlace,
): (answer: unknown) => string {
  const contract = schema as TSchema
  let serialise: ((answer: unknown) => string) | undefined
  return (answer) => {
    try {
      // With the first answer: a start would make hundreds, most of them for errors nobody meets.
      serialise ??= build(losslessOf(contract))
      return serialise(answer)
    } catch {
      // Not the error: it may repeat a value.
      const field = Value.Errors(contract, answer).First()?.path
      log.error({ route, status, field }, 'an answer differs from its schema')
      return JSON.stringify(answer)
    }
  }
}

/**
 * The part of a schema that makes a serialiser fast, and nothing that makes it change an answer:
 * it would write a `const` whatever the value, cut an integer, turn null into "", leave out what
 * is not named. With `null` beside each type, any other type throws instead of being converted.
 */
function losslessOf(schema: TSchema): Schema {
  if (KindGuard.IsObject(schema)) {
    const entries = Object.entries(schema.properties)
    return {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, value]) => [name, losslessOf(value)])),
      required: schema.required ?? [],
      additionalProperties: true,
    }
  }
  if (KindGuard.IsArray(schema)) return { type: 'array', items: losslessOf(schema.items) }
  const type = leafTypeOf(schema)
  // Without a type it is JSON.stringify, which is always right. (That a list of types is a schema
  // too is not in its types.)
  return (type === undefined ? {} : { type: [type, 'null'] }) as unknown as Schema
}

type LeafType = 'boolean' | 'number' | 'string'

/** Also of a union whose parts are all of one type: the names of a choice, or a text or null. */
function leafTypeOf(schema: TSchema): LeafType | undefined {
  if (KindGuard.IsUnion(schema)) {
    const parts = schema.anyOf.filter((part) => !KindGuard.IsNull(part))
    const [first, ...others] = new Set(parts.map(leafTypeOf))
    return others.length === 0 ? first : undefined
  }
  const type: unknown = schema['type']
  switch (type) {
    case 'boolean':
    case 'number':
    case 'string':
      return type
    case 'integer':
      return 'number'
    default:
      return undefined
  }
}
