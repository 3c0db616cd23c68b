// What the projector writes, that it counts every event once, and what stops it.
import fc from 'fast-check'
import t from 'tap'
import { placeAfter, project } from '../../projections/projector.js'
import type { LogBatch, LogPlace } from '../../projections/projector.js'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { lockProjections } from '../../projections/read-schema.js'
import { decodeHash, encodeHash, nextHash } from '../../src/domain/hash-chain.js'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { decodeEvent, isEntry } from '../../src/domain/wallet-events.js'
import { readNext, writeNext } from '../../src/domain/wallet-stream.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import { HistoryChangedError } from '../../src/event-store/event-store.js'
import { projectionLockIdleMs } from '../../src/limits.js'
import { transaction } from '../../src/platform/postgres.js'
import { randomCommand } from '../support/commands.js'
import { credit, deactivate, debit, service } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { runAsyncProperty } from '../support/property.js'

t.test('rows hold the fold of each stream, totals equal the view, wallets sum to it', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const wallets = [newWalletId(), newWalletId(), newWalletId()]
  const command = fc
    .constantFrom(...wallets)
    .chain((of) => randomCommand(of).map((value) => ({ of, value })))
  await runAsyncProperty(
    t,
    fc.asyncProperty(
      fc.array(command, { maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      async (commands, batchSize) => {
        await Promise.all(commands.map(({ of, value }) => ledger.send(of, value)))
        await ledger.project(batchSize)
        for (const of of wallets) if (!(await rowEqualsStream(ledger, of))) return false
        return journalAgrees(ledger)
      },
    ),
    25,
  )
})

t.test('a debit keeps what was refunded of it, within one batch and across batches', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  await ledger.send(of, credit(500, 'C-1', { of }))
  await ledger.send(of, debit(300, 'O-1', { of }))
  await ledger.send(of, credit(100, 'R-1', { of, refundOf: 'O-1' }))
  await ledger.project()
  await ledger.send(of, credit(50, 'R-2', { of, refundOf: 'O-1' }))
  await ledger.send(of, credit(60, 'R-3', { of, refundOf: 'O-1' }))
  await ledger.send(of, credit(999, 'R-4', { of, refundOf: 'O-1' }))
  await ledger.project()
  const { rows } = await ledger.pool.query(
    "select refunded_minor from read.transactions where reference_id = 'O-1'",
  )
  t.same(rows, [{ refunded_minor: 210 }])
})

t.test('who is frozen while holding the lock of all projectors loses it', async (t) => {
  const { pool } = await TestDatabaseLedger.open(t)
  await transaction(pool, async (client) => {
    await lockProjections(client)
    const { rows } = await client.query('show idle_in_transaction_session_timeout')
    t.same(rows, [{ idle_in_transaction_session_timeout: `${projectionLockIdleMs / 1_000}s` }])
  })
})

t.test('status and its reason are in the row', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  await ledger.send(of, deactivate)
  await ledger.project()
  await ledger.send(of, service('TopUp', 5, 'pi_1', of))
  await ledger.project()
  const { rows } = await ledger.pool.query(
    'select is_active, status_reason, balance_minor from read.wallets',
  )
  t.same(rows, [{ is_active: false, status_reason: 'fraud', balance_minor: 5 }])
})

t.test('a batch that is delivered again, whole or in part, counts once', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  for (let index = 0; index < 6; index += 1) await ledger.send(of, credit(10, `C-${index}`, { of }))
  const events = await ledger.events()
  await project(ledger.tables, part(events, 0, 4))
  const before = await ledger.rows()
  const { position } = await project(ledger.tables, part(events, 0, 3))
  t.equal(position, events[3]?.position)
  t.same(await ledger.rows(), before)
  await project(ledger.tables, part(events, 2))
  await project(ledger.tables, part(events, 0))
  const { rows } = await ledger.pool.query('select balance_minor, revision from read.wallets')
  t.same(rows, [{ balance_minor: 60, revision: 6 }])
})

t.test('several runners at once: every event counts once', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const runners = [1, 2, 3].map(() => ledger.runner(t))
  for (const runner of runners) runner.start()
  const wallets = Array.from({ length: 5 }, newWalletId)
  await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const of = wallets[index % wallets.length] ?? newWalletId()
      return ledger.send(of, credit(1, `C-${index}`, { of }))
    }),
  )
  await reached(ledger)
  await Promise.all(runners.map((runner) => runner.stop()))
  const { rows } = await ledger.pool.query(
    'select sum(balance_minor)::int as sum from read.wallets',
  )
  t.same(rows, [{ sum: 200 }])
  t.ok(await journalAgrees(ledger))
})

t.test('a skipped event stops the projector and leaves everything as it was', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  for (let index = 0; index < 4; index += 1) await ledger.send(of, credit(10, `C-${index}`, { of }))
  const events = await ledger.events()
  await project(ledger.tables, part(events, 0, 2))
  const before = await ledger.rows()
  await t.rejects(project(ledger.tables, part(events, 3)), HistoryChangedError)
  const after = part(events, 2).after
  const skipped = project(ledger.tables, { after, events: events.slice(3) })
  await t.rejects(skipped, { name: 'InvariantError', message: /does not follow/ })
  t.same(await ledger.rows(), before)
})

t.test('a batch of a log that was set back since is not applied', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const [of, other] = [newWalletId(), newWalletId()]
  for (let index = 0; index < 4; index += 1) await ledger.send(of, credit(10, `C-${index}`, { of }))
  const events = await ledger.events()
  await project(ledger.tables, part(events, 0, 3))
  // What comes next is of another wallet, so its own revisions tell nothing.
  await ledger.send(other, credit(10, 'C-1', { of: other }))
  const [next] = (await ledger.events()).slice(events.length)
  if (next === undefined) throw new Error('no event')
  const before = await ledger.rows()
  const stale = [
    { after: part(events, 4).after, events: [next] },
    { after: { ...part(events, 3).after, eventId: newWalletId() }, events: [next] },
    { after: part(events, 1).after, events: [{ ...next, position: 3n }, next] },
  ]
  for (const batch of stale) await t.rejects(project(ledger.tables, batch), HistoryChangedError)
  t.same(await ledger.rows(), before)
})

t.test('events that the log has lost since they were read are not applied', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  for (let index = 0; index < 3; index += 1) await ledger.send(of, credit(10, `C-${index}`, { of }))
  const events = await ledger.events()
  const last = events.at(-1)
  for (const found of [undefined, last && { ...last, id: newWalletId() }]) {
    const store = { eventAt: async () => found }
    for (const batch of [part(events, 0), part(events, 0, 2)])
      await t.rejects(project(ledger.tables, { ...batch, store }), HistoryChangedError)
  }
  t.equal((await readCheckpoint(ledger.pool)).position, 0n)
  await project(ledger.tables, { ...part(events, 0), store: ledger.store })
  t.equal((await readCheckpoint(ledger.pool)).position, last?.position)
})

t.test('an event that does not continue hash and balance stops the runner', async (t) => {
  const changes: [RegExp, (data: string) => string][] = [
    [/hash chain/, (data) => data.replace('"referenceId":"C-2"', '"referenceId":"C-3"')],
    [/does not add up/, (data) => data.replace('"balanceMinor":20', '"balanceMinor":3020')],
  ]
  for (const [problem, change] of changes) {
    const ledger = await TestDatabaseLedger.open(t)
    const of = newWalletId()
    await ledger.send(of, credit(10, 'C-1', { of }))
    await ledger.send(of, credit(10, 'C-2', { of }))
    const events = await ledger.events()
    const [opened, first, second] = events
    if (opened === undefined || first === undefined || second === undefined) throw new Error('few')
    const data = change(second.data)
    t.not(data, second.data)
    // The forger of a balance knows how to hash; the one of a reference does not.
    const link = { walletId: of, revision: 2, type: second.type, data }
    const hash = encodeHash(nextHash(decodeHash(first.metadata), link))
    const isHashed = problem.source.includes('add up')
    const forged = { ...second, data, metadata: isHashed ? hash : second.metadata }
    for (const batches of [[[opened, first, forged]], [[opened, first], [forged]]]) {
      await ledger.pool.query('truncate read.wallets, read.transactions, read.journal_totals')
      await ledger.pool.query('update read.checkpoint set position = 0, event_id = null')
      let after: LogPlace = { position: 0n, eventId: null }
      const last = batches.at(-1)
      for (const batch of batches) {
        const work = project(ledger.tables, { after, events: batch })
        if (batch === last) await t.rejects(work, { name: 'InvariantError', message: problem })
        else after = await work
      }
    }
  }
})

t.test('an event type that nobody knows stops the runner and says so', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  const runner = ledger.runner(t)
  runner.start()
  await ledger.store.append({
    stream: streamOf(of),
    expectedRevision: -1,
    events: [{ id: newWalletId(), type: 'WalletRenamed', data: '{}', metadata: '{}' }],
  })
  await runner.ended()
  t.match(runner.contradiction, 'unknown event type WalletRenamed')
  t.equal((await readCheckpoint(ledger.pool)).position, 0n)
})

t.test('a second outcome of one reference stops the runner, in one batch or in two', async (t) => {
  for (const apart of [true, false]) {
    const ledger = await TestDatabaseLedger.open(t)
    const of = newWalletId()
    await ledger.send(of, credit(10, 'C-1', { of }))
    if (apart) await ledger.project()
    const [opened, credited] = await ledger.events()
    if (opened === undefined || credited === undefined) throw new Error('no event')
    const event = decodeEvent(credited.type, credited.data)
    if (!isEntry(event)) throw new Error('no entry')
    const wallet = readNext(readNext(emptyWallet(of), opened).wallet, credited).wallet
    const data = { ...event.data, balanceMinor: 20 }
    const forged = writeNext(wallet, { ...event, data } as typeof event).stored
    const place = { stream: streamOf(of), expectedRevision: 1, expectedId: credited.id }
    await ledger.store.append({ ...place, events: [forged] })
    const runner = ledger.runner(t)
    runner.start()
    await runner.ended()
    t.match(runner.contradiction, apart ? 'duplicate key' : 'second outcome')
  }
})

/** These of the events, with the place that they begin after. */
function part(events: readonly RecordedEvent[], start: number, end?: number): LogBatch {
  const nothing: LogPlace = { position: 0n, eventId: null }
  const after = placeAfter(nothing, events.slice(0, start))
  return { after, events: events.slice(start, end) }
}

async function rowEqualsStream(ledger: TestDatabaseLedger, of: ReturnType<typeof newWalletId>) {
  let wallet: Wallet = emptyWallet(of)
  const options = { fromRevision: 0, maxCount: 100_000 }
  for await (const event of ledger.store.readStream(streamOf(of), options))
    wallet = readNext(wallet, event).wallet
  const { rows } = await ledger.pool.query(
    "select revision, balance_minor, is_active, encode(hash, 'hex') as hash " +
      'from read.wallets where wallet_id = $1',
    [of],
  )
  if (wallet.revision === -1) return rows.length === 0
  const { revision, balanceMinor, isActive, hash } = wallet
  const expected = [{ revision, balance_minor: balanceMinor, is_active: isActive, hash }]
  return JSON.stringify(rows) === JSON.stringify(expected)
}

/** Totals equal the view, every entry sums to zero, and the wallets' account to their balances. */
async function journalAgrees(ledger: TestDatabaseLedger): Promise<boolean> {
  const { rows } = await ledger.pool.query<{ fault: string }>(`
    select 'totals' as fault from read.journal_totals t full join (
      select case when kind = 'wallet' then 'wallet' else account end as account,
        sum(amount_minor) as amount_minor, count(*) as postings
      from read.journal group by 1) v using (account)
    where (t.amount_minor, t.postings) is distinct from (v.amount_minor, v.postings)
    union all
    select 'entry' from read.journal group by entry_id
      having sum(amount_minor) <> 0 or count(*) <> 2
    union all
    select 'wallet' from read.wallets w left join (
      select wallet_id, sum(amount_minor) as amount_minor from read.journal
      where kind = 'wallet' group by 1) j using (wallet_id)
    where w.balance_minor <> coalesce(j.amount_minor, 0)`)
  return rows.length === 0
}

async function reached(ledger: TestDatabaseLedger): Promise<void> {
  const last = await ledger.store.lastEvent()
  while ((await readCheckpoint(ledger.pool)).position < (last?.position ?? 0n))
    await new Promise((resolve) => setImmediate(resolve))
}
