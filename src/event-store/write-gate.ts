/**
 * Whether the store takes writes at all. A database that is read-only, a standby or full refuses
 * every append, and waiting for a deadline would help nobody.
 * States: open; shut (an append or a look said that nothing can be written: appends are refused at
 * once, but for one try a moment); silent (appends got no answer for seconds: still tried, every
 * one of them, but the store is not well).
 * Never: says anything about an append that may be written. Refused here means: not sent.
 */
import { appendSilenceMs, appendSilenceForgottenMs, writeTryPauseMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { NotWritableError } from './event-store.js'

export class WriteGate {
  readonly #clock: Clock
  #tryAgainMs: number | undefined
  #silence: { readonly sinceMs: number; lastMs: number } | undefined

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
    this.#silence = undefined
    this.#tryAgainMs = this.#clock.now() + writeTryPauseMs
  }

  /** An append was answered, or a try has shown that it would be. */
  open(): void {
    this.#silence = undefined
    this.#tryAgainMs = undefined
  }

  /** An append got no answer. */
  noteSilence(): void {
    const nowMs = this.#clock.now()
    this.#silence ??= { sinceMs: nowMs, lastMs: nowMs }
    this.#silence.lastMs = nowMs
  }

  /** Throws NotWritableError when appends have got no answer for too long, and lately. */
  requireAnswers(): void {
    if (this.#silence === undefined) return
    const { sinceMs, lastMs } = this.#silence
    if (this.#clock.now() - lastMs > appendSilenceForgottenMs) this.#silence = undefined
    else if (lastMs - sinceMs >= appendSilenceMs)
      throw new NotWritableError('appends get no answer')
  }
}
