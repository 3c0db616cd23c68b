// What settlement asks of a reader, of PostgreSQL's and of the one of simulations: the same cases.
import t from 'tap'
import type { Test } from 'tap'
import { project } from '../../projections/projector.js'
import type { WalletReader } from '../../src/reading/wallet-reader.js'
import { credit, debit, entryOf } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { MemoryReadTables, TableReader } from '../support/memory-read-tables.js'
import { MemoryEventStore } from '../support/memory-store.js'

interface Subject {
  readonly reader: Pick<WalletReader, 'findEntry'>
  readonly ledger: TestDatabaseLedger
  readonly project: () => Promise<unknown>
}

const subjects: Record<string, (t: Test) => Promise<Subject>> = {
  async PostgreSQL(t) {
    const ledger = await TestDatabaseLedger.open(t)
    return { reader: ledger.reader, ledger, project: () => ledger.project() }
  },
  async 'the fake'(t) {
    const store = new MemoryEventStore()
    const ledger = await TestDatabaseLedger.open(t, { store })
    const tables = new MemoryReadTables()
    const after = { position: 0n, eventId: null }
    return {
      reader: new TableReader({ store, tables }),
      ledger,
      project: () => project(tables, { after, events: store.log.events }),
    }
  },
}

for (const [name, open] of Object.entries(subjects))
  t.test(`${name} finds entries in the rows, in the stream beyond them, or nowhere`, async (t) => {
    const { reader, ledger, project } = await open(t)
    const [of, other] = [newWalletId(), newWalletId()]
    const ids = ['C-1', 'O-1', 'O-2', 'O-9'].map((id) => entryOf(id, { of }))
    const [credited, debited, declined, unknown] = ids
    if (!credited || !debited || !declined || !unknown) throw new Error('no ids')
    t.equal(await reader.findEntry(of, credited), undefined, 'a wallet that is not there yet')
    await ledger.send(of, credit(500, 'C-1', { of }))
    const newest = await reader.findEntry(of, credited)
    t.match(newest, { type: 'WalletCredited', amountMinor: 500, referenceId: 'C-1', revision: 1 })
    await project()
    t.same(await reader.findEntry(of, credited), newest, 'the same from the rows')
    await ledger.send(of, debit(100, 'O-1', { of }))
    await ledger.send(of, debit(900, 'O-2', { of }))
    t.match(await reader.findEntry(of, debited), { type: 'WalletDebited', balanceMinor: 400 })
    t.match(await reader.findEntry(of, declined), { code: 'INSUFFICIENT_BALANCE' })
    t.equal(await reader.findEntry(of, unknown), undefined)
    t.equal(await reader.findEntry(other, credited), undefined, 'another wallet’s is not found')
  })
