// Appends on the wire: the bytes are those that the client itself sends, and every answer of a
// server is understood.
import { randomUUID } from 'node:crypto'
import { Duplex } from 'node:stream'
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import { EventStoreDBClient, isCommandError, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import fc from 'fast-check'
import t from 'tap'
import { noStream, OutcomeUnknownError } from '../../src/event-store/event-store.js'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { systemClock } from '../../src/platform/clock.js'
import type { AppendBatch } from '../../src/event-store/event-store.js'
import { AppendStream } from '../../src/event-store/eventstoredb-append-stream.js'
import { ContentRefusedError } from '../../src/event-store/eventstoredb-errors.js'
import { decodeAnswer, encodeAppend } from '../../src/event-store/eventstoredb-messages.js'
import { systemRandom } from '../../src/platform/random.js'
import { batchAnswer } from '../support/eventstoredb/wire-append.js'
import type { AppendAnswer } from '../support/eventstoredb/wire-append.js'
import { shared, streams, StreamsService } from '../support/eventstoredb/stubs.js'
import { runAsyncProperty } from '../support/property.js'

t.test('an append is, byte for byte, what the client sends', async (t) => {
  const capture = capturing()
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  const event = fc.record({ id: fc.uuid(), type: text, data: text, note: text })
  const given = fc.record({
    stream: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    expectedRevision: fc.oneof(fc.constant(noStream), fc.nat(), fc.maxSafeNat()),
    events: fc.array(event, { minLength: 1, maxLength: 4 }),
    deadlineMs: fc.integer({ min: 1_000, max: 2 ** 42 }).map(roundOrNot),
  })
  await runAsyncProperty(
    t,
    fc.asyncProperty(given, async ({ stream, expectedRevision, events, deadlineMs }) => {
      const contents = events.map(({ id, type, data, note }) => {
        return { id, type, data: { data }, metadata: { note } }
      })
      const sent = await capture.append(stream, contents.map(jsonEvent), {
        expectedRevision: expectedRevision === noStream ? NO_STREAM : BigInt(expectedRevision),
        deadlineMs,
      })
      const batch: AppendBatch = {
        stream,
        expectedRevision,
        events: contents.map(({ data, metadata, ...rest }) => {
          return { ...rest, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }
        }),
      }
      const ours = encodeAppend({ correlationId: sent.correlationId, batch, deadlineMs })
      const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
      if (hex(ours) !== hex(sent.bytes)) throw new Error(`${hex(ours)}, not ${hex(sent.bytes)}`)
    }),
  )
})

/** Whole seconds leave a field out. */
function roundOrNot(ms: number): number {
  return ms % 2 === 0 ? ms : ms - (ms % 1_000)
}

const correlationId = randomUUID()
const answers: readonly (readonly [AppendAnswer, number | string])[] = [
  [{ kind: 'success', revision: 0n, position: 7n }, 0],
  [{ kind: 'success', revision: 123_456_789_012n, position: undefined }, 123_456_789_012],
  [{ kind: 'wrong-version', current: 3n }, 'wrong-expected-version'],
  [{ kind: 'stream-deleted' }, 'stream-deleted'],
  [{ kind: 'too-large' }, 'maximum-append-size-exceeded'],
  [{ kind: 'access-denied' }, 'access-denied'],
  [{ kind: 'timeout' }, 'deadline-exceeded'],
  [{ kind: 'not-ready' }, 'unknown'],
]

for (const [answer, meaning] of answers)
  t.test(`an answer: ${answer.kind} ${meaning}`, async (t) => {
    const decoded = decodeAnswer(bytesOf(answer))
    t.equal(decoded.correlationId, correlationId)
    const { outcome } = decoded
    t.equal(typeof outcome === 'number' ? outcome : typeOf(outcome), meaning)
  })

t.test('an answer: fault with the content is of a kind of its own', async (t) => {
  const { outcome } = decodeAnswer(bytesOf({ kind: 'bad-request', reason: 'no' }))
  t.ok(outcome instanceof ContentRefusedError)
})

t.test('an answer whose id comes as two numbers', async (t) => {
  const response = responseTo({ kind: 'success', revision: 5n, position: 1n })
  const bits = Buffer.from(correlationId.replaceAll('-', ''), 'hex')
  const structured = new shared.UUID.Structured()
  structured.setMostSignificantBits(String(bits.readBigInt64BE(0)))
  structured.setLeastSignificantBits(String(bits.readBigInt64BE(8)))
  response.setCorrelationId(new shared.UUID().setStructured(structured))
  t.same(decodeAnswer(response.serializeBinary()), { correlationId, outcome: 5 })
})

t.test('an answer without a revision is unknown', async (t) => {
  const response = responseTo({ kind: 'success', revision: 5n, position: 1n })
  response.getSuccess()?.clearCurrentRevision()
  t.equal(typeOf(decodeAnswer(response.serializeBinary()).outcome), 'unknown')
  response.clearSuccess()
  t.equal(typeOf(decodeAnswer(response.serializeBinary()).outcome), 'unknown')
})

t.test('an error without details is unknown', async (t) => {
  const response = responseTo({ kind: 'not-ready' })
  response.getError()?.clearDetails()
  const { outcome } = decodeAnswer(response.serializeBinary())
  t.equal(typeOf(outcome), 'unknown')
})

const batch: AppendBatch = {
  stream: 'wallet-1',
  expectedRevision: noStream,
  events: [{ id: randomUUID(), type: 'T', data: '{}', metadata: '{}' }],
}

t.test('each append gets its own answer, in whatever order they come', async (t) => {
  const { appends, ids, answer, unexpected } = openStream()
  const [first, second, third] = [1, 2, 3].map(() => appends.send(batch, 0))
  answer(ids[2], 2)
  answer(ids[0], 0)
  t.same(await Promise.all([first, third]), [0, 2])
  const fourth = appends.send(batch, 0)
  answer(ids[3], 3)
  answer(ids[1], 1)
  t.same(await Promise.all([second, fourth]), [1, 3])
  t.equal(new Set(ids).size, 4)
  t.equal(unexpected(), 0)
})

t.test('an answer that nobody waits for, or waits for no more, harms nothing', async (t) => {
  const { appends, ids, answer, unexpected } = openStream()
  const first = appends.send(batch, 0)
  answer(ids[0], 7)
  answer(ids[0], 8)
  answer(randomUUID(), 9)
  const again = appends.send(batch, 0)
  answer(ids[0], 10)
  answer(ids[1], 11)
  t.same(await Promise.all([first, again]), [7, 11])
  t.equal(unexpected(), 3)
})

t.test('when the stream breaks, who waits hears of it, and who comes later too', async (t) => {
  const { appends, stream, ids, answer, unexpected } = openStream()
  const waiting = [appends.send(batch, 0), appends.send(batch, 0)]
  stream.destroy(Object.assign(new Error('cut'), { code: 14, details: 'cut' }))
  for (const each of waiting) await t.rejects(each, /cut/)
  await t.rejects(appends.send(batch, 0), /cut/)
  stream.emit('error', new Error('and again'))
  answer(ids[0], 1)
  t.equal(unexpected(), 1)
})

t.test('a stream that the server ends politely is a failure', async (t) => {
  const { appends, stream } = openStream()
  const waiting = appends.send(batch, 0)
  stream.push(null)
  await t.rejects(waiting, /ended the stream of appends/)
  t.ok(stream.destroyed)
})

t.test(
  'an answer that cannot be read is an unknown outcome, and the process lives on',
  async (t) => {
    const server = new Server()
    const batchAppend = {
      ...StreamsService.batchAppend,
      responseSerialize: (bytes: Buffer) => bytes,
    }
    server.addService(
      { batchAppend },
      {
        batchAppend: (call: ServerDuplexStream<unknown, Buffer>) =>
          call.on('data', () => call.write(Buffer.from([0x0a, 0xff]))),
      },
    )
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    )
    const url = `esdb://127.0.0.1:${port}?tls=false`
    const store = new EventStoreDbStore({ url, clock: systemClock, random: systemRandom })
    await t.rejects(store.append(batch), OutcomeUnknownError)
    await t.rejects(store.append(batch), OutcomeUnknownError)
    await store.close()
    server.forceShutdown()
  },
)

function typeOf(outcome: number | Error): string | undefined {
  return outcome instanceof Error && isCommandError(outcome) ? outcome.type : undefined
}

function responseTo(answer: AppendAnswer) {
  const id = new shared.UUID()
  id.setString(correlationId)
  return batchAnswer(answer, { correlationId: id, stream: 'wallet-1', expected: 'no-stream' })
}

function bytesOf(answer: AppendAnswer): Uint8Array {
  return responseTo(answer).serializeBinary()
}

/** What a server at the other end would see and say. */
function openStream() {
  const ids: string[] = []
  let unexpectedCount = 0
  const stream = new Duplex({
    objectMode: true,
    read: () => undefined,
    write: (bytes: Uint8Array, _encoding, done) => {
      ids.push(
        streams.BatchAppendReq.deserializeBinary(bytes).getCorrelationId()?.getString() ?? '',
      )
      done()
    },
  })
  const onUnexpected = (): void => {
    unexpectedCount += 1
  }
  const appends = new AppendStream(stream, { random: systemRandom, onUnexpected })
  const answer = (id: string | undefined, revision: number): void => {
    const to = new shared.UUID()
    to.setString(id ?? '')
    const request = { correlationId: to, stream: 'wallet-1', expected: 'no-stream' } as const
    const said = { kind: 'success', revision: BigInt(revision), position: 1n } as const
    stream.emit('data', decodeAnswer(batchAnswer(said, request).serializeBinary()))
  }
  return { appends, stream, ids, answer, unexpected: () => unexpectedCount }
}

/** The client's own append, up to the point where it would write to its connection. */
function capturing() {
  const client = EventStoreDBClient.connectionString('esdb://127.0.0.1:1?tls=false')
  const sent: AppendMessage[] = []
  const stream = Object.assign(new Duplex({ objectMode: true, read: () => undefined }), {
    _write: (request: AppendMessage, _encoding: string, done: () => void) => {
      sent.push(request)
      done()
    },
  })
  let deadlineMs = 0
  Object.assign(client, {
    supports: () => Promise.resolve(true),
    GRPCStreamCreator: () => () => Promise.resolve(stream),
    createDeadline: () => new Date(deadlineMs),
  })
  return {
    append: async (
      name: string,
      events: ReturnType<typeof jsonEvent>[],
      options: { expectedRevision: bigint | typeof NO_STREAM; deadlineMs: number },
    ) => {
      const { expectedRevision } = options
      ;({ deadlineMs } = options)
      // Nobody answers it.
      client.appendToStream(name, events, { expectedRevision }).catch(() => undefined)
      while (sent.length === 0) await new Promise(setImmediate)
      const [request] = sent.splice(0)
      if (request === undefined) throw new Error('nothing was sent')
      const id = request.getCorrelationId()?.getString() ?? ''
      return { correlationId: id, bytes: request.serializeBinary() }
    },
  }
}

type AppendMessage = InstanceType<typeof streams.BatchAppendReq>
