/** The memory store keeps the contract, and its faults do what lane tests rely on. */
import t from 'tap'
import {
  AppendRefusedError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '../../src/event-store/event-store.js'
import { MemoryEventStore } from '../support/memory-store.js'
import { eventStoreContract } from './contract.js'
import { holdsExactly, newEvents, newStream, write } from './contract-events.js'

eventStoreContract(t, 'the memory store', async () => {
  const store = new MemoryEventStore()
  const stores = [store]
  const another = async (): Promise<MemoryEventStore> => {
    const other = new MemoryEventStore(store.log)
    stores.push(other)
    return other
  }
  const loseConnections = async (): Promise<void> => {
    for (const one of stores) one.generation += 1
  }
  return { store, another, refusedData: '{"text":"\0"}', keepsAnyText: true, loseConnections }
})

void t.test('an unknown outcome may be written or not, and a repeat settles it', async (t) => {
  const store = new MemoryEventStore()
  store.failNextAppends({ outcome: 'lost' }, { outcome: 'unacknowledged' }, { outcome: 'refused' })
  const batch = { stream: newStream(), expectedRevision: -1, events: newEvents(2) }
  await t.rejects(store.append(batch), OutcomeUnknownError)
  t.strictSame(store.log.stream(batch.stream), [], 'lost')
  await t.rejects(store.append(batch), OutcomeUnknownError)
  t.equal(store.log.stream(batch.stream).length, 2, 'written all the same')
  await t.rejects(store.append(batch), AppendRefusedError)
  await write(t, store, batch)
  await holdsExactly(t, store, batch)
  t.strictSame(store.appends, [batch, batch, batch, batch], 'every try is on record')
})

void t.test('a held append waits before or after its commit until it is released', async (t) => {
  const store = new MemoryEventStore()
  for (const when of ['before', 'after'] as const) {
    const hold = store.holdNextAppend(when)
    const batch = { stream: newStream(), expectedRevision: -1, events: newEvents(1) }
    const answer = store.append(batch)
    t.strictSame(await hold.reached, batch)
    t.equal(store.log.stream(batch.stream).length, when === 'before' ? 0 : 1)
    hold.release()
    t.strictSame(await answer, { kind: 'written' })
  }
})

void t.test('a held append is answered when the store closes', async (t) => {
  const store = new MemoryEventStore()
  const hold = store.holdNextAppend('after')
  const answer = store.append({ stream: newStream(), expectedRevision: -1, events: newEvents(1) })
  await hold.reached
  const [settled] = await Promise.all([t.rejects(answer, OutcomeUnknownError), store.close()])
  t.ok(settled)
})

void t.test('a fault can be chosen by the batch, and reads can fail a few times', async (t) => {
  const store = new MemoryEventStore()
  const bad = newStream()
  store.onAppend = ({ stream }) => (stream === bad ? { outcome: 'lost' } : undefined)
  const events = newEvents(1)
  await t.rejects(store.append({ stream: bad, expectedRevision: -1, events }), OutcomeUnknownError)
  await write(t, store, { stream: newStream(), expectedRevision: -1, events })
  store.failNextReads(2)
  await t.rejects(store.check(), StoreUnavailableError)
  await t.rejects(store.readHead(bad), StoreUnavailableError)
  await store.check()
})
