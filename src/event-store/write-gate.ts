/**
 * Whether the store takes writes at all. A database that is read-only, a standby or full refuses
 * every append, and waiting for a deadline would help nobody.
 * States: open; shut (an append or a look said that nothing can be written: appends are refused at
 * once, but for one try a moment); failing (for seconds no append was answered, or each was denied:
 * still tried, every one of them, but the store is not well).
 * Never: says anything about an append that may be written. Refused here means: not sent.
 */
import { appendFailingMs, appendFailureForgottenMs, writeTryPauseMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { NotWritableError } from './event-store.js'

export class WriteGate {
  readonly #clock: Clock
  #tryAgainMs: number | undefined
  #failing: { readonly sinceMs: number; lastMs: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isShut(): boolean {
    return this.#tryAgainMs !== undefined
  }

  /** Shut: one may pass all the same now and then, and its answer tells for all. */
  mayPass(): boolean {
    if (this.#tryAgainMs === undefined) return true
    const nowMs = this.#clock.now()
    if (nowMs < this.#tryAgainMs) return false
    this.#tryAgainMs = nowMs + writeTryPauseMs
    return true
  }

  shut(): void {
    this.#failing = undefined
    this.#tryAgainMs = this.#clock.now() + writeTryPauseMs
  }

  /** An append was answered, or a try has shown that it would be. */
  open(): void {
    this.#failing = undefined
    this.#tryAgainMs = undefined
  }

  /** An append got no answer, or was denied whatever it held. */
  noteFailure(): void {
    const nowMs = this.#clock.now()
    this.#failing ??= { sinceMs: nowMs, lastMs: nowMs }
    this.#failing.lastMs = nowMs
  }

  /** Throws NotWritableError when appends have failed for too long, and lately. */
  requireWell(): void {
    if (this.#failing === undefined) return
    const { sinceMs, lastMs } = this.#failing
    if (this.#clock.now() - lastMs > appendFailureForgottenMs) this.#failing = undefined
    else if (lastMs - sinceMs >= appendFailingMs)
      throw new NotWritableError('no append was written for seconds')
  }
}
