// The tables of the read models, PostgreSQL's and those of simulations: the same cases for both.
import t from 'tap'
import type { Test } from 'tap'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { project, ProjectionStoppedError } from '../../projections/projector.js'
import type { ReadTables } from '../../projections/read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import { credit, deactivate, debit, reactivate } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { MemoryReadTables } from '../support/memory-read-tables.js'
import { MemoryEventStore } from '../support/memory-store.js'

interface Subject {
  readonly tables: ReadTables
  /** Everything they hold, in words that both have. */
  readonly dump: () => Promise<unknown>
}

const subjects: Record<string, (t: Test) => Promise<Subject>> = {
  async PostgreSQL(t) {
    const ledger = await TestDatabaseLedger.open(t, { store: new MemoryEventStore() })
    await ledger.pool.query('update read.checkpoint set marker = null')
    return { tables: ledger.tables, dump: () => dumpOfDatabase(ledger) }
  },
  async 'the fake'() {
    const tables = new MemoryReadTables()
    return { tables, dump: async () => dumpOfMemory(tables) }
  },
}

for (const [name, open] of Object.entries(subjects))
  t.test(name, async (t) => {
    t.test('new tables stand at the beginning, and the first marker stays', async (t) => {
      const { tables } = await open(t)
      t.same(await tables.readCheckpoint(), { marker: null, position: 0n, eventId: null })
      const first = newWalletId()
      await tables.noteMarker(first)
      await tables.noteMarker(newWalletId())
      t.same(await tables.readCheckpoint(), { marker: first, position: 0n, eventId: null })
    })

    t.test('rows, sums and checkpoint after some batches', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      for (let start = 0; start < events.length; start += 4)
        await project(tables, events.slice(start, start + 4))
      const { position, eventId } = await tables.readCheckpoint()
      t.same([position, eventId], [BigInt(events.length), events.at(-1)?.id])
      t.matchOnly(await dump(), expected(events))
    })

    t.test('a batch that comes again, whole or in part, counts once', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      await project(tables, events.slice(0, 5))
      await project(tables, events.slice(0, 3))
      await project(tables, events.slice(2))
      await project(tables, events)
      t.matchOnly(await dump(), expected(events))
    })

    t.test('a gap, a refund without its debit and a second outcome change nothing', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      const [opened, credited, debited, refund] = events
      if (!opened || !credited || !debited || !refund) throw new Error('too few events')
      await project(tables, [opened, credited])
      const before = await dump()
      await t.rejects(project(tables, [refund]), ProjectionStoppedError)
      const second = { ...credited, revision: 2, position: 3n }
      await t.rejects(project(tables, [second]), { code: /^23/ })
      const orphan = { ...refund, revision: 2, position: 3n }
      await t.rejects(project(tables, [orphan]), ProjectionStoppedError)
      t.same(await dump(), before)
      t.equal((await tables.readCheckpoint()).position, 2n)
    })

    t.test('work that fails after it has written leaves nothing', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      const before = await dump()
      const failing = tables.transaction(async (inside) => {
        const { position } = await inside.readCheckpoint()
        t.equal(position, 0n)
        await project({ ...tables, transaction: (work) => work(inside) }, events)
        throw new Error('the process died')
      })
      await t.rejects(failing, /the process died/)
      t.same(await dump(), before)
    })

    t.test('transactions at once come one after the other', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      const seen: string[] = []
      const slow = tables.transaction(async () => {
        seen.push('first begins')
        for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setImmediate(go))
        seen.push('first ends')
      })
      while (seen.length === 0) await new Promise((go) => setImmediate(go))
      const next = tables.transaction(async () => void seen.push('second begins'))
      await Promise.all([slow, next])
      t.same(seen, ['first begins', 'first ends', 'second begins'])
      await Promise.all([1, 2, 3].map(() => project(tables, events)))
      t.matchOnly(await dump(), expected(events))
    })

    t.test('another store, or an older copy of it, is refused', async (t) => {
      const { tables } = await open(t)
      const store = new MemoryEventStore()
      await verifyCheckpoint(store, tables)
      await t.rejects(verifyCheckpoint(new MemoryEventStore(), tables), /another one/)
      await project(tables, await sample(t))
      await t.rejects(verifyCheckpoint(store, tables), /an older copy/)
    })
  })

const of: WalletId = newWalletId()

/** A wallet's life: credit, debit, two refunds, a decline, off and on again. */
async function sample(t: Test): Promise<readonly RecordedEvent[]> {
  const store = new MemoryEventStore()
  const ledger = await TestDatabaseLedger.open(t, { store })
  await ledger.send(of, credit(500, 'C-1', { of }))
  await ledger.send(of, debit(300, 'O-1', { of }))
  await ledger.send(of, credit(100, 'R-1', { of, refundOf: 'O-1' }))
  await ledger.send(of, debit(900, 'O-2', { of }))
  await ledger.send(of, credit(50, 'R-2', { of, refundOf: 'O-1' }))
  await ledger.send(of, deactivate)
  await ledger.send(of, reactivate)
  return store.log.events
}

function expected(events: readonly RecordedEvent[]) {
  return {
    wallets: [[of, 7, 350, true, 'sorry', /^[0-9a-f]{64}$/]],
    transactions: [
      [1, 'WalletCredited', null, 500, 500, 'C-1', 0],
      [2, 'WalletDebited', null, 300, 200, 'O-1', 150],
      [3, 'WalletCredited', null, 100, 300, 'R-1', 0],
      [4, 'DebitDeclined', 'INSUFFICIENT_BALANCE', 900, 300, 'O-2', 0],
      [5, 'WalletCredited', null, 50, 350, 'R-2', 0],
    ],
    totals: [
      ['client-app:shop', '-350', 4],
      ['wallet', '350', 4],
    ],
    position: String(events.length),
  }
}

async function dumpOfDatabase({ pool }: TestDatabaseLedger): Promise<unknown> {
  const rowsOf = async (text: string): Promise<unknown[]> =>
    (await pool.query<Record<string, unknown>>(text)).rows.map((row) => Object.values(row))
  const [checkpoint] = await rowsOf('select position::text from read.checkpoint')
  return {
    wallets: await rowsOf(
      "select wallet_id, revision, balance_minor, is_active, status_reason, encode(hash, 'hex') " +
        'from read.wallets',
    ),
    transactions: await rowsOf(
      'select revision, type, code, amount_minor, balance_minor, reference_id, refunded_minor ' +
        'from read.transactions order by revision',
    ),
    totals: await rowsOf(
      'select account, amount_minor::text, postings from read.journal_totals order by account',
    ),
    position: Array.isArray(checkpoint) ? (checkpoint[0] as unknown) : undefined,
  }
}

function dumpOfMemory(tables: MemoryReadTables): unknown {
  return {
    wallets: [...tables.wallets].map(([walletId, row]) => [
      ...[walletId, row.revision, row.balanceMinor, row.isActive, row.statusReason, row.hash],
    ]),
    transactions: [...tables.transactions.values()].map((row) => [
      ...[row.revision, row.type, row.code, row.amount_minor, row.balance_minor],
      ...[row.reference_id, row.refunded_minor],
    ]),
    totals: [...tables.totals]
      .map(([account, { amountMinor, postings }]) => [account, String(amountMinor), postings])
      .sort(([one], [other]) => String(one).localeCompare(String(other))),
    position: String(tables.checkpoint.position),
  }
}
