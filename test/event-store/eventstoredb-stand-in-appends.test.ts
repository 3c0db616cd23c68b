/**
 * Every append fault of the stand-in: what the real client sees is what the real server made it see
 * (sections 1.4, 2.6 and 8 of the notes), and the log holds what the fault says.
 */
import { status } from '@grpc/grpc-js'
import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  StreamNotFoundError,
  type AppendExpectedRevision,
} from '@eventstore/db-client'
import t, { type Test } from 'tap'
import { glanceAt, outcomeOf, type Outcome } from '../support/eventstoredb/client-outcome.js'
import type { AppendFault } from '../support/eventstoredb/faults.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'

/** Instead of the server's two seconds. */
const serverTimeoutMs = 40
const stream = 'wallet-1'

interface Row {
  readonly name: string
  readonly fault: AppendFault
  readonly sees: Partial<Record<'error' | 'code' | 'message', unknown>> | 'nothing'
  readonly isWritten: boolean
}

const unavailable = { error: 'UnavailableError', code: status.UNAVAILABLE }
const timedOut = { error: 'DeadlineExceededError' }
const rows: readonly Row[] = [
  {
    name: 'the connection breaks after the commit',
    fault: 'cut-after-commit',
    sees: unavailable,
    isWritten: true,
  },
  {
    name: 'the connection breaks before the commit',
    fault: 'cut-before-commit',
    sees: unavailable,
    isWritten: false,
  },
  {
    name: 'the server commits and never answers',
    fault: 'silent-after-commit',
    sees: 'nothing',
    isWritten: true,
  },
  {
    name: 'the server loses the request and never answers',
    fault: 'silent-before-commit',
    sees: 'nothing',
    isWritten: false,
  },
  {
    name: 'the server commits and answers Timeout',
    fault: 'timeout-after-commit',
    sees: timedOut,
    isWritten: true,
  },
  {
    name: 'the server answers Timeout without a commit',
    fault: 'timeout-before-commit',
    sees: timedOut,
    isWritten: false,
  },
  {
    name: 'the server is not ready',
    fault: 'not-ready',
    sees: { error: 'UnknownError', message: 'Could not recognize Server Is Not Ready' },
    isWritten: false,
  },
  {
    name: 'the node is not the leader',
    fault: 'not-leader',
    sees: { error: 'NotLeaderError', code: status.NOT_FOUND },
    isWritten: false,
  },
  {
    name: 'the append is said to be too large',
    fault: 'too-large',
    sees: { error: 'MaxAppendSizeExceededError' },
    isWritten: false,
  },
  {
    name: 'the server denies access',
    fault: 'access-denied',
    sees: { error: 'AccessDeniedError' },
    isWritten: false,
  },
  {
    name: 'the server answers with a detail that the client does not know',
    fault: 'bad-request',
    sees: { error: 'UnknownError', message: 'Could not recognize BadRequest' },
    isWritten: false,
  },
  {
    name: 'the server cancels the batch stream after the commit',
    fault: { failWith: status.CANCELLED, isCommitted: true },
    sees: { error: 'CancelledError', code: status.CANCELLED },
    isWritten: true,
  },
  {
    name: 'the batch stream fails with INTERNAL after the commit',
    fault: { failWith: status.INTERNAL, isCommitted: true },
    sees: { error: 'UnknownError', code: status.INTERNAL },
    isWritten: true,
  },
  {
    name: 'the batch stream fails with UNAVAILABLE before the commit',
    fault: { failWith: status.UNAVAILABLE, isCommitted: false },
    sees: unavailable,
    isWritten: false,
  },
]

for (const row of rows)
  t.test(`${row.name}; the same batch, repeated, is there once`, async (t) => {
    const { standIn, client } = await warm(t)
    standIn.faults.nextAppend(row.fault)
    const batch = [event(), event()]
    const first = append(client, batch)
    await standIn.untilAppendsReceived(2)
    if (row.sees === 'nothing') t.same(await glanceAt(first), { kind: 'open' })
    else t.match(await outcomeOf(first), { kind: 'failed', ...row.sees })
    t.same(idsIn(standIn), row.isWritten ? batch.map(({ id }) => id) : [])

    t.match(await outcomeOf(append(client, batch)), written(1n))
    t.same(
      idsIn(standIn),
      batch.map(({ id }) => id),
    )
  })

t.test(
  'a batch stream that ends with OK leaves the client stuck, a new client is not',
  async (t) => {
    const { standIn, client } = await warm(t)
    standIn.faults.nextAppend('end-after-commit')
    const batch = [event()]
    const first = append(client, batch)
    await standIn.untilAppendsReceived(2)
    t.same(await glanceAt(first), { kind: 'open' })
    t.equal(idsIn(standIn).length, 1, 'it was committed')
    t.same(await glanceAt(append(client, batch)), { kind: 'open' }, 'and so is every later append')
    t.same(await glanceAt(client.dispose()), { kind: 'open' }, 'even dispose waits for ever')
    t.match(await outcomeOf(append(connect(t, standIn), batch)), written(0n))
    t.equal(idsIn(standIn).length, 1)
  },
)

t.test('a planned fault is met as often as planned, and then no more', async (t) => {
  const { standIn, client } = await warm(t)
  standIn.faults.nextAppend('timeout-before-commit', 2)
  standIn.faults.nextAppend('not-ready')
  const batch = [event()]
  t.match(await outcomeOf(append(client, batch)), { kind: 'failed', ...timedOut })
  t.match(await outcomeOf(append(client, batch)), { kind: 'failed', ...timedOut })
  t.match(await outcomeOf(append(client, batch)), { kind: 'failed', error: 'UnknownError' })
  t.match(await outcomeOf(append(client, batch)), written(0n))
  t.equal(standIn.appendsReceived, 5, 'the one of the warm-up included')
})

t.test('a batch on the leader only is dropped until it is replicated', async (t) => {
  const { standIn, client } = await warm(t)
  standIn.faults.nextAppend('not-replicated', 2)
  const batch = [event()]
  t.match(await outcomeOf(append(client, batch)), { kind: 'failed', ...timedOut })
  t.match(await outcomeOf(append(client, batch)), { kind: 'failed', ...timedOut })
  t.equal(await headOf(client), NO_STREAM, 'no reader sees it')
  t.match(await outcomeOf(append(client, batch)), written(0n))
  t.equal(idsIn(standIn).length, 1)
})

t.test('a wrong version can be claimed for an event that then vanishes', async (t) => {
  const { standIn, client } = await warm(t)
  standIn.faults.nextAppend('unsettled')
  const batch = [event()]
  t.match(await outcomeOf(append(client, batch)), wrongVersion)
  t.equal(await headOf(client), NO_STREAM, 'readers see no such event')
  t.match(await outcomeOf(append(client, batch)), written(0n))
})

t.test('an unreplicated event of another writer blocks a revision and can be lost', async (t) => {
  const { standIn, client } = await warm(t)
  const [theirs, ours] = [[event()], [event()]]
  standIn.faults.holdReplication()
  t.match(await outcomeOf(append(client, theirs)), { kind: 'failed', ...timedOut })
  t.match(await outcomeOf(append(client, theirs)), { kind: 'failed', ...timedOut }, 'repeated')
  t.match(await outcomeOf(append(client, ours)), wrongVersion)
  t.equal(await headOf(client), NO_STREAM, 'the event in the way cannot be read')
  standIn.faults.loseUnreplicated()
  t.match(await outcomeOf(append(client, ours)), written(0n))
  t.match(await outcomeOf(append(client, theirs)), wrongVersion)
})

t.test('an append waits for replication and is then acknowledged', async (t) => {
  const { standIn, client } = await warm(t)
  standIn.faults.setServerTimeout(60_000)
  standIn.faults.holdReplication()
  const waiting = append(client, [event()])
  await standIn.untilAppendsReceived(2)
  t.same(await glanceAt(waiting), { kind: 'open' })
  t.equal(await headOf(client), NO_STREAM)
  standIn.faults.replicate()
  t.match(await outcomeOf(waiting), written(0n))
  t.equal(await headOf(client), 0n)
})

t.test('an append whose deadline has passed when it arrives is not written', async (t) => {
  const { standIn, client } = await warm(t)
  const late = client.appendToStream(stream, event(), { deadline: -1_000 })
  t.match(await outcomeOf(late), { kind: 'failed', ...timedOut })
  t.same(idsIn(standIn), [])
})

t.test('an append in several messages is one append', async (t) => {
  const { standIn, client } = await warm(t)
  const batch = Array.from({ length: 40 }, event)
  const recorder = standIn.recordWire()
  const split = client.appendToStream(stream, batch, {
    expectedRevision: NO_STREAM,
    batchAppendSize: 1_000,
  })
  t.match(await outcomeOf(split), written(39n))
  const messages = recorder.take().filter(({ from }) => from === 'client')
  t.ok(messages.length > 3, 'the client split it')
  t.equal(standIn.appendsReceived, 2)
  t.equal(idsIn(standIn).length, 40)
})

t.test('fifty appends sent at once on a warm client arrive in order', async (t) => {
  const { standIn, client } = await warm(t)
  const batches = Array.from({ length: 50 }, () => [event()])
  await Promise.all(
    batches.map((batch, index) =>
      append(client, batch, index === 0 ? NO_STREAM : BigInt(index - 1)),
    ),
  )
  t.same(
    idsIn(standIn),
    batches.flat().map(({ id }) => id),
  )
})

t.test('answers can be delayed; the commit is not', async (t) => {
  const { standIn, client } = await warm(t)
  standIn.faults.delayAnswers(300)
  const waiting = append(client, [event()])
  await standIn.untilAppendsReceived(2)
  t.same(await glanceAt(waiting), { kind: 'open' })
  t.equal(idsIn(standIn).length, 1)
  t.match(await outcomeOf(waiting), written(0n))
})

t.test('an error on one client rejects the committed append of another', async (t) => {
  const { standIn, client } = await warm(t)
  const other = connect(t, standIn)
  await append(other, [event()], NO_STREAM, 'wallet-of-the-other')
  standIn.faults.nextAppend('silent-after-commit')
  const committed = append(client, [event()])
  await standIn.untilAppendsReceived(3)
  t.same(await glanceAt(committed), { kind: 'open' })
  standIn.faults.nextAppend('cut-before-commit')
  await outcomeOf(append(other, [event()], NO_STREAM, 'wallet-of-a-third'))
  t.match(await outcomeOf(committed), { kind: 'failed', error: 'UnavailableError' })
  t.equal(idsIn(standIn).length, 1, 'it is in the log all the same')
})

t.test('the single call meets the same faults and has a deadline that works', async (t) => {
  const { standIn, client } = await warm(t)
  const batch = [event()]
  const single = (deadline?: number) =>
    client.appendToStream(stream, batch, {
      expectedRevision: NO_STREAM,
      credentials: { username: 'unused', password: 'unused' },
      ...(deadline === undefined ? {} : { deadline }),
    })
  standIn.faults.nextAppend('silent-after-commit')
  const unanswered = single(3_000)
  await standIn.untilAppendsReceived(2)
  t.match(await outcomeOf(unanswered), { kind: 'failed', error: 'DeadlineExceededError' })
  for (const [fault, error] of [
    ['timeout-after-commit', 'TimeoutError'],
    ['access-denied', 'AccessDeniedError'],
    ['too-large', 'MaxAppendSizeExceededError'],
    ['not-ready', 'UnavailableError'],
    ['not-leader', 'NotLeaderError'],
    ['unsettled', 'WrongExpectedVersionError'],
    ['cut-after-commit', 'UnavailableError'],
  ] as const) {
    standIn.faults.nextAppend(fault)
    t.match(await outcomeOf(single()), { kind: 'failed', error }, fault)
  }
  t.match(await outcomeOf(single()), written(0n))
  t.equal(idsIn(standIn).length, 1)
})

const wrongVersion = { kind: 'failed', error: 'WrongExpectedVersionError' }

function written(revision: bigint): Outcome {
  return { kind: 'answered', value: { success: true, nextExpectedRevision: revision } }
}

/** A client that has its batch stream already. */
async function warm(t: Test): Promise<{ standIn: EventStoreStandIn; client: EventStoreDBClient }> {
  const standIn = await EventStoreStandIn.start()
  t.teardown(() => standIn.stop())
  standIn.faults.setServerTimeout(serverTimeoutMs)
  const client = connect(t, standIn)
  await append(client, [event()], NO_STREAM, 'wallet-of-the-warm-up')
  return { standIn, client }
}

function connect(t: Test, standIn: EventStoreStandIn): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(standIn.connectionString)
  t.teardown(() => glanceAt(client.dispose()))
  return client
}

function event() {
  return jsonEvent({ type: 'WalletCredited', data: { amount: '1.00' } })
}

async function append(
  client: EventStoreDBClient,
  events: ReturnType<typeof event>[],
  expectedRevision: AppendExpectedRevision = NO_STREAM,
  to = stream,
): Promise<unknown> {
  return client.appendToStream(to, events, { expectedRevision, requiresLeader: true })
}

function idsIn(standIn: EventStoreStandIn): string[] {
  return standIn.eventsOf(stream).map(({ id }) => id)
}

async function headOf(client: EventStoreDBClient): Promise<bigint | typeof NO_STREAM> {
  try {
    let head: bigint | typeof NO_STREAM = NO_STREAM
    for await (const { event } of client.readStream(stream)) head = event?.revision ?? head
    return head
  } catch (error) {
    if (error instanceof StreamNotFoundError) return NO_STREAM
    throw error
  }
}
