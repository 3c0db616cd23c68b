/**
 * Our documented extensions about reading: pages, filters, the balance at a date, and what one
 * client app sees of what another did on the same wallet.
 */
import type { Test } from 'tap'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { changesReachAllMs, freshLabel, freshReference, until } from './support/wallet-api.js'
import type { Account, Answer, Fields, Transaction } from './support/wallet-api.js'

onEveryDeployment(6, (t, on) => {
  t.test('extension cursor: every record once, newest first, while new ones arrive', async (t) => {
    const account = await on.account(0)
    const label = freshLabel('PAGED')
    for (let count = 1; count <= 7; count += 1) await account.credit(count, freshReference(label))
    const seen: Transaction[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await account.read({ limit: 3, referenceType: label, cursor })
      seen.push(...page.transactions)
      cursor = page.nextCursor
      pages += 1
      await account.debit(0.01, freshReference(label))
    } while (cursor !== undefined)
    t.same(
      seen.map(({ amount }) => amount),
      [7, 6, 5, 4, 3, 2, 1],
    )
    t.equal(pages, 3)
  })

  t.test('extension cursor: the last page has none, also when it is full', async (t) => {
    const account = await on.account(0)
    const referenceType = freshLabel('LAST')
    for (let count = 0; count < 4; count += 1)
      await account.credit(1, freshReference(referenceType))
    const first = await account.read({ limit: 2, referenceType })
    t.type(first.nextCursor, 'string')
    const second = await account.read({ limit: 2, referenceType, cursor: first.nextCursor })
    t.equal(second.transactions.length, 2)
    t.notOk('nextCursor' in second)
    for (const cursor of ['', 'x', '-1', '1.5', 'null', '9'.repeat(40)])
      invalid(t, await account.wallet({ cursor }), 'cursor')
  })

  t.test('extension pages: declines take no place in them', async (t) => {
    const account = await on.account(0)
    const referenceType = freshLabel('KEPT')
    await account.credit(1, freshReference(referenceType))
    for (let count = 0; count < 5; count += 1) await account.debit(9, freshReference(referenceType))
    await account.debit(1, freshReference(referenceType))
    const { transactions } = await account.read({ limit: 2, referenceType })
    t.same(
      transactions.map(({ type }) => type),
      ['debit', 'credit'],
    )
  })

  t.test('extension filters: type, referenceType, from and to', async (t) => {
    const account = await on.account(0)
    const credits = [await booked(account, 'credit', 'ONE'), await booked(account, 'credit', 'TWO')]
    const debits = [await booked(account, 'debit', 'ONE'), await booked(account, 'debit', 'two')]
    const [c1, c2] = credits
    const [d1, d2] = debits
    const all = [d2, d1, c2, c1]
    const ids = async (query: Fields) =>
      (await account.read({ limit: 4, ...query })).transactions.map(({ id }) => id)
    const since = { from: c1?.createdAt }
    t.same(await ids({ ...since, type: 'credit' }), idsOf([c2, c1]))
    t.same(await ids({ ...since, type: 'debit' }), idsOf([d2, d1]))
    t.same(await ids({ ...since, referenceType: 'ONE' }), idsOf([d1, c1]))
    t.same(await ids({ ...since, referenceType: 'TWO' }), idsOf([c2]), 'byte for byte')
    t.same(await ids({ ...since, referenceType: 'ONE', type: 'debit' }), idsOf([d1]))
    t.same(await ids({ ...since, referenceType: 'NEVER' }), [])
    const timed = (keep: (entry: Transaction) => boolean) =>
      idsOf(all.filter((entry) => entry !== undefined && keep(entry)))
    const edge = c2?.createdAt ?? ''
    const from = timed(({ createdAt }) => createdAt >= edge)
    t.same(await ids({ from: edge }), from, 'from is inclusive')
    const to = timed(({ createdAt }) => createdAt < edge)
    t.same(await ids({ ...since, to: edge }), to, 'to is exclusive')
    const elsewhere = new Date(Date.parse(edge)).toISOString().replace('Z', '+00:00')
    t.same(await ids({ from: elsewhere }), from, 'any zone')
    t.equal((await account.read({ type: 'debit', limit: 1 })).balance, 0, 'the balance is whole')
  })

  t.test('extension filters: what is none is a 400 that names the field', async (t) => {
    const account = await on.account(0)
    for (const type of ['', 'Credit', 'topup', 'credit,debit'])
      invalid(t, await account.wallet({ type }), 'type')
    for (const name of ['from', 'to', 'at'])
      for (const time of ['', 'today', '2026', '2026-01-02', '2026-01-02T03:04:05', '1767323045'])
        invalid(t, await account.wallet({ [name]: time }), name)
    invalid(t, await account.wallet({ from: '2026-02-30T25:00:00Z' }), 'from')
    for (const from of [
      '2026-02-30T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+14:00',
      '9999-12-31T23:59:59-12:00',
    ])
      invalid(t, await account.wallet({ from }), 'from')
    t.equal((await account.wallet({ from: '2024-02-29T23:59:59+01:00' })).status, 200)
    for (const referenceType of ['', 'x'.repeat(65)])
      invalid(t, await account.wallet({ referenceType }), 'referenceType')
  })

  t.test('extension at: the balance after the last entry up to that moment', async (t) => {
    const account = await on.account(0)
    const entries: Transaction[] = []
    for (const amount of [1, 10, 100]) {
      await account.credit(amount, freshReference('DATED'))
      entries.push(...(await account.read({ limit: 1 })).transactions)
      await account.debit(100_000)
    }
    const times = entries.map(({ createdAt }) => createdAt)
    for (const { createdAt } of entries) {
      const last = entries[times.lastIndexOf(createdAt)]
      const then = await account.read({ at: createdAt })
      t.equal(then.balance, last?.balanceAfter)
      t.equal(then.at, createdAt)
      t.equal(then.transactions[0]?.id, last?.id, 'and the entries up to then')
      t.equal(then.final, false, 'younger than a command may still be under way')
    }
    const before = new Date(Date.parse(times[0] ?? '') - 1).toISOString()
    t.equal((await account.read({ at: before })).balance, 0)
    t.notOk('at' in (await account.read()))
  })

  t.test('extension at: long ago is final, the future a 400', async (t) => {
    const account = await on.account(5)
    const longAgo = '2020-02-29T12:00:00+01:00'
    t.match(await account.read({ at: longAgo }), {
      balance: 0,
      transactions: [],
      at: '2020-02-29T11:00:00.000Z',
      final: true,
    })
    const future = new Date(Date.now() + 3_600_000).toISOString()
    invalid(t, await account.wallet({ at: future }), 'at')
  })

  t.test('decision 6: of what another app did, only amount, type, time and balance', async (t) => {
    const account = await on.account(0)
    const theirs = account.as(on.second)
    await account.credit(10, freshReference('MINE'), { description: 'mine' })
    await theirs.debit(3, freshReference('THEIRS'), { description: 'theirs' })
    const [newest, older] = (await account.read({ limit: 2 })).transactions
    t.match(newest, { type: 'debit', amount: 3, balanceAfter: 7, createdAt: String })
    t.match(newest, { referenceType: null, referenceId: null, description: null })
    t.match(older, { referenceType: 'MINE', description: 'mine' })
    const [own, hidden] = (await theirs.read({ limit: 2 })).transactions
    t.match(own, { referenceType: 'THEIRS', description: 'theirs', id: newest?.id ?? '' })
    t.match(hidden, { referenceType: null, referenceId: null, description: null, amount: 10 })
    const guess = await account.read({ referenceType: 'THEIRS' })
    t.same(guess.transactions, [], 'nor by guessing their label')
    t.equal((await account.read({ type: 'debit', limit: 1 })).transactions[0]?.id, newest?.id)
  })

  testInside(t, on, 'erasure: texts go, money and references stay', async (t, control) => {
    const account = await on.account(0)
    const pair = freshReference('GIFT')
    const original = await account.credit(10, pair, { description: 'For Ada’s birthday' })
    await control.users.erase(account.serviceUserId)
    const newest = async () => (await account.read({ limit: 1 })).transactions[0]
    await until(changesReachAllMs, async () => (await newest())?.description === null)
    const { transactions, balance } = await account.read()
    t.equal(balance, 10)
    t.match(transactions, [{ ...pair, amount: 10, description: null }])
    t.same((await account.credit(10, pair)).body, original.body)
    t.equal((await account.debit(1, freshReference(), { description: 'late' })).status, 200)
    t.equal((await newest())?.description, null)
  })

  async function booked(account: Account, verb: 'credit' | 'debit', label: string) {
    await account[verb](1, freshReference(label))
    return (await account.read({ limit: 1 })).transactions[0]
  }

  function idsOf(entries: readonly (Transaction | undefined)[]): (string | undefined)[] {
    return entries.map((entry) => entry?.id)
  }

  function invalid(t: Test, answer: Answer, field: string): void {
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, answer.text)
    t.match(answer.body['error'], new RegExp(`'${field}'`))
  }
})
