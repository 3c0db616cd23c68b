/**
 * What Stripe's own form and the bank's page would do, for the sandbox: list the test cards, pay
 * with one, approve or refuse. Promises: whoever has the intent's secret may pay it and nothing
 * else. Only registered when payments are the sandbox. Never: takes a real card.
 */
import type { FastifyReply } from 'fastify'
import { testCards } from '../../top-ups/sandbox/cards.js'
import type {
  PayAnswer as SandboxAnswer,
  PaymentKey,
  Sandbox,
} from '../../top-ups/sandbox/sandbox.js'
import type { App } from '../app.js'
import { checked, type RequestOf } from '../contract.js'
import { ApiError } from '../errors.js'
import type { PayAnswer } from '../schemas/answers/top-ups.js'
import { authenticateCardSchema, payCardSchema, testCardsReadSchema } from '../schemas/top-ups.js'

export function registerSandboxCards(app: App, { sandbox }: { sandbox: Sandbox }): void {
  app.get('/api/sandbox/cards', { schema: testCardsReadSchema }, () => ({
    cards: testCards.map(({ number, label, description }) => ({ number, label, description })),
  }))
  app.post('/api/sandbox/pay', { schema: payCardSchema }, (request, reply) =>
    pay(sandbox, request, reply),
  )
  app.post('/api/sandbox/authenticate', { schema: authenticateCardSchema }, (request, reply) =>
    authenticate(sandbox, request, reply),
  )
}

async function pay(
  sandbox: Sandbox,
  request: RequestOf<typeof payCardSchema>,
  reply: FastifyReply,
) {
  const { body } = checked(request)
  const { cardNumber, expiry, cvc } = body
  return answer(await sandbox.pay(keyOf(body), { cardNumber, expiry, cvc }), reply)
}

async function authenticate(
  sandbox: Sandbox,
  request: RequestOf<typeof authenticateCardSchema>,
  reply: FastifyReply,
) {
  const { body } = checked(request)
  return answer(await sandbox.authenticate(keyOf(body), body.approved), reply)
}

function keyOf({ paymentIntentId, paymentSecret }: PaymentKey): PaymentKey {
  // NUL and lone surrogates are in no id, and PostgreSQL refuses to look for them.
  if (!/^[\w-]{1,100}$/.test(paymentIntentId)) throw new ApiError('TOPUP_NOT_FOUND')
  return { paymentIntentId, paymentSecret }
}

function answer(outcome: SandboxAnswer | undefined, reply: FastifyReply): PayAnswer | undefined {
  if (outcome === undefined) throw new ApiError('TOPUP_NOT_FOUND')
  if (outcome.status !== 'cut') return outcome
  // The browser sees what it would see when the network fails.
  reply.hijack()
  reply.raw.destroy()
  return undefined
}
