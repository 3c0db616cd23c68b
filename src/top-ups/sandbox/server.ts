/**
 * The sandbox's HTTP side: the part of Stripe's REST API that our adapter uses, on a loopback port
 * of its own. Promises: the same paths, forms, lists and error bodies, so that the one adapter
 * needs no second way. Never: reachable from another machine, or without the sandbox's key.
 */
import type { AddressInfo } from 'node:net'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { bodyBytesMax } from '../../limits.js'
import type { Log } from '../../platform/log.js'
import { isDatabaseAway } from '../../platform/postgres.js'
import type { Sandbox } from './sandbox.js'
import { SandboxRefusal } from './rows.js'

export interface SandboxServer {
  /** Such as http://127.0.0.1:40001. */
  readonly origin: string
  close(): Promise<void>
}

export async function startSandboxServer(parts: {
  readonly sandbox: Sandbox
  readonly secretKey: string
  readonly log: Log
  /** Any free one when left out. */
  readonly port?: number
}): Promise<SandboxServer> {
  const { sandbox, secretKey, log } = parts
  const app = fastify({ logger: false, bodyLimit: bodyBytesMax, forceCloseConnections: true })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  )
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      throw new SandboxRefusal('api_key_invalid', 'Invalid API key.')
  })
  app.setErrorHandler((error, _request, reply) => sendError(error, reply, log))
  app.setNotFoundHandler((_request, reply) =>
    sendError(new SandboxRefusal('resource_missing', 'Unrecognized request.'), reply, log),
  )
  registerRoutes(app, sandbox)
  await app.listen({ host: '127.0.0.1', port: parts.port ?? 0 })
  const { port } = app.server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => app.close() }
}

function registerRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.post('/v1/payment_intents', (request) => createIntent(sandbox, request))
  app.get<{ Params: Id }>('/v1/payment_intents/:id', ({ params }) => sandbox.intent(params.id))
  app.post<{ Params: Id }>('/v1/payment_intents/:id/cancel', ({ params }) =>
    sandbox.cancelIntent(params.id),
  )
  app.post<{ Params: Id }>('/v1/payment_intents/:id', (request) => assignIntent(sandbox, request))
  app.post<{ Params: Id }>('/v1/payment_intents/:id/confirm', (request, reply) =>
    confirmIntent(sandbox, request, reply),
  )
  app.post('/v1/customers', (request) =>
    sandbox.createCustomer({
      idempotencyKey: keyOf(request),
      metadata: metadataOf(formOf(request.body)),
    }),
  )
  app.delete<{ Params: Id }>('/v1/customers/:id', ({ params }) => sandbox.deleteCustomer(params.id))
  app.get<{ Params: Id }>('/v1/payment_methods/:id', ({ params }) => sandbox.method(params.id))
  app.post<{ Params: Id }>('/v1/payment_methods/:id/detach', ({ params }) =>
    sandbox.detachMethod(params.id),
  )
  app.post('/v1/refunds', (request) => {
    const form = formOf(request.body)
    return sandbox.createRefund(form['payment_intent'] ?? '', {
      amount: Number(form['amount']),
      idempotencyKey: keyOf(request),
      metadata: metadataOf(form),
    })
  })
  app.get('/v1/refunds', async (request) => {
    const query = formOf(request.query)
    return page('/v1/refunds', await sandbox.refunds(query['payment_intent'] ?? ''), query)
  })
  app.get('/v1/disputes', async (request) => {
    const query = formOf(request.query)
    return page('/v1/disputes', await sandbox.disputes(query['payment_intent'] ?? ''), query)
  })
}

interface Id {
  readonly id: string
}

type Form = Readonly<Record<string, string | undefined>>

function formOf(value: unknown): Form {
  return typeof value === 'object' && value !== null ? (value as Form) : {}
}

async function createIntent(sandbox: Sandbox, request: FastifyRequest): Promise<object> {
  const form = formOf(request.body)
  return sandbox.createIntent({
    idempotencyKey: keyOf(request),
    amount: Number(form['amount']),
    currency: form['currency'] ?? '',
    description: form['description'],
    metadata: metadataOf(form),
  })
}

async function assignIntent(
  sandbox: Sandbox,
  { params, body }: FastifyRequest<{ Params: Id }>,
): Promise<object> {
  const form = formOf(body)
  const futureUsage = form['setup_future_usage'] ?? ''
  return sandbox.assignIntent(params.id, {
    customerId: form['customer'] ?? '',
    futureUsage: futureUsage === '' ? null : futureUsage,
  })
}

/** A decline is an answer with an error in it, after it was noted. */
async function confirmIntent(
  sandbox: Sandbox,
  { params, body }: FastifyRequest<{ Params: Id }>,
  reply: FastifyReply,
): Promise<object> {
  const form = formOf(body)
  const { answer, intent } = await sandbox.confirmIntent(params.id, {
    methodId: form['payment_method'] ?? '',
    isOffSession: form['off_session'] === 'true',
  })
  if (answer.status !== 'declined') return intent
  const { code, message } = answer
  void reply.code(402)
  return { error: { type: 'card_error', code, message, payment_intent: intent } }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}

function metadataOf(form: Form): Record<string, string> {
  const metadata = Object.entries(form).flatMap(([name, value]) => {
    const [, field] = /^metadata\[([^\]]+)\]$/.exec(name) ?? []
    return field === undefined || value === undefined ? [] : [[field, value] as const]
  })
  return Object.fromEntries(metadata)
}

/** As Stripe pages: `limit` of them, beginning behind `starting_after`. */
function page(url: string, all: readonly { readonly id: string }[], query: Form): object {
  const after = query['starting_after']
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  const data = all.slice(start, start + (Number(query['limit']) || 10))
  return { object: 'list', url, data, has_more: start + data.length < all.length }
}

const statusOfCode: ReadonlyMap<string, number> = new Map([
  ['api_key_invalid', 401],
  ['resource_missing', 404],
])

function sendError(error: unknown, reply: FastifyReply, log: Log): void {
  if (error instanceof SandboxRefusal) {
    const { code, message } = error
    const type = code === 'idempotency_error' ? code : 'invalid_request_error'
    void reply.code(statusOfCode.get(code) ?? 400).send({ error: { type, code, message } })
    return
  }
  if (!isDatabaseAway(error)) log.error({ err: error }, 'the sandbox failed')
  void reply.code(503).send({ error: { type: 'api_error', message: 'The sandbox cannot answer.' } })
}
