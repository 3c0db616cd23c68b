/**
 * The stand-in's machines: discovery, features, broken connections, frozen and killed nodes, leader
 * changes. What the real client makes of them is what sections 2.5, 2.6 and 8 of the notes report.
 */
import * as net from 'node:net'
import { status } from '@grpc/grpc-js'
import { ANY, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import t, { type Test } from 'tap'
import { glanceAt, outcomeOf } from '../support/eventstoredb/client-outcome.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'

const stream = 'wallet-1'
const answered = { kind: 'answered' }

t.test(
  'one failed feature call is cached by the client for ever, a new client is well',
  async (t) => {
    const { standIn, client } = await started(t, 1)
    standIn.faults.failFeatureCalls(1)
    const recorder = standIn.recordWire()
    const failure = { kind: 'failed', error: 'Error', code: status.INTERNAL }
    t.match(await outcomeOf(append(client)), failure)
    t.match(await outcomeOf(append(client)), failure, 'the server was not asked again')
    t.equal(recorder.take().filter(({ kind }) => kind === 'call').length, 1)
    t.match(await outcomeOf(read(client)), { kind: 'failed', error: 'StreamNotFoundError' })
    t.match(await outcomeOf(append(connect(t, standIn.connectionString))), answered)
  },
)

t.test('one failed discovery is cached by the client for ever, its reads recover', async (t) => {
  const { standIn, client } = await started(t, 3, '&maxDiscoverAttempts=1')
  standIn.faults.failGossip()
  const failure = { kind: 'failed', message: /Failed to discover/ }
  t.match(await outcomeOf(append(client)), failure)
  standIn.faults.healGossip()
  t.match(await outcomeOf(append(client)), failure, 'although gossip works again')
  t.match(await outcomeOf(read(client)), { kind: 'failed', error: 'StreamNotFoundError' })
  t.match(await outcomeOf(append(connect(t, standIn.connectionString))), answered)
})

t.test('gossip that fails for a while only costs further attempts', async (t) => {
  const { standIn, client } = await started(t, 3)
  standIn.faults.failGossip(4)
  t.match(await outcomeOf(append(client)), answered)
})

t.test('after broken connections the next call connects again', async (t) => {
  const { standIn, client } = await started(t, 1)
  await append(client)
  standIn.faults.nextAppend('silent-before-commit')
  const waiting = append(client)
  await standIn.untilAppendsReceived(2)
  standIn.faults.killConnections()
  t.match(await outcomeOf(waiting), { kind: 'failed', error: 'UnavailableError' })
  t.match(await outcomeOf(append(client)), answered)
})

t.test('a frozen node answers nothing; what arrived is processed after the thaw', async (t) => {
  const { standIn, client } = await started(t, 1)
  await append(client)
  standIn.faults.freeze()
  const waiting = append(client)
  const reading = read(client)
  const newcomer = append(connect(t, standIn.connectionString))
  t.same(await glanceAt(waiting), { kind: 'open' })
  t.same(await glanceAt(reading), { kind: 'open' })
  t.same(await glanceAt(newcomer), { kind: 'open' })
  t.equal(standIn.appendsReceived, 1)
  standIn.faults.thaw()
  t.match(await outcomeOf(waiting), answered)
  t.match(await outcomeOf(reading), answered)
  t.match(await outcomeOf(newcomer), answered)
})

t.test('an append that its client gave up is still written after the thaw', async (t) => {
  const { standIn, client } = await started(t, 1)
  await append(client)
  standIn.faults.freeze()
  const abandoned = append(client)
  t.same(await glanceAt(abandoned), { kind: 'open' })
  await Promise.all([client.dispose(), outcomeOf(abandoned)])
  standIn.faults.thaw()
  await standIn.untilAppendsReceived(2)
  t.equal(standIn.eventsOf(stream).length, 2)
})

t.test('a client of three nodes works with the leader', async (t) => {
  const { standIn, client } = await started(t, 3)
  const recorder = standIn.recordWire()
  t.match(await outcomeOf(append(client)), answered)
  t.equal(recorder.take().filter(({ kind }) => kind === 'status').length, 0, 'no one sent it away')
})

t.test('after a leader change the client is sent to the new leader', async (t) => {
  const { standIn, client } = await started(t, 3)
  await append(client)
  t.equal(standIn.faults.changeLeader(), 1)
  t.match(await outcomeOf(append(client)), { kind: 'failed', error: 'NotLeaderError' })
  t.match(await outcomeOf(append(client)), answered)
  t.equal(standIn.eventsOf(stream).length, 2)
})

t.test('a read that needs the leader is refused by a follower', async (t) => {
  const { standIn } = await started(t, 3)
  await append(connect(t, standIn.connectionString))
  const onFollower = connect(t, standIn.connectionStringOf(2))
  t.match(await outcomeOf(read(onFollower, { isLeaderRequired: false })), answered)
  t.match(await outcomeOf(read(onFollower)), { kind: 'failed', error: 'NotLeaderError' })
  t.match(await outcomeOf(read(onFollower)), answered, 'now it reads from the leader')
})

t.test('a new leader remembers no recent ids, so ANY writes a duplicate', async (t) => {
  const { standIn } = await started(t, 3)
  const [first, second] = [0, 1].map((node) => connect(t, standIn.connectionStringOf(node)))
  const event = newEvent()
  for (const client of [first, first])
    await client?.appendToStream(stream, event, { expectedRevision: ANY })
  t.equal(standIn.eventsOf(stream).length, 1)
  standIn.faults.changeLeader(1)
  await second?.appendToStream(stream, event, { expectedRevision: ANY })
  t.equal(standIn.eventsOf(stream).length, 2)
})

t.test('a killed leader is replaced, and comes back on its port as a follower', async (t) => {
  const { standIn, client } = await started(t, 3)
  await append(client)
  await standIn.faults.killNode(0)
  t.equal(standIn.leader, 1)
  t.match(await outcomeOf(append(client)), { kind: 'failed', code: status.UNAVAILABLE })
  t.match(await outcomeOf(append(client)), answered)
  await standIn.faults.startNode(0)
  t.equal(standIn.leader, 1)
  const onOld = connect(t, standIn.connectionStringOf(0))
  t.match(await outcomeOf(append(onOld)), { kind: 'failed', error: 'NotLeaderError' })
})

t.test('without a majority nothing is written', async (t) => {
  const { standIn } = await started(t, 3)
  await standIn.faults.killNode(0)
  await standIn.faults.killNode(1)
  t.equal(standIn.leader, undefined)
  const onLast = connect(t, standIn.connectionStringOf(2))
  t.match(await outcomeOf(append(onLast)), { kind: 'failed', error: 'UnknownError' })
  await standIn.faults.startNode(0)
  t.match(await outcomeOf(append(connect(t, standIn.connectionString))), answered)
})

t.test('a client stays on a frozen leader; a new client finds the next one', async (t) => {
  const { standIn, client } = await started(t, 3)
  await append(client)
  standIn.faults.freeze(0)
  standIn.faults.changeLeader(1)
  const stuck = append(client)
  t.same(await glanceAt(stuck), { kind: 'open' })
  t.match(await outcomeOf(append(connect(t, standIn.connectionString))), answered)
  standIn.faults.thaw(0)
  t.match(await outcomeOf(stuck), { kind: 'failed', error: 'NotLeaderError' })
})

t.test(
  'a resigning leader loses its unreplicated tail and times out who waits for it',
  async (t) => {
    const { standIn, client } = await started(t, 3)
    await append(client)
    standIn.faults.holdReplication()
    const waiting = append(client)
    await standIn.untilAppendsReceived(2)
    standIn.faults.changeLeader()
    t.match(await outcomeOf(waiting), { kind: 'failed', error: 'DeadlineExceededError' })
    t.equal(standIn.eventsOf(stream).length, 1)
  },
)

t.test('after stop nothing listens and nothing is left open', async (t) => {
  const standIn = await EventStoreStandIn.start()
  const client = connect(t, standIn.connectionString)
  await append(client)
  standIn.faults.nextAppend('silent-before-commit')
  const waiting = outcomeOf(append(client))
  await standIn.untilAppendsReceived(2)
  const port = Number(new URL(standIn.connectionString.replace('esdb:', 'http:')).port)
  await standIn.stop()
  t.match(await waiting, { kind: 'failed', error: 'UnavailableError' })
  t.match(await outcomeOf(connection(port)), { kind: 'failed', code: 'ECONNREFUSED' })
})

async function started(
  t: Test,
  nodes: 1 | 3,
  options = '',
): Promise<{ standIn: EventStoreStandIn; client: EventStoreDBClient }> {
  const standIn = await EventStoreStandIn.start({ nodes })
  t.teardown(() => standIn.stop())
  return { standIn, client: connect(t, `${standIn.connectionString}${options}`) }
}

function connect(t: Test, connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString)
  t.teardown(() => glanceAt(client.dispose()))
  return client
}

function newEvent() {
  return jsonEvent({ type: 'WalletCredited', data: { amount: '1.00' } })
}

async function append(client: EventStoreDBClient): Promise<unknown> {
  return client.appendToStream(stream, newEvent(), { requiresLeader: true })
}

async function read(
  client: EventStoreDBClient,
  options: { isLeaderRequired: boolean } = { isLeaderRequired: true },
): Promise<number> {
  let count = 0
  const events = client.readStream(stream, { requiresLeader: options.isLeaderRequired })
  for await (const { event } of events) count += event === undefined ? 0 : 1
  return count
}

async function connection(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
  })
}
