/**
 * The sandbox as its callers see it: the adapter over HTTP, the form of the test cards, the bank,
 * and the webhooks that come of it.
 */
import t from 'tap'
import { testCards } from '../../src/top-ups/sandbox/cards.js'
import type { PayAnswer } from '../../src/top-ups/sandbox/sandbox.js'
import { sandboxLaterMs, sandboxProcessingMs } from '../../src/top-ups/limits.js'
import { success, TestTopUps, usd } from '../support/top-ups.js'

function numberOf(end: string): { cardNumber: string; expiry: string; cvc: string } {
  const cardNumber = testCards.find((card) => card.end === end)?.number ?? ''
  return { ...success, cardNumber }
}

const tag = {
  topUpId: '7d9ee2c0-3c0c-4a14-8e4a-6a3c1b7e2d40',
  walletId: '8f1c5f0e-9b1d-4d53-9f5e-6a3c1b7e2d40',
  clientId: 'shop',
}

t.test('the adapter makes an intent once, however often the same order is sent', async (t) => {
  const made = await TestTopUps.open(t)
  const order = { ...tag, amountMinor: 1_234, currency: usd }
  const answers = await Promise.all([1, 2, 3].map(() => made.processor.createIntent(order)))
  t.equal(new Set(answers.map((answer) => answer.paymentIntentId)).size, 1)
  const [first] = answers
  t.match(first?.paymentSecret, new RegExp(`^${first?.paymentIntentId}_secret_`))
  t.same(await made.processor.fetchPayment(first?.paymentIntentId ?? ''), {
    paymentIntentId: first?.paymentIntentId,
    status: 'unpaid',
    currencyCode: 'usd',
    amountMinor: 1_234,
    receivedMinor: 0,
    tag,
    failure: undefined,
    paymentMethodId: undefined,
    refunds: [],
    disputes: [],
  })
  await t.rejects(made.processor.createIntent({ ...order, amountMinor: 5 }), {
    name: 'ProcessorUnavailableError',
  })
})

t.test(
  'what the processor does not know is told apart from a processor that is away',
  async (t) => {
    const made = await TestTopUps.open(t)
    t.equal(await made.processor.fetchPayment('pi_nobody'), undefined)
    await made.server.close()
    await t.rejects(made.processor.fetchPayment('pi_nobody'), { name: 'ProcessorUnavailableError' })
  },
)

t.test('every test card comes to its own end', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const pay = async (end: string): Promise<{ answer: PayAnswer | undefined; id: string }> => {
    const key = await made.order(user)
    return { answer: await made.sandbox.pay(key, numberOf(end)), id: key.paymentIntentId }
  }
  const status = async (id: string) => (await made.processor.fetchPayment(id))?.status

  const good = await pay('success')
  t.same(good.answer, { status: 'succeeded' })
  t.match(await made.processor.fetchPayment(good.id), { status: 'succeeded', receivedMinor: 2_500 })

  const bad = await pay('declined')
  const message = 'Your card was declined.'
  t.same(bad.answer, { status: 'declined', code: 'card_declined', message })
  t.match(await made.processor.fetchPayment(bad.id), {
    status: 'unpaid',
    receivedMinor: 0,
    failure: 'Your card was declined.',
  })

  const slow = await pay('processing')
  t.same(slow.answer, { status: 'processing' })
  t.equal(await status(slow.id), 'processing')
  const cut = await pay('network-failure')
  t.same(cut.answer, { status: 'cut' })
  t.equal(await status(cut.id), 'unpaid')

  const refunded = await pay('later-refund')
  const disputed = await pay('later-dispute')
  t.same([refunded.answer, disputed.answer], [{ status: 'succeeded' }, { status: 'succeeded' }])
  t.equal(await made.sandbox.runDueActs(), 0, 'nothing is due yet')
  await made.clock.advance(sandboxProcessingMs)
  t.equal(await made.sandbox.runDueActs(), 1)
  t.equal(await status(slow.id), 'succeeded')
  await made.clock.advance(sandboxLaterMs)
  const other = await made.another(t)
  const done = await Promise.all([made.sandbox.runDueActs(), other.sandbox.runDueActs()])
  t.equal(done[0] + done[1], 2, 'two processes do each of them once')
  t.match(await other.processor.fetchPayment(refunded.id), {
    receivedMinor: 2_500,
    refunds: [{ amountMinor: 2_500, status: 'succeeded' }],
  })
  t.match(await other.processor.fetchPayment(disputed.id), {
    refunds: [],
    disputes: [{ movements: [{ kind: 'withdrawn', amountMinor: 2_500 }] }],
  })
})

t.test('3-D Secure: the bank is asked, and its answer counts', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const key = await made.order(user)
  const card = numberOf('authentication')
  t.same(await made.sandbox.pay(key, card), { status: 'requires_action' })
  t.match(await made.sandbox.authenticate(key, false), { status: 'declined' })
  t.match(await made.processor.fetchPayment(key.paymentIntentId), {
    status: 'unpaid',
    failure: /not approved/,
  })
  t.match(await made.sandbox.authenticate(key, true), { status: 'declined' }, 'nothing is asked')
  await made.sandbox.pay(key, card)
  t.same(await made.sandbox.authenticate(key, true), { status: 'succeeded' })
  t.same(await made.sandbox.authenticate(key, false), { status: 'succeeded' }, 'for ever')
  t.same(await made.sandbox.pay(key, numberOf('declined')), { status: 'succeeded' })
})

t.test('only whoever has the secret can pay, and only with a test card', async (t) => {
  const made = await TestTopUps.open(t)
  const key = await made.order(await made.makeUser())
  const guess = { ...key, paymentSecret: `${key.paymentIntentId}_secret_guess` }
  t.equal(await made.sandbox.pay(guess, success), undefined)
  t.equal(await made.sandbox.authenticate(guess, true), undefined)
  t.equal(await made.sandbox.pay({ ...key, paymentIntentId: 'pi_nobody' }, success), undefined)
  for (const wrong of [
    { cardNumber: '4111111111111111' },
    { expiry: '02/26' },
    { expiry: '13/40' },
    { expiry: '' },
    { cvc: '12' },
    { cvc: 'abc' },
  ])
    t.match(await made.sandbox.pay(key, { ...success, ...wrong }), { status: 'declined' })
  t.match(await made.sandbox.pay(key, { ...success, expiry: '03/26' }), { status: 'succeeded' })
})

t.test('a cancelled intent cannot be paid, and a paid one cannot be cancelled', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const key = await made.order(user)
  await made.processor.cancelIntent(key.paymentIntentId)
  t.match(await made.sandbox.pay(key, success), { status: 'declined', message: /cancelled/ })
  t.match(await made.processor.fetchPayment(key.paymentIntentId), { status: 'cancelled' })
  const paid = await made.paid(user)
  await made.processor.cancelIntent(paid)
  t.match(await made.processor.fetchPayment(paid), { status: 'succeeded' })
})

t.test('more refunds than a page holds are all read', async (t) => {
  const made = await TestTopUps.open(t)
  const paid = await made.paid(await made.makeUser(), 30_000)
  for (let index = 0; index < 230; index += 1) await made.sandbox.refund(paid, 100 + (index % 2))
  const payment = await made.processor.fetchPayment(paid)
  t.equal(payment?.refunds.length, 230)
  t.equal(new Set(payment?.refunds.map((refund) => refund.refundId)).size, 230)
  await t.rejects(made.sandbox.refund(paid, 30_000), { code: 'charge_already_refunded' })
})
