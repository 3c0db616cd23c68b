/**
 * The contract as code: every route says in schemas what it takes and answers; faults are told in
 * the order of the fields, in sentences that stay; nothing is converted; an answer that differs
 * from its schema fails a test, and is nevertheless sent as it is to whoever booked something.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'
import { KindGuard, Type, type TSchema } from '@sinclair/typebox'
import type { FastifyInstance, RouteOptions } from 'fastify'
import t from 'tap'
import ts from 'typescript'
import { startService } from '../../src/compose.js'
import { loadConfig } from '../../src/config.js'
import { findCurrency } from '../../src/domain/money.js'
import { compileSerialiser } from '../../src/http/serialisation.js'
import {
  clientCredentials,
  creditSchema,
  debitSchema,
} from '../../src/http/schemas/server-wallet.js'
import * as schemas from '../../src/http/schemas/server-wallet.js'
import { authenticateCardSchema } from '../../src/http/schemas/top-ups.js'
import { compileValidator } from '../../src/http/validation.js'
import { dataFolderOf, migratedDatabase } from '../support/database.js'
import { FakeClock } from '../support/fake-clock.js'
import { CapturedLog } from '../support/served-app.js'

t.test('every route says what it takes and what it answers', async (t) => {
  const routes = await routesOfTheService(t)
  t.ok(routes.length > 50, `${routes.length} routes`)
  for (const route of routes) {
    const name = `${[route.method].flat().join(' ')} ${route.url}`
    t.same(problemsOf(route), [], name)
  }
})

const debitPath = '/api/server/wallet/debit'

/** All routes that the real composition adds, with everything switched on. */
async function routesOfTheService(t: Parameters<typeof migratedDatabase>[0]) {
  const routesOfApps: RouteOptions[][] = []
  const listen = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    const routes: RouteOptions[] = []
    routesOfApps.push(routes)
    fastify.addHook('onRoute', (route) => {
      routes.push(route)
    })
  }
  subscribe('fastify.initialization', listen)
  const { url } = await migratedDatabase(t)
  const place = { DATABASE_URL: url, DATA_DIR: dataFolderOf(url) }
  const environment = { ...place, HOST: '127.0.0.1', PORT: '0', NODE_ENV: 'test' }
  const surroundings = { log: new CapturedLog().log, notice: () => undefined }
  const service = await startService(loadConfig(environment), surroundings)
  unsubscribe('fastify.initialization', listen)
  await service.close()
  // The other one is the sandbox, which speaks the API of a card processor.
  return routesOfApps.find((routes) => routes.some(({ url: path }) => path === debitPath)) ?? []
}

function problemsOf({ url, schema, attachValidation }: RouteOptions): string[] {
  const responses = Object.entries((schema?.response ?? {}) as Record<string, unknown>)
  const parameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const named = (schema?.params as { properties?: object } | undefined)?.properties ?? {}
  const successes = responses.filter(([status]) => /^[23]\d\d$/.test(status))
  return [
    ...(successes.length === 0 ? ['no answer of a success'] : []),
    ...responses.filter(([, each]) => !isSaid(each)).map(([status]) => `${status} is no schema`),
    ...parameters.filter((name) => !(name in named)).map((name) => `:${name} is not in params`),
    ...(attachValidation === true ? [] : ['faults are told before the credentials are known']),
  ]
}

function isSaid(response: unknown): boolean {
  const { content } = response as { content?: Record<string, { schema: TSchema }> }
  const said =
    content === undefined ? [response] : Object.values(content).map((each) => each.schema)
  return said.length > 0 && said.every((each) => KindGuard.IsSchema(each))
}

const usd = findCurrency('usd')
if (usd === undefined) throw new Error('there is a usd')
const limits = { currency: usd, maxMinor: 100_000_000 }

const debit = {
  clientId: 'app',
  clientSecret: 'sk',
  serviceUserId: 'usr',
  amount: 12.5,
  referenceType: 'ORDER',
  referenceId: '1',
}

/** What a schema says to an input: nothing, or a sentence. */
function saidOf(schema: TSchema, value: unknown, httpPart = 'body'): string | undefined {
  const validated = compileValidator({ schema, httpPart })(value)
  return validated !== true && 'error' in validated ? validated.error.message : undefined
}

t.test('the first field that is wrong is told, in the order of the contract', (t) => {
  const { body } = creditSchema(limits)
  const names = Object.keys(body.properties)
  t.same(names, [
    'clientId',
    'clientSecret',
    'serviceUserId',
    'amount',
    'referenceType',
    'referenceId',
    'description',
    'refundOf',
  ])
  const sentences = {
    serviceUserId: 'is missing',
    amount: 'is missing',
    referenceType: 'is missing',
    referenceId: 'is missing',
  }
  // Mended one after the other, from the front: each time the next one is named.
  const given: Record<string, unknown> = { clientId: 'app', clientSecret: 'sk', description: 5 }
  for (const [name, problem] of Object.entries(sentences)) {
    t.equal(saidOf(body, given), `The field '${name}' ${problem}.`)
    given[name] = debit[name as keyof typeof debit]
  }
  t.equal(saidOf(body, given), "The field 'description' must be a string.")
  given['description'] = 'a text'
  t.equal(saidOf(body, given), undefined)
  given['refundOf'] = 'ORDER'
  t.equal(saidOf(body, given), "The field 'refundOf' must hold referenceType and referenceId.")
  given['refundOf'] = { referenceType: '', referenceId: 5 }
  t.equal(saidOf(body, given), "The field 'refundOf.referenceType' must not be empty.")
  given['refundOf'] = { referenceType: 'A' }
  t.equal(saidOf(body, given), "The field 'refundOf.referenceId' is missing.")
  t.end()
})

t.test('a wrong field before a missing one is told first', (t) => {
  const { body } = debitSchema(limits)
  const { amount: _amount, ...withoutAmount } = { ...debit, referenceId: 7 }
  t.equal(saidOf(body, withoutAmount), "The field 'amount' is missing.")
  const { referenceId: _id, ...withoutId } = { ...debit, amount: '5' }
  t.equal(saidOf(body, withoutId), "The field 'amount' must be a number.")
  t.end()
})

t.test('each rule has its sentence', (t) => {
  const { body } = debitSchema(limits)
  const bodies: [string, unknown, string][] = [
    ['amount', 0, 'must be above 0'],
    ['amount', 0.001, 'must have at most 2 decimals'],
    ['amount', 1_000_000.01, 'must be at most 1000000.00'],
    ['amount', null, 'must be a number'],
    ['referenceType', 'é'.repeat(33), 'must be at most 64 bytes of UTF-8'],
    ['referenceId', 'a\0', 'must be well-formed Unicode without U+0000'],
    ['description', 'x'.repeat(501), 'must be at most 500 characters'],
    ['description', null, 'must be a string'],
  ]
  for (const [name, value, problem] of bodies)
    t.equal(saidOf(body, { ...debit, [name]: value }), `The field '${name}' ${problem}.`)

  const clock = new FakeClock()
  const { querystring } = schemas.walletReadSchema(clock)
  const tomorrow = new Date(clock.now() + 86_400_000).toISOString()
  const queries: [string, unknown, string][] = [
    ['at', tomorrow, 'must not be in the future'],
    ['from', '2025-02-31T00:00:00Z', 'must be an ISO 8601 time with its zone'],
    ['to', '2025-02-03', 'must be an ISO 8601 time with its zone'],
    ['to', '9999-12-31T23:59:59-01:00', 'must be within the years 0001 to 9999'],
    ['type', 'both', 'must be one of credit, debit'],
    ['limit', '0', 'must be a whole number from 1 to 500'],
    ['limit', ['1', '2'], 'must be a whole number from 1 to 500'],
    ['cursor', '-1', 'must be the nextCursor of an earlier answer'],
    ['referenceType', '', 'must not be empty'],
  ]
  const asked = { clientId: 'app', clientSecret: 'sk', serviceUserId: 'usr' }
  for (const [name, value, problem] of queries)
    t.equal(
      saidOf(querystring, { ...asked, [name]: value }, 'querystring'),
      `The field '${name}' ${problem}.`,
    )
  const both = { ...asked, at: tomorrow, type: 'both', limit: 'x' }
  t.equal(saidOf(querystring, both), "The field 'at' must not be in the future.")
  t.equal(saidOf(authenticateCardSchema.body, {}), "The field 'approved' must be true or false.")
  t.end()
})

t.test('unknown fields are let through, and no value is converted', (t) => {
  const validate = compileValidator({ schema: debitSchema(limits).body, httpPart: 'body' })
  t.equal(validate({ ...debit, more: { of: ['anything'] }, refundOf: 5 }), true)
  for (const amount of ['12.5', true, null, [12.5], {}])
    t.match(validate({ ...debit, amount }), { error: { code: 'INVALID_REQUEST' } })
  t.match(validate({ ...debit, referenceId: 5 }), { error: { message: /must be a string/ } })
  const frozen = Object.freeze({ ...debit })
  t.equal(validate(frozen), true, 'nothing is written into an input')
  t.end()
})

t.test('a body that is no object counts as an empty one', (t) => {
  const { body } = debitSchema(limits)
  for (const value of [null, [], 'text', 5, true])
    t.equal(saidOf(body, value), "The field 'clientId' is missing.")
  const empty = compileValidator({ schema: Type.Object({}), httpPart: 'body' })
  t.match(empty([]), { error: { message: 'The body must be object.' } }, 'unless it is no input')
  t.end()
})

t.test('a schema is plain JSON Schema, with the rule beside it', (t) => {
  const said = JSON.parse(JSON.stringify(clientCredentials.clientId)) as unknown
  t.same(said, { type: 'string', description: 'Of the registered client app' })
  const { amount } = debitSchema(limits).body.properties
  t.match(JSON.parse(JSON.stringify(amount)), { type: 'number', exclusiveMinimum: 0, maximum: 1e6 })
  t.end()
})

t.test('what is sent is what JSON.stringify would say, whatever the schema says', async (t) => {
  const schema = Type.Object({
    text: Type.String(),
    count: Type.Integer(),
    kind: Type.Literal('only'),
    maybe: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    list: Type.Optional(Type.Array(Type.Object({ of: Type.Number() }))),
  })
  const right = { text: 'é "\u2028', count: 1, kind: 'only' }
  const cases: [string, unknown, boolean][] = [
    ['as the schema says', right, true],
    ['an optional null', { ...right, maybe: null }, true],
    ['a list', { ...right, list: [{ of: 0.1 }, { of: -0 }] }, true],
    ['a field that is not named', { ...right, more: { a: [1] } }, true],
    ['another constant', { ...right, kind: 'other' }, true],
    ['a fraction for an integer', { ...right, count: 1.5 }, true],
    ['null for a text', { ...right, text: null }, true],
    ['a field in a list that is not named', { ...right, list: [{ of: 1, more: 2 }] }, true],
    ['a number for a text', { ...right, text: 5 }, false],
    ['a text for a number', { ...right, count: '1' }, false],
    ['no number at all', { ...right, count: NaN }, false],
    ['a field that is missing', { text: 'a', count: 1 }, false],
  ]
  for (const [name, answer, isQuiet] of cases) {
    const captured = new CapturedLog()
    const place = { log: captured.log, route: '/route', status: '200' }
    const sent: unknown = JSON.parse(compileSerialiser(schema, place)(answer))
    t.same(sent, JSON.parse(JSON.stringify(answer)), name)
    const line = { level: 'error', route: '/route', msg: 'an answer differs from its schema' }
    t.match(captured.lines, isQuiet ? [] : [line], `${name}: ${isQuiet ? 'quiet' : 'logged'}`)
    t.equal(captured.lines.length, isQuiet ? 0 : 1)
  }
})

/** These look at an input before it is checked, because they ask for nothing but credentials. */
const credentialReaders = [
  'activeClientApp',
  'authenticateClient',
  'isAllowed',
  'liveSession',
  'sessionTokenOf',
]

t.test('nobody looks at an input but checked() and the readers of credentials', (t) => {
  const folder = new URL('../../src/http/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    // The one makes checked(), the other reads the credentials that come before it.
    .filter((name) => name !== 'contract.ts' && name !== 'client-auth.ts')
  t.ok(files.length > 20)
  for (const file of files)
    for (const place of readsIn(readFileSync(new URL(file, folder), 'utf8')))
      t.fail(`src/http/${file} reads ${place}`)
  const caught = [
    'const { amount } = request.body',
    'const { body } = request',
    'async function read({ params }: FastifyRequest) {}',
    'use(request.query)',
  ]
  for (const text of caught) t.not(readsIn(text).length, 0, text)
  t.same(readsIn('const { body } = checked(request); liveSession(sessions, request.query)'), [])
  t.end()
})

function readsIn(text: string): string[] {
  const source = ts.createSourceFile('read.ts', text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isRead(node)) found.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const inputNames = ['body', 'query', 'params']

function isRead(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    if (!inputNames.includes(node.name.text) || node.expression.getText() !== 'request')
      return false
    return !ts.isCallExpression(node.parent) || !isReader(node.parent)
  }
  if (!ts.isObjectBindingPattern(node)) return false
  const names = node.elements.map(({ name, propertyName }) => (propertyName ?? name).getText())
  if (!names.some((name) => inputNames.includes(name))) return false
  const { parent } = node
  if (ts.isVariableDeclaration(parent)) return parent.initializer?.getText() === 'request'
  return ts.isParameter(parent) && /Request/.test(parent.type?.getText() ?? '')
}

function isReader({ expression }: ts.CallExpression): boolean {
  return credentialReaders.includes(expression.getText())
}
