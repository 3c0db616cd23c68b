/**
 * Automatic top-ups against the sandbox: thresholds, the month, refusals, crashes between any two
 * steps, and several processes at once. Rounds are run by hand, on a clock that the tests move.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { findBelow } from '../../projections/queries/top-ups.js'
import { entryIdOf, walletIdOf } from '../../src/domain/ids.js'
import type { User } from '../../src/identity/users.js'
import {
  automaticFailurePauseMs,
  automaticLeaseMs,
  automaticPauseMs,
  automaticRetryMs,
  intentCheckMs,
  sandboxProcessingMs,
} from '../../src/top-ups/limits.js'
import { testCards } from '../../src/top-ups/sandbox/cards.js'
import { TestTopUps, usd } from '../support/top-ups.js'

const made = await TestTopUps.open(t)
const { clock, rules, worker } = made

function numberOf(end: string): string {
  return testCards.find((card) => card.end === end)?.number ?? ''
}

/** Somebody whose wallet has 25.00 by the saved card, and a rule: below 10.00 top up 20.00. */
async function aPerson({ end = 'success', monthMaxMinor = 10_000 } = {}) {
  const user = await made.makeUser()
  const cardId = await made.saveCard(user, numberOf(end))
  const rule = { cardId, thresholdMinor: 1_000, amountMinor: 2_000, monthMaxMinor }
  const { serviceUserId, walletId } = user
  const of = { serviceUserId, walletId, clientId: made.clientId }
  t.ok(await rules.switchOn(of, rule))
  return { user, cardId, of, rule }
}

async function spend({ walletId }: User, amountMinor: number): Promise<void> {
  const reference = { referenceType: 'ORDER', referenceId: randomUUID() }
  const issuer = 'client-app:shop'
  const entryId = entryIdOf({ issuer, walletId, reference })
  await made.ledger.send(walletId, { type: 'Debit', entryId, issuer, reference, amountMinor })
}

/** What the sandbox charged for this wallet, saving aside. */
async function charged({ walletId }: User): Promise<number> {
  const { rows } = await made.ledger.pool.query<{ sum: number }>(
    'select coalesce(sum(amount_received), 0)::bigint as sum from sandbox.payment_intents ' +
      "where metadata ->> 'wallet_id' = $1",
    [walletId],
  )
  return (rows[0]?.sum ?? 0) - 2_500
}

t.test('below the threshold it tops up once, and again only after the next crossing', async (t) => {
  const { user } = await aPerson()
  await worker.sweep()
  t.equal(await made.balance(user), 2_500, 'not while there is enough')
  await spend(user, 1_500)
  await worker.sweep()
  t.equal(await made.balance(user), 1_000, 'the threshold itself is enough')
  await spend(user, 1)
  await worker.sweep()
  t.equal(await made.balance(user), 2_999)
  await worker.sweep()
  await clock.advance(automaticPauseMs)
  await worker.sweep()
  t.equal(await made.balance(user), 2_999)
  await spend(user, 2_500)
  await worker.sweep()
  t.equal(await made.balance(user), 2_499)
  t.equal(await charged(user), 4_000)
  t.equal(await rules.monthSum(user.walletId), 4_000)
})

t.test('many rounds in many processes charge one card once', async (t) => {
  const { user } = await aPerson()
  const second = await made.another(t)
  await spend(user, 2_000)
  await Promise.all([worker, second.worker, worker, second.worker].map((each) => each.sweep()))
  t.equal(await charged(user), 2_000)
  t.equal(await made.balance(user), 2_500)
})

t.test(
  'a month has its limit, with what is under way, and the next month begins anew',
  async (t) => {
    const { user } = await aPerson({ monthMaxMinor: 3_000 })
    await spend(user, 2_000)
    await worker.sweep()
    t.equal(await charged(user), 2_000)
    await spend(user, 2_000)
    await clock.advance(automaticPauseMs)
    await worker.sweep()
    t.equal(await charged(user), 2_000, 'another 20.00 would be 40.00 of 30.00')
    await clock.advance(Date.UTC(2026, 3, 1) - clock.now() + 1)
    await worker.sweep()
    t.equal(await charged(user), 4_000)
  },
)

t.test(
  'two refusals in a row switch it off with a mail; a success counts from 0 again',
  async (t) => {
    const { user, of, rule } = await aPerson({ end: 'declined-later' })
    const { serviceUserId } = user
    made.told.splice(0)
    await spend(user, 2_000)
    await worker.sweep()
    t.match(await rules.find(serviceUserId), { isOn: true })
    await clock.advance(automaticFailurePauseMs - 1)
    await worker.sweep()
    t.match(await rules.find(serviceUserId), { isOn: true }, 'not before its pause')
    await clock.advance(1)
    await worker.sweep()
    t.match(await rules.find(serviceUserId), { isOn: false, offBecause: 'failures' })
    t.same(made.told.splice(0), [{ kind: 'automatic-top-up-failed', serviceUserId }])
    await clock.advance(automaticFailurePauseMs)
    await worker.sweep()
    t.equal(await charged(user), 0)
    t.equal(await rules.monthSum(user.walletId), 0, 'what was refused counts no more')

    // One refusal, a top-up that succeeds, one refusal: still on.
    await rules.switchOn(of, rule)
    await worker.sweep()
    const good = await made.saveCard(user)
    await rules.switchOn(of, { ...rule, cardId: good })
    await made.ledger.pool.query(
      'update payments.automatic_top_ups set failures = 1 where service_user_id = $1',
      [serviceUserId],
    )
    await spend(user, 2_500)
    await worker.sweep()
    t.equal(await charged(user), 4_500, 'with what saved the second card')
    await made.ledger.pool.query(
      'update payments.automatic_top_ups set card_id = $2 where service_user_id = $1',
      [serviceUserId, rule.cardId],
    )
    await spend(user, 2_000)
    await clock.advance(automaticPauseMs)
    await worker.sweep()
    t.match(await rules.find(serviceUserId), { isOn: true })
  },
)

t.test('a bank that wants the person has refused; the mail waits for its server', async (t) => {
  const { user } = await aPerson({ end: 'always-authentication' })
  const { serviceUserId } = user
  made.told.splice(0)
  await spend(user, 2_000)
  await worker.sweep()
  made.isMailAway = true
  await clock.advance(automaticFailurePauseMs)
  await worker.sweep()
  t.match(await rules.find(serviceUserId), { isOn: false, offBecause: 'failures' })
  made.isMailAway = false
  await worker.sweep()
  t.notOk(
    made.told.some((news) => news.serviceUserId === serviceUserId),
    'not before its pause',
  )
  await clock.advance(2 * automaticRetryMs)
  const other = await made.another(t)
  await Promise.all([worker.sweep(), other.worker.sweep()])
  const told = () =>
    [...made.told, ...other.told].filter((news) => news.serviceUserId === serviceUserId)
  t.same(told(), [{ kind: 'automatic-top-up-failed', serviceUserId }], 'by whichever process')
  await clock.advance(automaticLeaseMs)
  await worker.sweep()
  t.equal(told().length, 1, 'and then they know')
})

t.test(
  'while a bank processes it nothing else begins, and it is pending for everybody',
  async (t) => {
    const { user, of, rule } = await aPerson()
    await made.saveCard(user, numberOf('processing'))
    await clock.advance(Math.max(sandboxProcessingMs, intentCheckMs))
    await made.sandbox.runDueActs()
    await made.sweeper.sweep()
    const cards = await made.savedCards.list(user.serviceUserId)
    const slow = cards.find(({ lastFour }) => lastFour === '0077')
    t.ok(await rules.switchOn(of, { ...rule, cardId: slow?.cardId }))
    await spend(user, (await made.balance(user)) - 500)
    await worker.sweep()
    t.match(await made.topUps.pendingOf(user.walletId), [{ amountMinor: 2_000 }])
    await clock.advance(automaticLeaseMs)
    await worker.sweep()
    t.match(await rules.find(user.serviceUserId), { isOn: true })
    await made.sandbox.runDueActs()
    await clock.advance(automaticLeaseMs)
    await worker.sweep()
    t.equal(await made.balance(user), 2_500)
    t.same(await made.topUps.pendingOf(user.walletId), [])
  },
)

t.test('a crash between any two steps charges once or not at all', async (t) => {
  const { user, of, cardId } = await aPerson()
  const { walletId, serviceUserId } = user
  await spend(user, 2_000)
  // Before the processor is asked.
  t.match(await rules.begin(walletId), { kind: 'begun' })
  t.match(await rules.begin(walletId), { kind: 'not now' }, 'nobody begins beside it')
  await worker.sweep()
  t.equal(await charged(user), 0, 'the lease is still there')
  await clock.advance(automaticLeaseMs)
  await worker.sweep()
  t.equal(await charged(user), 0)
  await clock.advance(automaticRetryMs)

  // Between the naming and the charge.
  const second = await rules.begin(walletId)
  if (second.kind !== 'begun') throw new Error(second.kind)
  const order = { walletId, clientId: of.clientId, amountMinor: 2_000, currency: usd }
  const named = await made.processor.createIntent({ ...order, topUpId: second.topUpId })
  await made.intents.open(second.topUpId, named.paymentIntentId)
  await clock.advance(automaticLeaseMs)
  await worker.sweep()
  t.equal(await made.status(named.paymentIntentId), 'cancelled')
  await clock.advance(2 * automaticRetryMs)

  // Between the charge and its record.
  const third = await rules.begin(walletId)
  if (third.kind !== 'begun') throw new Error(third.kind)
  const paid = await made.processor.createIntent({ ...order, topUpId: third.topUpId })
  await made.intents.open(third.topUpId, paid.paymentIntentId)
  const intent = await made.intents.find(paid.paymentIntentId)
  if (intent === undefined) throw new Error('no intent')
  await made.savedCards.charge({ serviceUserId, cardId, intent, isPersonThere: false })
  t.equal(await made.balance(user), 500)
  await clock.advance(automaticLeaseMs)
  await worker.sweep()
  t.equal(await made.balance(user), 2_500)
  await clock.advance(automaticPauseMs)
  await worker.sweep()
  t.equal(await charged(user), 2_000)
  t.match(await rules.find(serviceUserId), { isOn: true, tries: 0 })
})

t.test('an outage is no refusal, and ends by itself', async (t) => {
  const apart = await made.another(t)
  const { user } = await aPerson()
  await spend(user, 2_000)
  await apart.server.close()
  await apart.worker.sweep()
  t.equal(await charged(user), 0)
  await clock.advance(automaticLeaseMs)
  await worker.sweep()
  await clock.advance(automaticRetryMs)
  await worker.sweep()
  t.equal(await charged(user), 2_000)
})

t.test(
  'inactive, switched off, without its card, closed or erased: nobody is charged',
  async (t) => {
    const ends: Record<string, (of: Awaited<ReturnType<typeof aPerson>>) => Promise<unknown>> = {
      inactive: ({ user }) =>
        made.ledger.send(user.walletId, { type: 'Deactivate', issuer: 'service', reason: 'x' }),
      off: ({ user }) => rules.switchOff(user.serviceUserId),
      'without card': ({ user, cardId }) => made.savedCards.remove(user, cardId),
      erased: ({ user }) => made.users.erase(user.serviceUserId),
    }
    for (const [name, end] of Object.entries(ends)) {
      const person = await aPerson()
      await spend(person.user, 2_000)
      await end(person)
      await worker.sweep()
      t.equal(await charged(person.user), 0, name)
    }
    // Switched off while a try is between its naming and its charge.
    const { user } = await aPerson()
    await spend(user, 2_000)
    const begun = await rules.begin(user.walletId)
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    await rules.switchOff(user.serviceUserId)
    t.equal(await rules.isWanted(user.walletId, begun.topUpId), false)
  },
)

t.test('rows are found by what is available, holds and all, and only active ones', async (t) => {
  const add = async (balanceMinor: number, holds: object[] | null, isActive = true) => {
    const walletId = walletIdOf(randomUUID())
    await made.ledger.pool.query(
      'insert into read.wallets (wallet_id, revision, balance_minor, is_active, hash, time, ' +
        "holds) values ($1, 0, $2, $3, '', now(), $4)",
      [walletId, balanceMinor, isActive, holds && JSON.stringify(holds)],
    )
    return { walletId, thresholdMinor: 1_000 }
  }
  const hold = { entryId: randomUUID(), leftMinor: 501, expiresAt: '2030' }
  const below = [
    await add(999, null),
    await add(1_500, [hold]),
    { walletId: walletIdOf(randomUUID()), thresholdMinor: 1 },
  ]
  const enough = [await add(1_000, null), await add(1_501, [hold]), await add(0, null, false)]
  t.same(
    (await findBelow(made.ledger.pool, [...enough, ...below])).sort(),
    below.map(({ walletId }) => walletId).sort(),
  )
})

t.test('a rule needs a card of that very person', async (t) => {
  const { of, rule } = await aPerson()
  const other = await aPerson()
  t.equal(await rules.switchOn(of, { ...rule, cardId: other.cardId }), false)
  t.equal(await rules.switchOn(of, { ...rule, cardId: randomUUID() }), false)
})
