// The tables of the read models, PostgreSQL's and those of simulations: the same cases for both.
import t from 'tap'
import type { Test } from 'tap'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { applyEvents, project } from '../../projections/projector.js'
import type { LogBatch } from '../../projections/projector.js'
import type { ReadTables } from '../../projections/read-tables.js'
import { rowsOf } from '../../projections/rows.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import { credit, deactivate, debit, entryOf, reactivate } from '../support/given.js'
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
        await project(tables, part(events, start, start + 4))
      const { position, eventId } = await tables.readCheckpoint()
      t.same([position, eventId], [BigInt(events.length), events.at(-1)?.id])
      t.matchOnly(await dump(), expected(events))
    })

    t.test('a batch that comes again, whole or in part, counts once', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      await project(tables, part(events, 0, 5))
      await project(tables, part(events, 0, 3))
      await project(tables, part(events, 2))
      await project(tables, part(events))
      t.matchOnly(await dump(), expected(events))
    })

    t.test('a gap, a row that is not there and a second outcome change nothing', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      await project(tables, part(events, 0, 4))
      const before = await dump()
      const { after } = part(events, 4)
      await t.rejects(project(tables, { after, events: events.slice(5) }), /does not follow/)
      await t.rejects(project(tables, part(events, 5)), { name: 'HistoryChangedError' })
      const states = await tables.transaction((open) => open.readStates([of, newWalletId()]))
      t.match([...states], [[of, { revision: 3, balanceMinor: 300, hash: /^[0-9a-f]{64}$/ }]])
      const [last] = events.slice(4)
      const rows = rowsOf(events.slice(4, 5), states)
      if (last === undefined) throw new Error('too few events')
      const refunds = [{ entry_id: entryOf('nobody'), amount_minor: 5 }]
      const [wallet] = rows.wallets
      if (wallet === undefined) throw new Error('no wallet')
      const wallets = [{ ...wallet, first_revision: wallet.first_revision + 1 }]
      await tables
        .transaction(async (open) => {
          const written = await open.write({ ...rows, wallets, refunds }, last)
          t.same(written, { wallets: 0, refunds: 0 }, 'what finds no place is told')
          throw new Error('rolled back')
        })
        .catch(() => undefined)
      const [earlier] = rowsOf(events.slice(0, 4), new Map()).transactions
      if (earlier === undefined) throw new Error('no transaction')
      const twice = tables.transaction((open) =>
        open.write({ ...rows, transactions: [earlier] }, last),
      )
      await t.rejects(twice, { code: /^23/ }, 'a second outcome of a reference')
      t.same(await dump(), before)
      t.equal((await tables.readCheckpoint()).position, 4n)
    })

    t.test('work that fails after it has written leaves nothing', async (t) => {
      const { tables, dump } = await open(t)
      const events = await sample(t)
      const before = await dump()
      const failing = tables.transaction(async (inside) => {
        const { position } = await inside.readCheckpoint()
        t.equal(position, 0n)
        await applyEvents(inside, part(events))
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
      await Promise.all([1, 2, 3].map(() => project(tables, part(events))))
      t.matchOnly(await dump(), expected(events))
    })

    t.test('another store, or an older copy of it, is refused', async (t) => {
      const { tables } = await open(t)
      const store = new MemoryEventStore()
      await verifyCheckpoint(store, tables)
      await t.rejects(verifyCheckpoint(new MemoryEventStore(), tables), /another one/)
      await project(tables, part(await sample(t)))
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

/** Some of the events, as the tail would bring them. */
function part(events: readonly RecordedEvent[], start = 0, end = events.length): LogBatch {
  const before = events[start - 1]
  const after = { position: before?.position ?? 0n, eventId: before?.id ?? null }
  return { after, events: events.slice(start, end) }
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
