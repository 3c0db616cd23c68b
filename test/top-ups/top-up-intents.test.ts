// The rows of top-up intents, PostgreSQL's and those of simulations: the same cases for both.
import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { Test } from 'tap'
import { walletIdOf } from '../../src/domain/ids.js'
import { systemRandom } from '../../src/platform/random.js'
import { intentCheckMs, intentLeaseMs, paidCheckMs } from '../../src/top-ups/limits.js'
import type { IntentRows, NewIntent } from '../../src/top-ups/top-up-intents.js'
import { FakeClock } from '../support/fake-clock.js'
import { IntentTable, MemoryTopUpIntents } from '../support/memory-top-up-intents.js'
import { TestTopUps } from '../support/top-ups.js'

interface Subject {
  readonly intents: IntentRows
  readonly clock: FakeClock
  readonly order: NewIntent
  /** The same of another person. */
  readonly other: NewIntent
}

const subjects: Record<string, (t: Test) => Promise<Subject>> = {
  async PostgreSQL(t) {
    const made = await TestTopUps.open(t)
    const { intents, clock, clientId } = made
    const orders = [await made.makeUser(), await made.makeUser()].map(
      ({ walletId, serviceUserId }) => ({ walletId, serviceUserId, clientId, ...money }),
    )
    const [order, other] = orders
    if (order === undefined || other === undefined) throw new Error('no orders')
    return { intents, clock, order, other }
  },
  async 'the fake'() {
    const wallets = [randomUUID(), randomUUID()].map(walletIdOf)
    const clientId = 'shop'
    const table = new IntentTable((walletId, app) => {
      return wallets.some((known) => known === walletId) && app === clientId
    })
    const clock = new FakeClock()
    const intents = new MemoryTopUpIntents({ table, clock, random: systemRandom })
    const [order, other] = wallets.map((walletId) => {
      return { walletId, serviceUserId: walletId, clientId, ...money }
    })
    if (order === undefined || other === undefined) throw new Error('no orders')
    return { intents, clock, order, other }
  },
}

const money = { amountMinor: 400, currencyCode: 'usd' }
const limits = { dayMaximumMinor: 1_000 }

for (const [name, open] of Object.entries(subjects))
  t.test(name, async (t) => {
    t.test('a begun one is named by the processor’s answer, and found by it', async (t) => {
      const { intents, clock, order } = await open(t)
      const topUpId = await begin(intents, order)
      t.equal(await intents.find('pi_1'), undefined)
      t.equal(await intents.open(topUpId, 'pi_1'), true)
      t.equal(await intents.open(topUpId, 'pi_1'), true, 'a webhook was faster')
      t.equal(await intents.open(topUpId, 'pi_2'), false)
      t.equal(await intents.open(randomUUID(), 'pi_3'), false)
      const { walletId, clientId, amountMinor, currencyCode } = order
      t.strictSame(await intents.find('pi_1'), {
        ...{ topUpId, paymentIntentId: 'pi_1', walletId, clientId, amountMinor, currencyCode },
        ...{
          status: 'open',
          createdMs: clock.now(),
          checks: 0,
          isProcessing: false,
          isFailed: false,
        },
      })
    })

    t.test('what a bank is at is pending until it ends, newest first', async (t) => {
      const { intents, clock, order, other } = await open(t)
      const { walletId, amountMinor } = order
      const createdMs = clock.now()
      const first = await begin(intents, order)
      await intents.setProcessing(first, true)
      t.same(await intents.pendingOf(walletId), [], 'nobody can have paid it yet')
      await intents.open(first, 'pi_1')
      await intents.setProcessing(first, true)
      await clock.advance(10)
      const second = await begin(intents, order)
      await intents.open(second, 'pi_2')
      await intents.setProcessing(second, true)
      const pending = { paymentIntentId: 'pi_1', amountMinor, createdMs }
      const newer = { paymentIntentId: 'pi_2', amountMinor, createdMs: createdMs + 10 }
      t.same(await intents.pendingOf(walletId), [newer, pending])
      t.same(await intents.pendingOf(other.walletId), [])
      t.equal((await intents.find('pi_1'))?.isProcessing, true)
      await intents.setProcessing(second, false)
      t.same(await intents.pendingOf(walletId), [pending], 'the bank gave it back')
      await intents.end(first, 'paid')
      t.same(await intents.pendingOf(walletId), [])
    })

    t.test('a day counts what is paid or may be, a wallet of its own', async (t) => {
      const { intents, clock, order, other } = await open(t)
      const first = await begin(intents, order)
      await intents.open(first, 'pi_1')
      await clock.advance(10)
      const second = await begin(intents, order)
      t.match(await intents.begin(order, limits), {
        kind: 'over-limit',
        leftMinor: 200,
        open: ['pi_1'],
      })
      t.equal((await intents.begin(other, limits)).kind, 'begun')
      await intents.giveUpCreating(second)
      t.equal((await intents.begin(order, limits)).kind, 'begun')
      await clock.advance(24 * 60 * 60_000)
      t.equal((await intents.begin(order, limits)).kind, 'begun', 'a day later')
    })

    t.test('one that has ended is not opened, and a paid one stays paid', async (t) => {
      const { intents, order } = await open(t)
      const creating = await begin(intents, order)
      await intents.giveUpCreating(creating)
      t.equal(await intents.open(creating, 'pi_1'), false)
      const paid = await begin(intents, order)
      await intents.open(paid, 'pi_2')
      await intents.giveUpCreating(paid)
      t.equal((await intents.find('pi_2'))?.status, 'open', 'only creations are given up')
      await intents.end(paid, 'paid')
      await intents.end(paid, 'cancelled')
      t.equal((await intents.find('pi_2'))?.status, 'paid')
    })

    t.test('what is due is claimed by one, until its lease ends', async (t) => {
      const { intents, clock, order } = await open(t)
      const topUpId = await begin(intents, order)
      await intents.open(topUpId, 'pi_1')
      t.same(await intents.claimDue(), [], 'not before its time')
      await clock.advance(intentCheckMs)
      t.match(await intents.claimDue(), [{ topUpId, checks: 1, status: 'open' }])
      t.same(await intents.claimDue(), [])
      await clock.advance(intentLeaseMs)
      t.match(await intents.claimDue(), [{ topUpId, checks: 2 }])
      await intents.checkAt(topUpId, clock.now() + 5)
      await clock.advance(5)
      t.match(await intents.claimDue(), [{ topUpId, checks: 3 }])
      await intents.end(topUpId, 'paid')
      await clock.advance(paidCheckMs - 1)
      t.same(await intents.claimDue(), [])
      await clock.advance(1)
      t.match(await intents.claimDue(), [{ topUpId, checks: 1, status: 'paid' }])
      await intents.checkAt(topUpId, undefined)
      await clock.advance(paidCheckMs * 1_000)
      t.same(await intents.claimDue(), [], 'never again')
    })

    t.test('a payment without a row is adopted by its tag, if it is ours', async (t) => {
      const { intents, clock, order, other } = await open(t)
      const { walletId, clientId } = order
      const topUpId = randomUUID()
      const tag = { topUpId, walletId, clientId }
      const payment = { paymentIntentId: 'pi_1', ...money, tag }
      t.match(await intents.adopt(payment), { topUpId, status: 'open', walletId, checks: 0 })
      t.match(await intents.adopt(payment), { topUpId, status: 'open' }, 'again')
      await intents.end(topUpId, 'paid')
      t.match(await intents.adopt(payment), { topUpId, status: 'paid' })
      t.equal(await intents.adopt({ ...payment, paymentIntentId: 'pi_2' }), undefined)
      for (const wrong of [
        { walletId: other.walletId },
        { topUpId: 'x' },
        { topUpId: randomUUID(), walletId: randomUUID() },
        { topUpId: randomUUID(), clientId: 'nobody' },
      ])
        t.equal(
          await intents.adopt({ ...payment, paymentIntentId: 'pi_3', tag: { ...tag, ...wrong } }),
          undefined,
        )
      const creating = await begin(intents, other)
      const late = { topUpId: creating, walletId: other.walletId, clientId }
      const named = { ...payment, paymentIntentId: 'pi_4', tag: late }
      t.match(await intents.adopt(named), { topUpId: creating, status: 'open' })
      await clock.advance(intentCheckMs)
      t.equal((await intents.claimDue()).length, 2)
    })

    t.test('one payment belongs to one row', async (t) => {
      const { intents, order } = await open(t)
      await intents.open(await begin(intents, order), 'pi_1')
      const second = await begin(intents, order)
      await t.rejects(intents.open(second, 'pi_1'), /duplicate key/)
    })
  })

async function begin(intents: IntentRows, order: NewIntent): Promise<string> {
  const begun = await intents.begin(order, limits)
  if (begun.kind !== 'begun') throw new Error('over the limit')
  return begun.topUpId
}
