// A rebuild gives the same rows, may be swapped in while writers work, and harms nothing when
// killed.
import t from 'tap'
import type { Test } from 'tap'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { project } from '../../projections/projector.js'
import { rebuild, RebuildRunningError } from '../../projections/rebuild.js'
import { lockProjections, schemaExists } from '../../projections/read-schema.js'
import type { WalletId } from '../../src/domain/ids.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import { credit, debit } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'

t.test('a rebuild from zero equals what the projector wrote', async (t) => {
  const ledger = await filled(t)
  await ledger.project(7)
  const before = await ledger.rows()
  const seen: number[] = []
  const events = await rebuild({
    store: ledger.store,
    connect: ledger.connect,
    onProgress: (progress) => seen.push(progress.events),
  })
  t.same(await ledger.rows(), before)
  t.equal(events, (await ledger.events()).length)
  t.ok(seen.length > 0)
  t.equal(await exists(ledger, 'read_next'), false)
  t.equal(await exists(ledger, 'read_old'), false)
})

t.test('rows that someone changed by hand are put right, the view and totals too', async (t) => {
  const ledger = await filled(t)
  await ledger.project()
  const before = await ledger.rows()
  await ledger.pool.query('update read.wallets set balance_minor = 1')
  await ledger.pool.query('update read.journal_totals set amount_minor = 1')
  await ledger.pool.query('delete from read.transactions')
  await rebuild({ store: ledger.store, connect: ledger.connect })
  t.same(await ledger.rows(), before)
  const { rows } = await ledger.pool.query('select count(*) as count from read.journal')
  t.same(rows, [{ count: 60 }])
})

t.test('projecting goes on after the swap, from exactly the same position', async (t) => {
  const ledger = await filled(t)
  await ledger.project()
  const { position } = await readCheckpoint(ledger.pool)
  await rebuild({ store: ledger.store, connect: ledger.connect })
  t.equal((await readCheckpoint(ledger.pool)).position, position)
  const of = newWalletId()
  await ledger.send(of, credit(5, 'C-1', { of }))
  await ledger.project()
  const { rows } = await ledger.pool.query(
    'select balance_minor from read.wallets where wallet_id = $1',
    [of],
  )
  t.same(rows, [{ balance_minor: 5 }])
})

t.test('two rebuilds at once: the second is refused', async (t) => {
  const ledger = await filled(t)
  await ledger.project()
  const { store, connect } = ledger
  // The first one cannot end while somebody else has the projector's lock.
  const projector = await connect()
  await projector.query('begin')
  await lockProjections(projector)
  // It waits for this test, however slow the machine is.
  await projector.query('set local idle_in_transaction_session_timeout = 0')
  let first: Promise<number> = Promise.resolve(0)
  await new Promise<void>((resolve) => {
    first = rebuild({ store, connect, onProgress: () => resolve() })
  })
  await t.rejects(rebuild({ store, connect }), RebuildRunningError)
  await projector.end()
  t.ok((await first) > 0)
})

t.test('what an interrupted rebuild left behind does not disturb the next one', async (t) => {
  const ledger = await filled(t)
  await ledger.project()
  const before = await ledger.rows()
  const broken = rebuild({
    store: ledger.store,
    connect: ledger.connect,
    onProgress: () => {
      throw new Error('interrupted')
    },
  })
  await t.rejects(broken, { message: 'interrupted' })
  t.same(await ledger.rows(), before, 'the serving rows are untouched')
  await rebuild({ store: ledger.store, connect: ledger.connect })
  t.same(await ledger.rows(), before)
})

t.test(
  'rebuilds swapped in while writers hammer: no reference gets a second outcome',
  async (t) => {
    const ledger = await TestDatabaseLedger.open(t)
    const runner = ledger.runner(t)
    runner.start()
    const other = await TestDatabaseLedger.join(t, ledger.url)
    const wallets = Array.from({ length: 4 }, newWalletId)
    for (const of of wallets) await ledger.send(of, credit(1_000_000, 'START', { of }))

    let writing = true
    const answers = new Map<string, Set<string>>()
    const hammer = async (through: TestDatabaseLedger): Promise<void> => {
      for (let round = 0; writing; round += 1) await repeatSome(through, wallets, round, answers)
    }
    const writers = Promise.all([hammer(ledger), hammer(other)])
    // Told where it is awaited.
    writers.catch(() => undefined)
    for (let times = 0; times < 4; times += 1)
      await rebuild({ store: ledger.store, connect: ledger.connect })
    writing = false
    await writers

    t.equal(runner.contradiction, undefined)
    t.ok(answers.size > 100, `${answers.size} references`)
    t.same(
      [...answers].filter(([, given]) => given.size > 1),
      [],
      'one answer a reference',
    )
    await assertOneOutcomeEach(t, ledger)
  },
)

t.test('a rebuild that steps behind a warm lane is noticed by it', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  const count = smallWalletEventsMax + 20
  for (let index = 0; index < count; index += 1)
    await ledger.send(of, credit(10, `C-${index}`, { of }))
  await ledger.project()
  await ledger.send(of, debit(10, 'O-1', { of }))
  await ledger.project()
  await ledger.send(of, debit(10, 'O-2', { of }))
  // The lane's base is at the end now. Rows from long ago take the place of the serving ones.
  await stepBack(ledger, 30)
  const repeat = await ledger.send(of, debit(10, 'O-1', { of }))
  t.equal(repeat.replayed, true)
  const again = await ledger.send(of, credit(10, 'C-50', { of }))
  t.equal(again.replayed, true)
  await assertOneOutcomeEach(t, ledger)
})

async function filled(t: { teardown(work: () => unknown): void }): Promise<TestDatabaseLedger> {
  const ledger = await TestDatabaseLedger.open(t)
  const wallets = Array.from({ length: 3 }, newWalletId)
  for (let index = 0; index < 30; index += 1) {
    const of = wallets[index % 3] ?? newWalletId()
    await ledger.send(of, credit(10, `C-${index}`, { of }))
  }
  return ledger
}

/** Each writer sends each reference, in an order of its own, more than once. */
async function repeatSome(
  ledger: TestDatabaseLedger,
  wallets: readonly WalletId[],
  round: number,
  answers: Map<string, Set<string>>,
): Promise<void> {
  await Promise.all(
    wallets.map(async (of) => {
      for (const id of [round, Math.max(0, round - 3), Math.max(0, round - 40)]) {
        const { outcome } = await ledger.send(of, debit(1, `O-${id}`, { of }))
        const given = answers.get(`${of} ${id}`) ?? new Set()
        answers.set(`${of} ${id}`, given.add(JSON.stringify(outcome)))
      }
    }),
  )
}

async function assertOneOutcomeEach(t: Test, ledger: TestDatabaseLedger): Promise<void> {
  const { rows } = await ledger.pool.query<{ doubled: number }>(`
    select count(*) as doubled from (
      select data::json ->> 'entryId' as entry from ledger.events
      where data::json ->> 'entryId' is not null group by 1 having count(*) > 1) d`)
  t.same(rows, [{ doubled: 0 }])
}

async function stepBack(ledger: TestDatabaseLedger, events: number): Promise<void> {
  const { pool, tables } = ledger
  const first = (await ledger.events()).slice(0, events)
  await pool.query('truncate read.wallets, read.transactions, read.journal_totals')
  await pool.query('update read.checkpoint set position = 0, event_id = null')
  await project(tables, { after: { position: 0n, eventId: null }, events: first })
}

async function exists(ledger: TestDatabaseLedger, schema: string): Promise<boolean> {
  const client = await ledger.connect()
  try {
    return await schemaExists(client, schema)
  } finally {
    await client.end()
  }
}
