/**
 * One EventStoreDB client with its known faults fenced in, so that it can be given up at any
 * moment. States: open → retired (for good). Promises: nothing of a retired client reaches the
 * store or the process any more; a batch stream that ends is an error for every append that waits
 * on it. Never: connects before the first call. It reaches into the client at three named places
 * (`ClientInternals`, `ProposedMessage`); the client is pinned and frozen, and a version without
 * them is refused.
 */
import type { Duplex } from 'node:stream'
import { EventStoreDBClient } from '@eventstore/db-client'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { clientDisposeMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { endedWithin } from '../platform/deadline.js'
import { ConnectionStringError } from './eventstoredb-url.js'
import { grpcInvalidArgument, grpcUnavailable, refusedMark } from './eventstoredb-errors.js'

export type OnNotice = (sentence: string) => void

export class FencedClient {
  readonly client: EventStoreDBClient
  readonly #clock: Clock
  readonly #onNotice: OnNotice
  readonly #onLost: () => void
  readonly #appendStreams = new Set<Duplex>()
  #channel: Channel | undefined
  #isRetired = false

  /** `onLost` hears of each connection that is not the one of before any more. */
  constructor(
    connectionString: string,
    parts: { clock: Clock; onNotice: OnNotice; onLost: () => void },
  ) {
    this.client = openClient(connectionString)
    this.#clock = parts.clock
    this.#onNotice = parts.onNotice
    this.#onLost = parts.onLost
    this.#fence(internalsOf(this.client))
  }

  /** The node that it is connected to, as host:port; undefined while it looks for one. */
  get node(): string | undefined {
    return /([^:/]+:\d+)$/.exec(this.#channel?.getTarget() ?? '')?.[1]
  }

  /** Ends every call and the connection. Bounded: the client's own `dispose` may wait for ever. */
  async retire(): Promise<void> {
    this.#isRetired = true
    await endedWithin(this.client.dispose(), { clock: this.#clock, limitMs: clientDisposeMs })
    for (const stream of this.#appendStreams) stream.destroy(retiredError())
    this.#channel?.close()
  }

  #fence(internals: ClientInternals): void {
    const { getChannel, GRPCStreamCreator: createStream } = internals
    internals.getChannel = async () => {
      const channel = await getChannel()
      // Earlier channels were closed by the client when it replaced them.
      if (channel !== this.#channel) this.#watch(channel)
      this.#channel = channel
      if (this.#isRetired) channel.close()
      return channel
    }
    internals.GRPCStreamCreator = (service, name, create, cache) => {
      const fenced = (grpcClient: unknown): GrpcStream => {
        // A call that waited for its connection must not start on a client that was given up.
        if (this.#isRetired) throw retiredError()
        const stream = create(grpcClient)
        if (cache !== undefined) this.#fenceAppends(stream as Duplex)
        return stream
      }
      return createStream(service, name, fenced, cache)
    }
  }

  /** A channel replaces a lost connection by itself, and its calls do not tell. */
  #watch(channel: Channel): void {
    const state = channel.getConnectivityState(false)
    if (state === shutDown) return
    channel.watchConnectivityState(state, Infinity, () => {
      if (state === ready) this.#onLost()
      this.#watch(channel)
    })
  }

  /** The one stream that carries all appends of the client. */
  #fenceAppends(stream: Duplex): void {
    this.#appendStreams.add(stream)
    neverWaitForDrain(stream)
    this.#ignoreUnexpectedAnswers(stream)
    const fail = onlyOnce(stream, 'error')
    stream.once('close', () => this.#appendStreams.delete(stream))
    stream.once('error', () => this.#appendStreams.delete(stream))
    // The server may end the stream with OK; the client would then wait for ever and go on using
    // it.
    stream.once('end', () => {
      if (!fail.wasCalled()) stream.destroy(endedError())
    })
  }

  // The client keeps the waiting appends of all its instances in one table and clears it when any
  // stream breaks; an answer that comes later makes it throw outside any promise.
  #ignoreUnexpectedAnswers(stream: Duplex): void {
    const [answer] = stream.listeners('data') as Listener[]
    if (answer === undefined) throw unknownVersion()
    stream.removeAllListeners('data')
    stream.on('data', (response: BatchAppendResponse) => {
      markRefusal(response)
      try {
        answer(response)
      } catch {
        this.#onNotice('the event store answered an append that nobody waits for any more')
      }
    })
  }
}

type Listener = (argument: unknown) => void
type GrpcStream = object

/** Of a channel of @grpc/grpc-js, with the states below. */
interface Channel {
  close(): void
  getTarget(): string
  getConnectivityState(connect: boolean): number
  watchConnectivityState(state: number, deadline: number, onChange: () => void): void
}

const ready = 2
const shutDown = 4

type StreamCreator = (
  service: unknown,
  name: string,
  create: (grpcClient: unknown) => GrpcStream,
  cache?: object,
) => () => Promise<GrpcStream>

/** Protected members of the client 6.2.1 that are wrapped here. */
interface ClientInternals {
  getChannel: () => Promise<Channel>
  GRPCStreamCreator: StreamCreator
}

/** The part of the generated message `BatchAppendResp` that is looked at. */
interface BatchAppendResponse {
  getError():
    | { getCode(): number; getMessage(): string; setMessage(text: string): void }
    | undefined
}

/**
 * The client hands on the data of an event as base64, which its messages read letter by letter,
 * once to measure and once to send it: a tenth of an append. They take bytes as well.
 */
const proposed = streams.BatchAppendReq.ProposedMessage.prototype as unknown as ProposedMessage
const { setData } = proposed
proposed.setData = function (data) {
  return setData.call(this, typeof data === 'string' ? Buffer.from(data, 'base64') : data)
}

/** The part of the generated message of that name that is wrapped here. */
interface ProposedMessage {
  setData: (this: ProposedMessage, data: string | Uint8Array) => unknown
}

function openClient(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString)
  } catch (error) {
    // Only the client's words about certificate files are safe to repeat: the others quote the URL.
    const isParseError = error instanceof Error && 'connectionString' in error
    const reason = isParseError || !(error instanceof Error) ? '' : `: ${error.message}`
    throw new ConnectionStringError(`the event store URL is not understood${reason}`)
  }
}

function internalsOf(client: EventStoreDBClient): ClientInternals {
  const internals = client as unknown as Partial<ClientInternals>
  if (internals.getChannel === undefined || internals.GRPCStreamCreator === undefined)
    throw unknownVersion()
  return internals as ClientInternals
}

// While it waits for "drain" the client queues further writes, and when the stream breaks it
// rejects them where nobody listens: that would end the process. What waits is bounded by the
// lanes.
function neverWaitForDrain(stream: Duplex): void {
  const write = stream.write.bind(stream) as (chunk: unknown) => boolean
  stream.write = (chunk: unknown) => {
    write(chunk)
    return true
  }
}

/**
 * A stream that was destroyed may break again; the second time would hit a newer client's appends.
 */
function onlyOnce(stream: Duplex, event: string): { wasCalled(): boolean } {
  const listeners = stream.listeners(event) as Listener[]
  let called = false
  stream.removeAllListeners(event)
  stream.on(event, (argument: unknown) => {
    if (called) return
    called = true
    for (const listener of listeners) listener.call(stream, argument)
  })
  return { wasCalled: () => called }
}

// The client drops the code of an answer it does not know (an event that is too large, a bad
// request). Its text is all that arrives at the caller, so the code travels in it.
function markRefusal(response: BatchAppendResponse): void {
  const error = response.getError()
  if (error?.getCode() === grpcInvalidArgument)
    error.setMessage(`${refusedMark} ${error.getMessage()}`)
}

function endedError(): Error {
  const details = 'the event store ended the stream of appends'
  return Object.assign(new Error(details), { code: grpcUnavailable, details })
}

function retiredError(): Error {
  return new Error('this event store client was given up')
}

function unknownVersion(): Error {
  return new Error('this version of @eventstore/db-client is not known: see eventstoredb-client.ts')
}
