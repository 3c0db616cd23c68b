/**
 * The event store on EventStoreDB or KurrentDB, one node or a cluster. Promises: an append goes to
 * the leader at an exact revision and is watched, because the client may never answer; after a lost
 * race the events themselves say who won; reads come from the leader and are never cut short
 * silently. Never: appends with ANY, repeats an append, or lets two clients append at once: those
 * that append, and those that subscribe, are kept apart (ClientGenerations).
 */
import { BACKWARDS, END, FORWARDS } from '@eventstore/db-client'
import type { EventStoreDBClient } from '@eventstore/db-client'
import * as limits from '../limits.js'
import { backOffMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { AppendRefusedError, noStream, OutcomeUnknownError } from './event-store.js'
import { requireWellFormed } from './event-store.js'
import { StoreCorruptError, StoreUnavailableError } from './event-store.js'
import type { AppendBatch, AppendVerdict, EventStore } from './event-store.js'
import type { NewEvent, RecordedEvent, TailOptions } from './event-store.js'
import type { OnNotice } from './eventstoredb-client.js'
import { appendFailure, describeError, NoAnswerError, readFailure } from './eventstoredb-errors.js'
import { fromClientEvent, requireExact } from './eventstoredb-events.js'
import type { ClientEvent } from './eventstoredb-events.js'
import { ClientGenerations } from './eventstoredb-generations.js'
import { firstOf, pullAll } from './eventstoredb-pull.js'
import type { ClientStream } from './eventstoredb-pull.js'
import { eventAtPosition, isLedgerEvent, tailLog } from './eventstoredb-tail.js'
import { clientConnectionString } from './eventstoredb-url.js'
import { readSilenceMs } from './limits.js'
import { WriteGate } from './write-gate.js'

export interface EventStoreDbOptions {
  readonly url: string
  readonly clock: Clock
  readonly random: Random
  /** Hears of replaced clients and dropped subscriptions, in sentences for the log. */
  readonly onNotice?: OnNotice
  /** Shorter ones for tests. */
  readonly appendWatchdogMs?: number
  readonly readTimeoutMs?: number
}

export class EventStoreDbStore implements EventStore {
  readonly #clock: Clock
  readonly #random: Random
  readonly #onNotice: OnNotice
  readonly #appendWatchdogMs: number
  readonly #readTimeoutMs: number
  readonly #gate: WriteGate
  readonly #appending: ClientGenerations
  // A dropped subscription makes the client throw away its whole connection, appends included.
  readonly #subscribing: ClientGenerations

  /** Throws ConnectionStringError; connects at the first call. */
  constructor(options: EventStoreDbOptions) {
    const { url, clock, random, onNotice = () => undefined } = options
    this.#clock = clock
    this.#gate = new WriteGate(clock)
    this.#random = random
    this.#onNotice = onNotice
    this.#appendWatchdogMs = options.appendWatchdogMs ?? limits.appendWatchdogMs
    this.#readTimeoutMs = options.readTimeoutMs ?? readSilenceMs
    const parts = { connectionString: clientConnectionString(url), clock, random, onNotice }
    this.#subscribing = new ClientGenerations({ ...parts, purpose: 'subscriptions' })
    // A subscription to a frozen node just has no news.
    const onSilence = (node: string): void => this.#subscribing.leave(node)
    this.#appending = new ClientGenerations({ ...parts, purpose: 'appends', onSilence })
  }

  get generation(): number {
    return this.#appending.generation
  }

  async append(batch: AppendBatch): Promise<AppendVerdict> {
    requireWellFormed(batch)
    requireExact(batch.events)
    const { stream, expectedRevision, events } = batch
    let lastRevision: number
    try {
      lastRevision = await this.#appending.append(batch, this.#appendWatchdogMs)
    } catch (error) {
      return this.#judge(batch, error)
    }
    this.#gate.open()
    // Anything else means that the stream was deleted or truncated under us.
    if (lastRevision !== expectedRevision + events.length)
      throw new StoreCorruptError(
        `${stream}: ${events.length} events after revision ${expectedRevision} ` +
          `ended at revision ${lastRevision}`,
      )
    return { kind: 'written' }
  }

  async *readStream(
    stream: string,
    { fromRevision, maxCount }: { fromRevision: number; maxCount: number },
  ): AsyncGenerator<RecordedEvent, void> {
    const end = fromRevision + maxCount
    let next = fromRevision
    let failures = 0
    while (next < end) {
      const options = { fromRevision: BigInt(next), maxCount: end - next }
      try {
        for await (const event of this.#pull((client) => forwards(client, stream, options))) {
          const recorded = fromClientEvent(event)
          if (recorded.revision !== next) throw gap(recorded, next)
          next += 1
          failures = 0
          yield recorded
        }
        return
      } catch (error) {
        if (next === fromRevision && readFailure(error) === 'no stream') return
        failures += 1
        await this.#pauseOrThrow(error, failures)
      }
    }
  }

  async readHead(stream: string): Promise<RecordedEvent | undefined> {
    const open = (client: EventStoreDBClient): ClientStream =>
      client.readStream(stream, {
        direction: BACKWARDS,
        fromRevision: END,
        maxCount: 1,
        requiresLeader: true,
      })
    return this.#tried(async () => {
      try {
        const head = await firstOf(this.#pull(open))
        return head === undefined ? undefined : fromClientEvent(head)
      } catch (error) {
        if (readFailure(error) === 'no stream') return undefined
        throw error
      }
    })
  }

  tail(options: TailOptions): AsyncIterable<readonly RecordedEvent[]> {
    const parts = {
      generations: this.#subscribing,
      clock: this.#clock,
      random: this.#random,
      readTimeoutMs: this.#readTimeoutMs,
      onNotice: this.#onNotice,
    }
    return tailLog(parts, options)
  }

  async lastEvent(): Promise<RecordedEvent | undefined> {
    return this.#tried(async () => {
      let looked = 0
      for await (const event of this.#pull(backwardsFromEnd)) {
        if (isLedgerEvent(event.event?.streamId ?? '')) return fromClientEvent(event)
        looked += 1
      }
      if (looked === limits.lastEventScanMax)
        throw new StoreUnavailableError(`no ledger event among the last ${looked} of the log`)
      return undefined
    })
  }

  async eventAt(position: bigint): Promise<RecordedEvent | undefined> {
    const parts = { generations: this.#appending, readTimeoutMs: this.#readTimeoutMs }
    return this.#tried(() => eventAtPosition(parts, position))
  }

  async readMarker(): Promise<string | undefined> {
    for await (const marker of this.readStream(markerStream, { fromRevision: 0, maxCount: 1 }))
      return marker.id
    return undefined
  }

  async createMarker(): Promise<string> {
    const event: NewEvent = {
      id: this.#random.uuid(),
      type: 'LedgerCreated',
      data: '{}',
      metadata: '{}',
    }
    const batch = { stream: markerStream, expectedRevision: noStream, events: [event] }
    for (let tries = 1; tries <= limits.markerTriesMax; tries += 1) {
      const verdict = await this.append(batch).catch(unlessUnknown)
      if (verdict?.kind === 'written') return event.id
      // The first event is the marker, whoever wrote it.
      const winner = verdict?.kind === 'conflict' ? verdict.missing[0] : undefined
      if (winner !== undefined) return winner.id
      await this.#clock.sleep(backOffMs(tries, this.#random))
    }
    throw new StoreUnavailableError('the event store did not settle who made its marker')
  }

  async check(): Promise<void> {
    await this.readMarker()
    this.#gate.requireWell()
  }

  async close(): Promise<void> {
    await Promise.all([this.#appending.close(), this.#subscribing.close()])
  }

  async #judge(batch: AppendBatch, error: unknown): Promise<AppendVerdict> {
    switch (appendFailure(error)) {
      case 'conflict':
        this.#gate.open()
        return this.#whoWon(batch)
      case 'refused':
        throw new AppendRefusedError(`the event store refused: ${describeError(error)}`)
      case 'denied':
        // Perhaps of this stream alone: others are tried, and their answers tell.
        this.#gate.noteFailure()
        throw new AppendRefusedError(`the event store refused: ${describeError(error)}`)
      case 'timed out':
        this.#gate.noteFailure()
        return this.#whatIsThere(batch, error)
      case 'unknown':
        this.#gate.noteFailure()
        throw new OutcomeUnknownError(`the append may be written: ${describeError(error)}`)
    }
  }

  // Never by the revision that the error names: it counts events that are not replicated yet and
  // may still vanish. What can be read is there for ever, in this store: the event that the batch
  // follows is read with the others, and tells whether this is the store that the writer knows.
  async #whoWon(batch: AppendBatch): Promise<AppendVerdict> {
    const { stream, expectedRevision, expectedId, events } = batch
    const maxCount = Math.max(limits.conflictEventsMax, events.length)
    const found: RecordedEvent[] = []
    try {
      const options = { fromRevision: Math.max(expectedRevision, 0), maxCount: maxCount + 1 }
      for await (const event of this.readStream(stream, options)) found.push(event)
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      throw new OutcomeUnknownError('the race was lost, and the winner could not be read')
    }
    if (expectedRevision !== noStream && found.shift()?.id !== expectedId)
      return { kind: 'diverged' }
    const isThere = events.every((event, index) => event.id === found[index]?.id)
    if (isThere) return { kind: 'written', already: true }
    return { kind: 'conflict', missing: found.slice(0, limits.conflictEventsMax) }
  }

  /**
   * The server gave this append up, or had its twin under way. What stands at its place now settles
   * it; an empty place settles nothing, because it may still come.
   */
  async #whatIsThere(batch: AppendBatch, error: unknown): Promise<AppendVerdict> {
    const verdict = await this.#whoWon(batch)
    const isSettled = verdict.kind === 'conflict' ? verdict.missing.length > 0 : true
    if (isSettled && verdict.kind !== 'diverged') return verdict
    throw new OutcomeUnknownError(`the append may be written: ${describeError(error)}`)
  }

  #pull(open: (client: EventStoreDBClient) => ClientStream): AsyncGenerator<ClientEvent, void> {
    const options = { silenceMs: this.#readTimeoutMs }
    return pullAll(this.#appending, options, open)
  }

  async #tried<Found>(read: () => Promise<Found>): Promise<Found> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await read()
      } catch (error) {
        await this.#pauseOrThrow(error, failures)
      }
    }
  }

  /**
   * Quick tries are for a leader that moved, a connection that broke and a client that was given
   * up, never for the silence of its successor.
   */
  async #pauseOrThrow(error: unknown, failures: number): Promise<void> {
    if (error instanceof StoreCorruptError || error instanceof StoreUnavailableError) throw error
    const failure = readFailure(error)
    if (failure === 'deleted') throw new StoreCorruptError('a stream of the ledger was deleted')
    const isPassing = failure === 'passing' && !(error instanceof NoAnswerError)
    if (!isPassing || failures >= limits.readTriesMax)
      throw new StoreUnavailableError(`the event store gave no answer: ${describeError(error)}`)
    await this.#clock.sleep(backOffMs(failures, this.#random))
  }
}

/** Holds one event for ever; its id tells one store from another. */
const markerStream = 'ledger-meta'

const buffer = { highWaterMark: limits.streamBufferEvents }

function forwards(
  client: EventStoreDBClient,
  stream: string,
  options: { fromRevision: bigint; maxCount: number },
): ClientStream {
  return client.readStream(
    stream,
    { ...options, direction: FORWARDS, requiresLeader: true },
    buffer,
  )
}

function backwardsFromEnd(client: EventStoreDBClient): ClientStream {
  return client.readAll(
    {
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: limits.lastEventScanMax,
      requiresLeader: true,
    },
    buffer,
  )
}

function gap(event: RecordedEvent, expected: number): StoreCorruptError {
  return new StoreCorruptError(
    `${event.stream} has revision ${event.revision} where ${expected} belongs`,
    event,
  )
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof OutcomeUnknownError)) throw error
  return undefined
}
