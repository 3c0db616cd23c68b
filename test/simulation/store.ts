/**
 * The event store as one simulated process sees it: the memory store of the contract suite behind
 * a network. An append whose answer stays away is given up by the watchdog and may still arrive.
 * With all faults off it passes that contract too (test/simulation/store.test.ts).
 */
import { OutcomeUnknownError, StoreUnavailableError } from '../../src/event-store/event-store.js'
import type {
  AppendBatch,
  AppendVerdict,
  EventStore,
  RecordedEvent,
  TailOptions,
} from '../../src/event-store/event-store.js'
import { appendWatchdogMs, readTimeoutMs } from '../../src/limits.js'
import { MemoryEventStore } from '../support/memory-store.js'
import type { MemoryLog } from '../support/memory-store.js'
import type { Line } from './network.js'
import type { World } from './world.js'

export class SimulatedStore implements EventStore {
  readonly #world: World
  readonly #line: Line
  readonly #log: MemoryLog
  readonly #memory: MemoryEventStore

  constructor(world: World, line: Line, log: MemoryLog) {
    this.#world = world
    this.#line = line
    this.#log = log
    this.#memory = new MemoryEventStore(log)
  }

  get generation(): number {
    return this.#line.life.breaks
  }

  async append(batch: AppendBatch): Promise<AppendVerdict> {
    const { judged, wrote } = await this.#line.call({
      // Of its deliveries the one that is answered: the other's answer is heard by nobody.
      work: async () => {
        const before = this.#log.events.length
        const verdict = await this.#memory.append(batch)
        return { judged: verdict, wrote: this.#log.events.length > before }
      },
      lost: () => new OutcomeUnknownError('the append got no answer'),
      timeoutMs: appendWatchdogMs,
      mayArriveTwice: true,
    })
    if (wrote) this.#world.checker.wasTold(this.#line.life, batch.events)
    return judged
  }

  async *readStream(
    stream: string,
    options: { fromRevision: number; maxCount: number },
  ): AsyncIterable<RecordedEvent> {
    yield* await this.#read(async () => {
      const events: RecordedEvent[] = []
      for await (const event of this.#memory.readStream(stream, options)) events.push(event)
      return events
    })
  }

  readHead(stream: string): Promise<RecordedEvent | undefined> {
    return this.#read(() => this.#memory.readHead(stream))
  }

  async *tail(options: TailOptions): AsyncIterable<readonly RecordedEvent[]> {
    const { signal, maxCount } = options
    const broken = new AbortController()
    const stopListening = this.#line.life.onBreak(() => broken.abort())
    const closing = AbortSignal.any([signal, broken.signal])
    let next = Number(options.after)
    try {
      while (!signal.aborted) {
        const events = await this.#read(() => this.#log.events.slice(next, next + maxCount))
        if (broken.signal.aborted) throw lost()
        next += events.length
        if (events.length > 0) yield events
        // What came while the answer was on its way is no change any more.
        else if (this.#log.events.length <= next) await this.#log.changed(closing)
        if (events.length === 0 || !this.#world.chance.happens(this.#world.faults.deliveredTwice))
          continue
        this.#world.fault('delivered twice')
        yield events
      }
    } finally {
      stopListening()
    }
  }

  lastEvent(): Promise<RecordedEvent | undefined> {
    return this.#read(() => this.#memory.lastEvent())
  }

  eventAt(position: bigint): Promise<RecordedEvent | undefined> {
    return this.#read(() => this.#memory.eventAt(position))
  }

  readMarker(): Promise<string | undefined> {
    return this.#read(() => this.#memory.readMarker())
  }

  createMarker(): Promise<string> {
    return this.#read(() => (this.#log.marker ??= this.#world.chance.uuid()))
  }

  check(): Promise<void> {
    return this.#read(() => this.#memory.check())
  }

  async close(): Promise<void> {
    await this.#memory.close()
  }

  #read<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#line.call({ work, lost, timeoutMs: readTimeoutMs })
  }
}

function lost(): Error {
  return new StoreUnavailableError('the read got no answer')
}
