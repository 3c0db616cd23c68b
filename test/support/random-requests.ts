/**
 * Requests made by chance from the document of the contract, over every operation: right values,
 * values of the right kind, and values of no kind that anybody thought of. Each answer must be one
 * that the document lists for its operation, with a code that it lists, and never a 5xx.
 */
import fc from 'fast-check'
import { systemClock } from '../../src/platform/clock.js'
import { lastOf, operationsOf, resolved } from './openapi.js'
import type { OpenApi, Parameter, Place, Schema } from './openapi.js'

export const adminLogin = { email: 'admin@example.com', password: 'correct horse battery' }

/** What the service is started with: an admin of this name, and a proxy that tells addresses. */
export const settings = {
  ADMIN_EMAIL: adminLogin.email,
  ADMIN_PASSWORD: adminLogin.password,
  PROXIES: '1',
}

type Values = Readonly<Record<string, unknown>>

export interface RandomRequest {
  readonly place: Place
  readonly path: Values
  readonly query: Values
  readonly body: unknown
  readonly isLoggedIn: boolean
  readonly address: string
}

/** The real names that requests may use: by chance alone nobody finds a client app. */
interface Known {
  readonly values: Values
  readonly victim: string
  readonly cookie: string
  readonly csrfToken: string
}

export function requestsOf(document: OpenApi): fc.Arbitrary<RandomRequest> {
  const places = operationsOf(document)
  return fc.constantFrom(...places).chain((place) => {
    const { parameters = [], requestBody } = place.operation
    const [media] = Object.values(requestBody?.content ?? {})
    const valuesOf = (where: Parameter['in']) =>
      fc.record(
        Object.fromEntries(
          parameters
            .filter((parameter) => parameter.in === where)
            .map(({ name, schema }) => [name, often(valueOf(document, schema, name))]),
        ),
      )
    return fc.record({
      place: fc.constant(place),
      path: valuesOf('path'),
      query: valuesOf('query'),
      body:
        media === undefined ? fc.constant(undefined) : often(valueOf(document, media.schema, '')),
      isLoggedIn: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
      address: fc.ipV4(),
    })
  })
}

/** A marker that becomes a real value when the request is sent. */
const known = Symbol('known')

/** Mostly what the schema says, now and then anything that JSON can say. */
function often(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() })
}

function valueOf(document: OpenApi, schema: Schema, name: string): fc.Arbitrary<unknown> {
  const real = fc.constant({ [known]: name })
  if (schema.$ref !== undefined)
    return valueOf(document, document.components.schemas[lastOf(schema.$ref)] ?? {}, name)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined)
    return fc.oneof(...schema.anyOf.map((each) => valueOf(document, each, name)))
  const kinds = [schema.type ?? 'string'].flat().map((type) => {
    switch (type) {
      case 'object':
        return objectOf(document, schema)
      case 'array':
        return fc.array(often(valueOf(document, schema.items ?? {}, name)), { maxLength: 4 })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'number':
        return fc.oneof(
          fc.integer({ min: 1, max: 10_000 }).map((minor) => minor / 100),
          fc.double(),
        )
      case 'integer':
        return fc.integer()
      default:
        return fc.oneof(
          { weight: 8, arbitrary: real },
          { weight: 1, arbitrary: fc.constantFrom(...(schema.examples ?? ['x'])) },
          { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
        )
    }
  })
  return fc.oneof(...kinds)
}

function objectOf(document: OpenApi, { properties = {} }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, each]) => [
    name,
    fc.oneof(
      { weight: 30, arbitrary: often(valueOf(document, each, name)) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
  ])
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>)
}

export class RandomClient {
  /** How often each answer came. */
  readonly statuses = new Map<number, number>()
  readonly operations = new Set<string>()
  readonly #origin: string
  readonly #document: OpenApi
  #known: Promise<Known> | undefined
  #sent = 0

  constructor(origin: string, document: OpenApi) {
    this.#origin = origin
    this.#document = document
  }

  /** What is wrong with the answer; undefined when nothing is. */
  async problemOf(request: RandomRequest): Promise<string | undefined> {
    // A session of the widget lives five minutes, and requests end it too.
    if (this.#sent % 200 === 0) this.#known = this.#makeKnown(this.#sent)
    this.#sent += 1
    const { method, path, operation } = request.place
    const response = await this.#sendUntilTaken(request)
    const { status } = response
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
    if (type === 'text/event-stream') await response.body?.cancel()
    const text = type === 'text/event-stream' ? '' : await response.text()
    this.#count(status)
    this.operations.add(operation.operationId)
    const said = `${method} ${path} answered ${status} ${text.slice(0, 200)}`
    if (status >= 500) return said
    const listed = operation.responses[String(status)]
    // Before a route is reached: a path parameter that makes another path of it.
    if (listed === undefined) return status === 404 && hasParameters(path) ? undefined : said
    const answer = resolved(this.#document, listed)
    if (!(type in answer.content)) return `${said}: ${type} is not listed`
    if (status < 400) return undefined
    const { code } = JSON.parse(text) as { code: string }
    const isListed = JSON.stringify(answer.content).includes(`#/components/schemas/${code}"`)
    return isListed || (code === 'NOT_FOUND' && hasParameters(path)) ? undefined : said
  }

  /**
   * Who is told to come back does: on a machine that is busy with other things the line before the
   * password hashes may be too long. A 503 that says nothing of it, or stays, is a problem.
   */
  async #sendUntilTaken(request: RandomRequest): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.#send(request).catch(ignoreCut)
      if (response === undefined) continue
      const seconds = response.headers.get('retry-after')
      if (response.status !== 503 || seconds === null || tries === triesMax) return response
      this.#count(503)
      await response.arrayBuffer()
      await systemClock.sleep(Number(seconds) * 1_000)
    }
  }

  #count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }

  async #send({ place, path, query, body, isLoggedIn, address }: RandomRequest): Promise<Response> {
    const { method, operation } = place
    const known = await this.#known
    const values = known?.values ?? {}
    const url = new URL(this.#origin)
    url.pathname = place.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(textOf(pathValue(path[name], name, known)).slice(0, 200)),
    )
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, textOf(real(value, values)))
    const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
    const isLogout = place.path === '/api/admin/logout'
    return fetch(url, {
      method,
      headers: {
        'x-forwarded-for': address,
        ...(type !== '' && { 'content-type': type }),
        ...(isLoggedIn &&
          !isLogout && {
            cookie: known?.cookie ?? '',
            'x-csrf-token': known?.csrfToken ?? '',
          }),
      },
      ...(type !== '' && { body: JSON.stringify(real(body, values) ?? null) }),
      redirect: 'manual',
    })
  }

  /** A client app, a person linked to it with a session, an admin; and an app for admins' acts. */
  async #makeKnown(number: number): Promise<Known> {
    const login = await this.#post('/api/admin/login', adminLogin)
    const cookie = (login.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
    const { csrfToken } = (await login.json()) as { csrfToken: string }
    const admin = { cookie, 'x-csrf-token': csrfToken }
    const origins = { allowedOrigins: [], allowedIframeParents: [] }
    const order = { name: 'Random', ...origins, scopes: ['wallet:read', 'wallet:write'] }
    const made = async () =>
      (await (await this.#post('/api/admin/client-apps', order, admin)).json()) as Made
    const { clientApp, clientSecret } = await made()
    const { clientApp: victim } = await made()
    const email = `person-${number}@example.com`
    const { clientId } = clientApp
    const names = { firstName: 'Ada', lastName: 'Byron' }
    const account = { clientId, email, password: 'correct horse battery', ...names }
    const welcome = (await (await this.#post('/api/widget/auth/signup', account)).json()) as object
    const found = await fetch(`${this.#origin}/api/admin/wallets?q=${email}`, { headers: admin })
    const { wallets } = (await found.json()) as { wallets: { walletId: string }[] }
    const { sessionToken, serviceUserId, linkProof } = welcome as Record<string, string>
    const person = { ...account, serviceUserId, linkProof, sessionToken, session: sessionToken }
    const walletId = wallets[0]?.walletId
    const values = { ...person, clientSecret, walletId, q: email, requiredAmount: '12.50' }
    return { values: { ...values, ...texts }, victim: victim.clientId, cookie, csrfToken }
  }

  /** What must succeed; on a machine that is busy with other things perhaps only later. */
  async #post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(this.#origin + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      if (response.ok) return response
      if (![429, 503].includes(response.status) || tries === triesMax)
        throw new Error(`${path} answered ${response.status}`)
      await systemClock.sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000)
    }
  }
}

const triesMax = 10

/** A connection that the service closed, after its idle time, while the request was on its way. */
function ignoreCut(error: unknown): undefined {
  const { code } = ((error as Error).cause ?? {}) as { code?: string }
  if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') throw error
}

interface Made {
  readonly clientApp: { readonly clientId: string }
  readonly clientSecret: string
}

/** Right ones for what else is asked for. */
const texts = {
  referenceType: 'ORDER_PAYMENT',
  at: '2025-03-01T09:30:00Z',
  limit: '5',
  cursor: '7',
  number: '1',
  reason: 'because',
  bonusId: '1c9d2e5a-8b7f-4c3d-a2e1-f0a9b8c7d6e5',
  accentColor: '#0a7d55',
}

function hasParameters(path: string): boolean {
  return path.includes('{')
}

/** An admin's act on the app whose credentials everybody uses would end all of them. */
function pathValue(value: unknown, name: string, known: Known | undefined): unknown {
  const found = real(value, { ...known?.values, clientId: known?.victim })
  return textOf(found) === '' ? name : found
}

/** With the real values in the place of the markers. */
function real(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((each) => real(each, values))
  if (typeof value !== 'object' || value === null) return value
  if (known in value) {
    const name = (value as { [known]: string })[known]
    return values[name] ?? `${name}-1`
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, real(each, values)]))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  return value === undefined ? '' : JSON.stringify(value)
}
