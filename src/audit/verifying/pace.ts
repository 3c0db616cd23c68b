/**
 * The pace of an audit beside a running service: so many events a second and no more, and a tenth
 * of that while the process is busy. What a busy time has cost is not made up for in a hurry.
 */
import type { Clock } from '../../platform/clock.js'
import { auditBusyDivisor, auditBusyShare, auditPauseMs } from '../limits.js'

export interface PaceParts {
  readonly clock: Clock
  /** As fast as it can when left out. */
  readonly eventsPerSecondMax?: number
  /** How busy the process was since it was last asked, 0 to 1; left out, it never is. */
  readonly takeLoad?: () => number
}

export class Pace {
  readonly #parts: PaceParts
  #events = 0
  #beganMs: number

  constructor(parts: PaceParts) {
    this.#parts = parts
    this.#beganMs = parts.clock.now()
  }

  /** So many events are checked by now: resolves when the time of the last ones is over. */
  async keep(events: number, signal?: AbortSignal): Promise<void> {
    const { clock, eventsPerSecondMax = Infinity, takeLoad } = this.#parts
    const isBusy = (takeLoad?.() ?? 0) >= auditBusyShare
    const perSecond = isBusy ? eventsPerSecondMax / auditBusyDivisor : eventsPerSecondMax
    const dueMs = this.#beganMs + Math.floor(((events - this.#events) / perSecond) * 1_000)
    while (clock.now() < dueMs && signal?.aborted !== true)
      await clock.sleep(Math.min(dueMs - clock.now(), auditPauseMs), signal)
    this.#events = events
    this.#beganMs = clock.now()
  }
}
