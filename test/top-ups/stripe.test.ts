/**
 * The adapter against a server that answers as the test says: what it sends, how long it waits, and
 * what it makes of answers that the sandbox never gives.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { systemClock } from '../../src/platform/clock.js'
import { StripeProcessor } from '../../src/top-ups/stripe.js'
import { usd } from '../support/top-ups.js'

const order = { topUpId: 'id-1', walletId: 'w', clientId: 'c', amountMinor: 500, currency: usd }
const paid = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: 1_000,
  amount_received: 1_000,
  currency: 'usd',
  metadata: {},
  last_payment_error: null,
  status: 'succeeded',
}

t.test(
  'an order goes out with the pinned version, our id as its key, and cards only',
  async (t) => {
    const stripe = await answering(t, () => ({ ...paid, client_secret: 'pi_1_secret_2' }))
    const created = await stripe.processor.createIntent(order)
    t.same(created, { paymentIntentId: 'pi_1', paymentSecret: 'pi_1_secret_2' })
    const [request] = stripe.requests
    t.match(request?.headers, {
      'stripe-version': '2026-10-28.endive',
      'idempotency-key': 'id-1',
      authorization: 'Bearer sk_test_1',
    })
    t.same(Object.fromEntries(new URLSearchParams(request?.body)), {
      amount: '500',
      currency: 'usd',
      'allowed_payment_method_types[0]': 'card',
      description: 'Wallet top-up',
      'metadata[top_up_id]': 'id-1',
      'metadata[wallet_id]': 'w',
      'metadata[client_id]': 'c',
    })
  },
)

t.test('a server that fails is asked twice with the same key, and then no more', async (t) => {
  const stripe = await answering(t, () => new Failure(500, { message: 'sk_test_1 is secret' }))
  await t.rejects(stripe.processor.createIntent(order), {
    name: 'ProcessorUnavailableError',
    message: 'the card processor did not help: StripeAPIError 500',
    cause: undefined,
  })
  t.equal(stripe.requests.length, 2)
  t.same(new Set(stripe.requests.map(({ headers }) => headers['idempotency-key'])).size, 1)
})

t.test('a server that says nothing is not waited for', async (t) => {
  const stripe = await answering(t, () => undefined, { timeoutMs: 500 })
  await t.rejects(stripe.processor.fetchPayment('pi_1'), { name: 'ProcessorUnavailableError' })
  t.equal(stripe.requests.length, 2)
})

t.test('an amount that the processor does not take is told apart', async (t) => {
  const stripe = await answering(t, () => new Failure(400, { code: 'amount_too_small' }))
  await t.rejects(stripe.processor.createIntent(order), { name: 'AmountRefusedError' })
})

t.test('wrong keys are an outage, and no key is in the error', async (t) => {
  const stripe = await answering(t, () => new Failure(401, { message: 'Invalid key sk_test_1' }))
  const error: unknown = await stripe.processor
    .fetchPayment('pi_1')
    .catch((caught: unknown) => caught)
  t.match(error, { name: 'ProcessorUnavailableError', cause: undefined })
  t.notMatch(error instanceof Error ? error.stack : '', /sk_test_1/)
})

t.test('a return goes out once under its own id, and a no is told from an outage', async (t) => {
  const refundOrder = { paymentIntentId: 'pi_1', returnId: 'return-1', amountMinor: 70 }
  const refund = { id: 're_1', object: 'refund', amount: 70, status: 'pending' }
  const stripe = await answering(t, () => refund)
  t.equal(await stripe.processor.refund(refundOrder), 'accepted')
  const [request] = stripe.requests
  t.match(request, { path: '/v1/refunds', headers: { 'idempotency-key': 'return-1' } })
  t.same(Object.fromEntries(new URLSearchParams(request?.body)), {
    payment_intent: 'pi_1',
    amount: '70',
    'metadata[return_id]': 'return-1',
  })
  const type = 'invalid_request_error'
  const refusals = [
    new Failure(400, { type, code: 'charge_already_refunded' }),
    new Failure(400, { type, message: 'Refund amount is greater than what is left.' }),
    new Failure(404, { type, code: 'resource_missing' }),
  ]
  for (const refusal of refusals) {
    const { processor } = await answering(t, () => refusal)
    t.equal(await processor.refund(refundOrder), 'refused', JSON.stringify(refusal.error))
  }
  const outages = [
    new Failure(400, { type, code: 'balance_insufficient' }),
    new Failure(401, { type }),
    new Failure(400, { type: 'idempotency_error' }),
    new Failure(429, { type, code: 'rate_limit' }),
    new Failure(500, { type: 'api_error' }),
  ]
  for (const outage of outages) {
    const { processor } = await answering(t, () => outage)
    await t.rejects(processor.refund(refundOrder), { name: 'ProcessorUnavailableError' })
  }
})

t.test('refunds and disputes in all their states', async (t) => {
  const refund = (id: string, status: string | null) => ({
    id,
    object: 'refund',
    amount: 5,
    status,
  })
  const moved = (id: string, amount: number, currency: string, created: number) => ({
    id,
    object: 'balance_transaction',
    amount,
    currency,
    created,
  })
  const dispute = (id: string, movements: object[]) => ({
    id,
    object: 'dispute',
    amount: 700,
    currency: 'usd',
    balance_transactions: movements,
  })
  const statuses = ['succeeded', 'pending', 'requires_action', 'failed', 'canceled', null]
  const stripe = await answering(t, (path) => {
    if (path.startsWith('/v1/refunds'))
      return list(statuses.map((status, index) => refund(`re_${index}`, status)))
    if (path.startsWith('/v1/disputes'))
      return list([
        dispute('dp_1', []),
        // The account settles in euro: the dispute itself says how much of the payment it is.
        dispute('dp_2', [moved('txn_2', 650, 'eur', 20), moved('txn_1', -650, 'eur', 10)]),
        dispute('dp_3', [moved('txn_3', -300, 'usd', 10), moved('txn_4', 0, 'usd', 11)]),
      ])
    return paid
  })
  const payment = await stripe.processor.fetchPayment('pi_1')
  t.same(
    payment?.refunds.map(({ status }) => status),
    ['succeeded', 'pending', 'pending', 'failed', 'failed', 'pending'],
  )
  t.same(payment?.disputes, [
    { disputeId: 'dp_1', movements: [] },
    {
      disputeId: 'dp_2',
      movements: [
        { movementId: 'txn_1', kind: 'withdrawn', amountMinor: 700 },
        { movementId: 'txn_2', kind: 'reinstated', amountMinor: 700 },
      ],
    },
    {
      disputeId: 'dp_3',
      movements: [{ movementId: 'txn_3', kind: 'withdrawn', amountMinor: 300 }],
    },
  ])
})

t.test('a payment with half of its refunds is no payment at all', async (t) => {
  const stripe = await answering(t, (path) => {
    if (path.startsWith('/v1/refunds')) return new Failure(503, {})
    return path.startsWith('/v1/disputes') ? list([]) : paid
  })
  await t.rejects(stripe.processor.fetchPayment('pi_1'), { name: 'ProcessorUnavailableError' })
})

t.test('every state in which nothing is taken reads as unpaid, also one of tomorrow', async (t) => {
  let status = ''
  const stripe = await answering(t, () => ({ ...paid, status }))
  for (const [word, meaning] of [
    ['requires_payment_method', 'unpaid'],
    ['requires_confirmation', 'unpaid'],
    ['requires_action', 'unpaid'],
    ['requires_capture', 'unpaid'],
    ['something_new', 'unpaid'],
    ['processing', 'processing'],
    ['canceled', 'cancelled'],
  ] as const) {
    status = word
    t.match(await stripe.processor.fetchPayment('pi_1'), { status: meaning, receivedMinor: 0 })
  }
})

t.test('a customer is made by a key, and one that is gone counts as removed', async (t) => {
  const stripe = await answering(t, (path) =>
    path === '/v1/customers' ? { id: 'cus_1' } : new Failure(404, { code: 'resource_missing' }),
  )
  t.equal(await stripe.processor.createCustomer({ customerKey: 'k-1', walletId: 'w' }), 'cus_1')
  await stripe.processor.removeCustomer('cus_1')
  await stripe.processor.removeCard('pm_1')
  t.equal(await stripe.processor.fetchCard('pm_1'), undefined)
  const [created] = stripe.requests
  t.equal(created?.headers['idempotency-key'], 'k-1')
  t.same(Object.fromEntries(new URLSearchParams(created?.body)), { 'metadata[wallet_id]': 'w' })
})

t.test(
  'a card that stays is asked for off-session use, and one that does not is not',
  async (t) => {
    const stripe = await answering(t, () => paid)
    await stripe.processor.assignIntent('pi_1', { customerId: 'cus_1', savesCard: true })
    await stripe.processor.assignIntent('pi_1', { customerId: 'cus_1', savesCard: false })
    t.same(
      stripe.requests.map(({ path, body }) => [path, body]),
      [
        ['/v1/payment_intents/pi_1', 'customer=cus_1&setup_future_usage=off_session'],
        ['/v1/payment_intents/pi_1', 'customer=cus_1&setup_future_usage='],
      ],
    )
  },
)

t.test('a saved card: its face, and who is there when it is charged', async (t) => {
  const card = { brand: 'visa', exp_month: 2, exp_year: 2031, fingerprint: 'f', last4: '4242' }
  const method = { id: 'pm_1', object: 'payment_method', card, customer: 'cus_1' }
  const stripe = await answering(t, (path) =>
    path.startsWith('/v1/payment_methods') ? method : { ...paid, status: 'requires_action' },
  )
  t.same(await stripe.processor.fetchCard('pm_1'), {
    paymentMethodId: 'pm_1',
    customerId: 'cus_1',
    fingerprint: 'f',
    ...{ brand: 'visa', lastFour: '4242', expiryMonth: 2, expiryYear: 2031 },
  })
  const by = { paymentMethodId: 'pm_1', chargeKey: 'id-1-charge' }
  for (const isPersonThere of [true, false])
    t.same(await stripe.processor.chargeIntent('pi_1', { ...by, isPersonThere }), {
      status: 'requires_action',
    })
  const [, there, away] = stripe.requests
  t.equal(there?.path, '/v1/payment_intents/pi_1/confirm')
  t.equal(there?.body, 'payment_method=pm_1&use_stripe_sdk=true')
  t.equal(away?.body, 'payment_method=pm_1&off_session=true')
  t.equal(away?.headers['idempotency-key'], 'id-1-charge')
})

t.test('declines, a card that is gone, and a payment that somebody was faster with', async (t) => {
  let failure = new Failure(402, {})
  const stripe = await answering(t, () => failure)
  const charge = () =>
    stripe.processor.chargeIntent('pi_1', {
      paymentMethodId: 'pm_1',
      isPersonThere: false,
      chargeKey: 'id-1-charge',
    })
  const code = 'authentication_required'
  failure = new Failure(402, { type: 'card_error', code, message: 'Approve it.' })
  t.same(await charge(), { status: 'declined', code, message: 'Approve it.' })
  failure = new Failure(404, { type: 'invalid_request_error', code: 'resource_missing' })
  t.match(await charge(), { status: 'declined', code: 'resource_missing' })
  failure = new Failure(400, { code: 'payment_intent_unexpected_state' })
  t.same(await charge(), { status: 'processing' })
  failure = new Failure(500, {})
  await t.rejects(charge(), { name: 'ProcessorUnavailableError' })
})

class Failure {
  readonly status: number
  readonly error: object

  constructor(status: number, error: object) {
    this.status = status
    this.error = error
  }
}

interface Request {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** `undefined`: no answer at all. */
async function answering(
  t: Test,
  answer: (path: string) => object | undefined,
  options: { timeoutMs?: number } = {},
): Promise<{ processor: StripeProcessor; requests: Request[] }> {
  const requests: Request[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? ''
      requests.push({ path, headers: request.headers, body })
      const given = answer(path)
      if (given === undefined) return
      const isFailure = given instanceof Failure
      response.writeHead(isFailure ? given.status : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isFailure ? { error: given.error } : given))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const keys = { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }
  const apiBase = `http://127.0.0.1:${port}`
  const processor = new StripeProcessor({
    name: 'stripe',
    clock: systemClock,
    apiBase,
    ...keys,
    ...options,
  })
  return { processor, requests }
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function list(data: readonly object[]): object {
  return { object: 'list', data, has_more: false }
}
