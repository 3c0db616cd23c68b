/**
 * Appends to EventStoreDB when things go wrong: every failure of the client has one meaning, and a
 * batch that is repeated unchanged is written exactly once.
 */
import { status } from '@grpc/grpc-js'
import { EventStoreDBClient } from '@eventstore/db-client'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import {
  AppendRefusedError,
  NotWritableError,
  OutcomeUnknownError,
  StoreCorruptError,
  noStream,
} from '../../src/event-store/event-store.js'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { entryIdOf, walletIdOf } from '../../src/domain/ids.js'
import { emptyWallet, open } from '../../src/domain/wallet.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import { appendFailingMs, conflictEventsMax } from '../../src/limits.js'
import { systemRandom } from '../../src/platform/random.js'
import type { AppendFault } from '../support/eventstoredb/faults.js'
import { FakeClock } from '../support/fake-clock.js'
import {
  batchAfter,
  batchOf,
  idsOf,
  newEvents,
  newStream,
  settle,
  storeUnderFault,
} from '../support/eventstoredb/store-under-fault.js'

const unknownOutcomes: readonly (readonly [string, AppendFault])[] = [
  ['the connection breaks after the commit', 'cut-after-commit'],
  ['the connection breaks before the commit', 'cut-before-commit'],
  ['the server commits and never answers', 'silent-after-commit'],
  ['the server forgets the append and never answers', 'silent-before-commit'],
  ['the server ends the stream of appends politely', 'end-after-commit'],
  ['the server times out before the commit', 'timeout-before-commit'],
  ['the server is not ready', 'not-ready'],
  ['the leader has moved', 'not-leader'],
  ['the append is on the leader but not replicated', 'not-replicated'],
  ['the stream fails as UNAVAILABLE', { failWith: status.UNAVAILABLE, isCommitted: true }],
  ['the stream fails as CANCELLED', { failWith: status.CANCELLED, isCommitted: true }],
  ['the stream fails as INTERNAL', { failWith: status.INTERNAL, isCommitted: true }],
  ['the stream fails as UNKNOWN', { failWith: status.UNKNOWN, isCommitted: false }],
  ['the stream fails as UNAUTHENTICATED', { failWith: status.UNAUTHENTICATED, isCommitted: true }],
  [
    'the stream fails as INVALID_ARGUMENT',
    { failWith: status.INVALID_ARGUMENT, isCommitted: true },
  ],
]

for (const [sentence, fault] of unknownOutcomes)
  t.test(`when ${sentence} the outcome is unknown, and a repeat writes once`, async (t) => {
    const { standIn, store } = await storeUnderFault(t)
    standIn.faults.setServerTimeout(20)
    const stream = newStream()
    const first = batchOf(stream, noStream)
    t.same(await store.append(first), { kind: 'written' })
    const batch = batchAfter(first, 3)
    standIn.faults.nextAppend(fault)
    await t.rejects(store.append(batch), OutcomeUnknownError)
    t.same(await settle(store, batch), { kind: 'written' })
    t.same(
      (await idsOf(store, stream)).slice(1),
      batch.events.map((event) => event.id),
    )
    t.same(await store.append(batchAfter(batch)), { kind: 'written' }, 'and the wallet goes on')
  })

const refusals: readonly (readonly [string, AppendFault])[] = [
  ['the server denies access', 'access-denied'],
  ['the server finds the batch too large', 'too-large'],
  ['the server finds fault with the content in a way the client does not know', 'bad-request'],
]

for (const [sentence, fault] of refusals)
  t.test(`when ${sentence} the batch is refused and nothing else suffers`, async (t) => {
    const { standIn, store, notices } = await storeUnderFault(t)
    const stream = newStream()
    standIn.faults.nextAppend(fault)
    await t.rejects(store.append(batchOf(stream, noStream)), AppendRefusedError)
    t.same(await idsOf(store, stream), [])
    t.same(await store.append(batchOf(stream, noStream)), { kind: 'written' })
    t.same(notices, [], 'on the same client')
  })

t.test(
  'a server that denies access for seconds is not well, until it takes an append',
  async (t) => {
    const { standIn } = await storeUnderFault(t)
    const clock = new FakeClock()
    const url = standIn.connectionString
    const store = new EventStoreDbStore({ url, clock, random: systemRandom })
    t.teardown(() => store.close())
    const deny = async (): Promise<void> => {
      standIn.faults.nextAppend('access-denied')
      await t.rejects(store.append(batchOf(newStream(), noStream)), AppendRefusedError)
    }
    await deny()
    await store.check()
    await clock.advance(appendFailingMs)
    await deny()
    await t.rejects(store.check(), NotWritableError)
    await store.append(batchOf(newStream(), noStream))
    await store.check()
  },
)

t.test('a batch of more than the server takes is refused', async (t) => {
  const { store } = await storeUnderFault(t)
  const events = newEvents(2, 'x'.repeat(600_000))
  await t.rejects(
    store.append({ stream: newStream(), expectedRevision: noStream, events }),
    AppendRefusedError,
  )
})

t.test('a deleted stream is never written to or read as if it were new', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const [tombstoned, soft] = [newStream(), newStream()]
  const client = EventStoreDBClient.connectionString(standIn.connectionString)
  t.teardown(() => client.dispose())
  const first = batchOf(tombstoned, noStream)
  for (const batch of [first, batchOf(soft, noStream)]) await store.append(batch)
  await client.tombstoneStream(tombstoned)
  await client.deleteStream(soft)
  await t.rejects(store.append(batchAfter(first)), AppendRefusedError)
  await t.rejects(store.readHead(tombstoned), StoreCorruptError)
  await t.rejects(
    store.append(batchOf(soft, noStream)),
    StoreCorruptError,
    'the server writes after the old end: not where this batch belongs',
  )
  await t.rejects(idsOf(store, soft), StoreCorruptError, 'its beginning is gone')
})

t.test('who loses the race is told what the winner wrote, up to a limit', async (t) => {
  const { store, open } = await storeUnderFault(t)
  const other = open()
  const stream = newStream()
  const [mine, theirs] = [batchOf(stream, noStream), batchOf(stream, noStream, 300)]
  t.same(await other.append(theirs), { kind: 'written' })
  t.same(await other.append(batchAfter(theirs, 300)), { kind: 'written' })
  const verdict = await store.append(mine)
  if (verdict.kind !== 'conflict') throw new Error('the race was not lost')
  t.equal(verdict.missing.length, conflictEventsMax)
  t.same(verdict.missing[0]?.id, theirs.events[0]?.id)
  t.same(verdict.missing[7]?.revision, 7)
})

t.test('the same reference decided at another time is a lost race, not a repeat', async (t) => {
  const { store, open } = await storeUnderFault(t)
  const stream = newStream()
  t.same(await open().append(batchOf(stream, noStream)), { kind: 'written' })
  const verdict = await store.append(batchOf(stream, noStream))
  t.equal(verdict.kind, 'conflict')
})

t.test('a race that nobody can see yet stays open, and a repeat settles it', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const stream = newStream()
  standIn.faults.nextAppend('unsettled')
  const batch = batchOf(stream, noStream, 2)
  t.same(await store.append(batch), { kind: 'conflict', missing: [] })
  t.same(await settle(store, batch), { kind: 'written' })
})

t.test('a wrong version whose winner is this very batch means written', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const stream = newStream()
  const batch = batchOf(stream, noStream, 3)
  await store.append(batch)
  await store.append(batchAfter(batch))
  standIn.faults.nextAppend('unsettled')
  t.same(await store.append(batch), { kind: 'written', already: true })
  standIn.faults.nextAppend('unsettled')
  const regrouped = { ...batch, events: [...batch.events, ...newEvents(1)] }
  t.equal((await store.append(regrouped)).kind, 'conflict', 'a part of it is not the batch')
})

t.test('an append that the server gave up is settled by what stands at its place', async (t) => {
  const { standIn, store, open } = await storeUnderFault(t)
  const [mine, lost] = [batchOf(newStream(), noStream, 2), batchOf(newStream(), noStream)]
  standIn.faults.nextAppend('timeout-after-commit')
  t.same(await store.append(mine), { kind: 'written', already: true }, 'itself')
  await open().append({ ...lost, events: newEvents(2) })
  standIn.faults.nextAppend('timeout-before-commit')
  t.match(await store.append(lost), { kind: 'conflict', missing: { length: 2 } }, 'another')
  const old = { ...batchAfter(mine), expectedId: randomUUID() }
  standIn.faults.nextAppend('timeout-before-commit')
  await t.rejects(store.append(old), OutcomeUnknownError, 'what it follows is not there')
})

t.test('a twin of an append under way is unknown, until that one is there', async (t) => {
  const { standIn, store, open } = await storeUnderFault(t)
  standIn.faults.setServerTimeout(300)
  const batch = batchOf(newStream(), noStream, 2)
  const send = async () => {
    const received = standIn.appendsReceived
    const first = store.append(batch).catch((error: unknown) => error)
    await standIn.untilAppendsReceived(received + 1)
    const twin = other.append(batch).catch((error: unknown) => error)
    await standIn.untilAppendsReceived(received + 2)
    return { first, twin }
  }
  const other = open()
  standIn.faults.holdReplication()
  const hidden = await send()
  t.type(await hidden.first, OutcomeUnknownError)
  t.type(await hidden.twin, OutcomeUnknownError, 'nothing is there yet')
  standIn.faults.loseUnreplicated()
  standIn.faults.holdReplication()
  const { first, twin } = await send()
  standIn.faults.replicate()
  t.same(await first, { kind: 'written' })
  t.same(await twin, { kind: 'written', already: true }, 'only one of them wrote')
  t.equal((await idsOf(store, batch.stream)).length, 2)
})

t.test('the winner cannot be read: the outcome is unknown', async (t) => {
  const { standIn, store, open } = await storeUnderFault(t)
  const stream = newStream()
  await open().append(batchOf(stream, noStream))
  await store.check()
  const wire = standIn.recordWire()
  const lost = store.append(batchOf(stream, noStream))
  const rejected = t.rejects(lost, OutcomeUnknownError)
  await wire.until((entries) => entries.some((entry) => entry.from === 'server'))
  standIn.faults.freeze()
  await rejected
})

t.test('the store keeps the very bytes of an event', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const stream = newStream()
  const texts = [
    '{"a":1,"b":"é€😀","c":[null,true]}',
    '{"n":9007199254740991}',
    '{"s":"\\ud800\\n"}',
  ]
  const events = texts.map((data) => ({ id: randomUUID(), type: 'T', data, metadata: '{"h":"ÿ"}' }))
  await store.append({ stream, expectedRevision: noStream, events })
  const stored = standIn.eventsOf(stream).map((event) => Buffer.from(event.data).toString('utf8'))
  t.same(stored, texts)
  const read: unknown[] = []
  for await (const event of store.readStream(stream, { fromRevision: 0, maxCount: 10 }))
    read.push({ id: event.id, type: event.type, data: event.data, metadata: event.metadata })
  t.same(read, events)
})

t.test('an event in the hands of its writer is stored as the very same bytes', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const walletId = walletIdOf(randomUUID())
  const time = '2026-11-16T12:00:00.000Z'
  const empty = emptyWallet(walletId)
  const opened = writeNext(empty, open(empty, { currency: 'eur', time }))
  const reference = { referenceType: 'ORDER', referenceId: '"é€😀"\\' }
  const issuer = 'client-app:shop'
  const entryId = entryIdOf({ issuer, walletId, reference })
  const amounts = { amountMinor: 5, balanceMinor: 5 }
  const data = { ...amounts, entryId, issuer, ...reference, time } as const
  const credited = writeNext(opened.wallet, { type: 'WalletCredited', data })
  // Built with its names in another order: what counts is the text.
  const { balanceMinor, ...rest } = { ...amounts, entryId, issuer, ...reference, time }
  const mixed = { ...credited.stored.folded, event: { ...credited.stored.folded.event } }
  Object.assign(mixed.event, { data: { ...rest, balanceMinor } })
  for (const second of [credited.stored, { ...credited.stored, folded: mixed }]) {
    const stream = newStream()
    const events = [opened.stored, second]
    await store.append({ stream, expectedRevision: noStream, events })
    const bytes = standIn.eventsOf(stream).map((event) => Buffer.from(event.data).toString('utf8'))
    t.same(
      bytes,
      events.map((event) => event.data),
    )
    const read: unknown[] = []
    for await (const event of store.readStream(stream, { fromRevision: 0, maxCount: 10 }))
      read.push({ id: event.id, data: event.data, metadata: event.metadata })
    t.same(
      read,
      events.map((event) => ({ id: event.id, data: event.data, metadata: event.metadata })),
    )
  }
})

t.test('a text that would be stored as other bytes is refused before it is sent', async (t) => {
  const { standIn, store } = await storeUnderFault(t)
  const wrong = ['{"a":1.0}', '{ "a":1}', '{"2":1,"1":2}', '{"a":1,"a":2}', '{', '', '"\ud800"']
  for (const data of wrong) {
    const event = { id: randomUUID(), type: 'T', data, metadata: '{}' }
    const batch = { stream: newStream(), expectedRevision: noStream, events: [event] }
    await t.rejects(store.append(batch), AppendRefusedError, `data ${data}`)
  }
  for (const metadata of ['null', '0', '""', 'false', '[1 ]', '']) {
    const event = { id: randomUUID(), type: 'T', data: '{}', metadata }
    const batch = { stream: newStream(), expectedRevision: noStream, events: [event] }
    await t.rejects(store.append(batch), AppendRefusedError, `metadata ${metadata}`)
  }
  for (const expectedRevision of [-2, 0.5, Number.NaN])
    await t.rejects(store.append(batchOf(newStream(), expectedRevision)), AppendRefusedError)
  await t.rejects(store.append(batchOf(newStream(), noStream, 0)), AppendRefusedError)
  t.equal(standIn.appendsReceived, 0)
})
