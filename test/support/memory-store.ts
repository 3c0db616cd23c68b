/**
 * The event store of tests: the port in the memory of one process, exact, with faults on demand.
 * It passes the same contract as the real stores. A MemoryLog is what a server would hold; each
 * MemoryEventStore on it is one process.
 * States of an append: (held before) → judged and committed in one tick → (held after) → answered.
 */
import { randomUUID } from 'node:crypto'
import { requireWellFormed } from '../../src/event-store/event-store.js'
import type {
  AppendBatch,
  AppendVerdict,
  EventStore,
  NewEvent,
  RecordedEvent,
  TailOptions,
} from '../../src/event-store/event-store.js'
import {
  AppendRefusedError,
  HistoryChangedError,
  NotWritableError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '../../src/event-store/event-store.js'
import { conflictEventsMax } from '../../src/limits.js'

/** What becomes of one append; everything that is left out goes as usual. */
export interface AppendFault {
  /** Awaited before the store looks at the batch: a slow or silent network on the way in. */
  readonly before?: (batch: AppendBatch) => Promise<unknown>
  /** `lost`: nothing is written, `unacknowledged`: it is written; both answer "unknown". */
  readonly outcome?: 'lost' | 'unacknowledged' | 'refused' | 'not writable'
  /** Awaited between commit and answer: a slow or silent network on the way out. */
  readonly after?: (batch: AppendBatch) => Promise<unknown>
}

/** A held append: `reached` tells that it arrived, `release` lets it go on. */
export interface Hold {
  readonly reached: Promise<AppendBatch>
  readonly release: () => void
}

export class MemoryLog {
  readonly events: RecordedEvent[] = []
  readonly streams = new Map<string, RecordedEvent[]>()
  marker: string | undefined
  /** False: as EventStoreDB, which appends at the head whatever stands there. */
  comparesIds = true
  readonly #watchers = new Set<() => void>()

  stream(name: string): readonly RecordedEvent[] {
    return this.streams.get(name) ?? []
  }

  append({ stream, expectedRevision, expectedId, events }: AppendBatch): AppendVerdict {
    const written = this.stream(stream)
    const isTaken = !this.comparesIds && written.length - 1 === expectedRevision
    if (written[expectedRevision]?.id !== expectedId && !isTaken) return { kind: 'diverged' }
    const found = written.slice(expectedRevision + 1)
    if (written.length - 1 === expectedRevision) {
      for (const event of events) this.#record(stream, event)
      for (const watcher of [...this.#watchers]) watcher()
      return { kind: 'written' }
    }
    const isThere = events.every((event, index) => event.id === found[index]?.id)
    if (isThere) return { kind: 'written', already: true }
    return { kind: 'conflict', missing: found.slice(0, conflictEventsMax) }
  }

  /** Goes back: the events after this many of the log are gone, as after a restored backup. */
  setBack(count: number): void {
    this.events.splice(count)
    for (const [name, events] of this.streams) {
      const kept = events.filter((event) => event.position <= BigInt(count))
      if (kept.length === 0) this.streams.delete(name)
      else this.streams.set(name, kept)
    }
  }

  /** Resolves at the next append or when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#watchers.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#watchers.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }

  #record(stream: string, { id, type, data, metadata }: NewEvent): void {
    const position = BigInt(this.events.length + 1)
    const revision = this.stream(stream).length
    const event = { stream, revision, position, id, type, data, metadata }
    this.events.push(event)
    if (revision === 0) this.streams.set(stream, [])
    this.streams.get(stream)?.push(event)
  }
}

export class MemoryEventStore implements EventStore {
  readonly log: MemoryLog
  /** Raised by a test that takes the connection away. */
  generation = 0
  /** Every append that arrived, in order, repeats included. */
  readonly appends: AppendBatch[] = []
  /** Asked at every append that has no fault of its own. */
  onAppend: (batch: AppendBatch) => AppendFault | undefined = () => undefined
  readonly #faults: AppendFault[] = []
  /** Reads that arrived, of streams, heads and places alike. */
  reads = 0
  readonly #closing = new AbortController()
  #readFaults = 0

  constructor(log: MemoryLog = new MemoryLog()) {
    this.log = log
  }

  /** One for each of the next appends, in order of arrival. */
  failNextAppends(...faults: readonly AppendFault[]): void {
    this.#faults.push(...faults)
  }

  /** The next reads, tail and check included, get no answer. */
  failNextReads(count: number): void {
    this.#readFaults = count
  }

  /** The next append hangs until it is released, before or after its commit. */
  holdNextAppend(when: 'before' | 'after', outcome?: AppendFault['outcome']): Hold {
    const gate = promiseParts<undefined>()
    const reached = promiseParts<AppendBatch>()
    const wait = async (batch: AppendBatch): Promise<void> => {
      reached.resolve(batch)
      await gate.promise
    }
    this.#faults.push({ [when]: wait, ...(outcome === undefined ? {} : { outcome }) })
    return { reached: reached.promise, release: () => gate.resolve(undefined) }
  }

  async append(batch: AppendBatch): Promise<AppendVerdict> {
    if (this.#closing.signal.aborted) throw new OutcomeUnknownError('the store is closed')
    this.appends.push(batch)
    const { before, outcome, after } = this.#faults.shift() ?? this.onAppend(batch) ?? {}
    if (before !== undefined) await this.#unlessClosed(before(batch))
    requireWellFormed(batch)
    const { stream, events } = batch
    if (outcome === 'refused' || ![stream, ...events.flatMap(texts)].every(isStorable))
      throw new AppendRefusedError('the store refuses the content')
    if (outcome === 'not writable') throw new NotWritableError('the store takes no writes')
    if (outcome === 'lost') throw new OutcomeUnknownError('the append was lost')
    const verdict = this.log.append(batch)
    if (after !== undefined) await this.#unlessClosed(after(batch))
    if (outcome === 'unacknowledged') throw new OutcomeUnknownError('the answer was lost')
    return verdict
  }

  async *readStream(
    stream: string,
    { fromRevision, maxCount }: { fromRevision: number; maxCount: number },
  ): AsyncIterable<RecordedEvent> {
    this.#read()
    yield* this.log.stream(stream).slice(fromRevision, fromRevision + maxCount)
  }

  async readHead(stream: string): Promise<RecordedEvent | undefined> {
    this.#read()
    return this.log.stream(stream).at(-1)
  }

  async *tail(options: TailOptions): AsyncIterable<readonly RecordedEvent[]> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal])
    let next = Number(options.after)
    let last = this.log.events[next - 1]
    while (!options.signal.aborted) {
      this.#read()
      if (this.log.events[next - 1] !== last)
        throw new HistoryChangedError('the last event that was seen is not there any more')
      const events = this.log.events.slice(next, next + options.maxCount)
      next += events.length
      last = events.at(-1) ?? last
      if (events.length > 0) yield events
      else await this.log.changed(signal)
    }
  }

  async lastEvent(): Promise<RecordedEvent | undefined> {
    this.#read()
    return this.log.events.at(-1)
  }

  async eventAt(position: bigint): Promise<RecordedEvent | undefined> {
    this.#read()
    return this.log.events[Number(position) - 1]
  }

  async readMarker(): Promise<string | undefined> {
    this.#read()
    return this.log.marker
  }

  async createMarker(): Promise<string> {
    this.#read()
    return (this.log.marker ??= randomUUID())
  }

  async check(): Promise<void> {
    this.#read()
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }

  #read(): void {
    this.reads += 1
    if (this.#closing.signal.aborted) throw new StoreUnavailableError('the store is closed')
    if (this.#readFaults === 0) return
    this.#readFaults -= 1
    throw new StoreUnavailableError('the read got no answer')
  }

  /** A held append is answered at close too. */
  async #unlessClosed(held: Promise<unknown>): Promise<void> {
    const { signal } = this.#closing
    const closed = promiseParts<undefined>()
    const stop = (): void => closed.resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([held, closed.promise]).finally(() =>
      signal.removeEventListener('abort', stop),
    )
    if (signal.aborted) throw new OutcomeUnknownError('the store is closing')
  }
}

function texts({ id, type, data, metadata }: NewEvent): string[] {
  return [id, type, data, metadata]
}

// The same texts as PostgreSQL refuses.
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function promiseParts<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
