/**
 * The example shop and a wallet service that does not answer: a stand-in that is told, call by
 * call, how to behave, and remembers what it was asked. What a payment or refund is repeated with
 * is the whole point: the same reference and the same account, until there is an outcome.
 */
import t from 'tap'
import type { Test } from 'tap'
import { ExampleShop } from '../support/example-shop.js'
import type { Shopper } from '../support/example-shop.js'
import { StandInWallet } from '../support/stand-in-wallet.js'

/** Each test has a shop of its own, and most of them wait. */
t.jobs = 8
/** A new object each time: tap writes into it. */
const beside = () => ({ buffered: true })

t.test(
  'a payment without an answer is repeated after 10 seconds, the same again',
  beside(),
  async (t) => {
    const { shopper, standIn } = await start(t)
    const orderId = await shopper.order('ink')
    standIn.will('say nothing', 'book')
    const startedMs = performance.now()
    t.equal((await shopper.pay(orderId)).body['status'], 'paid')
    const tookMs = performance.now() - startedMs
    t.ok(tookMs >= 10_000 && tookMs < 20_000, `after ${Math.round(tookMs)} ms`)
    t.equal(standIn.commands.length, 2)
    t.same(standIn.commands[0], standIn.commands[1])
  },
)

t.test(
  'after a 503, a 500 or a cut connection the same reference is sent again',
  beside(),
  async (t) => {
    const { shopper, standIn, shop } = await start(t)
    for (const fault of ['answer 503', 'answer 500', 'cut', 'answer half'] as const) {
      const orderId = await shopper.order('ink')
      standIn.will(fault, 'book')
      t.equal((await shopper.pay(orderId)).body['status'], 'paid', fault)
      const [first, second] = standIn.commands.slice(-2)
      t.same(first, second)
      t.equal(first?.['referenceId'], `${orderId}-1`)
      t.equal((await shop.data()).orders.find(({ id }) => id === orderId)?.payments.length, 1)
    }
  },
)

t.test(
  'an unknown outcome stays one attempt, however often it is asked about',
  beside(),
  async (t) => {
    const { shopper, standIn } = await start(t)
    const orderId = await shopper.order('ink')
    standIn.will('cut', 'answer 503', 'cut')
    const unknown = await shopper.pay(orderId)
    t.equal(unknown.status, 503)
    t.equal(unknown.body['code'], 'PAYMENT_PENDING')
    t.same((await shopper.get(`/api/orders/${orderId}`)).body['isPending'], true)

    // A secret that was rotated meanwhile: a refusal now says nothing about the tries before.
    standIn.will('refuse')
    t.equal((await shopper.pay(orderId)).body['code'], 'PAYMENT_PENDING')
    standIn.will('book')
    t.equal((await shopper.pay(orderId)).body['status'], 'paid')
    t.same(
      new Set(standIn.commands.map(({ referenceId }) => referenceId)),
      new Set([`${orderId}-1`]),
    )
    t.equal(standIn.commands.length, 5)
  },
)

t.test(
  'switching account does not move an unknown payment to the other wallet',
  beside(),
  async (t) => {
    const { shopper, standIn } = await start(t)
    const orderId = await shopper.order('ink')
    standIn.will('cut', 'answer 503', 'cut')
    await shopper.pay(orderId)
    await shopper.post('/api/wallet/link', { linkProof: 'another person' })
    standIn.will('book')
    await shopper.pay(orderId)
    const accounts = standIn.commands.map(({ serviceUserId }) => serviceUserId)
    t.same(accounts, Array(4).fill('usr of one person'))
    standIn.will('book')
    await shopper.pay(await shopper.order('ink'))
    t.equal(standIn.commands.at(-1)?.['serviceUserId'], 'usr of another person')
  },
)

t.test(
  'a refusal before anything was booked takes a new reference next time',
  beside(),
  async (t) => {
    const { shopper, standIn } = await start(t)
    const orderId = await shopper.order('ink')
    standIn.will('refuse', 'decline', 'book')
    t.equal((await shopper.pay(orderId)).body['code'], 'PAYMENT_REFUSED')
    t.equal((await shopper.pay(orderId)).body['code'], 'INSUFFICIENT_BALANCE')
    t.equal((await shopper.pay(orderId)).body['status'], 'paid')
    const references = standIn.commands.map(({ referenceId }) => referenceId)
    t.same(references, [`${orderId}-1`, `${orderId}-2`, `${orderId}-3`])
  },
)

t.test('a refund without an answer is repeated with its own reference', beside(), async (t) => {
  const { shopper, standIn } = await start(t)
  const orderId = await shopper.order('ink')
  standIn.will('book', 'cut', 'answer 503', 'cut')
  await shopper.pay(orderId)
  t.equal((await shopper.refund(orderId)).body['code'], 'REFUND_PENDING')
  standIn.will('book')
  t.equal((await shopper.refund(orderId)).body['status'], 'refunded')
  const [debit, ...credits] = standIn.commands
  t.equal(credits.length, 4)
  for (const credit of credits)
    t.match(credit, {
      referenceType: 'ORDER_REFUND',
      referenceId: `${orderId}-refund-1`,
      refundOf: { referenceType: 'ORDER_PAYMENT', referenceId: debit?.['referenceId'] },
    })
})

t.test('a shop that is killed while it pays asks again when it is back', beside(), async (t) => {
  const { shopper, standIn, shop } = await start(t)
  const orderId = await shopper.order('ink')
  standIn.will('say nothing')
  const cutOff = shopper.pay(orderId).catch(() => 'cut off')
  await standIn.asked(1)
  await shop.stop('SIGKILL')
  t.equal(await cutOff, 'cut off')
  standIn.will('book')
  await shop.start(standIn.wallet)
  await standIn.asked(2)
  t.same(standIn.commands[0], standIn.commands[1], 'without anybody clicking')
  await shopper.post('/api/login', account)
  t.equal((await shopper.pay(orderId)).body['status'], 'paid')
  t.equal(standIn.commands.length, 2)
})

const account = { email: 'ada@example.com', password: 'a long password' }

interface Started {
  readonly shop: ExampleShop
  readonly shopper: Shopper
  readonly standIn: StandInWallet
}

/** A shop, and one linked person in it. */
async function start(t: Test): Promise<Started> {
  const standIn = await StandInWallet.start(t)
  const shop = await ExampleShop.prepare(t)
  await shop.start(standIn.wallet)
  const shopper = await shop.shopper(account.email)
  await shopper.post('/api/wallet/link', { linkProof: 'one person' })
  return { shop, shopper, standIn }
}
