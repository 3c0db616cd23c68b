/**
 * The contract as an OpenAPI 3.1 document, made of the schemas of the routes that this process
 * serves: with its currency, its limits, and its test cards only where there are some.
 * Promises: made when it is first asked for and kept as text; a start and a debit pay nothing.
 * @fastify/swagger draws paths, parameters and bodies, in an application that answers nothing: as
 * a plugin of the real one it would have to be loaded before the first route of every start.
 */
import { fastify, type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import { DrawnAnswers } from './answers.js'
import { exampleOf, type Json } from './examples.js'
import { groupOf, groups, securityOf, securitySchemes } from './groups.js'

/** What the integration guide calls this contract; it changes with the contract alone. */
const contractVersion = '1.1.0'

interface Operation {
  operationId: string
  parameters?: { name: string; required: boolean; schema: Json; example?: unknown }[]
  requestBody?: { readonly content: Record<string, { schema: Json; example?: unknown }> }
  responses: Json
}

/** Knows every route that is added after it, and draws them when somebody asks. */
export class OpenApiDocument {
  readonly #routes: RouteOptions[] = []
  #text: Promise<string> | undefined

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') this.#routes.push(route)
    })
  }

  /** As JSON; the same text for ever, for routes are added before anything listens. */
  text(): Promise<string> {
    this.#text ??= drawn(this.#routes).then((document) => `${JSON.stringify(document, null, 2)}\n`)
    return this.#text
  }
}

async function drawn(routes: readonly RouteOptions[]): Promise<Json> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify()
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Wallet service', version: contractVersion, description },
      servers: [{ url: '/', description: 'This service' }],
      tags: groups.map(({ name, description }) => ({ name, description })),
      components: { securitySchemes },
    },
    convertConstToEnum: false,
  })
  const shown = new Map(routes.filter(isShown).map((route) => [operationIdOf(route), route]))
  for (const [operationId, route] of shown)
    app.route({
      method: route.method,
      url: route.url,
      schema: { ...inputsOf(route), operationId, ...groupingOf(route) },
      handler: () => undefined,
    })
  await app.ready()
  const document = structuredClone(app.swagger()) as unknown as {
    components: Record<string, object>
    paths: Record<string, Record<string, Operation>>
  }
  await app.close()
  const answers = new DrawnAnswers()
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    addExamples(operation)
    operation.responses = answers.responsesOf(shown.get(operation.operationId)?.schema?.response)
  }
  Object.assign(document.components, answers.components())
  return document
}

const description = [
  'Debits and credits over REST, and what the widget and the admin area call.',
  'An error is `{ error, code, requiresAuth? }`; each answer below lists its codes. Before a route',
  'is reached there can also be 404 NOT_FOUND, 405 METHOD_NOT_ALLOWED, 408 REQUEST_TIMEOUT and 431',
  'HEADERS_TOO_LARGE. A debit or credit is repeated with the very same reference after a time-out,',
  'a connection fault, a 429 or a 503: it books once. Unknown fields are let through.',
].join('\n')

/** Pages, their files and preflights are for browsers, which read no contract. */
function isShown({ url, method }: RouteOptions): boolean {
  return groupOf(url) !== undefined && method !== 'OPTIONS'
}

function inputsOf({ schema = {} }: RouteOptions): FastifySchema {
  const { body, querystring, params, summary } = schema
  return {
    ...(body !== undefined && { body }),
    ...(querystring !== undefined && { querystring }),
    ...(params !== undefined && { params }),
    ...(summary !== undefined && { summary }),
  }
}

function groupingOf(route: RouteOptions): FastifySchema {
  return { tags: [groupOf(route.url)?.name ?? ''], security: securityOf(route) }
}

function addExamples(operation: Operation): void {
  for (const parameter of operation.parameters ?? [])
    // One for what may be left out would be sent by everybody who tries the route in the viewer.
    if (parameter.required) parameter.example ??= exampleOf(parameter.schema, parameter.name, true)
    else delete parameter.example
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    media.example ??= exampleOf(media.schema, 'body', true)
}

/** `postServerWalletDebit`: for whoever has code made of the document. */
function operationIdOf({ method, url }: RouteOptions): string {
  const words = url.replace(/^\/api\//, '/').match(/[A-Za-z0-9]+/g) ?? []
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `${[method].flat().join('').toLowerCase()}${name}`
}
