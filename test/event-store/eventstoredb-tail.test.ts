/**
 * The tail of the log on EventStoreDB when subscriptions drop, and how one store is told from
 * another: every event once and in order, or a loud refusal.
 */
import { status } from '@grpc/grpc-js'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import t from 'tap'
import { noStream, startOfLog, StoreCorruptError } from '../../src/event-store/event-store.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import type { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import {
  batchOf,
  newEvents,
  newStream,
  settle,
  storeUnderFault,
  tailUntil,
  until,
} from '../support/eventstoredb/store-under-fault.js'

const drops: readonly (readonly [string, (standIn: EventStoreStandIn) => void])[] = [
  ['the server ends it politely', (it) => it.faults.endSubscriptions()],
  ['it fails as CANCELLED', (it) => it.faults.dropSubscriptions(status.CANCELLED)],
  ['it fails as UNAVAILABLE', (it) => it.faults.dropSubscriptions(status.UNAVAILABLE)],
  ['it fails as INTERNAL', (it) => it.faults.dropSubscriptions(status.INTERNAL)],
  ['it fails as UNKNOWN', (it) => it.faults.dropSubscriptions(status.UNKNOWN)],
  ['the connection breaks', (it) => it.faults.killConnections()],
]

for (const [sentence, drop] of drops)
  t.test(`a subscription is resumed without a gap when ${sentence}`, async (t) => {
    const { standIn, store } = await storeUnderFault(t)
    const stream = newStream()
    const written: string[] = []
    const write = async (): Promise<void> => {
      const place = { stream, expectedRevision: written.length - 1, expectedId: written.at(-1) }
      const batch = { ...place, events: newEvents(7) }
      await settle(store, batch)
      written.push(...batch.events.map((event) => event.id))
    }
    await write()
    const options = { after: startOfLog, maxCount: 5 }
    const batches = await tailUntil(store, options, async (events) => {
      if (written.length < 70) {
        drop(standIn)
        await write()
      }
      return events.length === 70
    })
    t.same(
      batches.flat().map((event) => event.id),
      written,
    )
  })

t.test('a subscription follows the lead from node to node', async (t) => {
  const { standIn, store } = await storeUnderFault(t, { nodes: 3 })
  const stream = newStream()
  await store.append(batchOf(stream, noStream))
  const batches = await tailUntil(store, { after: startOfLog }, async (events) => {
    if (events.length > 4) return true
    if (events.length === 2) await standIn.faults.killNode(standIn.leader ?? 0)
    else standIn.faults.endSubscriptions()
    if (events.length !== 2) standIn.faults.changeLeader()
    const place = { stream, expectedRevision: events.length - 1, expectedId: events.at(-1)?.id }
    await settle(store, { ...place, events: newEvents(1) })
    return false
  })
  t.same(
    batches.flat().map((event) => event.revision),
    [0, 1, 2, 3, 4],
  )
})

t.test('batches keep their bounds, the order of the log and its positions', async (t) => {
  const { store } = await storeUnderFault(t)
  for (let count = 0; count < 5; count += 1) await store.append(batchOf(newStream(), noStream, 8))
  const options = { after: startOfLog, maxCount: 10, maxWaitMs: 20_000 }
  const batches = await tailUntil(store, options, (events) => events.length === 40)
  t.same(
    batches.map((batch) => batch.length),
    [10, 10, 10, 10],
  )
  const positions = batches.flat().map((event) => event.position)
  t.same(
    positions,
    [...positions].sort((one, other) => Number(one - other)),
  )
  const after = positions[29] ?? startOfLog
  const [rest] = await tailUntil(store, { after }, () => true)
  t.equal(rest?.[0]?.position, positions[30], 'a tail starts after the given position')
})

t.test('an event does not wait for company longer than asked', async (t) => {
  const { store } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream))
  const [batch] = await tailUntil(store, { after: startOfLog, maxWaitMs: 0 }, () => true)
  t.equal(batch?.length, 1)
})

t.test('what others keep in the same store is none of our business', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const client = EventStoreDBClient.connectionString(standIn.connectionString)
  t.teardown(() => client.dispose())
  const foreign = (): Promise<unknown> =>
    client.appendToStream('orders-1', jsonEvent({ type: 'OrderPlaced', data: {} }))
  t.equal(await store.lastEvent(), undefined, 'an empty ledger has no last event')
  await foreign()
  const batch = batchOf(newStream(), noStream, 2)
  await store.append(batch)
  const { position } = (await foreign()) as { position: { commit: bigint } }
  const last = await store.lastEvent()
  t.equal(last?.id, batch.events[1]?.id)
  t.equal(await store.eventAt(position.commit), undefined)
  t.same(await store.eventAt(last?.position ?? 0n), last)
  const batches = await tailUntil(store, { after: startOfLog }, (events) => events.length === 2)
  t.same(
    batches.flat().map((event) => event.id),
    batch.events.map((event) => event.id),
  )
})

t.test('an event that nobody of ours can have written stops the tail', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const client = EventStoreDBClient.connectionString(standIn.connectionString)
  t.teardown(() => client.dispose())
  await client.appendToStream(newStream(), jsonEvent({ type: 'Strange', data: {} }))
  await t.rejects(
    tailUntil(store, { after: startOfLog }, () => true),
    StoreCorruptError,
  )
})

t.test('aborting ends a tail at once, wherever it stands', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const controller = new AbortController()
  const { signal } = controller
  const tail = store.tail({ after: startOfLog, maxCount: 10, maxWaitMs: 5, signal })
  const idle = tail[Symbol.asyncIterator]().next()
  await until(() => standIn.subscriptionCount === 1)
  controller.abort()
  t.same(await idle, { done: true, value: undefined })
  await until(() => standIn.subscriptionCount === 0)

  await standIn.faults.killNode(0)
  const later = new AbortController()
  const down = tailUntilAborted(store.tail({ ...endless, signal: later.signal }))
  later.abort()
  t.same(await down, [], 'also while the server is down')
  const aborted = AbortSignal.abort()
  t.same(await tailUntilAborted(store.tail({ ...endless, signal: aborted })), [])
})

t.test('a reader that stops early leaves no subscription behind', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream, 20))
  const { signal } = new AbortController()
  for await (const batch of store.tail({ ...endless, maxCount: 3, signal })) {
    t.equal(batch.length, 3)
    break
  }
  await until(() => standIn.subscriptionCount === 0)
})

t.test('a log that runs back stops the tail', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream, 4))
  const after = (await store.lastEvent())?.position ?? 0n
  standIn.faults.redeliverOnSubscription(2)
  await t.rejects(
    tailUntil(store, { after }, () => false),
    StoreCorruptError,
  )
})

t.test('a store that lost what was already seen is refused, not skipped over', async (t) => {
  for (const lose of ['wipe', 'restore', 'rewrite'] as const) {
    const { standIn, store } = await storeUnderFault(t)
    const stream = newStream()
    await store.append(batchOf(stream, noStream, 4))
    const tail = tailUntil(store, { after: startOfLog }, async () => {
      if (lose === 'restore') standIn.faults.restoreTo(2)
      else standIn.faults.wipe()
      if (lose === 'rewrite') await settle(store, batchOf(stream, noStream, 4))
      return false
    })
    await t.rejects(tail, StoreCorruptError, lose)
  }
})

t.test('a store has one marker for its whole life, whoever makes it', async (t) => {
  const { standIn, store, open } = await storeUnderFault(t)
  const other = open()
  t.equal(await store.readMarker(), undefined)
  const [one, two] = await Promise.all([store.createMarker(), other.createMarker()])
  t.equal(one, two)
  t.equal(await store.createMarker(), one)
  t.equal(await other.readMarker(), one)
  t.equal(await store.lastEvent(), undefined, 'the marker is no event of the ledger')
  await store.append(batchOf(newStream(), noStream))
  const last = await store.lastEvent()
  standIn.faults.wipe()
  t.equal(await store.readMarker(), undefined)
  t.equal(await store.eventAt(last?.position ?? 0n), undefined)
  t.not(await store.createMarker(), one)
})

t.test('a marker is made through lost answers and open races', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  standIn.faults.nextAppend('unsettled')
  standIn.faults.nextAppend('cut-after-commit')
  const marker = await store.createMarker()
  t.equal(await store.readMarker(), marker)
  t.equal(standIn.eventsOf('ledger-meta').length, 1)
})

const endless = { after: startOfLog, maxCount: 10, maxWaitMs: 5 }

async function tailUntilAborted(
  tail: AsyncIterable<readonly RecordedEvent[]>,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const batch of tail) events.push(...batch)
  return events
}
