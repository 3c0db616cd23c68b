/**
 * Makes a checkpoint every so often, when the log has moved; any number of processes may do so at
 * once. Promises: a failure is logged and followed by the next try; a process without the private
 * key leaves it to the one that has it. Stopping waits for the checkpoint that is being made.
 * States: stopped → looking ⇄ pausing → stopped.
 */
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { MakeResult } from './checkpoints.js'
import { DivergenceError } from './divergence.js'
import { checkpointDueShare, checkpointStartMs } from './limits.js'
import { SigningKeyError } from './signing-keys.js'

export interface ScheduleParts {
  readonly clock: Clock
  readonly log: Log
  /** 0 switches it off. */
  readonly everyMinutes: number
  readonly make: (options: { readonly ageMinMs: number }) => Promise<MakeResult>
}

export class CheckpointSchedule {
  readonly #parts: ScheduleParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  start(): void {
    if (this.#parts.everyMinutes > 0) this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const everyMs = this.#parts.everyMinutes * 60_000
    const { clock } = this.#parts
    await clock.sleep(checkpointStartMs, signal)
    while (!signal.aborted) {
      await this.#look(everyMs)
      await clock.sleep(everyMs, signal)
    }
  }

  async #look(everyMs: number): Promise<void> {
    const { log, make } = this.#parts
    try {
      const result = await make({ ageMinMs: everyMs * checkpointDueShare })
      if (result.kind === 'made')
        log.info({ number: result.newest.checkpoint.number }, 'a checkpoint was made')
    } catch (err) {
      if (err instanceof SigningKeyError) log.warn({ err }, 'no checkpoint: the key is elsewhere')
      else if (err instanceof DivergenceError)
        log.error({ err }, 'no checkpoint is signed: a wallet contradicts the one before')
      else log.warn({ err }, 'a checkpoint was not made; the next round tries again')
    }
  }
}
