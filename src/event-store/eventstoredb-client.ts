/**
 * One EventStoreDB client with its known faults fenced in, so that it can be given up at any
 * moment. States: open → retired (for good). Promises: nothing of a retired client reaches the
 * store or the process any more; appends go over a stream of ours on the client's connection, to
 * the leader alone. Never: connects before the first call. It reaches into the client at four named
 * places (`ClientInternals`; two more are in eventstoredb-messages.ts); the client is pinned and
 * frozen, and a version without them is refused.
 */
import type { Duplex } from 'node:stream'
import { EventStoreDBClient } from '@eventstore/db-client'
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { clientDisposeMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { endedWithin } from '../platform/deadline.js'
import type { Random } from '../platform/random.js'
import type { AppendBatch } from './event-store.js'
import { AppendStream } from './eventstoredb-append-stream.js'
import { streamEndedError } from './eventstoredb-errors.js'
import { decodeAnswer } from './eventstoredb-messages.js'
import { ConnectionStringError } from './eventstoredb-url.js'

export type OnNotice = (sentence: string) => void

export interface FencedParts {
  readonly clock: Clock
  readonly random: Random
  readonly onNotice: OnNotice
  /** Hears of each connection that is not the one of before any more. */
  readonly onLost: () => void
}

export class FencedClient {
  readonly client: EventStoreDBClient
  readonly #internals: ClientInternals
  readonly #parts: FencedParts
  readonly #openAppends: () => Promise<object>
  /** By their gRPC streams, which the client opens and replaces. */
  readonly #appends = new Map<object, AppendStream>()
  #channel: Channel | undefined
  #isRetired = false

  constructor(connectionString: string, parts: FencedParts) {
    this.client = openClient(connectionString)
    this.#parts = parts
    this.#internals = internalsOf(this.client)
    this.#fence()
    const { GRPCStreamCreator: createStream } = this.#internals
    const create = (grpcClient: GrpcClient): object => this.#createAppends(grpcClient)
    this.#openAppends = createStream(StreamsClient, 'append', create, new WeakMap())
  }

  /** The node that it is connected to, as host:port; undefined while it looks for one. */
  get node(): string | undefined {
    return /([^:/]+:\d+)$/.exec(this.#channel?.getTarget() ?? '')?.[1]
  }

  /** The revision of the last event of the batch; rejects with the client's error. */
  async append(batch: AppendBatch): Promise<number> {
    const stream = await this.#openAppends()
    const appends = this.#appends.get(stream)
    if (appends === undefined) throw streamEndedError('the stream of appends has just broken')
    return appends.send(batch, this.#internals.createDeadline().getTime())
  }

  /** Ends every call and the connection. Bounded: the client's own `dispose` may wait for ever. */
  async retire(): Promise<void> {
    this.#isRetired = true
    const { clock } = this.#parts
    await endedWithin(this.client.dispose(), { clock, limitMs: clientDisposeMs })
    for (const appends of this.#appends.values()) appends.end(retiredError())
    this.#channel?.close()
  }

  #fence(): void {
    const internals = this.#internals
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
      const fenced = (grpcClient: GrpcClient): object => {
        // A call that waited for its connection must not start on a client that was given up.
        if (this.#isRetired) throw retiredError()
        return create(grpcClient)
      }
      return createStream(service, name, fenced, cache)
    }
  }

  /** A channel replaces a lost connection by itself, and its calls do not tell. */
  #watch(channel: Channel): void {
    const state = channel.getConnectivityState(false)
    if (state === shutDown) return
    channel.watchConnectivityState(state, Infinity, () => {
      if (state === ready) this.#parts.onLost()
      this.#watch(channel)
    })
  }

  #createAppends(grpcClient: GrpcClient): object {
    const { path } = streamsGrpc.StreamsService.batchAppend
    // The server looks at it once, for the whole stream.
    const args = this.#internals.callArguments({ requiresLeader: true }, { deadline: Infinity })
    // An answer that cannot be read ends the stream: gRPC sees to that.
    const stream = grpcClient.makeBidiStreamRequest(path, asBuffer, decodeAnswer, ...args)
    const { random, onNotice } = this.#parts
    const onUnexpected = (): void =>
      onNotice('the event store answered an append that nobody waits for any more')
    this.#appends.set(stream, new AppendStream(stream, { random, onUnexpected }))
    stream.once('close', () => this.#appends.delete(stream))
    stream.once('error', () => this.#appends.delete(stream))
    return stream
  }
}

const { StreamsClient } = streamsGrpc

/** Of a channel of @grpc/grpc-js, with the states below. */
interface Channel {
  close(): void
  getTarget(): string
  getConnectivityState(connect: boolean): number
  watchConnectivityState(state: number, deadline: number, onChange: () => void): void
}

const ready = 2
const shutDown = 4

/** Of a client of @grpc/grpc-js. */
interface GrpcClient {
  makeBidiStreamRequest(
    path: string,
    serialize: (message: Uint8Array) => Buffer,
    deserialize: (bytes: Uint8Array) => unknown,
    ...callArguments: readonly unknown[]
  ): Duplex
}

type StreamCreator = (
  service: unknown,
  name: string,
  create: (grpcClient: GrpcClient) => object,
  cache?: object,
) => () => Promise<object>

/** Protected members of the client 6.2.1 that are wrapped or used here. */
interface ClientInternals {
  getChannel: () => Promise<Channel>
  GRPCStreamCreator: StreamCreator
  callArguments: (options: { requiresLeader: boolean }, call: { deadline: number }) => unknown[]
  createDeadline: () => Date
}

const internalNames = [
  'getChannel',
  'GRPCStreamCreator',
  'callArguments',
  'createDeadline',
] as const satisfies readonly (keyof ClientInternals)[]

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
  const internals = client as unknown as ClientInternals
  for (const name of internalNames)
    if (typeof internals[name] !== 'function') throw unknownVersion()
  return internals
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function retiredError(): Error {
  return new Error('this event store client was given up')
}

function unknownVersion(): Error {
  return new Error('this version of @eventstore/db-client is not known: see eventstoredb-client.ts')
}
