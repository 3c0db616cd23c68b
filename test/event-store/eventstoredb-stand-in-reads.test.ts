/**
 * The stand-in's reads and subscriptions beyond the recording: places in `$all`, slow readers,
 * dropped and ended subscriptions, repeated delivery, and another or an older database behind the
 * same address.
 */
import { credentials, status } from '@grpc/grpc-js'
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  START,
  streamNameFilter,
  type AllStreamSubscription,
  type Position,
} from '@eventstore/db-client'
import t, { type Test } from 'tap'
import { glanceAt, outcomeOf } from '../support/eventstoredb/client-outcome.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import { shared, streams, StreamsClient, type ReadResp } from '../support/eventstoredb/stubs.js'

const filter = streamNameFilter({ prefixes: ['wallet-'] })

t.test('$all is read forwards from a position inclusive, backwards exclusive', async (t) => {
  const { client } = await filled(t, 5)
  const { ids, positions } = await readWallets(client, { fromPosition: START })
  t.equal(ids.length, 5)
  const third = placeAt(positions, 2)
  t.same((await readWallets(client, { fromPosition: third, maxCount: 2 })).ids, ids.slice(2, 4))
  const before = await readWallets(client, { fromPosition: third, isBackwards: true })
  t.same(before.ids, [ids[1], ids[0]])
  const last = await readWallets(client, { fromPosition: END, isBackwards: true, maxCount: 1 })
  t.same(last.ids, [ids[4]])
})

t.test('a filtered read of $all counts the events that match', async (t) => {
  const { standIn, client, ids } = await filled(t, 5)
  await client.appendToStream('other-1', newEvent())
  t.same(await readFiltered(standIn, { isBackwards: false, maxCount: 2 }), ids.slice(0, 2))
  t.same(await readFiltered(standIn, { isBackwards: true, maxCount: 2 }), [ids[4], ids[3]])
  t.equal((await readFiltered(standIn, { isBackwards: false, maxCount: 9 })).length, 5)
})

t.test('a position beyond the end reads nothing, one inside a record is refused', async (t) => {
  const { client } = await filled(t, 2)
  const { positions } = await readWallets(client, { fromPosition: START })
  const beyond = moved(placeAt(positions, 1), 1_000_000n)
  t.same((await readWallets(client, { fromPosition: beyond })).ids, [])
  const inside = moved(placeAt(positions, 0), 1n)
  const refused = { kind: 'failed', error: 'UnknownError', code: status.INVALID_ARGUMENT }
  t.match(await outcomeOf(readWallets(client, { fromPosition: inside })), refused)
  t.match(await outcomeOf(take(subscribe(client, inside), 1)), refused)
})

t.test('a slow reader gets every event once and in order', async (t) => {
  const { client, ids } = await filled(t, 600)
  const subscription = subscribe(client, START)
  const seen: string[] = []
  for await (const { event } of subscription) {
    seen.push(event?.id ?? '')
    // One turn of the loop for each event: slower than the server sends.
    await new Promise(setImmediate)
    if (seen.length === ids.length) break
  }
  t.same(seen, ids)
})

t.test('checkpoints come every 32 considered events, also when none matches', async (t) => {
  const { client } = await filled(t, 70)
  const checkpoints: bigint[] = []
  const subscription = client.subscribeToAll({
    fromPosition: START,
    filter: streamNameFilter({
      prefixes: ['no-such-stream-'],
      checkpointInterval: 1,
      checkpointReached: async (_subscription, position) => {
        checkpoints.push(position.commit)
      },
    }),
  })
  await new Promise((resolve) => subscription.on('caughtUp', resolve))
  await subscription.unsubscribe()
  t.equal(checkpoints.length, Math.floor((77 + 70) / 32))
  t.same(
    checkpoints,
    checkpoints.toSorted((one, other) => (one < other ? -1 : 1)),
  )
})

for (const [code, error] of [
  [status.CANCELLED, 'CancelledError'],
  [status.UNAVAILABLE, 'UnavailableError'],
  [status.INTERNAL, 'UnknownError'],
] as const)
  t.test(`a subscription dropped with code ${code} fails with ${error}`, async (t) => {
    const { standIn, client } = await filled(t, 3)
    const dropped = take(subscribe(client, START), 4, (count) => {
      if (count === 3) standIn.faults.dropSubscriptions(code)
    })
    t.match(await outcomeOf(dropped), { kind: 'failed', error })
    t.equal(standIn.subscriptionCount, 0)
  })

t.test('a subscription that the server ends with OK looks like a normal end', async (t) => {
  const { standIn, client } = await filled(t, 3)
  const ended = take(subscribe(client, START), 4, (count) => {
    if (count === 3) standIn.faults.endSubscriptions()
  })
  const outcome = await outcomeOf(ended)
  t.match(outcome, { kind: 'answered', value: { length: 3 } })
})

t.test('a broken connection ends a subscription with an error', async (t) => {
  const { standIn, client } = await filled(t, 3)
  const broken = take(subscribe(client, START), 4, (count) => {
    if (count === 3) standIn.faults.killConnections()
  })
  t.match(await outcomeOf(broken), { kind: 'failed', error: 'UnavailableError' })
})

t.test('a resubscription may deliver events a second time', async (t) => {
  const { standIn, client, ids } = await filled(t, 6)
  const { positions } = await readWallets(client, { fromPosition: START })
  const place = placeAt(positions, 3)
  standIn.faults.redeliverOnSubscription(2)
  t.same(await take(subscribe(client, place), 4), ids.slice(2), 'the third and fourth once more')
  t.same(await take(subscribe(client, place), 2), ids.slice(4), 'only the one subscription')
})

t.test('an event held back from replication is delivered when it is replicated', async (t) => {
  const { standIn, client, ids } = await filled(t, 1)
  const subscription = take(subscribe(client, START), 2)
  standIn.faults.setServerTimeout(60_000)
  standIn.faults.holdReplication()
  const held = newEvent()
  const appended = client.appendToStream('wallet-1', held)
  await standIn.untilAppendsReceived(2)
  t.same(await glanceAt(subscription), { kind: 'open' })
  standIn.faults.replicate()
  t.same(await subscription, [...ids, held.id])
  await appended
})

t.test('a subscription to one stream sees that stream only', async (t) => {
  const { client } = await filled(t, 2)
  await client.appendToStream('wallet-2', newEvent())
  const revisions: bigint[] = []
  const subscription = client.subscribeToStream('wallet-1', { fromRevision: 0n })
  for await (const { event } of subscription) {
    revisions.push(event?.revision ?? -1n)
    if (revisions.length === 1) await client.appendToStream('wallet-1', newEvent())
    if (revisions.length === 2) break
  }
  t.same(revisions, [1n, 2n])
})

t.test('a wiped database is empty and has another history', async (t) => {
  const { standIn, client } = await filled(t, 4)
  const before = await firstOfAll(client)
  const subscription = take(subscribe(client, END), 1)
  t.same(await glanceAt(subscription), { kind: 'open' })
  standIn.faults.wipe()
  t.match(await outcomeOf(subscription), { kind: 'failed' }, 'who was connected is cut off')
  const newcomer = await reconnected(t, standIn)
  t.same((await readWallets(newcomer, { fromPosition: START })).ids, [])
  t.equal(standIn.eventCount, 0)
  t.not(await firstOfAll(newcomer), before)
})

t.test('an older copy has the first events and gives their places to others', async (t) => {
  const { standIn, client, ids } = await filled(t, 5)
  const { positions } = await readWallets(client, { fromPosition: START })
  standIn.faults.restoreTo(3)
  const newcomer = await reconnected(t, standIn)
  const restored = await readWallets(newcomer, { fromPosition: START })
  t.same(restored.ids, ids.slice(0, 3))
  const other = newEvent()
  const result = await newcomer.appendToStream('wallet-1', other, { expectedRevision: 2n })
  t.same(result.position, positions[3], 'the place of an event that is gone')
  const after = await readWallets(newcomer, { fromPosition: placeAt(positions, 3), maxCount: 1 })
  t.same(after.ids, [other.id])
})

async function filled(
  t: Test,
  count: number,
): Promise<{ standIn: EventStoreStandIn; client: EventStoreDBClient; ids: string[] }> {
  const standIn = await EventStoreStandIn.start()
  t.teardown(() => standIn.stop())
  const client = connect(t, standIn)
  const events = Array.from({ length: count }, newEvent)
  await client.appendToStream('wallet-1', events)
  return { standIn, client, ids: events.map(({ id }) => id) }
}

function connect(t: Test, standIn: EventStoreStandIn): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(standIn.connectionString)
  t.teardown(() => glanceAt(client.dispose()))
  return client
}

/** Clients of one process share their connections, so a new one may still meet the broken one. */
async function reconnected(t: Test, standIn: EventStoreStandIn): Promise<EventStoreDBClient> {
  const client = connect(t, standIn)
  for (let attempt = 1; attempt < 10; attempt += 1)
    if ((await outcomeOf(firstOfAll(client))).kind === 'answered') break
  return client
}

function newEvent() {
  return jsonEvent({ type: 'WalletCredited', data: { amount: '1.00' } })
}

type From = Position | typeof START | typeof END

/** The client's readAll has no filter, so the events of the system are left out here. */
async function readWallets(
  client: EventStoreDBClient,
  options: { fromPosition: From; maxCount?: number; isBackwards?: boolean },
): Promise<{ ids: string[]; positions: Position[] }> {
  const { fromPosition, maxCount = 1_000, isBackwards = false } = options
  const ids: string[] = []
  const positions: Position[] = []
  const events = client.readAll({
    fromPosition,
    maxCount,
    direction: isBackwards ? BACKWARDS : FORWARDS,
  })
  for await (const { event } of events) {
    const streamId: string = event?.streamId ?? ''
    if (event === undefined || !streamId.startsWith('wallet-')) continue
    ids.push(event.id)
    positions.push(event.position)
  }
  return { ids, positions }
}

/** Asked with the bare stubs: the client offers no filter for reads. */
async function readFiltered(
  standIn: EventStoreStandIn,
  options: { isBackwards: boolean; maxCount: number },
): Promise<string[]> {
  const all = new streams.ReadReq.Options.AllOptions()
  if (options.isBackwards) all.setEnd(new shared.Empty())
  else all.setStart(new shared.Empty())
  const expression = new streams.ReadReq.Options.FilterOptions.Expression()
  const request = new streams.ReadReq.Options()
  request.setAll(all)
  const direction = streams.ReadReq.Options.ReadDirection
  request.setReadDirection(options.isBackwards ? direction.BACKWARDS : direction.FORWARDS)
  request.setCount(options.maxCount.toString())
  request.setFilter(
    new streams.ReadReq.Options.FilterOptions().setStreamIdentifier(
      expression.setPrefixList(['wallet-']),
    ),
  )
  const address = new URL(standIn.connectionString.replace('esdb:', 'http:')).host
  const client = new StreamsClient(address, credentials.createInsecure())
  const ids: string[] = []
  const responses = client.read(new streams.ReadReq().setOptions(request))
  for await (const response of responses as AsyncIterable<ReadResp>)
    ids.push(response.getEvent()?.getEvent()?.getId()?.getString() ?? '')
  client.close()
  return ids
}

async function firstOfAll(client: EventStoreDBClient): Promise<string | undefined> {
  let id: string | undefined
  for await (const { event } of client.readAll({ maxCount: 1 })) id = event?.id
  return id
}

function subscribe(client: EventStoreDBClient, fromPosition: From): AllStreamSubscription {
  return client.subscribeToAll({ fromPosition, filter })
}

async function take(
  subscription: AllStreamSubscription,
  count: number,
  after: (count: number) => void = () => undefined,
): Promise<string[]> {
  const ids: string[] = []
  for await (const { event } of subscription) {
    ids.push(event?.id ?? '')
    if (ids.length === count) break
    after(ids.length)
  }
  return ids
}

function placeAt(positions: readonly Position[], index: number): Position {
  const position = positions[index]
  if (position === undefined) throw new Error('no event at this index')
  return position
}

function moved(position: Position, distance: bigint): Position {
  return { commit: position.commit + distance, prepare: position.prepare + distance }
}
