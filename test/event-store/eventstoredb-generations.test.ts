/**
 * The faults of the EventStoreDB client itself, and nodes that freeze, die or hand over the lead:
 * the store gives up a client in time, never uses two at once, and nothing of it harms the process.
 */
import { status } from '@grpc/grpc-js'
import t from 'tap'
import {
  OutcomeUnknownError,
  StoreUnavailableError,
  noStream,
} from '../../src/event-store/event-store.js'
import type { AppendBatch } from '../../src/event-store/event-store.js'
import {
  batchAfter,
  batchOf,
  idsOf,
  newEvents,
  newStream,
  settle,
  storeUnderFault,
  tailUntil,
  until,
} from '../support/eventstoredb/store-under-fault.js'

const replaced = /^the event store client for appends is replaced/

t.test('many wallets wait in vain, and the client is replaced once', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream))
  const batches = Array.from({ length: 30 }, () => batchOf(newStream(), noStream, 2))
  standIn.faults.nextAppend('silent-after-commit', 30)
  const outcomes = await Promise.allSettled(batches.map((batch) => store.append(batch)))
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') t.fail('an append was answered')
    else t.type(outcome.reason, OutcomeUnknownError)
  for (const batch of batches) t.same(await store.append(batch), { kind: 'written' })
  t.equal(notices.filter((notice) => replaced.test(notice)).length, 1)
})

t.test('a stream of appends that ends politely is noticed without waiting', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  const batches = [batchOf(newStream(), noStream), batchOf(newStream(), noStream)]
  standIn.faults.nextAppend('silent-before-commit')
  standIn.faults.nextAppend('end-after-commit')
  await Promise.all(batches.map((batch) => t.rejects(store.append(batch), OutcomeUnknownError)))
  for (const batch of batches) t.same(await store.append(batch), { kind: 'written' })
  t.same(notices, [], 'by the same client')
})

t.test('the service starts before its database and works when that is there', async (t) => {
  const more = '&maxDiscoverAttempts=1'
  const { standIn, store } = await storeUnderFault(t, { nodes: 3, more })
  const batch = batchOf(newStream(), noStream)
  standIn.faults.failGossip()
  await t.rejects(store.append(batch), OutcomeUnknownError)
  await t.rejects(store.check(), StoreUnavailableError)
  standIn.faults.healGossip()
  await store.check()
  t.same(await store.append(batch), { kind: 'written' })
})

t.test('an unreachable server is an unknown outcome, and no reason to give up', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const batch = batchOf(newStream(), noStream)
  await standIn.faults.killNode(0)
  await t.rejects(store.append(batch), OutcomeUnknownError)
  await t.rejects(store.readHead(batch.stream), StoreUnavailableError)
  await standIn.faults.startNode(0)
  t.same(await settle(store, batch), { kind: 'written' })
})

t.test('another store that loses its stream harms nobody', async (t) => {
  // The client's own appends wait in one table of the whole process, which any stream clears.
  const mine = await storeUnderFault(t)
  const other = await storeUnderFault(t)
  for (const { store } of [mine, other]) await store.append(batchOf(newStream(), noStream))
  const wire = mine.standIn.recordWire()
  mine.standIn.faults.delayAnswers(100)
  const waiting = mine.store.append(batchOf(newStream(), noStream))
  await wire.until((entries) => entries.some((entry) => entry.method === 'BatchAppend'))
  other.standIn.faults.nextAppend({ failWith: status.INTERNAL, isCommitted: false })
  await t.rejects(other.store.append(batchOf(newStream(), noStream)), OutcomeUnknownError)
  t.same(await waiting, { kind: 'written' })
  t.same(mine.notices, [])
})

t.test('a crowd of large appends to a frozen server ends without a trace', async (t) => {
  // More than the connection takes: the client would reject the rest where nobody listens.
  const { standIn, store } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream))
  const batches = Array.from({ length: 60 }, (): AppendBatch => {
    const events = newEvents(1, 'x'.repeat(50_000))
    return { stream: newStream(), expectedRevision: noStream, events }
  })
  standIn.faults.freeze()
  const outcomes = await Promise.allSettled(batches.map((batch) => store.append(batch)))
  t.ok(outcomes.every((outcome) => outcome.status === 'rejected'))
  standIn.faults.thaw()
  for (const batch of batches) t.same(await settle(store, batch), { kind: 'written' })
  for (const { stream } of batches) t.equal((await idsOf(store, stream)).length, 1)
})

t.test('a client that was given up sends nothing when the server wakes up', async (t) => {
  const { standIn, store } = await storeUnderFault(t, { nodes: 3 })
  standIn.faults.freeze()
  await t.rejects(store.append(batchOf(newStream(), noStream)), OutcomeUnknownError)
  const wire = standIn.recordWire()
  standIn.faults.thaw()
  // Its question who leads is answered now, and the append would follow.
  await wire.until((entries) => entries.some((entry) => entry.method === 'Gossip'))
  await store.check()
  await store.check()
  t.equal(standIn.appendsReceived, 0)
})

t.test('a client that fails again and again is replaced', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  const batch = batchOf(newStream(), noStream)
  standIn.faults.nextAppend({ failWith: status.UNKNOWN, isCommitted: false }, 3)
  for (let times = 1; times <= 3; times += 1) {
    await t.rejects(store.append(batch), OutcomeUnknownError)
    t.equal(notices.length, times < 3 ? 0 : 1)
  }
  t.same(await store.append(batch), { kind: 'written' })
})

t.test('appends that fail together count as one failure', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  await store.append(batchOf(newStream(), noStream))
  const batches = Array.from({ length: 20 }, () => batchOf(newStream(), noStream))
  standIn.faults.nextAppend('silent-before-commit', 19)
  standIn.faults.nextAppend({ failWith: status.INTERNAL, isCommitted: false })
  await Promise.allSettled(batches.map((batch) => store.append(batch)))
  t.same(notices, [])
})

t.test('a dropped subscription does not touch the connection of the appends', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const stream = newStream()
  const first = batchOf(stream, noStream)
  await store.append(first)
  const tail = tailUntil(store, { after: 0n }, (events) => events.length === 2)
  await until(() => standIn.subscriptionCount === 1)
  const wire = standIn.recordWire()
  standIn.faults.dropSubscriptions(status.CANCELLED)
  await wire.until((entries) => entries.some((entry) => entry.kind === 'call'))
  await until(() => standIn.subscriptionCount === 1)
  t.same(await store.append(batchAfter(first)), { kind: 'written' })
  await tail
  const calls = wire.take().filter((entry) => entry.kind === 'call')
  t.ok(
    calls.every((call) => call.method === 'Read'),
    'no new stream of appends was opened',
  )
})

t.test('a frozen leader is left for the new one', async (t) => {
  const { standIn, store } = await storeUnderFault(t, { nodes: 3 })
  const stream = newStream()
  const first = batchOf(stream, noStream)
  await store.append(first)
  const batch = batchAfter(first)
  standIn.faults.freeze(standIn.leader)
  standIn.faults.changeLeader()
  await t.rejects(store.append(batch), OutcomeUnknownError)
  t.same(await settle(store, batch), { kind: 'written' })
  t.equal((await store.readHead(stream))?.revision, 1)
})

t.test('a read of a frozen server is given up, and so is its client', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  const stream = newStream()
  await store.append(batchOf(stream, noStream, 2))
  standIn.faults.freeze()
  await t.rejects(store.readHead(stream), StoreUnavailableError)
  await t.rejects(idsOf(store, stream), StoreUnavailableError)
  t.match(notices, [replaced])
  standIn.faults.thaw()
  t.equal((await store.readHead(stream))?.revision, 1)
})

t.test('a read whose client is replaced under it is never taken for a short stream', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const stream = newStream()
  const batch = batchOf(stream, noStream, 800)
  t.same(await settle(store, batch), { kind: 'written' })
  const ids: string[] = []
  for await (const event of store.readStream(stream, { fromRevision: 0, maxCount: 1_000 })) {
    ids.push(event.id)
    if (ids.length !== 3) continue
    standIn.faults.nextAppend('silent-before-commit')
    await t.rejects(store.append(batchOf(newStream(), noStream)), OutcomeUnknownError)
  }
  t.same(
    ids,
    batch.events.map((event) => event.id),
  )
})

t.test('the lead moves: appends and reads follow it', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t, { nodes: 3 })
  const stream = newStream()
  const wire = standIn.recordWire()
  let batch = batchOf(stream, noStream)
  await store.append(batch)
  for (let revision = 0; revision < 4; revision += 1) {
    standIn.faults.changeLeader()
    if (revision % 2 === 0) t.equal((await store.readHead(stream))?.revision, revision)
    batch = batchAfter(batch)
    t.same(await settle(store, batch), { kind: 'written' })
  }
  t.same(notices, [], 'the client goes to the new leader by itself')
  const calls = wire.take().filter((entry) => entry.kind === 'call')
  for (const call of calls)
    t.match(call.metadata, { 'requires-leader': 'true' }, `${call.method} asks the leader only`)
})

t.test('a killed leader costs no event', async (t) => {
  const { standIn, store } = await storeUnderFault(t, { nodes: 3 })
  const streams = Array.from({ length: 10 }, newStream)
  const firsts = streams.map((stream) => batchOf(stream, noStream))
  for (const first of firsts) await store.append(first)
  const batches = firsts.map((first) => batchAfter(first, 2))
  const settled = Promise.all(batches.map((batch) => settle(store, batch)))
  await standIn.faults.killNode(standIn.leader ?? 0)
  for (const verdict of await settled) t.same(verdict, { kind: 'written' })
  for (const batch of batches)
    t.same(
      (await idsOf(store, batch.stream)).slice(1),
      batch.events.map((event) => event.id),
    )
})

t.test('a closed store answers nobody and leaves nothing behind', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const batch = batchOf(newStream(), noStream)
  await store.append(batch)
  standIn.faults.nextAppend('silent-before-commit')
  const waiting = t.rejects(store.append(batchOf(newStream(), noStream)), OutcomeUnknownError)
  await store.close()
  await waiting
  await t.rejects(store.append(batch), OutcomeUnknownError)
  await t.rejects(store.check(), StoreUnavailableError)
})
