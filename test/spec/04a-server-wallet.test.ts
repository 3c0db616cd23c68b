/**
 * Section 4A of the contract: reading a wallet, checking a balance, debit and credit, and rules 1
 * to 3 about repeating them.
 */
import { decodeEvent, isEntry } from '../../src/domain/wallet-events.js'
import { onEveryDeployment, testInside } from './support/deployment.js'
import {
  body,
  essence,
  freshLabel,
  freshReference,
  isReplay,
  nobody,
} from './support/wallet-api.js'
import type { Answer } from './support/wallet-api.js'

onEveryDeployment(1, (t, on) => {
  t.test('4A debit and credit: the answer is balance and message', async (t) => {
    const account = await on.account()
    const credited = await account.credit(20.05)
    t.equal(credited.status, 200)
    t.match(credited.headers.get('content-type'), /^application\/json/)
    t.same(Object.keys(credited.body).sort(), ['balance', 'message'])
    t.equal(credited.body['balance'], 20.05)
    t.type(credited.body['message'], 'string')
    const debited = await account.debit(0.06, freshReference(), { description: 'A stamp' })
    t.same(Object.keys(debited.body).sort(), ['balance', 'message'])
    t.equal(debited.body['balance'], 19.99)
  })

  t.test('4A check-balance: balance, requiredAmount and hasSufficientBalance', async (t) => {
    const account = await on.account(10)
    const expected = { 0: true, 9.99: true, 10: true, 10.01: false, 20000000: false }
    for (const [requiredAmount, hasSufficientBalance] of Object.entries(expected)) {
      const answer = await account.checkBalance(requiredAmount)
      t.equal(answer.status, 200)
      t.same(answer.body, {
        balance: 10,
        requiredAmount: Number(requiredAmount),
        hasSufficientBalance,
      })
    }
    t.match((await account.checkBalance('10.00')).body, { requiredAmount: 10 })
    t.equal(await account.balance(), 10, 'asking moves nothing')
  })

  t.test('4A GET wallet: an acknowledged write is seen at once, every time', async (t) => {
    const account = await on.account()
    for (let count = 1; count <= 30; count += 1) {
      const pair = freshReference('SEEN')
      await account.credit(0.01, pair)
      const { balance, transactions } = await account.read({ limit: 1 })
      t.equal(balance, count / 100)
      t.match(transactions, [{ ...pair, amount: 0.01, balanceAfter: count / 100 }])
      t.match((await account.checkBalance(count / 100)).body, { hasSufficientBalance: true })
    }
  })

  t.test('4A amounts: no cent is lost or made by fractions', async (t) => {
    const account = await on.account()
    let cents = 0
    for (const amount of [0.1, 0.2, 0.7, 1.1, 2.3, 4.35, 1.005e2, 999_999.99, 0.29, 1_000_000]) {
      cents += Math.round(amount * 100)
      t.equal(body(await account.credit(amount))['balance'], cents / 100)
    }
    t.equal(body(await account.debit(0.3))['balance'], (cents - 30) / 100)
  })

  t.test('4A debit: the last cent can be spent, and not one more', async (t) => {
    const account = await on.account(10)
    t.equal((await account.debit(10.01)).status, 400)
    t.equal((await account.debit(10)).body['balance'], 0)
    t.match((await account.debit(0.01)).body, { code: 'INSUFFICIENT_BALANCE' })
    t.equal(await account.balance(), 0)
  })

  t.test('4A fields: unknown ones are ignored', async (t) => {
    const account = await on.account(10)
    const more = { currency: 'eur', metadata: { a: [1] }, refund: true, balance: 1_000 }
    t.equal((await account.debit(1, freshReference(), more)).body['balance'], 9)
    t.equal((await account.wallet({ page: 3, balance: 7 })).body['balance'], 9)
  })

  t.test('4A rule 1: a repeated debit or credit is booked once', async (t) => {
    const account = await on.account(100)
    for (const verb of ['debit', 'credit'] as const) {
      const before = await account.balance()
      const pair = freshReference('REPEATED')
      const answers: Answer[] = []
      for (let time = 0; time < 4; time += 1) answers.push(await account[verb](7, pair))
      t.same(answers.map(isReplay), [false, true, true, true])
      t.equal(await account.balance(), verb === 'debit' ? before - 7 : before + 7)
      const { transactions } = await account.read({ referenceType: 'REPEATED', limit: 2 })
      t.equal(transactions.filter(({ referenceId }) => referenceId === pair.referenceId).length, 1)
    }
  })

  t.test('4A rule 2: a repeat gets the original outcome, with the balance of then', async (t) => {
    const account = await on.account(50)
    const pair = freshReference()
    const original = await account.debit(20, pair, { description: 'the first' })
    await account.credit(500)
    await account.debit(1.11)
    const repeat = await account.debit(20, pair, { description: 'another text' })
    t.same(essence(repeat), essence(original))
    t.equal(repeat.body['balance'], 30)
    t.equal(await account.balance(), 528.89)
    const found = (await account.read()).transactions.find(
      ({ referenceId }) => referenceId === pair.referenceId,
    )
    t.equal(found?.description, 'the first')
  })

  t.test('4A rule 2: a repeat with another amount or the other verb is a replay', async (t) => {
    const account = await on.account(50)
    const pair = freshReference()
    const original = await account.debit(20, pair)
    for (const repeat of [
      await account.debit(20.01, pair),
      await account.debit(49, pair),
      await account.credit(20, pair),
      await account.credit(1_000, pair),
    ])
      t.same(essence(repeat), essence(original))
    t.equal(await account.balance(), 30)
  })

  t.test('4A rule 2: a declined debit stays declined when money has arrived', async (t) => {
    const account = await on.account(5)
    const pair = freshReference()
    const declined = await account.debit(6, pair)
    t.equal(declined.status, 400)
    await account.credit(100)
    const repeat = await account.debit(6, pair)
    t.same(essence(repeat), essence(declined))
    t.ok(isReplay(repeat))
    t.same(essence(await account.debit(1, pair)), essence(declined), 'nor for a smaller amount')
    t.equal(await account.balance(), 105)
    t.match(repeat.body, { error: /new referenceId/ }, 'the text says what to do')
  })

  t.test('4A rule 3: a new attempt with a new referenceId is a new command', async (t) => {
    const account = await on.account(5)
    t.equal((await account.debit(6)).status, 400)
    await account.credit(1)
    t.equal((await account.debit(6)).status, 200)
    const same = { amount: 1, referenceType: 'TWINS', description: 'Two honest equal orders' }
    await account.credit(2)
    for (const referenceId of [freshReference().referenceId, freshReference().referenceId])
      t.notOk(isReplay(await account.command('debit', { ...same, referenceId })))
    t.equal(await account.balance(), 0)
  })

  t.test('4A rule 3: a refund has its own pair', async (t) => {
    const account = await on.account(30)
    const order = freshReference()
    await account.debit(30, order)
    const refund = { referenceType: 'ORDER_REFUND', referenceId: order.referenceId }
    t.equal((await account.credit(30, refund)).body['balance'], 30)
    t.equal((await account.credit(30, refund)).body['balance'], 30)
    t.equal(await account.balance(), 30)
  })

  t.test('4A rule 1: two wallets or two client apps never share a pair', async (t) => {
    const [one, other] = [await on.account(10), await on.account(10)]
    const pair = freshReference(freshLabel('SHARED'))
    t.equal((await one.debit(1, pair)).body['balance'], 9)
    t.equal((await other.debit(2, pair)).body['balance'], 8)
    const second = one.as(on.second)
    const answer = await second.debit(3, pair)
    t.equal(answer.body['balance'], 6)
    t.notOk(isReplay(answer))
    t.equal((await one.debit(1, pair)).body['balance'], 9, 'each keeps its own outcome')
    t.equal((await second.debit(3, pair)).body['balance'], 6)

    for (const reader of [one, second]) {
      const { transactions } = await reader.read({ limit: 2 })
      const shown = transactions.map(({ referenceId, amount }) => [referenceId, amount])
      const [theirs, mine] = reader === one ? [3, 1] : [1, 3]
      t.ok(shown.some(([id, amount]) => id === pair.referenceId && amount === mine))
      t.ok(shown.some(([id, amount]) => id === null && amount === theirs))
      t.equal((await reader.read({ referenceType: pair.referenceType })).transactions.length, 1)
    }
  })

  t.test('4A rule 1: 64 identical debits at once are one debit and 64 equal answers', async (t) => {
    const account = await on.account(100)
    const pair = freshReference(freshLabel('AT_ONCE'))
    const answers = await at64Once(() => account.debit(10, pair))
    t.same(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    t.match(answers[0], { status: 200, body: { balance: 90 } })
    t.equal(answers.filter((answer) => !isReplay(answer)).length, 1)
    t.equal(await account.balance(), 90)
    t.equal((await account.read({ referenceType: pair.referenceType })).transactions.length, 1)
    if (on.control !== undefined) {
      const events = await on.control.events(account)
      const written = events.filter(({ data }) => data.includes(pair.referenceId))
      t.equal(written.length, 1, 'one event in the stream')
    }
  })

  t.test('4A rule 2: of 64 debits of 1.00 on 10.00 ten are applied, for ever', async (t) => {
    const account = await on.account(10)
    const pairs = Array.from({ length: 64 }, () => freshReference('RACE'))
    const send = (index: number) => account.debit(1, pairs[index])
    const first = await at64Once(send)
    t.equal(first.filter(({ status }) => status === 200).length, 10)
    const declined = first.filter(({ body }) => body['code'] === 'INSUFFICIENT_BALANCE')
    t.equal(declined.length, 54)
    t.equal(await account.balance(), 0)
    const left = first.flatMap(({ status, body }) => (status === 200 ? [body['balance']] : []))
    t.same(left.sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'each took one')

    await account.credit(100)
    const second = await at64Once(send)
    t.same(second.map(essence), first.map(essence))
    t.ok(second.every(isReplay))
    t.equal(await account.balance(), 100)
  })

  testInside(t, on, '4A rule 2: an answer is an event of the stream', async (t, control) => {
    const account = await on.account()
    await account.credit(3)
    await account.debit(5)
    await account.debit(2)
    const recorded = await control.events(account)
    const events = recorded.map(({ type, data }) => decodeEvent(type, data)).filter(isEntry)
    t.same(
      events.map(({ type, data }) => [type, data.balanceMinor]),
      [
        ['WalletCredited', 300],
        ['DebitDeclined', 300],
        ['WalletDebited', 100],
      ],
    )
    t.notMatch(JSON.stringify(recorded.map(({ data }) => data)), account.serviceUserId)
  })

  t.test('4A rule 1: what was refused as malformed leaves its reference free', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    const refused = [
      await account.debit('1', pair),
      await account.debit(-1, pair),
      await account.debit(1, pair, { description: 7 }),
      await account.as({ ...on.first, clientSecret: 'wrong' }).debit(1, pair),
      await account.of(nobody).debit(1, pair),
    ]
    t.same(
      refused.map(({ status }) => status),
      [400, 400, 400, 401, 404],
    )
    const answer = await account.debit(1, pair)
    t.equal(answer.body['balance'], 9)
    t.notOk(isReplay(answer))
  })

  function at64Once(send: (index: number) => Promise<Answer>): Promise<Answer[]> {
    return Promise.all(Array.from({ length: 64 }, (_unused, index) => send(index)))
  }
})
