/**
 * From an input and its schema to the first fault, as the 400 that names the field: the one place
 * where a schema becomes a sentence. Promises: fields are complained about in the order of the
 * schema's properties; a field's own rule is asked once; unknown fields are let through.
 * Never: converts a value.
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import { KindGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ApiError, invalidField } from './errors.js'
import { isInputObject, ruleIn } from './schemas/fields.js'

/** As Fastify wants it: `true`, or an error, or another value in place of the one that came. */
type Validated = true | { readonly error: Error } | { readonly value: object }

interface Fault {
  /** Empty: the input as a whole. */
  readonly field: string
  readonly problem: string
}

type FindFault = (value: unknown) => Fault | undefined

export function compileValidator({
  schema,
  httpPart,
}: {
  readonly schema: unknown
  readonly httpPart?: string
}): (value: unknown) => Validated {
  const findFault = compile(schema as TSchema)
  const part = httpPart === 'body' ? 'body' : 'query'
  const isInput = isInputObject(schema as TSchema)
  return (value) => {
    // A JSON body that is no object counts as an empty one: the first field is missing in it.
    const isEmpty = isInput && !isObject(value)
    const fault = findFault(isEmpty ? {} : value)
    if (fault !== undefined) return { error: errorOf(fault, part) }
    return isEmpty ? { value: {} } : true
  }
}

function errorOf({ field, problem }: Fault, part: 'body' | 'query'): ApiError {
  if (field !== '') return invalidField(field, problem)
  return new ApiError('INVALID_REQUEST', { message: `The ${part} ${problem}.` })
}

/** At start, once a schema: a request only walks along what was made here. */
function compile(schema: TSchema, path = ''): FindFault {
  const rule = ruleIn(schema)
  if (KindGuard.IsObject(schema)) return compileObject(schema, path)
  const problemOf = rule ?? plainRule(schema)
  return (value) => {
    const problem = problemOf(value)
    return problem === undefined ? undefined : { field: path, problem }
  }
}

function compileObject(schema: TObject, path: string): FindFault {
  const problemOf = ruleIn(schema) ?? ((value) => (isObject(value) ? undefined : 'must be object'))
  const properties = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    isOptional: KindGuard.IsOptional(property),
    findFault: compile(property, path === '' ? name : `${path}.${name}`),
  }))
  return (value) => {
    const problem = problemOf(value)
    if (problem !== undefined) return { field: path, problem }
    const input = value as Readonly<Record<string, unknown>>
    for (const { name, isOptional, findFault } of properties) {
      const given = input[name]
      if (given === undefined && isOptional) continue
      const fault = findFault(given)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** For what has no rule of its own: the schema's type is all there is to say. */
function plainRule(schema: TSchema): (value: unknown) => string | undefined {
  const type: unknown = schema['type']
  const problem = typeof type === 'string' ? `must be ${type}` : 'is not valid'
  return (value) => {
    if (value === undefined) return 'is missing'
    return Value.Check(schema, value) ? undefined : problem
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
