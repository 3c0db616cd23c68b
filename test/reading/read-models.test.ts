// The same questions to the read models of PostgreSQL and to the fakes of tests and simulations.
import t from 'tap'
import type { Test } from 'tap'
import { project } from '../../projections/projector.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import type { ReadModels } from '../../src/reading/read-models.js'
import { credit, debit, entryOf } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { MemoryReadTables, TableReadModels } from '../support/memory-read-tables.js'
import { MemoryReadModels } from '../support/memory-read-models.js'
import { MemoryEventStore } from '../support/memory-store.js'

interface Subject {
  readonly readModels: ReadModels
  readonly send: (walletId: WalletId, command: WalletCommand) => Promise<unknown>
  readonly project: () => Promise<void>
  /** Of the last event of its stream. */
  readonly headId: (walletId: WalletId) => Promise<string | undefined>
}

const subjects: Record<string, (t: Test) => Promise<Subject>> = {
  async PostgreSQL(t) {
    const ledger = await TestDatabaseLedger.open(t)
    return {
      readModels: new PostgresReadModels(ledger.pool),
      send: (walletId, command) => ledger.send(walletId, command),
      project: () => ledger.project(),
      headId: headIdIn(ledger),
    }
  },
  async 'the fake'(t) {
    const store = new MemoryEventStore()
    const ledger = await TestDatabaseLedger.open(t, { store })
    return {
      readModels: new MemoryReadModels(store.log),
      send: (walletId, command) => ledger.send(walletId, command),
      project: () => ledger.project(),
      headId: headIdIn(ledger),
    }
  },
  async 'the tables of simulations'(t) {
    const store = new MemoryEventStore()
    const ledger = await TestDatabaseLedger.open(t, { store })
    const tables = new MemoryReadTables()
    return {
      readModels: new TableReadModels(tables, { smallWalletEventsMax }),
      send: (walletId, command) => ledger.send(walletId, command),
      project: async () => {
        const after = { position: 0n, eventId: null }
        await project(tables, { after, events: store.log.events })
      },
      headId: headIdIn(ledger),
    }
  },
}

function headIdIn({ store }: TestDatabaseLedger): Subject['headId'] {
  return async (walletId) => (await store.readHead(streamOf(walletId)))?.id
}

for (const [name, open] of Object.entries(subjects))
  t.test(name, async (t) => {
    t.test('a row names the event that it stands at, an entry or a change of status', async (t) => {
      const { readModels, send, project, headId } = await open(t)
      const walletId = newWalletId()
      await send(walletId, credit(500, 'C-1', { of: walletId }))
      await project()
      const asEntry = await readModels.load(walletId)
      t.equal(asEntry?.headId, await headId(walletId))
      const status = { issuer: 'service', reason: 'a test' } as const
      await send(walletId, { type: 'Deactivate', ...status })
      await project()
      const asStatus = await readModels.load(walletId)
      t.equal(asStatus?.headId, await headId(walletId))
      t.not(asStatus?.headId, asEntry?.headId)
      await send(walletId, { type: 'Reactivate', ...status })
      for (let index = 0; index < smallWalletEventsMax; index += 1)
        await send(walletId, credit(1, `C-2-${index}`, { of: walletId }))
      await project()
      const large = await readModels.load(walletId)
      t.equal(large?.allOutcomes, undefined)
      t.equal(large?.headId, await headId(walletId))
    })

    t.test('a wallet without a row loads as nothing and looks up at revision −1', async (t) => {
      const { readModels } = await open(t)
      const walletId = newWalletId()
      t.equal(await readModels.load(walletId), undefined)
      const found = await readModels.lookUp({ walletId, entryIds: [entryOf('O-1')] })
      t.same(found, { revision: -1, hits: new Map() })
    })

    t.test('a small wallet loads with all its outcomes, refunds and declines too', async (t) => {
      const { readModels, send, project } = await open(t)
      const of = newWalletId()
      await send(of, credit(500, 'C-1', { of }))
      await send(of, debit(300, 'O-1', { of }))
      await send(of, credit(100, 'R-1', { of, refundOf: 'O-1' }))
      await send(of, debit(900, 'O-2', { of }))
      await project()
      const row = await readModels.load(of)
      t.match(row, { revision: 4, balanceMinor: 300, isActive: true, hash: /^[0-9a-f]{64}$/ })
      t.match(row?.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      t.match(row?.allOutcomes, [
        { type: 'WalletCredited', revision: 1, balanceMinor: 500, time: String },
        { type: 'WalletDebited', entryId: entryOf('O-1', { of }) },
        { type: 'WalletCredited', refundedEntryId: entryOf('O-1', { of }) },
        { type: 'DebitDeclined', code: 'INSUFFICIENT_BALANCE', amountMinor: 900 },
      ])
    })

    t.test('a large wallet loads without outcomes; looking up finds them', async (t) => {
      const { readModels, send, project } = await open(t)
      const of = newWalletId()
      for (let index = 0; index < smallWalletEventsMax; index += 1)
        await send(of, credit(1, `C-${index}`, { of }))
      await send(of, debit(30, 'O-1', { of }))
      await send(of, credit(20, 'R-1', { of, refundOf: 'O-1' }))
      await project()
      const row = await readModels.load(of)
      t.equal(row?.revision, smallWalletEventsMax + 2)
      t.equal(row?.allOutcomes, undefined)
      const ids = ['O-1', 'R-1', 'O-9'].map((id) => entryOf(id, { of }))
      const { revision, hits } = await readModels.lookUp({ walletId: of, entryIds: ids })
      t.equal(revision, smallWalletEventsMax + 2)
      t.same([...hits.keys()].sort(), ids.slice(0, 2).sort())
      const [debited, refund] = ids.map((id) => hits.get(id))
      t.match(debited, { refundedMinor: 20, outcome: { type: 'WalletDebited', amountMinor: 30 } })
      t.match(refund, { refundedMinor: 0, outcome: { refundedEntryId: ids[0] } })
      t.notOk(debited && 'refundedMinor' in debited.outcome, 'an outcome is the same everywhere')
    })

    t.test('a look-up without references still tells the revision', async (t) => {
      const { readModels, send, project } = await open(t)
      const of = newWalletId()
      await send(of, credit(1, 'C-1', { of }))
      await project()
      const found = await readModels.lookUp({ walletId: of, entryIds: [] })
      t.same(found, { revision: 1, hits: new Map() })
    })

    t.test('many questions at once each get their own answer', async (t) => {
      const { readModels, send, project } = await open(t)
      const wallets = Array.from({ length: 20 }, newWalletId)
      for (const [index, of] of wallets.entries())
        for (let count = 0; count <= index; count += 1)
          await send(of, credit(1, `C-${count}`, { of }))
      await project()
      const rows = await Promise.all(wallets.map((of) => readModels.load(of)))
      t.same(
        rows.map((row) => row?.balanceMinor),
        wallets.map((_, index) => index + 1),
      )
      const found = await Promise.all(
        wallets.map((of) =>
          readModels.lookUp({ walletId: of, entryIds: [entryOf('C-3', { of })] }),
        ),
      )
      t.same(
        found.map(({ hits }) => hits.size),
        wallets.map((_, index) => (index >= 3 ? 1 : 0)),
      )
    })
  })
