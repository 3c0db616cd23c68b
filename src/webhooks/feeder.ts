/**
 * The feeder: follows the log's tail and the outbox and makes deliveries of both, for as long as
 * there is an endpoint. Any number of processes may run one; a lock lets one step at a time.
 * States: resting (no endpoint) ⇄ following; pausing after a passing fault; stopped for good by a
 * contradiction (another store, an event that cannot be read), until a person has looked.
 * Promises: the checkpoint is verified whenever it begins to follow. Never: skips an event.
 */
import { isContradiction } from '../event-store/contradiction.js'
import { HistoryChangedError } from '../event-store/event-store.js'
import { backOffMs } from '../platform/back-off.js'
import type { Log } from '../platform/log.js'
import type { Random } from '../platform/random.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import { OtherLogError, verifyCheckpoint } from './checkpoint.js'
import type { FeedPlace } from './checkpoint.js'
import { feed } from './feeding.js'
import type { FeedBatch, FeedingParts } from './feeding.js'
import { feedBatchEvents, feedPollMs, feedWaitMs } from './limits.js'

export interface FeederParts extends FeedingParts {
  readonly random: Random
  readonly log: Log
  /** There is something to deliver. */
  readonly onFed: () => void
  /** How often the outbox is looked at. */
  readonly pollMs?: number
}

export class Feeder {
  readonly #parts: FeederParts
  readonly #stopping = new AbortController()
  readonly #outbox: RepeatingWork
  #running: Promise<void> | undefined
  #contradiction: string | undefined

  constructor(parts: FeederParts) {
    this.#parts = parts
    this.#outbox = new RepeatingWork({
      clock: parts.clock,
      pauseMs: parts.pollMs ?? feedPollMs,
      round: () => this.feedOutbox(),
      onFault: (err) => parts.log.warn({ err }, 'the outbox of webhooks waits after a fault'),
    })
  }

  /** Why it has stopped for good, if it has. */
  get contradiction(): string | undefined {
    return this.#contradiction
  }

  start(): void {
    this.#running ??= this.#run()
    this.#outbox.start()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#running, this.#outbox.stop()])
  }

  /** What waits in the outbox, once. */
  async feedOutbox(): Promise<void> {
    if (await this.#parts.tables.hasUnfed()) await this.#feed(undefined)
  }

  async #run(): Promise<void> {
    const { tables, clock, random, log } = this.#parts
    const { signal } = this.#stopping
    for (let faults = 0; !signal.aborted;) {
      try {
        if (await tables.hasEndpoints()) await this.#follow(() => (faults = 0))
        else await clock.sleep(feedPollMs, signal)
      } catch (error) {
        if (isFinal(error)) {
          this.#contradiction = error.message
          log.fatal({ err: error }, 'webhooks have stopped')
          return
        }
        // Another one's step, or a log that was set back: begin anew from what is there.
        const isUsual = error instanceof HistoryChangedError
        if (faults === 0 && !isUsual) log.warn({ err: error }, 'webhooks pause after a fault')
        faults += 1
        await clock.sleep(backOffMs(faults, random), signal)
      }
    }
  }

  async #follow(onProgress: () => void): Promise<void> {
    const { store, tables } = this.#parts
    const { signal } = this.#stopping
    let after: FeedPlace = await verifyCheckpoint(store, tables)
    const options = { maxCount: feedBatchEvents, maxWaitMs: feedWaitMs, signal }
    for await (const events of store.tail({ after: after.position, ...options })) {
      const last = events.at(-1)
      if (last === undefined) continue
      const { hasListeners } = await this.#feed({ after, events })
      if (!hasListeners) return
      after = { position: last.position, eventId: last.id }
      onProgress()
    }
  }

  async #feed(batch: FeedBatch | undefined): Promise<{ readonly hasListeners: boolean }> {
    const fed = await feed(this.#parts, batch)
    if (fed.deliveries > 0) this.#parts.onFed()
    return fed
  }
}

function isFinal(error: unknown): error is Error {
  if (error instanceof OtherLogError || error instanceof SyntaxError) return true
  return isContradiction(error)
}
