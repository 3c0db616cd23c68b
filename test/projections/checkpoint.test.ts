// A store that is another one, or an older copy of the same, is refused: nothing is skipped over.
import t from 'tap'
import { OtherStoreError, readCheckpoint, verifyCheckpoint } from '../../projections/checkpoint.js'
import { ProjectionRunner } from '../../projections/runner.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { credit } from '../support/given.js'
import { newWalletId, quietLog, TestDatabaseLedger } from '../support/ledger.js'
import { MemoryEventStore, MemoryLog } from '../support/memory-store.js'

const system = { clock: systemClock, random: systemRandom, log: quietLog }

t.test('a new database notes the marker of its store, once', async (t) => {
  const ledger = await TestDatabaseLedger.open(t, { store: new MemoryEventStore() })
  const { marker } = await readCheckpoint(ledger.pool)
  t.equal(marker, await ledger.store.readMarker())
  await verifyCheckpoint(ledger.store, ledger.tables)
  t.equal((await readCheckpoint(ledger.pool)).marker, marker)
})

t.test('another store is refused, and nothing is written to it', async (t) => {
  const ledger = await written(t)
  for (const other of [new MemoryEventStore(), await markedStore()]) {
    await t.rejects(verifyCheckpoint(other, ledger.tables), OtherStoreError)
    t.same(
      await refusal(ledger, other),
      'the event store is another one than the read models were made from',
    )
    t.equal(other.log.events.length, 0)
  }
  t.equal(await new MemoryEventStore().readMarker(), undefined)
})

t.test('an older copy of the store is refused, also when it was written to since', async (t) => {
  const ledger = await written(t)
  const older = copyOf(ledger.store.log, 2)
  const sentence = /does not hold the last event of the read models/
  await t.rejects(verifyCheckpoint(older, ledger.tables), sentence)
  t.match(await refusal(ledger, older), sentence)
  const of = newWalletId()
  const [template] = ledger.store.log.events
  if (template === undefined) throw new Error('no event')
  let expectedId: string | undefined
  for (let revision = 0; revision < 5; revision += 1) {
    const place = { stream: `wallet-${of}`, expectedRevision: revision - 1, expectedId }
    expectedId = newWalletId()
    await older.append({ ...place, events: [{ ...template, id: expectedId }] })
  }
  await t.rejects(verifyCheckpoint(older, ledger.tables), sentence)
})

t.test(
  'a runner that is running notices an exchanged store when it subscribes again',
  async (t) => {
    const ledger = await written(t)
    const runner = new ProjectionRunner({
      store: ledger.store,
      tables: ledger.tables,
      ...system,
    })
    t.teardown(() => runner.stop())
    runner.start()
    ledger.store.log.marker = newWalletId()
    // The next read of the tail gets no answer, so the runner subscribes anew.
    ledger.store.failNextReads(1)
    const of = newWalletId()
    await ledger.store.append({
      stream: `wallet-${of}`,
      expectedRevision: -1,
      events: [{ id: newWalletId(), type: 'WalletOpened', data: '{}', metadata: '{}' }],
    })
    await runner.ended()
    t.match(runner.contradiction, 'another one')
  },
)

interface WrittenLedger extends TestDatabaseLedger {
  readonly store: MemoryEventStore
}

async function written(t: { teardown(work: () => unknown): void }): Promise<WrittenLedger> {
  const ledger = await TestDatabaseLedger.open(t, { store: new MemoryEventStore() })
  const of = newWalletId()
  for (let index = 0; index < 4; index += 1) await ledger.send(of, credit(1, `C-${index}`, { of }))
  await ledger.project()
  return ledger as WrittenLedger
}

async function markedStore(): Promise<MemoryEventStore> {
  const store = new MemoryEventStore()
  await store.createMarker()
  return store
}

function copyOf(log: MemoryLog, count: number): MemoryEventStore {
  const copy = new MemoryLog()
  copy.marker = log.marker
  for (const event of log.events.slice(0, count)) {
    const { stream, revision } = event
    const expectedId = copy.stream(stream).at(-1)?.id
    copy.append({ stream, expectedRevision: revision - 1, expectedId, events: [event] })
  }
  return new MemoryEventStore(copy)
}

/** Why a projector on this store has stopped. */
async function refusal(ledger: TestDatabaseLedger, store: MemoryEventStore) {
  const { tables } = ledger
  const runner = new ProjectionRunner({ store, tables, ...system })
  runner.start()
  await runner.ended()
  return runner.contradiction
}
