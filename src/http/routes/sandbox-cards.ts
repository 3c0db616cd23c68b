/**
 * What Stripe's own form and the bank's page would do, for the sandbox: list the test cards, pay
 * with one, approve or refuse. Promises: whoever has the intent's secret may pay it and nothing
 * else. Only registered when payments are the sandbox. Never: takes a real card.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { testCards } from '../../top-ups/sandbox/cards.js'
import type { PayAnswer, PaymentKey, Sandbox } from '../../top-ups/sandbox/sandbox.js'
import type { App } from '../app.js'
import { ApiError, invalidField } from '../errors.js'
import { inputOf, stringField, type Input } from '../fields.js'

export function registerSandboxCards(app: App, { sandbox }: { sandbox: Sandbox }): void {
  app.get('/api/sandbox/cards', () => ({
    cards: testCards.map(({ number, label, description }) => ({ number, label, description })),
  }))
  app.post('/api/sandbox/pay', (request, reply) => pay(sandbox, request, reply))
  app.post('/api/sandbox/authenticate', (request, reply) => authenticate(sandbox, request, reply))
}

async function pay(sandbox: Sandbox, request: FastifyRequest, reply: FastifyReply) {
  const input = inputOf(request.body)
  const card = {
    cardNumber: stringField(input, 'cardNumber'),
    expiry: stringField(input, 'expiry'),
    cvc: stringField(input, 'cvc'),
  }
  return answer(await sandbox.pay(keyOf(input), card), reply)
}

async function authenticate(sandbox: Sandbox, request: FastifyRequest, reply: FastifyReply) {
  const input = inputOf(request.body)
  const { approved } = input
  if (typeof approved !== 'boolean') throw invalidField('approved', 'must be true or false')
  return answer(await sandbox.authenticate(keyOf(input), approved), reply)
}

function keyOf(input: Input): PaymentKey {
  const paymentIntentId = stringField(input, 'paymentIntentId')
  // NUL and lone surrogates are in no id, and PostgreSQL refuses to look for them.
  if (!/^[\w-]{1,100}$/.test(paymentIntentId)) throw new ApiError('TOPUP_NOT_FOUND')
  return { paymentIntentId, paymentSecret: stringField(input, 'paymentSecret') }
}

function answer(payAnswer: PayAnswer | undefined, reply: FastifyReply): PayAnswer | FastifyReply {
  if (payAnswer === undefined) throw new ApiError('TOPUP_NOT_FOUND')
  if (payAnswer.status !== 'cut') return payAnswer
  // The browser sees what it would see when the network fails.
  reply.hijack()
  reply.raw.destroy()
  return reply
}
