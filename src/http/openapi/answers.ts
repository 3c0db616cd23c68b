/**
 * The answers of a route as the document shows them: the success with an example, and every error
 * that the route may give, by the one table of codes. Promises: the body of a code is said once,
 * among the components; an answer names the codes that it can carry.
 */
import { STATUS_CODES } from 'node:http'
import { errorTable, type ErrorCode, type ErrorRow } from '../error-table.js'
import { errorBodyOf } from '../schemas/answers/error-bodies.js'
import { retryAfterSeconds } from '../../limits.js'
import { exampleOf, isJson, jsonOf, type Json } from './examples.js'

const codes = Object.keys(errorTable) as ErrorCode[]

/** The answers of one document: what several of them say is said once, among its components. */
export class DrawnAnswers {
  readonly #errors = new Map<string, Json>()

  /** Of Fastify's `response`: a schema for each status, or one for each type of content. */
  responsesOf(response: unknown): Json {
    const answers = Object.entries(jsonOf(response)) as [string, Json][]
    return Object.fromEntries(
      answers.map(([status, answer]) => [status, this.#responseOf(Number(status), answer)]),
    )
  }

  /** What the answers refer to. */
  components(): Record<string, object> {
    const bodies = codes.map((code) => [code, jsonOf(errorBodyOf(code))] as const)
    const examples = bodies.map(([code, body]) => [code, { value: exampleOf(body, code) }])
    return {
      schemas: Object.fromEntries(bodies),
      examples: Object.fromEntries(examples) as object,
      responses: Object.fromEntries(
        [...this.#errors].sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
      headers: {
        RetryAfter: {
          description: 'Seconds to wait before the same request is sent again',
          schema: { type: 'integer', examples: [retryAfterSeconds] },
        },
      },
    }
  }

  #responseOf(status: number, answer: Json): Json {
    const parts = Array.isArray(answer['anyOf']) ? (answer['anyOf'] as Json[]) : [answer]
    const found = parts.map(codeOf).filter((code) => code !== undefined)
    if (found.length === 0) return successOf(status, answer)
    if (found.length < parts.length) return errorResponse(parts, found)
    const name = found.join('.')
    if (!this.#errors.has(name)) this.#errors.set(name, errorResponse(parts, found))
    return { $ref: `#/components/responses/${name}` }
  }
}

function successOf(status: number, answer: Json): Json {
  const said = { description: STATUS_CODES[status] ?? 'Answer' }
  if (isJson(answer['content'])) return { ...said, content: answer['content'] }
  const example = exampleOf(answer, 'answer')
  return { ...said, content: { 'application/json': { schema: answer, example } } }
}

function errorResponse(parts: readonly Json[], found: readonly ErrorCode[]): Json {
  const schemas = parts.map((part) => {
    const code = codeOf(part)
    return code === undefined ? part : { $ref: `#/components/schemas/${code}` }
  })
  const others = parts.filter((part) => codeOf(part) === undefined)
  const shown: [string, object][] = [
    ...others.map((part): [string, object] => ['other', { value: exampleOf(part, 'answer') }]),
    ...found.map((code): [string, object] => [code, { $ref: `#/components/examples/${code}` }]),
  ]
  const examples = Object.fromEntries(shown)
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas }
  const rows = found.map((code): ErrorRow => errorTable[code])
  return {
    description: found.map((code) => `${code}: ${errorTable[code].text}`).join('\n\n'),
    ...(rows.some(({ retryAfter }) => retryAfter) && {
      headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    }),
    content: { 'application/json': { schema, examples } },
  }
}

/** The code of an error's body; undefined for anything else. */
function codeOf(schema: Json): ErrorCode | undefined {
  const properties = schema['properties']
  const code = isJson(properties) && isJson(properties['code']) ? properties['code']['const'] : ''
  return 'error' in (isJson(properties) ? properties : {})
    ? codes.find((each) => each === code)
    : undefined
}
