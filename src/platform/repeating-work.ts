/**
 * Work that comes again and again while the service runs, such as a sweep of expired rows.
 * Promises: one round at a time, with a pause before each; a round that fails is told, and the next
 * one comes all the same; `stop` ends a pause at once and waits for the round that is under way.
 * States: stopped → pausing ⇄ working → stopped, for good.
 */
import type { Clock } from './clock.js'

export interface RepeatingWorkParts {
  readonly clock: Clock
  /** After each round. 0: there is none, for a loop without a pause would do nothing else. */
  readonly pauseMs: number
  /** Before the first round; as long as the others when left out. */
  readonly firstPauseMs?: number
  /** The signal aborts with `stop`: a long round looks at it. */
  readonly round: (signal: AbortSignal) => Promise<unknown>
  /** Logs it, in words that fit the work. */
  readonly onFault: (err: unknown) => void
}

export class RepeatingWork {
  readonly #parts: RepeatingWorkParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: RepeatingWorkParts) {
    this.#parts = parts
  }

  start(): void {
    if (this.#parts.pauseMs > 0) this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, pauseMs, firstPauseMs = pauseMs, round, onFault } = this.#parts
    const { signal } = this.#stopping
    await clock.sleep(firstPauseMs, signal)
    while (!signal.aborted) {
      await round(signal).catch(onFault)
      await clock.sleep(pauseMs, signal)
    }
  }
}
