/**
 * Top-ups that nobody tells us about: the sweeper finds what was paid, refunded or disputed, and
 * brings what is left alone to an end.
 */
import t from 'tap'
import {
  intentCheckMs,
  intentGiveUpMs,
  intentLeaseMs,
  intentOpenMs,
  intentSweepMs,
  paidCheckedForMs,
  paidCheckMs,
} from '../../src/top-ups/limits.js'
import { startMs, success, TestTopUps } from '../support/top-ups.js'

t.test('a payment that neither browser nor webhook told of is booked by the sweeper', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  t.equal(await made.sweeper.sweep(), 0, 'not before its time')
  await made.clock.advance(intentCheckMs)
  t.equal(await made.sweeper.sweep(), 1)
  t.same(await made.lines(user), [['WalletToppedUp', `TOPUP ${paid}`, 2_500]])
  t.equal(await made.sweeper.sweep(), 0, 'and it is not looked at again at once')
})

t.test('two sweepers look at each intent once', async (t) => {
  const made = await TestTopUps.open(t)
  const other = await made.another(t)
  const user = await made.makeUser()
  for (let count = 0; count < 25; count += 1) await made.paid(user)
  await made.clock.advance(intentCheckMs)
  const [one, two] = await Promise.all([made.sweeper.sweep(), other.sweeper.sweep()])
  t.equal(one + two, 25)
  t.equal((await made.lines(user)).length, 25)
})

t.test('an intent that nobody pays is cancelled, and then it cannot be paid', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const key = await made.order(user)
  await made.clock.advance(intentOpenMs - 1)
  await made.sweeper.sweep()
  t.equal(await made.status(key.paymentIntentId), 'open')
  await made.clock.advance(intentCheckMs)
  await made.sweeper.sweep()
  t.equal(await made.status(key.paymentIntentId), 'cancelled')
  t.match(await made.sandbox.pay(key, success), { status: 'declined' })
  t.match(await made.topUps.settle(key.paymentIntentId), { status: 'failed', failure: /cancelled/ })
  t.same(await dueAt(made), [null])
})

t.test('a creation that was cut off ends, so that it counts no longer', async (t) => {
  const made = await TestTopUps.open(t)
  const { walletId, serviceUserId } = await made.makeUser()
  const order = { walletId, serviceUserId, clientId: made.clientId, amountMinor: 500 }
  const begun = await made.intents.begin({ ...order, currencyCode: 'usd' }, made.config)
  const topUpId = begun.kind === 'begun' ? begun.topUpId : ''
  await made.clock.advance(intentCheckMs)
  await made.sweeper.sweep()
  t.equal(await made.intents.open(topUpId, 'pi_late'), false, 'no secret is handed out any more')
  t.same(await dueAt(made), [null])
})

t.test('what was paid is looked at for half a year, in longer and longer pauses', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  await made.topUps.settle(paid)
  await made.sandbox.refund(paid, 500)
  await made.clock.advance(paidCheckMs)
  t.equal(await made.sweeper.sweep(), 1)
  t.equal(await made.balance(user), 2_000, 'a refund whose webhook was lost')
  let looks = 1
  for (let next = await dueAt(made); next[0] != null; next = await dueAt(made)) {
    await made.clock.advance(next[0].getTime() - made.clock.now())
    looks += await made.sweeper.sweep()
  }
  t.ok(looks > 5 && looks < 20, `${looks} looks`)
  t.ok(made.clock.now() - startMs < paidCheckedForMs)
})

t.test('while the processor is away the pauses grow, and a claim is not lost', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  await made.clock.advance(intentCheckMs)
  t.equal((await made.intents.claimDue()).length, 1)
  t.equal(await made.sweeper.sweep(), 0, 'somebody else has it')
  await made.clock.advance(intentLeaseMs)
  await made.server.close()
  t.equal(await made.sweeper.sweep(), 1, 'who died with it leaves it to others')
  t.equal(await made.sweeper.sweep(), 0)
  t.equal(await made.status(paid), 'open')
  const other = await made.another(t)
  await made.clock.advance(intentCheckMs * 4)
  t.equal(await other.sweeper.sweep(), 1)
  t.equal(await made.balance(user), 2_500)
})

t.test('a payment that never ends is given up, and a late webhook still books it', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const key = await made.order(user)
  await made.sandbox.pay(key, { ...success, cardNumber: '4000000000000077' })
  await made.clock.advance(intentGiveUpMs + 1)
  await made.sweeper.sweep()
  t.same(await dueAt(made), [null])
  await made.sandbox.runDueActs()
  await made.topUps.settle(key.paymentIntentId)
  t.equal(await made.balance(user), 2_500)
})

t.test('the sweeper of one processor leaves the intents of another alone', async (t) => {
  const made = await TestTopUps.open(t)
  const paid = await made.paid(await made.makeUser())
  await made.ledger.pool.query("update payments.top_up_intents set processor = 'stripe'")
  await made.clock.advance(intentCheckMs)
  t.equal(await made.sweeper.sweep(), 0)
  t.equal(await made.topUps.find(paid), undefined)
})

t.test('it runs by itself until it is stopped', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  await made.paid(user)
  made.sweeper.start()
  while ((await made.balance(user)) === 0) await made.clock.advance(intentSweepMs)
  await made.sweeper.stop()
  t.equal(made.clock.waiting, 0, 'nothing is left behind')
})

async function dueAt({ ledger }: TestTopUps): Promise<(Date | null)[]> {
  const { rows } = await ledger.pool.query<{ check_at: Date | null }>(
    'select check_at from payments.top_up_intents',
  )
  return rows.map((row) => row.check_at)
}
