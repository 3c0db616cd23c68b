/**
 * The contract as code: what a route takes and answers is said by its schemas (src/http/schemas)
 * and nowhere else. Fastify validates and serialises by them, and handlers get their types here.
 * Promises: only `checked(request)` yields typed input, and it throws the first fault; it is called
 * after the credentials, so the order stays credentials, scope, fields, user.
 * Never: converts a value, or drops one that no schema names.
 */
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Static, TSchema } from '@sinclair/typebox'
import type {
  FastifyInstance,
  FastifyRequest,
  FastifySchema,
  FastifyTypeProvider,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify'
import { compileSerialiser } from './serialisation.js'
import { compileValidator } from './validation.js'

/** The name of what every route's module gives Fastify as `schema`. */
export interface RouteSchema extends FastifySchema {
  readonly response: Readonly<Record<number, unknown>>
}

declare const content: unique symbol

/** Came from outside, and nobody has looked at it: it has no fields until `checked` says so. */
export interface Unchecked<Value> {
  readonly [content]: Value
}

/** As TypeBox's own, which however takes a body for valid before anything was thrown. */
export interface ContractTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TSchema ? Unchecked<Static<this['schema']>> : unknown
  readonly serializer: AnswerIn<this['schema']>
}

type AnswerIn<Schema> = (TypeBoxTypeProvider & { schema: Schema })['serializer']

/** The request of a route with this schema. */
export type RequestOf<Schema extends FastifySchema> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  Schema,
  ContractTypes
>

/** What a route with this schema answers when all is well. */
export type AnswerOf<Schema extends { readonly response: { readonly 200: TSchema } }> = Static<
  Schema['response'][200]
>

type ValueOf<Part> = Part extends Unchecked<infer Value> ? Value : undefined

export interface Checked<Request extends Parts> {
  readonly body: ValueOf<Request['body']>
  readonly query: ValueOf<Request['query']>
  readonly params: ValueOf<Request['params']>
}

interface Parts {
  readonly body: unknown
  readonly query: unknown
  readonly params: unknown
  readonly validationError?: Error
}

/** The input of a request, typed by its schemas; throws what is wrong with it. */
export function checked<Request extends Parts>(request: Request): Checked<Request> {
  if (request.validationError !== undefined) throw request.validationError
  // The request itself, seen with other eyes: a debit allocates nothing here.
  return request as unknown as Checked<Request>
}

/** For the readers of credentials alone, which come first: a field that nobody has checked yet. */
export function uncheckedField(input: unknown, name: string): unknown {
  if (typeof input !== 'object' || input === null) return undefined
  return (input as Readonly<Record<string, unknown>>)[name]
}

/** Every route that is added after this is validated and serialised by its schemas. */
export function keepContract(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(({ schema, url, httpStatus }) =>
    compileSerialiser(schema, { log: app.log, route: url, status: httpStatus }),
  )
  app.addHook('onRoute', (route) => {
    // Fastify validates before the handler: the fault waits until the credentials are known.
    route.attachValidation = true
  })
}
