/**
 * What becomes of a card payment in the ledger: booked once, reversed and given back once each,
 * whoever hears of it first and however often.
 */
import t from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import type { CardProcessor, Payment } from '../../src/top-ups/card-processor.js'
import { processorDeadlineMs } from '../../src/top-ups/limits.js'
import { TopUps } from '../../src/top-ups/top-up.js'
import { quietLog } from '../support/ledger.js'
import { success, TestTopUps, usd, type Line } from '../support/top-ups.js'

t.test('a payment is booked with what was received, and its intent is done', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const key = await made.order(user)
  t.match(await made.topUps.settle(key.paymentIntentId), {
    status: 'requires_payment',
    amountMinor: 2_500,
    failure: undefined,
  })
  t.same(await made.lines(user), [])
  await made.sandbox.pay(key, { ...success, cardNumber: '4000000000000002' })
  t.match(await made.topUps.settle(key.paymentIntentId), {
    status: 'requires_payment',
    failure: 'Your card was declined.',
  })
  await made.sandbox.pay(key, success)
  t.match(await made.topUps.settle(key.paymentIntentId), { status: 'booked', amountMinor: 2_500 })
  t.same(await made.lines(user), [['WalletToppedUp', `TOPUP ${key.paymentIntentId}`, 2_500]])
  t.equal(await made.status(key.paymentIntentId), 'paid')
})

t.test('two processes and a hundred settlements of one payment book one entry', async (t) => {
  const made = await TestTopUps.open(t)
  const other = await made.another(t)
  const user = await made.makeUser()
  const paymentIntentId = await made.paid(user)
  const settlements = Array.from({ length: 100 }, (_, index) =>
    (index % 2 === 0 ? made : other).topUps.settle(paymentIntentId),
  )
  for (const settled of await Promise.all(settlements)) t.equal(settled?.status, 'booked')
  t.same(await made.lines(user), [['WalletToppedUp', `TOPUP ${paymentIntentId}`, 2_500]])
})

t.test(
  'who asks after the payment is told of it, also while an older look is under way',
  async (t) => {
    const made = await TestTopUps.open(t)
    const key = await made.order(await made.makeUser())
    const gate = new Gate(made.processor)
    const topUps = topUpsWith(made, gate.processor)
    const early = topUps.settle(key.paymentIntentId)
    await gate.reached
    await made.sandbox.pay(key, success)
    const late = topUps.settle(key.paymentIntentId)
    gate.open()
    t.match(await early, { status: 'requires_payment' })
    t.match(await late, { status: 'booked' })
  },
)

t.test('a wallet that was deactivated after the payment gets its money', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paymentIntentId = await made.paid(user)
  const deactivate = { type: 'Deactivate', issuer: 'service', reason: 'lost card' } as const
  await made.ledger.send(user.walletId, deactivate)
  t.match(await made.topUps.settle(paymentIntentId), { status: 'booked' })
  await made.sandbox.refund(paymentIntentId, 1_000)
  await made.topUps.settle(paymentIntentId)
  t.equal(await made.balance(user), 1_500, 'and its reversal')
  t.equal((await made.ledger.reader.read(user.walletId, { limit: 1 })).isActive, false)
})

t.test('a refund that is heard of before its top-up books the top-up first', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paymentIntentId = await made.paid(user)
  const refundId = await made.sandbox.refund(paymentIntentId)
  await made.topUps.settle(paymentIntentId)
  t.same(await made.lines(user), [
    ['WalletToppedUp', `TOPUP ${paymentIntentId}`, 2_500],
    ['TopUpReversed', `TOPUP_REFUND ${refundId}`, 2_500],
  ])
})

t.test('partial refunds, one that fails, a dispute and its end are each booked once', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user, 10_000)
  const settle = () => made.topUps.settle(paid)
  const first = await made.sandbox.refund(paid, 1_000)
  await settle()
  const second = await made.sandbox.refund(paid, 2_000)
  await settle()
  await made.sandbox.failRefund(first)
  await settle()
  const disputeId = await made.sandbox.dispute(paid)
  await settle()
  await made.sandbox.closeDispute(disputeId, 'won')
  for (let times = 0; times < 3; times += 1) await settle()
  t.same(await made.lines(user), [
    ['WalletToppedUp', `TOPUP ${paid}`, 10_000],
    ['TopUpReversed', `TOPUP_REFUND ${first}`, 1_000],
    ['TopUpReversed', `TOPUP_REFUND ${second}`, 2_000],
    ['TopUpReinstated', `TOPUP_REFUND_FAILED ${first}`, 1_000],
    ['TopUpReversed', `TOPUP_DISPUTE ${disputeId}`, 10_000],
    ['TopUpReinstated', `TOPUP_DISPUTE_REINSTATED ${disputeId}`, 10_000],
  ])
  t.equal(await made.balance(user), 8_000)
})

t.test('a lost dispute moves nothing more, and the balance may go below zero', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  await made.topUps.settle(paid)
  const issuer = 'client-app:shop'
  const spent = { issuer, reference: reference('ORDER', '1'), amountMinor: 2_000 } as const
  const entryId = entryIdOf({ ...spent, walletId: user.walletId })
  await made.ledger.send(user.walletId, { type: 'Debit', entryId, ...spent })
  const disputeId = await made.sandbox.dispute(paid)
  await made.topUps.settle(paid)
  await made.sandbox.closeDispute(disputeId, 'lost')
  await made.topUps.settle(paid)
  t.equal(await made.balance(user), -2_000)
  t.equal((await made.lines(user)).length, 3)
})

t.test('a refund that failed before anybody booked it leaves no trace', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  await made.sandbox.failRefund(await made.sandbox.refund(paid))
  await made.topUps.settle(paid)
  t.same(await made.lines(user), [['WalletToppedUp', `TOPUP ${paid}`, 2_500]])
})

t.test(
  'a refund that fails while another process books it is given back all the same',
  async (t) => {
    const made = await TestTopUps.open(t)
    const other = await made.another(t)
    const user = await made.makeUser()
    const paid = await made.paid(user)
    await made.topUps.settle(paid)
    const refundId = await made.sandbox.refund(paid)
    // One process has seen the refund and is about to book it …
    const gate = new Gate(made.processor)
    const slow = topUpsWith(made, gate.processor).settle(paid)
    await gate.reached
    // … when it fails, and the other one finds nothing to give back.
    await made.sandbox.failRefund(refundId)
    await other.topUps.settle(paid)
    t.equal((await made.lines(user)).length, 1)
    gate.open()
    await slow
    t.same((await made.lines(user)).slice(1), [
      ['TopUpReversed', `TOPUP_REFUND ${refundId}`, 2_500],
      ['TopUpReinstated', `TOPUP_REFUND_FAILED ${refundId}`, 2_500],
    ])
  },
)

t.test('in whatever order the processor tells, the same entries stand at the end', async (t) => {
  const made = await TestTopUps.open(t)
  const other = await made.another(t)
  const expected = ['TopUpReinstated', 'TopUpReversed', 'TopUpReversed', 'WalletToppedUp']
  for (let seed = 1; seed <= 8; seed += 1) {
    const user = await made.makeUser()
    const paid = await made.paid(user, 5_000)
    const hints: Promise<unknown>[] = []
    const hint = (count: number): void => {
      for (let index = 0; index < count; index += 1)
        hints.push([made, other][(index + seed) % 2]?.topUps.settle(paid) ?? Promise.resolve())
    }
    hint(seed % 3)
    const refundId = await made.sandbox.refund(paid, 500)
    hint((seed + 1) % 3)
    if (seed % 2 === 0) await Promise.all(hints)
    const disputeId = await made.sandbox.dispute(paid)
    hint((seed + 2) % 3)
    await made.sandbox.closeDispute(disputeId, 'won')
    hint(3)
    await Promise.all(hints)
    const lines = await made.lines(user)
    t.same(lines.map(([type]) => type).sort(), expected, `seed ${seed}`)
    t.same(lines[0], ['WalletToppedUp', `TOPUP ${paid}`, 5_000])
    t.ok(lines.some(([, name]) => name === `TOPUP_REFUND ${refundId}`))
    t.equal(await made.balance(user), 4_500, `seed ${seed}`)
  }
})

t.test('a third movement of one dispute has a reference of its own', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  const movement = (movementId: string, kind: 'withdrawn' | 'reinstated') => ({
    movementId,
    kind,
    amountMinor: 2_500,
  })
  const movements = [
    movement('txn_1', 'withdrawn'),
    movement('txn_2', 'reinstated'),
    movement('txn_3', 'withdrawn'),
  ]
  const topUps = topUpsWith(
    made,
    changed(made.processor, { disputes: [{ disputeId: 'dp_1', movements }] }),
  )
  await topUps.settle(paid)
  await topUps.settle(paid)
  t.same((await made.lines(user)).slice(1).sort(), [
    ['TopUpReinstated', 'TOPUP_DISPUTE_REINSTATED dp_1', 2_500],
    ['TopUpReversed', 'TOPUP_DISPUTE dp_1', 2_500],
    ['TopUpReversed', 'TOPUP_DISPUTE dp_1/txn_3', 2_500],
  ] satisfies Line[])
})

t.test('a payment in another currency is booked nowhere', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  const topUps = topUpsWith(made, changed(made.processor, { currencyCode: 'eur' }))
  await t.rejects(topUps.settle(paid), { name: 'InvariantError' })
  t.same(await made.lines(user), [])
})

t.test(
  'a payment whose row lost its id, or its row, is still known by what it carries',
  async (t) => {
    const made = await TestTopUps.open(t)
    const user = await made.makeUser()
    const { pool } = made.ledger
    const nameless = await made.paid(user, 1_000)
    await pool.query(
      "update payments.top_up_intents set payment_intent_id = null, status = 'creating'",
    )
    t.match(await made.topUps.settle(nameless), { status: 'booked' })
    const lost = await made.paid(user, 2_000)
    await pool.query('delete from payments.top_up_intents where payment_intent_id = $1', [lost])
    t.match(await made.topUps.settle(lost), { status: 'booked', amountMinor: 2_000 })
    t.equal(await made.balance(user), 3_000)
    t.equal(await made.status(lost), 'paid')
  },
)

t.test('a webhook that is faster than the processor’s answer spoils nothing', async (t) => {
  const made = await TestTopUps.open(t)
  const { walletId, serviceUserId } = await made.makeUser()
  const early: CardProcessor = {
    ...wrapped(made.processor, (id) => made.processor.fetchPayment(id)),
    createIntent: async (order) => {
      const created = await made.processor.createIntent(order)
      await made.topUps.settle(created.paymentIntentId)
      return created
    },
  }
  const order = { walletId, serviceUserId, clientId: made.clientId, amountMinor: 700 }
  const created = await topUpsWith(made, early).create(order)
  t.equal(created.kind, 'created')
  const { rows } = await made.ledger.pool.query('select status from payments.top_up_intents')
  t.same(rows, [{ status: 'open' }])
})

t.test('payments that are not top-ups of this deployment are left alone', async (t) => {
  const made = await TestTopUps.open(t)
  const strangers = [
    { topUpId: 'x', walletId: 'y', clientId: made.clientId },
    { topUpId: uuid(1), walletId: uuid(2), clientId: made.clientId },
    undefined,
  ]
  const paid = await made.paid(await made.makeUser())
  await made.ledger.pool.query('delete from payments.top_up_intents')
  for (const tag of strangers) {
    const topUps = topUpsWith(made, changed(made.processor, { tag }))
    t.equal(await topUps.settle(paid), undefined)
  }
  t.equal(await made.topUps.settle('pi_nobody'), undefined)
  const { rows } = await made.ledger.pool.query('select 1 from payments.top_up_intents')
  t.equal(rows.length, 0)
})

t.test('another wallet in the payment than in the row moves nobody’s money', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const thief = await made.makeUser()
  const paid = await made.paid(user)
  const payment = await made.processor.fetchPayment(paid)
  const { topUpId = '', clientId = '' } = payment?.tag ?? {}
  const tag = { topUpId, clientId, walletId: thief.walletId }
  const topUps = topUpsWith(made, changed(made.processor, { tag }))
  await topUps.settle(paid)
  t.equal(await made.balance(user), 2_500, 'the row decides')
  await made.ledger.pool.query(
    'update payments.top_up_intents set payment_intent_id = null, ' + "status = 'creating'",
  )
  t.equal(await topUps.settle(paid), undefined, 'and a row is not adopted for another wallet')
  t.equal(await made.balance(thief), 0)
})

t.test(
  'a processor that is away books nothing, and one that hangs is not waited for',
  async (t) => {
    const made = await TestTopUps.open(t)
    const user = await made.makeUser()
    const paid = await made.paid(user)
    const gate = new Gate(made.processor)
    const hanging = topUpsWith(made, gate.processor).settle(paid)
    const refused = t.rejects(hanging, { name: 'ProcessorUnavailableError' })
    await gate.reached
    await made.clock.advance(processorDeadlineMs)
    await refused
    await made.server.close()
    await t.rejects(made.topUps.settle(paid), { name: 'ProcessorUnavailableError' })
    t.same(await made.lines(user), [])
    t.equal(await made.status(paid), 'open')
    gate.open()
  },
)

/** The real processor, whose first answer waits until the test opens the gate. */
class Gate {
  readonly processor: CardProcessor
  readonly reached: Promise<void>
  open: () => void = () => undefined

  constructor(real: CardProcessor) {
    let reach: () => void = () => undefined
    this.reached = new Promise((resolve) => (reach = resolve))
    const opened = new Promise<void>((resolve) => (this.open = resolve))
    let isFirst = true
    this.processor = wrapped(real, async (paymentIntentId) => {
      const payment = await real.fetchPayment(paymentIntentId)
      if (!isFirst) return payment
      isFirst = false
      reach()
      await opened
      return payment
    })
  }
}

/** The real processor with something else in its payments. */
function changed(real: CardProcessor, change: Partial<Payment>): CardProcessor {
  return wrapped(real, async (paymentIntentId) => {
    const payment = await real.fetchPayment(paymentIntentId)
    return payment && { ...payment, ...change }
  })
}

function wrapped(real: CardProcessor, fetchPayment: CardProcessor['fetchPayment']): CardProcessor {
  return {
    name: real.name,
    createIntent: (order) => real.createIntent(order),
    cancelIntent: (paymentIntentId) => real.cancelIntent(paymentIntentId),
    readWebhook: (webhook) => real.readWebhook(webhook),
    fetchPayment,
  }
}

function topUpsWith(made: TestTopUps, processor: CardProcessor): TopUps {
  const { writer, reader } = made.ledger
  const { intents, clock } = made
  const { dayMaximumMinor } = made.config
  const parts = { writer, reader, intents, clock, dayMaximumMinor }
  return new TopUps({ ...parts, processor, currency: usd, log: quietLog })
}

function uuid(digit: number): string {
  return `00000000-0000-4000-8000-00000000000${digit}`
}
