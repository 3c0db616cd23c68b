/**
 * Saved cards against the sandbox, over HTTP by the one adapter: kept by the settlement, charged
 * again, removed here at once and there when it can be.
 */
import t from 'tap'
import type { User } from '../../src/identity/users.js'
import { cardRemovalPauseMs, savedCardsMax } from '../../src/top-ups/limits.js'
import { testCards } from '../../src/top-ups/sandbox/cards.js'
import { success, TestTopUps } from '../support/top-ups.js'

const made = await TestTopUps.open(t)

function numberOf(end: string): string {
  return testCards.find((card) => card.end === end)?.number ?? ''
}

/** Another top-up of this person, charged to a saved card. */
async function charge(user: User, cardId: string, isPersonThere: boolean) {
  const key = await made.order(user)
  const intent = await made.intents.find(key.paymentIntentId)
  if (intent === undefined) throw new Error('no intent')
  const { serviceUserId } = user
  const answer = await made.savedCards.charge({ serviceUserId, intent, cardId, isPersonThere })
  return { answer, key, settled: await made.topUps.settle(key.paymentIntentId) }
}

t.test('a card is kept once its payment is booked, is told of, and pays again', async (t) => {
  const user = await made.makeUser()
  const cardId = await made.saveCard(user)
  const [card, ...others] = await made.savedCards.list(user.serviceUserId)
  t.same(others, [])
  t.match(card, { cardId, brand: 'visa', lastFour: '4242', expiryMonth: 12, expiryYear: 2040 })
  t.match(made.told.splice(0), [{ kind: 'card-saved', serviceUserId: user.serviceUserId }])
  const { answer, settled } = await charge(user, cardId, true)
  t.same(answer, { status: 'succeeded' })
  t.equal(settled?.status, 'booked')
  t.equal(await made.balance(user), 5_000)
  t.equal((await made.savedCards.list(user.serviceUserId)).length, 1, 'it is saved once')
  t.same(made.told, [])
})

t.test('without a wish, and after one that was taken back, no card stays', async (t) => {
  const user = await made.makeUser()
  await made.topUps.settle(await made.paid(user))
  const key = await made.order(user)
  const intent = await made.intents.find(key.paymentIntentId)
  if (intent === undefined) throw new Error('no intent')
  await made.savedCards.wish(user.serviceUserId, intent)
  await made.savedCards.unwish(user.serviceUserId, intent)
  await made.sandbox.pay(key, success)
  await made.topUps.settle(key.paymentIntentId)
  t.same(await made.savedCards.list(user.serviceUserId), [])
})

t.test('the same card is one, and there are at most so many', async (t) => {
  const user = await made.makeUser()
  const first = await made.saveCard(user)
  t.equal(await made.saveCard(user), first)
  const ends = ['authentication', 'always-authentication', 'declined-later', 'later-dispute']
  for (const end of ends) await made.saveCard(user, numberOf(end))
  t.equal((await made.savedCards.list(user.serviceUserId)).length, savedCardsMax)
  await t.rejects(made.saveCard(user, numberOf('later-refund')), { message: /too many/ })
})

t.test('a removed card is gone at once, and does not come back by a late look', async (t) => {
  const user = await made.makeUser()
  const other = await made.makeUser()
  const cardId = await made.saveCard(user)
  const key = await made.order(user)
  t.equal(await made.savedCards.remove(other, cardId), undefined, 'not another person’s')
  made.told.splice(0)
  t.match(await made.savedCards.remove(user, cardId), { cardId })
  t.match(made.told.splice(0), [{ kind: 'card-removed', card: { lastFour: '4242' } }])
  t.same(await made.savedCards.list(user.serviceUserId), [])
  const { rows } = await made.ledger.pool.query<{ customer_id: string | null }>(
    'select customer_id from sandbox.payment_methods order by id',
  )
  t.ok(rows.length > 0)
  for (const { payment_intent_id } of (
    await made.ledger.pool.query<{ payment_intent_id: string }>(
      'select payment_intent_id from payments.top_up_intents where wallet_id = $1',
      [user.walletId],
    )
  ).rows)
    await made.topUps.settle(payment_intent_id)
  t.same(await made.savedCards.list(user.serviceUserId), [], 'settling again saves nothing')
  const intent = await made.intents.find(key.paymentIntentId)
  if (intent === undefined) throw new Error('no intent')
  const by = { serviceUserId: user.serviceUserId, cardId, isPersonThere: true }
  t.equal(await made.savedCards.charge({ ...by, intent }), undefined)
})

t.test(
  'banks: asked while the person is there, and what happens while they are away',
  async (t) => {
    const user = await made.makeUser()
    const asks = await made.saveCard(user, numberOf('authentication'))
    const there = await charge(user, asks, true)
    t.same(there.answer, { status: 'requires_action' })
    t.equal(there.settled?.status, 'requires_payment')
    t.same(await made.sandbox.authenticate(there.key, true), { status: 'succeeded' })
    t.same((await charge(user, asks, false)).answer, { status: 'succeeded' }, 'approved when saved')

    const always = await made.saveCard(user, numberOf('always-authentication'))
    const away = await charge(user, always, false)
    t.match(away.answer, { status: 'declined', code: 'authentication_required' })
    t.match(away.settled, { status: 'requires_payment', failure: /approve/ })
    t.match((await charge(user, always, true)).answer, { status: 'requires_action' })

    const bad = await made.saveCard(user, numberOf('declined-later'))
    for (const isThere of [true, false])
      t.match((await charge(user, bad, isThere)).answer, {
        status: 'declined',
        code: 'card_declined',
      })
  },
)

t.test('a payment is charged once, however often its card is tapped', async (t) => {
  const user = await made.makeUser()
  const cardId = await made.saveCard(user)
  const key = await made.order(user)
  const intent = await made.intents.find(key.paymentIntentId)
  if (intent === undefined) throw new Error('no intent')
  const { serviceUserId } = user
  const tap = () => made.savedCards.charge({ serviceUserId, intent, cardId, isPersonThere: true })
  const answers = await Promise.all([tap(), tap(), tap()])
  t.same(answers.map((answer) => answer?.status).sort(), ['processing', 'processing', 'succeeded'])
  await made.topUps.settle(key.paymentIntentId)
  t.equal(await made.balance(user), 5_000)
})

t.test('two processes that save at once make one customer', async (t) => {
  const user = await made.makeUser()
  const second = await made.another(t)
  await Promise.all([made.saveCard(user), second.saveCard(user, numberOf('authentication'))])
  t.equal((await made.savedCards.list(user.serviceUserId)).length, 2)
  const { rows } = await made.ledger.pool.query(
    "select 1 from sandbox.customers where metadata ->> 'wallet_id' = $1",
    [user.walletId],
  )
  t.equal(rows.length, 1)
})

t.test(
  'a closed or erased account has no cards, also at the processor, when it is back',
  async (t) => {
    const user = await made.makeUser()
    const { serviceUserId } = user
    const apart = await made.another(t)
    const cardId = await apart.saveCard(user)
    const { rows } = await made.ledger.pool.query<{ id: string }>(
      "select id from sandbox.customers where metadata ->> 'wallet_id' = $1",
      [user.walletId],
    )
    const isThere = async (id = '') => {
      const found = await made.ledger.pool.query(
        'select 1 from sandbox.customers where id = $1 and not is_deleted',
        [id],
      )
      return found.rows.length === 1
    }
    t.ok(await isThere(rows[0]?.id))
    await made.users.erase(serviceUserId)
    t.same(await made.savedCards.list(serviceUserId), [])
    t.equal((await charge(user, cardId, false)).answer, undefined, 'it is charged no more')
    await apart.server.close()
    t.equal(await apart.removals.sweep(), 0, 'the processor is away')
    t.ok(await isThere(rows[0]?.id))
    t.equal(await made.removals.sweep(), 0, 'not again at once')
    await made.clock.advance(2 * cardRemovalPauseMs)
    t.equal(await made.removals.sweep(), 1)
    t.notOk(await isThere(rows[0]?.id))
  },
)
