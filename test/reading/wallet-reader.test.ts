// A read after an acknowledged write sees it, whatever the projections' lag.
import t from 'tap'
import { credit, deactivate, debit } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'

t.test('a wallet without a stream and without a row reads as 0, [], active', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  t.match(await ledger.reader.read(newWalletId(), { limit: 10 }), {
    balanceMinor: 0,
    isActive: true,
    revision: -1,
    entries: [],
  })
})

t.test('rows and tail together are always the truth: none, some and all projected', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  const expected: string[] = []
  for (let index = 0; index < 12; index += 1) {
    await ledger.send(of, credit(10, `C-${index}`, { of }))
    expected.unshift(`C-${index}`)
    if (index % 5 === 3) await ledger.project()
    const wallet = await ledger.reader.read(of, { limit: 100 })
    t.equal(wallet.balanceMinor, (index + 1) * 10)
    t.same(
      wallet.entries.map((entry) => entry.referenceId),
      expected,
    )
  }
})

t.test('pages are newest first, without holes or doubles, across rows and tail', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  for (let index = 0; index < 10; index += 1)
    await ledger.send(of, credit(10, `C-${index}`, { of }))
  await ledger.project()
  for (let index = 10; index < 15; index += 1)
    await ledger.send(of, credit(10, `C-${index}`, { of }))
  const seen: string[] = []
  for (let before: number | undefined, pages = 0; pages < 9; pages += 1) {
    const page = await ledger.reader.read(of, { limit: 4, ...(before && { before }) })
    seen.push(...page.entries.map((entry) => entry.referenceId))
    before = page.nextBefore
    if (before === undefined) break
  }
  t.same(
    seen,
    Array.from({ length: 15 }, (_, index) => `C-${14 - index}`),
  )
})

t.test('an entry looks the same from the tail and from the rows', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  await ledger.send(of, { ...credit(500, 'C-1', { of }), description: 'v1.sealed' })
  await ledger.send(of, debit(300, 'O-1', { of }))
  await ledger.send(of, credit(100, 'R-1', { of, refundOf: 'O-1' }))
  await ledger.send(of, debit(999, 'O-2', { of }))
  await ledger.send(of, deactivate)
  const fromTail = await ledger.reader.read(of, { limit: 10 })
  await ledger.project()
  const fromRows = await ledger.reader.read(of, { limit: 10 })
  t.same(fromRows, fromTail)
  t.match(fromRows, { isActive: false, statusReason: 'fraud', balanceMinor: 300 })
  t.equal(fromRows.entries.at(-1)?.description, 'v1.sealed')
})

t.test('a row that is not in the stream is refused, not shown', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  await ledger.send(of, credit(500, 'C-1', { of }))
  await ledger.project()
  await ledger.pool.query("update read.wallets set hash = decode('00', 'hex')")
  await t.rejects(ledger.reader.read(of, { limit: 1 }), { name: 'InvariantError' })
  await ledger.pool.query('update read.wallets set revision = 9')
  await t.rejects(ledger.reader.read(of, { limit: 1 }), { name: 'InvariantError' })
})

t.test(
  'rows that are current are proven by the head alone, and older ones by the tail',
  async (t) => {
    const ledger = await TestDatabaseLedger.open(t)
    const of = newWalletId()
    const tails = t.capture(ledger.store, 'readStream', ledger.store.readStream.bind(ledger.store))
    await ledger.reader.read(newWalletId(), { limit: 1 })
    t.equal(tails().length, 0, 'nothing is read of a wallet that nobody knows')
    await ledger.send(of, credit(500, 'C-1', { of }))
    await ledger.project()
    tails()
    t.equal((await ledger.reader.read(of, { limit: 1 })).balanceMinor, 500)
    t.equal(tails().length, 0)
    await ledger.send(of, debit(200, 'O-1', { of }))
    t.equal((await ledger.reader.read(of, { limit: 1 })).balanceMinor, 300)
    t.equal(tails().length, 1)
  },
)

t.test('readers at the same moment share statements, and each gets its own page', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const wallets = Array.from({ length: 40 }, newWalletId)
  for (const [index, of] of wallets.entries())
    for (let count = 0; count <= index % 4; count += 1)
      await ledger.send(of, credit(index + 1, `C-${count}`, { of }))
  await ledger.project()
  const pageOf = (index: number) =>
    [
      { limit: 0 },
      { limit: 2 },
      { limit: 2, before: 3 },
      { limit: 2, filter: { appliedOnly: true, fromTime: '2000-01-01T00:00:00.000Z' } },
    ][index % 4] ?? { limit: 1 }
  const alone = []
  for (const [index, of] of wallets.entries())
    alone.push(await ledger.reader.read(of, pageOf(index)))
  const queries = t.capture(ledger.pool, 'query', ledger.pool.query.bind(ledger.pool))
  const together = await Promise.all(
    wallets.map((of, index) => ledger.reader.read(of, pageOf(index))),
  )
  t.same(together, alone)
  t.equal(queries().length, 10 + 1, 'ten searches, and one statement for all the others')
})
