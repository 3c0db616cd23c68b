// What the projector writes, that it counts every event once, and what stops it.
import fc from 'fast-check'
import t from 'tap'
import { project, ProjectionStoppedError } from '../../projections/projector.js'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { lockProjections } from '../../projections/read-schema.js'
import { rowsOf } from '../../projections/rows.js'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { readNext } from '../../src/domain/wallet-stream.js'
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
  await project(ledger.tables, events.slice(0, 4))
  const before = await ledger.rows()
  t.equal(await project(ledger.tables, events.slice(0, 3)), events[3]?.position)
  t.same(await ledger.rows(), before)
  await project(ledger.tables, events.slice(2))
  await project(ledger.tables, events)
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
  await project(ledger.tables, events.slice(0, 2))
  const before = await ledger.rows()
  await t.rejects(project(ledger.tables, events.slice(3)), ProjectionStoppedError)
  t.same(await ledger.rows(), before)
  t.throws(() => rowsOf([...events.slice(0, 1), ...events.slice(2)]), { name: 'InvariantError' })
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
    const [, credited] = await ledger.events()
    if (credited === undefined) throw new Error('no event')
    const forged = { ...credited, id: newWalletId() }
    await ledger.store.append({ stream: streamOf(of), expectedRevision: 1, events: [forged] })
    const runner = ledger.runner(t)
    runner.start()
    await runner.ended()
    t.match(runner.contradiction, apart ? 'duplicate key' : 'second outcome')
  }
})

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
