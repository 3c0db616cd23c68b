/**
 * Money that goes back to the cards it came from, against the sandbox: what is offered, and that
 * nothing is lost or doubled by crashes after any step, lost answers, refusals, several processes,
 * and refunds and disputes at the same moment. At the end an audit reads all of it.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import { entryIdOf } from '../../src/domain/ids.js'
import type { User } from '../../src/identity/users.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { ProcessorUnavailableError } from '../../src/top-ups/card-processor.js'
import type { RefundingProcessor, RefundOrder } from '../../src/top-ups/card-processor.js'
import { CardReturnRows } from '../../src/top-ups/card-return-rows.js'
import { returnLeaseMs, returnPauseMaxMs, returnTriesMax } from '../../src/top-ups/limits.js'
import { TestTopUps } from '../support/top-ups.js'

const made = await TestTopUps.open(t)
const { clock, cardReturns, sandbox, processor } = made
const { pool } = made.ledger

/** Somebody who paid these in, oldest first; the payments. */
async function aPayer(...amounts: number[]): Promise<{ user: User; payments: string[] }> {
  const user = await made.makeUser()
  const payments: string[] = []
  for (const amountMinor of amounts) {
    const paymentIntentId = await made.paid(user, amountMinor)
    await made.topUps.settle(paymentIntentId)
    payments.push(paymentIntentId)
    await clock.advance(1_000)
  }
  return { user, payments }
}

async function book({ walletId }: User, type: 'Debit' | 'Credit', amountMinor: number) {
  const reference = { referenceType: 'ORDER', referenceId: randomUUID() }
  const issuer = `client-app:${made.clientId}` as const
  const entryId = entryIdOf({ issuer, walletId, reference })
  return made.ledger.send(walletId, { type, entryId, issuer, reference, amountMinor })
}

/** What the sandbox has refunded of a payment. */
async function refunded(paymentIntentId = ''): Promise<number> {
  const refunds = (await processor.fetchPayment(paymentIntentId))?.refunds ?? []
  const good = refunds.filter(({ status }) => status !== 'failed')
  return good.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}

/** The sandbox behind a line that does this with a refund. */
function lineThat(refund: (order: RefundOrder) => Promise<'accepted' | 'refused'>) {
  const line: RefundingProcessor = {
    name: processor.name,
    fetchPayment: (id) => processor.fetchPayment(id),
    refund,
  }
  return made.returnsWith(line)
}

const away = () => Promise.reject(new ProcessorUnavailableError('away'))

/** The next round finds what was left behind. */
async function sweepLater(returns = cardReturns): Promise<void> {
  await clock.advance(returnLeaseMs)
  await returns.sweep()
}

t.test('the newest top-ups go back first, as far as they are unspent', async (t) => {
  const { user, payments } = await aPayer(1_000, 2_000, 3_000)
  await book(user, 'Debit', 1_500)
  await sandbox.refund(payments[2] ?? '', 500)
  t.equal(await cardReturns.offer(user.walletId), 4_500, 'support’s refund is not booked yet')
  await made.topUps.settle(payments[2] ?? '')
  t.equal(await cardReturns.offer(user.walletId), 4_000)
  const returned = await cardReturns.send(user.walletId)
  t.same(returned, { sentMinor: 4_000, refusedMinor: 0, waitingMinor: 0 })
  t.same(await Promise.all(payments.map(refunded)), [0, 1_500, 3_000])
  t.equal(await made.balance(user), 0)
  for (const payment of payments) await made.topUps.settle(payment)
  t.equal(await made.balance(user), 0, 'the refunds are booked already')
  t.equal(await cardReturns.countOpen(user.walletId), 0)
  const lines = await made.lines(user)
  t.equal(lines.filter(([type]) => type === 'TopUpReversed').length, 3)
})

t.test('what did not come by card, is held or disputed stays', async (t) => {
  const { user, payments } = await aPayer(1_000, 2_000)
  await book(user, 'Credit', 700)
  await sandbox.dispute(payments[1] ?? '')
  await made.topUps.settle(payments[1] ?? '')
  t.equal(await cardReturns.offer(user.walletId), 1_000)
  t.match(await cardReturns.send(user.walletId), { sentMinor: 1_000 })
  t.equal(await made.balance(user), 700)
  const again = { sentMinor: 0, refusedMinor: 0, waitingMinor: 0 }
  await clock.advance(1)
  t.same(await cardReturns.send(user.walletId), again, 'nothing is left to send')
})

t.test('an inactive wallet gives nothing back, nor does an unfinished upgrade', async (t) => {
  const { user } = await aPayer(1_000)
  const status = { issuer: 'service', reason: 'looked into' } as const
  await made.ledger.send(user.walletId, { type: 'Deactivate', ...status })
  t.equal(await cardReturns.offer(user.walletId), 0)
  await made.ledger.send(user.walletId, { type: 'Reactivate', ...status })
  const { rows } = await pool.query<{ value: string }>(
    "update service.settings set value = '1' where name = 'event-kinds' returning '2' as value",
  )
  t.equal(await lineThat(away).offer(user.walletId), 0)
  await pool.query("update service.settings set value = $1 where name = 'event-kinds'", [
    rows[0]?.value,
  ])
  t.equal(await lineThat(away).offer(user.walletId), 1_000)
})

t.test('asked for by many at once, in two processes, it goes back once', async (t) => {
  const { user, payments } = await aPayer(1_000, 2_000)
  const other = await made.another(t)
  const askers = [cardReturns, other.cardReturns, cardReturns, other.cardReturns]
  await Promise.all(askers.map((each) => each.send(user.walletId)))
  await sweepLater()
  await sweepLater(other.cardReturns)
  t.same(await Promise.all(payments.map(refunded)), [1_000, 2_000])
  t.equal(await made.balance(user), 0)
})

t.test('while the processor is away the money waits and cannot be spent', async (t) => {
  const { user, payments } = await aPayer(1_000)
  const returned = await lineThat(away).send(user.walletId)
  t.same(returned, { sentMinor: 0, refusedMinor: 0, waitingMinor: 1_000 })
  t.match(await book(user, 'Debit', 1), { outcome: { code: 'INSUFFICIENT_BALANCE' } })
  t.equal(await cardReturns.countOpen(user.walletId), 1, 'which stands in the way of closing')
  t.match(await cardReturns.send(user.walletId), { waitingMinor: 1_000 }, 'it is under way')
  await sweepLater()
  t.equal(await refunded(payments[0]), 1_000)
  t.equal(await cardReturns.countOpen(user.walletId), 0)
})

t.test('an answer that was lost is found by a look, also after the key is forgotten', async (t) => {
  const { user, payments } = await aPayer(1_000)
  const losing = lineThat(async (order) => {
    await processor.refund(order)
    return away()
  })
  t.match(await losing.send(user.walletId), { waitingMinor: 1_000 })
  await pool.query('update sandbox.refunds set idempotency_key = null')
  await sweepLater()
  t.equal(await refunded(payments[0]), 1_000)
  t.equal(await made.balance(user), 0)
  t.equal(await cardReturns.countOpen(user.walletId), 0)
})

t.test('a crash before the wallet was touched is gone on from', async (t) => {
  const { user, payments } = await aPayer(1_000, 500)
  const rows = new CardReturnRows({ pool, clock, random: systemRandom, processor })
  const plan = payments.map((paymentIntentId) => ({ paymentIntentId, amountMinor: 1_000 }))
  await rows.begin(user.walletId, { plan, plannedMs: clock.now() })
  t.same(await rows.begin(user.walletId, { plan, plannedMs: clock.now() }), [], 'one plan a time')
  await book(user, 'Debit', 1_500)
  await sweepLater()
  t.equal(await made.balance(user), 0)
  t.equal(await refunded(payments[0]), 0, 'what was spent meanwhile does not go back')
  t.equal(await cardReturns.countOpen(user.walletId), 0)
})

t.test('what the processor refuses is in the wallet again, and not offered again', async (t) => {
  const { user, payments } = await aPayer(1_000)
  const racing = lineThat(async (order) => {
    // Support refunds the same payment between the plan and the asking.
    await sandbox.refund(order.paymentIntentId, 600)
    return processor.refund(order)
  })
  const returned = await racing.send(user.walletId)
  t.same(returned, { sentMinor: 0, refusedMinor: 1_000, waitingMinor: 0 })
  await made.topUps.settle(payments[0] ?? '')
  t.equal(await made.balance(user), 400)
  t.equal(await cardReturns.offer(user.walletId), 0)
  t.equal(await refunded(payments[0]), 600)
})

t.test('one that is being given back is not asked for any more', async (t) => {
  const { user, payments } = await aPayer(1_000)
  await lineThat(away).send(user.walletId)
  // A crash after the refusal was noted; by now the processor would agree.
  const refusing = "update payments.card_returns set status = 'refusing' where wallet_id = $1"
  await pool.query(refusing, [user.walletId])
  await sweepLater()
  t.equal(await refunded(payments[0]), 0)
  t.equal(await made.balance(user), 1_000)
  await sweepLater()
  t.equal(await made.balance(user), 1_000, 'once')
})

t.test('after weeks of asking in vain it is given back, unless there is a refund', async (t) => {
  const { user, payments } = await aPayer(1_000)
  const deaf = lineThat(away)
  await deaf.send(user.walletId)
  for (let round = 1; round < returnTriesMax; round += 1) {
    await clock.advance(returnPauseMaxMs)
    await deaf.sweep()
  }
  t.equal(await made.balance(user), 0)
  await clock.advance(returnPauseMaxMs)
  await deaf.sweep()
  t.equal(await made.balance(user), 1_000)
  t.equal(await refunded(payments[0]), 0)
})

t.test('a refund that a bank sends back is in the wallet again, once', async (t) => {
  const { user, payments } = await aPayer(1_000)
  await cardReturns.send(user.walletId)
  const [refund] = (await processor.fetchPayment(payments[0] ?? ''))?.refunds ?? []
  await sandbox.failRefund(refund?.refundId ?? '')
  for (let look = 0; look < 2; look += 1) await made.topUps.settle(payments[0] ?? '')
  t.equal(await made.balance(user), 1_000)
  t.same(
    (await made.lines(user)).map(([type]) => type),
    ['WalletToppedUp', 'TopUpReversed', 'TopUpReinstated'],
  )
})

t.test('a second refund under one return’s name is booked as well', async (t) => {
  const { user, payments } = await aPayer(1_000)
  await book(user, 'Debit', 900)
  await cardReturns.send(user.walletId)
  const [first] = (await processor.fetchPayment(payments[0] ?? ''))?.refunds ?? []
  const metadata = { return_id: first?.returnId ?? '' }
  await sandbox.createRefund(payments[0] ?? '', { amount: 100, metadata })
  await made.topUps.settle(payments[0] ?? '')
  t.equal(await made.balance(user), -100, 'that money is gone too')
})

t.test('an audit finds nothing wrong with any of it', async (t) => {
  await made.ledger.project()
  const { store } = made.ledger
  const { divergence, wallets } = await verifyLedger({ store, pool, clock: systemClock })
  t.equal(divergence, undefined)
  t.ok(wallets >= 10)
})
