// What the first command of a wallet costs a store: its row is decided on, and the append tells
// whether there is more. Whatever the row lacks, nothing wrong is written or answered.
import t from 'tap'
import type { Test } from 'tap'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { eventStoreForTests } from '../support/eventstoredb/server.js'
import { credit, debit } from '../support/given.js'
import { newWalletId, quietLog, TestDatabaseLedger } from '../support/ledger.js'
import { MemoryEventStore } from '../support/memory-store.js'
import { result, WriterHarness } from '../support/writer-harness.js'

const stores: Record<string, (t: Test) => Promise<EventStore | undefined>> = {
  memory: async () => new MemoryEventStore(),
  PostgreSQL: async () => undefined,
  EventStoreDB: async (t) => {
    const { url } = await eventStoreForTests(t)
    const store = new EventStoreDbStore({ url, clock: systemClock, random: systemRandom })
    t.teardown(() => store.close())
    return store
  },
}

for (const [name, open] of Object.entries(stores))
  t.test(`${name}: a cold debit makes one append and no read of the stream`, async (t) => {
    const given = await open(t)
    const ledger = await TestDatabaseLedger.open(t, given && { store: given })
    const [first, small, large] = [newWalletId(), newWalletId(), newWalletId()]
    for (const walletId of [first, small])
      await ledger.send(walletId, credit(500, 'C-1', { of: walletId }))
    const many = Array.from({ length: smallWalletEventsMax + 1 }, (_, index) => `C-${index}`)
    await Promise.all(many.map((id) => ledger.send(large, credit(500, id, { of: large }))))
    await ledger.project()
    const { store, calls } = counted(ledger.store)
    const writer = coldWriter(ledger, store)
    await writer.execute(first, debit(100, 'O-1', { of: first }))
    t.same(calls, ['readMarker', 'eventAt', 'append'], 'whose rows these are is asked once')
    for (const walletId of [small, large, newWalletId()]) {
      calls.splice(0)
      const { outcome } = await writer.execute(walletId, debit(100, 'O-1', { of: walletId }))
      t.equal(outcome.balanceMinor, { [small]: 400, [large]: 32_400 }[walletId] ?? 0)
      t.same(calls, ['append'])
    }
    await ledger.send(small, debit(50, 'O-2', { of: small }))
    calls.splice(0)
    const late = await coldWriter(ledger, store).execute(small, debit(400, 'O-3', { of: small }))
    t.equal(late.outcome.code, 'INSUFFICIENT_BALANCE', 'a row that is behind spends nothing twice')
    t.same(calls, ['readMarker', 'eventAt', 'append', 'append'])
  })

function coldWriter({ pool, tables }: TestDatabaseLedger, store: EventStore): WalletWriter {
  const system = { clock: systemClock, random: systemRandom, log: quietLog }
  const readModels = new PostgresReadModels(pool)
  const verifyRows = () => verifyCheckpoint(store, tables)
  return new WalletWriter({ store, readModels, verifyRows, currency: 'usd', ...system })
}

/** The same store, and the names of what it is asked for. */
function counted(store: EventStore): { store: EventStore; calls: string[] } {
  const calls: string[] = []
  const noting = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        calls.push(String(name))
        return Reflect.apply(value, target, args)
      }
    },
  })
  return { store: noting, calls }
}

t.test('a row far behind is caught up with by one read', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.readModels.holdAt(1n)
  await h.fill(1_500)
  const cold = h.another()
  cold.readModels.holdAt(1n)
  const answer = h.send(h.debit(150_500, 'O-1'), cold.writer)
  await h.clock.advance(100)
  t.equal(await result(answer), 'WalletDebited')
  t.equal(cold.store.reads, 1)
})

t.test('a repeat that only the row knows is answered when the stream has it', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const cold = h.another()
  t.equal(await result(h.send(h.credit(500, 'C-1'), cold.writer)), 'replayed WalletCredited')
  t.equal(cold.store.reads, 1)
  t.same(cold.store.appends, [])

  const rows = await h.readModels.load(h.walletId)
  h.log.setBack(1)
  const other = h.another()
  other.readModels.forged = rows
  t.equal(await result(h.send(h.credit(500, 'C-1'), other.writer)), 'unavailable: broken')
})

t.test('rows that are not proven to be the log’s are compared with the stream first', async (t) => {
  for (const comparesIds of [true, false]) {
    const h = new WriterHarness()
    h.log.comparesIds = comparesIds
    await h.send(h.credit(500, 'C-1'))
    await h.send(h.credit(3_000, 'C-2'))
    const rows = await h.readModels.load(h.walletId)
    h.log.setBack(2)
    const other = h.another()
    await h.send(h.debit(400, 'O-1'), other.writer)
    h.rowsAreProven = false
    const cold = h.another()
    cold.readModels.forged = rows
    t.equal(await result(h.send(h.debit(600, 'O-2'), cold.writer)), 'unavailable: broken')
    t.same(cold.store.appends, [])
    t.equal(h.stream().wallet.balanceMinor, 100)
  }
})

t.test('a lost connection asks anew whose rows these are', async (t) => {
  const h = new WriterHarness()
  h.log.comparesIds = false
  const wallets = [newWalletId(), newWalletId(), newWalletId()]
  for (const of of wallets) await h.writer.execute(of, credit(500, 'C-1', { of }))
  const cold = h.another()
  const readsOfADebit = async (of = newWalletId()): Promise<number> => {
    const before = cold.store.reads
    await cold.writer.execute(of, debit(100, 'O-1', { of }))
    return cold.store.reads - before
  }
  t.equal(await readsOfADebit(wallets[0]), 0)
  h.rowsAreProven = false
  t.equal(await readsOfADebit(wallets[1]), 0, 'a yes holds')
  cold.store.generation += 1
  t.equal(await readsOfADebit(wallets[2]), 1, 'until the connection is lost')
  t.equal(await readsOfADebit(), 1, 'and a no is asked again')
  h.rowsAreProven = true
  t.equal(await readsOfADebit(), 0)
})

t.test('a row whose event is another one is not appended to', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const rows = await h.readModels.load(h.walletId)
  h.log.setBack(1)
  await h.send(h.credit(100, 'C-2'), h.another().writer)
  const cold = h.another()
  cold.readModels.forged = rows
  t.equal(await result(h.send(h.debit(400, 'O-1'), cold.writer)), 'unavailable: broken')
  t.equal(h.stream().wallet.balanceMinor, 100)
})
