// From the log and the outbox to what is sent: who is told of what, in which order, how often.
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import { InvalidFieldError } from '../../src/identity/invalid-field-error.js'
import { systemRandom } from '../../src/platform/random.js'
import { leaseMs } from '../../src/webhooks/limits.js'
import { SecretKey } from '../../src/webhooks/secret-key.js'
import { Webhook } from 'standardwebhooks'
import { down, WebhookBench } from '../support/webhook-bench.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

t.test(
  'an app is told of its own entries and of what it may read, and of nothing else',
  async (t) => {
    const bench = await WebhookBench.open(t)
    const [shop, market] = [await bench.makeApp(), await bench.makeApp()]
    const early = await bench.makePerson(shop)
    await bench.book(early, 'TopUp', 5_000)
    const { endpoint } = await bench.makeEndpoint(shop)
    const other = await bench.makeEndpoint(market)
    const { secret } = await bench.endpoints.create(
      shop,
      { url: 'https://shop.example/entries', types: ['wallet.entry'] },
      { allowPrivate: false },
    )
    const ada = await bench.makePerson(shop)
    await bench.links.add(market, ada.serviceUserId)
    await bench.book(ada, 'TopUp', 5_000)
    const debit = await bench.book(ada, 'Debit', 1_000, shop)
    await bench.book(ada, 'Debit', 3_500, market)
    await bench.book(early, 'Debit', 100, shop)
    await bench.feed()
    await bench.deliver()

    const told = (endpointId: string) => bench.deliveries.list(endpointId, { limit: 50 })
    const payloads = async (endpointId: string) =>
      (await told(endpointId)).reverse().map(({ payload }) => JSON.parse(payload) as object)
    const { serviceUserId } = ada
    const shopTold = await payloads(endpoint.endpointId)
    t.match(shopTold, [
      { type: 'link.created', data: { serviceUserId, balance: 5 } },
      { type: 'wallet.topped_up', data: { serviceUserId, balance: 50, amount: 50 } },
      {
        type: 'wallet.entry',
        data: { serviceUserId, balance: 40, amount: 10, entryType: 'debit', referenceId: debit },
      },
      { type: 'wallet.low_balance', data: { serviceUserId, balance: 5, threshold: 10 } },
      { type: 'wallet.entry', data: { serviceUserId: early.serviceUserId, balance: 49 } },
    ])
    t.equal(shopTold.length, 5, 'the top-up before the endpoint was made is not told')
    const marketTold = await payloads(other.endpoint.endpointId)
    t.match(marketTold, [
      { type: 'link.created' },
      { type: 'wallet.topped_up' },
      { type: 'wallet.entry', data: { amount: 35 } },
      { type: 'wallet.low_balance' },
    ])
    t.equal(marketTold.length, 4)
    t.notMatch(JSON.stringify(marketTold), early.serviceUserId, 'not linked to it')
    t.notMatch(JSON.stringify(marketTold), debit, 'an entry of the other app')
    const entries = bench.sent.filter(({ url }) => url.endsWith('/entries'))
    t.equal(entries.length, 2)
    const [first] = entries
    t.same(new Webhook(secret).verify(first?.body ?? '', { ...first?.headers }), first?.payload)
    t.equal(await bench.feed(), 0, 'once')
    t.same((await bench.deliveries.backlog()).waiting, 0)
  },
)

t.test(
  'a link that ends is told after what was booked by it, and what comes then is not',
  async (t) => {
    const bench = await WebhookBench.open(t)
    const shop = await bench.makeApp()
    await bench.makeEndpoint(shop)
    const ada = await bench.makePerson(shop)
    await bench.book(ada, 'TopUp', 5_000)
    // After the entry's time: both clocks go on by themselves here.
    await bench.clock.advance(minuteMs)
    await bench.links.remove(shop, ada.serviceUserId)
    await bench.feed()
    await bench.book(ada, 'TopUp', 700)
    await bench.feed()
    await bench.deliver()
    t.same(bench.types(), ['link.created', 'wallet.topped_up', 'link.removed'])
    t.notOk('balance' in (bench.sent.at(-1)?.payload.data ?? {}), 'it may not read it any more')
  },
)

t.test('an app that may not read, or is switched off, is told nothing', async (t) => {
  const bench = await WebhookBench.open(t)
  const [writer, off] = [await bench.makeApp(['wallet:write']), await bench.makeApp()]
  await bench.makeEndpoint(writer)
  await bench.makeEndpoint(off)
  await bench.clientApps.setActive(off, false)
  for (const clientId of [writer, off]) {
    const person = await bench.makePerson(clientId)
    await bench.book(person, 'TopUp', 5_000)
    await bench.book(person, 'Debit', 100, clientId)
  }
  t.equal(await bench.feed(), 0)
})

t.test('status changes and refused payments are told with the balance', async (t) => {
  const bench = await WebhookBench.open(t)
  const { pool } = bench.ledger
  const shop = await bench.makeApp()
  const ada = await bench.makePerson(shop)
  await bench.makeEndpoint(shop)
  await bench.book(ada, 'TopUp', 5_000)
  const command = { issuer: 'service', reason: 'a secret of ours' } as const
  await bench.ledger.send(ada.walletId, { type: 'Deactivate', ...command })
  await bench.ledger.send(ada.walletId, { type: 'Reactivate', ...command })
  await bench.feed()
  await pool.query(
    `insert into payments.top_up_intents (top_up_id, processor, payment_intent_id, wallet_id,
       service_user_id, client_id, amount_minor, currency, status, created_at)
     values ($1, 'sandbox', 'pi_1', $2, $3, $4, 1250, 'usd', 'open', now())`,
    [randomUUID(), ada.walletId, ada.serviceUserId, shop],
  )
  const fail = `update payments.top_up_intents set failed_at = $1`
  await pool.query(fail, [new Date(bench.clock.now())])
  await pool.query(fail, [new Date(bench.clock.now() + 1)])
  await bench.feed()
  await bench.deliver()
  const { serviceUserId } = ada
  t.match(
    bench.sent.map(({ payload }) => payload),
    [
      { type: 'wallet.topped_up' },
      { type: 'wallet.deactivated', data: { serviceUserId, balance: 50 } },
      { type: 'wallet.reactivated', data: { serviceUserId, balance: 50 } },
      {
        type: 'wallet.top_up_failed',
        data: { serviceUserId, balance: 50, amount: 12.5, paymentIntentId: 'pi_1' },
      },
    ],
  )
  t.equal(bench.sent.length, 4, 'a failure is told once')
  t.notMatch(bench.sent.map(({ body }) => body).join(''), 'secret of ours')
})

t.test('a receiver that is down for an hour gets everything, in order per wallet', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  await bench.makeEndpoint(shop, ['wallet.entry'])
  const people = [await bench.makePerson(shop), await bench.makePerson(shop)]
  bench.outcome = () => down
  const wanted = new Map<string, string[]>()
  for (const person of people) {
    await bench.book(person, 'Credit', 5_000, shop)
    await bench.feed()
    const references = []
    for (let number = 0; number < 30; number += 1)
      references.push(await bench.book(person, 'Debit', 1, shop))
    wanted.set(person.serviceUserId, references)
  }
  await bench.feed()
  for (let minute = 0; minute < 60; minute += 1) {
    await bench.deliver()
    await bench.clock.advance(minuteMs)
  }
  const tries = bench.sent.length
  t.ok(tries > 10 && tries < 40, `${tries} tries in an hour, for two lines of 31`)
  t.match(await bench.deliveries.backlog(), { waiting: 62, deadEndpoints: 0 })
  bench.outcome = () => ({ status: 200, answer: '', fault: null })
  await bench.clock.advance(2 * hourMs)
  await bench.deliver()
  const arrived = bench.sent.slice(tries).map(({ payload }) => payload.data)
  for (const [serviceUserId, references] of wanted) {
    const got = arrived.filter((data) => data['serviceUserId'] === serviceUserId)
    t.same(
      got.slice(1).map((data) => data['referenceId']),
      references,
    )
  }
  t.match(await bench.deliveries.backlog(), { waiting: 0, oldestMs: undefined })
})

t.test('a failure holds back its wallet only; after three days it is given up', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  const { endpoint } = await bench.makeEndpoint(shop, ['wallet.topped_up'])
  const { endpointId } = endpoint
  const [bad, good] = [await bench.makePerson(shop), await bench.makePerson(shop)]
  bench.outcome = ({ payload }) =>
    payload.data['serviceUserId'] === bad.serviceUserId
      ? { status: 500, answer: 'no room', fault: 'answered 500' }
      : { status: 200, answer: 'ok', fault: null }
  for (const person of [bad, good, bad]) await bench.book(person, 'TopUp', 100)
  await bench.feed()
  for (let hour = 0; hour < 72; hour += 1) {
    await bench.deliver()
    await bench.clock.advance(hourMs)
  }
  t.match(await bench.deliveries.backlog(), { waiting: 2, deadEndpoints: 0 })
  t.match(await bench.deliveries.list(endpointId, { limit: 5, state: 'delivered' }), { length: 1 })
  await bench.clock.advance(5 * hourMs)
  await bench.deliver()
  const dead = await bench.deliveries.list(endpointId, { limit: 5, state: 'dead' })
  t.match(dead, [{ tries: 0 }, { answerStatus: 500, answerBody: 'no room', nextTryAt: null }])
  t.match(await bench.endpoints.find(endpointId), { deadSince: String }, 'marked')
  t.match(await bench.deliveries.backlog(), { waiting: 0, deadEndpoints: 1 })

  bench.outcome = () => ({ status: 200, answer: 'ok', fault: null })
  const [, first] = dead
  const before = bench.sent.length
  await bench.deliveries.sendAgain(first?.deliveryId ?? 0)
  await bench.deliver()
  t.equal(bench.sent.length, before + 1)
  t.equal(bench.sent.at(-1)?.headers['webhook-id'], first?.webhookId, 'its old id')
  t.match(await bench.endpoints.find(endpointId), { deadSince: null })
  t.equal(await bench.deliveries.sendAgain(4_711), undefined)
})

t.test(
  'a line whose process died is taken over; what it says later counts for nothing',
  async (t) => {
    const bench = await WebhookBench.open(t)
    const shop = await bench.makeApp()
    const { endpoint } = await bench.makeEndpoint(shop, ['wallet.topped_up'])
    const ada = await bench.makePerson(shop)
    await bench.book(ada, 'TopUp', 100)
    await bench.feed()
    let fail = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      bench.outcome = async () => {
        resolve()
        await new Promise<void>((end) => (fail = end))
        return down
      }
    })
    const frozen = bench.newSender().sendDue()
    await begun
    t.equal(await bench.sender.sendDue(), 0, 'it is the other one’s')
    await bench.clock.advance(leaseMs + 1)
    bench.outcome = () => ({ status: 200, answer: '', fault: null })
    t.equal(await bench.sender.sendDue(), 1, 'until its lease is over')
    fail()
    await frozen
    t.match(await bench.deliveries.list(endpoint.endpointId, { limit: 5 }), [
      { state: 'delivered', tries: 1, fault: null },
    ])
    t.equal(await bench.sender.sendDue(), 0)
  },
)

t.test('secrets rotate with two live ones, and another key opens none of them', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  const made = await bench.makeEndpoint(shop, ['wallet.entry'])
  const { endpointId } = made.endpoint
  await bench.clock.advance(1)
  const rotated = await bench.endpoints.rotate(endpointId)
  await t.rejects(bench.endpoints.rotate(endpointId), InvalidFieldError)
  await bench.deliveries.sendTest(endpointId)
  await bench.deliver()
  const [test] = bench.sent
  t.match(test?.payload, { type: 'webhook.test', data: { endpointId } })
  for (const secret of [made.secret, rotated?.secret ?? ''])
    t.ok(new Webhook(secret).verify(test?.body ?? '', { ...test?.headers }))
  const [oldest] = made.endpoint.secrets
  await bench.endpoints.revoke(endpointId, oldest?.secretId ?? '')
  await bench.deliveries.sendTest(endpointId)
  await bench.deliver()
  const last = bench.sent.at(-1)
  t.throws(() => new Webhook(made.secret).verify(last?.body ?? '', { ...last?.headers }))
  const [newest] = rotated?.endpoint.secrets.slice(1) ?? []
  await t.rejects(bench.endpoints.revoke(endpointId, newest?.secretId ?? ''), /only one/)
  const { rows } = await bench.ledger.pool.query<{ all: string }>(
    'select jsonb_agg(s)::text as all from webhooks.secrets s',
  )
  for (const secret of [made.secret, rotated?.secret ?? ''])
    t.notMatch(rows[0]?.all, Buffer.from(secret).toString('hex'), 'sealed at rest')

  await bench.deliveries.sendTest(endpointId)
  const config = { key: 'cd'.repeat(32), keyFile: 'unused' }
  const stranger = bench.newSender(new SecretKey({ config, random: systemRandom }))
  const before = bench.sent.length
  await stranger.sendDue()
  t.equal(stranger.hasWrongKey, true)
  t.equal(bench.sent.length, before, 'nothing is sent unsigned')
  await bench.clock.advance(minuteMs)
  await bench.deliver()
  t.equal(bench.sent.length, before + 1, 'and nothing is lost')
})

t.test(
  'an app has five endpoints at most; one that is removed takes its deliveries along',
  async (t) => {
    const bench = await WebhookBench.open(t)
    const shop = await bench.makeApp()
    const made = await bench.makeEndpoint(shop)
    for (let number = 2; number <= 5; number += 1) await bench.makeEndpoint(shop)
    await t.rejects(bench.makeEndpoint(shop), /^url is one too many/)
    await bench.makePerson(shop)
    t.equal(await bench.feed(), 5)
    const { endpointId } = made.endpoint
    t.equal(await bench.endpoints.remove(endpointId), true)
    t.equal(await bench.endpoints.remove(endpointId), false)
    t.match(await bench.deliveries.list(endpointId, { limit: 5 }), { length: 0 })
    await bench.deliver()
    t.equal(bench.sent.length, 4)
  },
)

t.test('deliveries go with an erasure, and after 30 days', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  const { endpoint } = await bench.makeEndpoint(shop)
  const [ada, bea] = [await bench.makePerson(shop), await bench.makePerson(shop)]
  await bench.feed()
  await bench.users.erase(ada.serviceUserId)
  const left = await bench.deliveries.list(endpoint.endpointId, { limit: 5 })
  t.match(left, [{ payload: new RegExp(bea.serviceUserId) }])
  t.equal(left.length, 1)
  await bench.deliver()
  t.equal(bench.sent.length, 1, 'also what was on its way')
  t.equal(await bench.deliveries.sweep(), 0)
  await bench.clock.advance(24 * 20 * hourMs)
  await bench.clock.advance(24 * 11 * hourMs)
  t.ok((await bench.deliveries.sweep()) > 0)
  t.match(await bench.deliveries.list(endpoint.endpointId, { limit: 5 }), { length: 0 })
})

t.test('thresholds are of an app, and without any it is never told', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  await bench.makeEndpoint(shop, ['wallet.low_balance'])
  t.same(await bench.endpoints.thresholds(shop), [1_000])
  await bench.endpoints.setThresholds(shop, [200, 3_000])
  t.same(await bench.endpoints.thresholds(shop), [3_000, 200])
  await t.rejects(
    bench.endpoints.setThresholds(shop, [1, 1]),
    /^lowBalanceThresholds\[1\] is listed twice/,
  )
  const ada = await bench.makePerson(shop)
  await bench.book(ada, 'TopUp', 5_000)
  for (const amountMinor of [2_500, 100, 2_300]) await bench.book(ada, 'Debit', amountMinor, shop)
  await bench.endpoints.setThresholds(shop, [200, 3_000])
  await bench.feed()
  await bench.deliver()
  t.same(
    bench.sent.map(({ payload }) => payload.data['threshold']),
    [30, 2],
  )
  await bench.endpoints.setThresholds(shop, [])
  await bench.book(ada, 'TopUp', 5_000)
  await bench.book(ada, 'Debit', 5_000, shop)
  t.equal(await bench.feed(), 0)
})

t.test('an event that was fed is not fed again, by whomever', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  await bench.makeEndpoint(shop, ['wallet.topped_up'])
  const ada = await bench.makePerson(shop)
  const reference = { referenceType: 'A', referenceId: 'B' }
  const issuer = 'service'
  const entryId = entryIdOf({ issuer, walletId: ada.walletId, reference })
  const command = { type: 'TopUp', entryId, issuer, reference, amountMinor: 5 } as const
  await bench.ledger.send(ada.walletId, command)
  const counts = await Promise.all([bench.feed(), bench.feed(), bench.feed()])
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  )
})

t.test('two processes share the lines, and neither sends what is the other’s', async (t) => {
  const bench = await WebhookBench.open(t)
  const shop = await bench.makeApp()
  await bench.makeEndpoint(shop, ['wallet.topped_up'])
  const people = await Promise.all(Array.from({ length: 12 }, () => bench.makePerson(shop)))
  for (let round = 1; round <= 3; round += 1)
    for (const person of people) await bench.book(person, 'TopUp', 100)
  await bench.feed()
  const senders = [bench.newSender(), bench.newSender()]
  for (let sent = 1; sent > 0;) {
    const counts = await Promise.all(senders.map((sender) => sender.sendDue()))
    sent = counts.reduce((sum, count) => sum + count, 0)
  }
  t.equal(bench.sent.length, 36, 'each once')
  for (const { serviceUserId } of people) {
    const told = bench.sent.filter(({ payload }) => payload.data['serviceUserId'] === serviceUserId)
    t.same(
      told.map(({ payload }) => payload.data['balance']),
      [1, 2, 3],
    )
  }
})
