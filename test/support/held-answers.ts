/**
 * Holds an answer strictly against the schemas of its route, and what was sent against what the
 * handler gave: nothing dropped, nothing converted. held-answers.mjs puts it into every app.
 */
import { isDeepStrictEqual } from 'node:util'
import { KindGuard, Type, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorTable, type ErrorCode } from '../../src/http/error-table.js'
import { errorBodyOf } from '../../src/http/schemas/answers/error-bodies.js'

type Responses = Readonly<Record<string, unknown>>

/** Of all applications of the process: most of their schemas are the same. */
const checks = new WeakMap<object, TypeCheck<TSchema>>()

export class HeldAnswers {
  readonly #given = new WeakMap<FastifyRequest, unknown>()

  /** What the handler gave, before it became text. */
  keep(request: FastifyRequest, payload: unknown): void {
    this.#given.set(request, payload)
  }

  hold(request: FastifyRequest, reply: FastifyReply, sent: unknown): void {
    const problem = this.problemOf(request, reply, sent)
    if (problem === undefined) return
    const route = `${request.method} ${request.routeOptions.url ?? '(unknown)'}`
    const error = new Error(`The contract is broken: ${route} ${reply.statusCode}: ${problem}`)
    // Outside of the request, where no handler of errors can make an answer of it.
    setImmediate(() => {
      throw error
    })
  }

  problemOf(request: FastifyRequest, reply: FastifyReply, sent: unknown): string | undefined {
    const schema = this.#schemaOf(request, reply)
    if (typeof schema === 'string') return schema
    if (schema === undefined || request.method === 'HEAD') return undefined
    if (typeof sent !== 'string' || !isJson(reply)) return undefined
    const value: unknown = JSON.parse(sent)
    const given = this.#given.get(request)
    if (given !== undefined && !isDeepStrictEqual(value, JSON.parse(JSON.stringify(given))))
      return `what was sent is not what the handler gave: ${sent}`
    const check = checks.get(schema) ?? TypeCompiler.Compile(strict(schema))
    checks.set(schema, check)
    if (check.Check(value)) return undefined
    const faults = [...check.Errors(value)].map(({ path, message }) => `${path} ${message}`)
    return `${faults.join('; ')} in ${sent}`
  }

  /** The schema of this answer; undefined: nothing to hold it to; a text: it may not be at all. */
  #schemaOf(request: FastifyRequest, reply: FastifyReply): TSchema | string | undefined {
    if (request.is404) return anyError
    const responses = request.routeOptions.schema?.response as Responses | undefined
    // Which routes have none is what test/http/contract.test.ts asks.
    if (responses === undefined) return undefined
    const found = responses[String(reply.statusCode)]
    if (found === undefined) return `the status is not one of ${Object.keys(responses).join(', ')}`
    const { content } = found as { readonly content?: Record<string, { schema: TSchema }> }
    if (content === undefined) return found as TSchema
    const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';')
    return content[type]?.schema ?? `the content is ${type}, not ${Object.keys(content).join(', ')}`
  }
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith('application/json')
}

const anyError = Type.Union((Object.keys(errorTable) as ErrorCode[]).map(errorBodyOf))

/** The same, except that an object holds what is named and nothing else, unless it says so. */
export function strict(schema: TSchema): TSchema {
  if (KindGuard.IsObject(schema)) {
    const entries = Object.entries(schema.properties)
    const properties = Object.fromEntries(entries.map(([name, each]) => [name, strict(each)]))
    return { ...schema, properties, additionalProperties: schema.additionalProperties ?? false }
  }
  if (KindGuard.IsArray(schema)) return { ...schema, items: strict(schema.items) }
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(strict) }
  if (KindGuard.IsRecord(schema)) {
    const entries = Object.entries(schema.patternProperties)
    const patternProperties = Object.fromEntries(entries.map(([key, each]) => [key, strict(each)]))
    return { ...schema, patternProperties }
  }
  return schema
}
