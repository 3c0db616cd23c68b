/**
 * The runner: follows the log's tail and hands each batch to the projector, for ever.
 * States: following; pausing after a passing fault; stopped for good by a contradiction (a gap, a
 * wrong revision, another store), until a person has looked and the process starts again.
 * Promises: the checkpoint is verified at the start and at every new subscription.
 * Never: skips an event, or runs on after a contradiction.
 */
import type { Logger } from 'pino'
import { isContradiction } from '../src/event-store/contradiction.js'
import type { EventStore } from '../src/event-store/event-store.js'
import { projectionBatchMax, projectionWaitMs } from '../src/limits.js'
import { backOffMs } from '../src/platform/back-off.js'
import type { Clock } from '../src/platform/clock.js'
import type { Random } from '../src/platform/random.js'
import { OtherStoreError, verifyCheckpoint } from './checkpoint.js'
import { placeAfter, project, ProjectionStoppedError } from './projector.js'
import type { LogPlace } from './projector.js'
import type { ReadTables } from './read-tables.js'

export interface RunnerParts {
  readonly store: EventStore
  readonly tables: ReadTables
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export class ProjectionRunner {
  readonly #parts: RunnerParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #contradiction: string | undefined

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** Why it has stopped for good, if it has. */
  get contradiction(): string | undefined {
    return this.#contradiction
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when the runner has ended, by `stop` or by a contradiction. */
  async ended(): Promise<void> {
    await this.#running
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, random, log } = this.#parts
    const { signal } = this.#stopping
    for (let faults = 0; !signal.aborted;) {
      try {
        await this.#follow(() => (faults = 0))
      } catch (error) {
        if (isFinal(error)) {
          this.#contradiction = error.message
          log.fatal({ err: error }, 'the projections have stopped')
          return
        }
        if (faults === 0) log.warn({ err: error }, 'the projections pause after a fault')
        faults += 1
        await clock.sleep(backOffMs(faults, random), signal)
      }
    }
  }

  async #follow(onProgress: () => void): Promise<void> {
    const { store, tables } = this.#parts
    const { signal } = this.#stopping
    let after: LogPlace = await verifyCheckpoint(store, tables)
    const options = { maxCount: projectionBatchMax, maxWaitMs: projectionWaitMs, signal }
    for await (const events of store.tail({ after: after.position, ...options })) {
      await project(tables, { after, events, store })
      after = placeAfter(after, events)
      onProgress()
    }
  }
}

function isFinal(error: unknown): error is Error {
  if (error instanceof ProjectionStoppedError || error instanceof OtherStoreError) return true
  if (isContradiction(error)) return true
  // A second outcome for one reference, or a value that a table refuses: repeating cannot help.
  return error instanceof Error && 'code' in error && /^(22|23)/.test(String(error.code))
}
