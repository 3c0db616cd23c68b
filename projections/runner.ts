/**
 * The runner: follows the log's tail and hands each batch to the projector, for ever.
 * States: following; pausing after a passing fault; stopped for good by a contradiction (a gap, a
 * wrong revision, another store), until a person has looked and the process starts again.
 * Promises: the checkpoint is verified at the start and at every new subscription.
 * Never: skips an event, or runs on after a contradiction.
 */
import type { Logger } from 'pino'
import { InvariantError } from '../src/domain/invariant.js'
import type { EventStore } from '../src/event-store/event-store.js'
import { StoreCorruptError } from '../src/event-store/event-store.js'
import { projectionBatchMax, projectionWaitMs } from '../src/limits.js'
import { retryPauseMaxMs, retryPauseMinMs } from '../src/limits.js'
import type { Clock } from '../src/platform/clock.js'
import type { Pool } from '../src/platform/postgres.js'
import { OtherStoreError, verifyCheckpoint } from './checkpoint.js'
import { placeAfter, project, ProjectionStoppedError } from './projector.js'
import type { LogPlace } from './projector.js'

export interface RunnerParts {
  readonly store: EventStore
  readonly pool: Pool
  readonly clock: Clock
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
    const { clock, log } = this.#parts
    const { signal } = this.#stopping
    for (let faults = 0; !signal.aborted;) {
      try {
        await this.#follow(() => (faults = 0))
      } catch (error) {
        if (isContradiction(error)) {
          this.#contradiction = error.message
          log.fatal({ err: error }, 'the projections have stopped')
          return
        }
        if (faults === 0) log.warn({ err: error }, 'the projections pause after a fault')
        await clock.sleep(Math.min(retryPauseMinMs * 2 ** faults, retryPauseMaxMs), signal)
        faults += 1
      }
    }
  }

  async #follow(onProgress: () => void): Promise<void> {
    const { store, pool } = this.#parts
    const { signal } = this.#stopping
    let after: LogPlace = await verifyCheckpoint(store, pool)
    const options = { maxCount: projectionBatchMax, maxWaitMs: projectionWaitMs, signal }
    for await (const events of store.tail({ after: after.position, ...options })) {
      await project(pool, { after, events })
      after = placeAfter(after, events)
      onProgress()
    }
  }
}

function isContradiction(error: unknown): error is Error {
  if (error instanceof ProjectionStoppedError || error instanceof OtherStoreError) return true
  if (error instanceof InvariantError || error instanceof StoreCorruptError) return true
  // A second outcome for one reference, or a value that a table refuses: repeating cannot help.
  return error instanceof Error && 'code' in error && /^(22|23)/.test(String(error.code))
}
