/**
 * All commands of a process that wait for their answer, and one timer for all their deadlines: a
 * timer for each would cost more than deciding it.
 * States: empty (no timer), or with a timer for the next look.
 * Promises: whoever is not answered fails at its deadline, or `deadlineLookMs` after it when many
 * come one after the other. Never: leaves a timer behind when nobody waits.
 */
import { deadlineLookMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { CommandUnavailableError, type WaitingCommand } from './waiting-command.js'

export class WaitingCommands {
  readonly #clock: Clock
  /**
   * Those that wait, among some that are answered already; a set that changes with every command
   * leaves its outgrown tables behind, and the collector takes what they hold for alive.
   */
  #line: WaitingCommand[] = []
  #size = 0
  #nextLookMs = Infinity
  #cancelLook = (): void => undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#size
  }

  add(waiting: WaitingCommand): void {
    if (this.#line.length >= 2 * this.#size + answeredInLineMax) this.#line = this.#unanswered()
    this.#line.push(waiting)
    this.#size += 1
    // They come nearly in the order of their deadlines: this is the first one, or a late comer.
    if (waiting.deadlineMs < this.#nextLookMs) this.#lookAt(waiting.deadlineMs)
  }

  /** One that was added has its answer. */
  end(): void {
    this.#size -= 1
    if (this.#size > 0) return
    this.#line = []
    this.#lookAt(Infinity)
  }

  /** Resolves when everyone who waits now is answered. */
  async ended(): Promise<void> {
    await Promise.all(this.#unanswered().map((waiting) => waiting.ended()))
  }

  #lookAt(timeMs: number): void {
    this.#cancelLook()
    this.#nextLookMs = timeMs
    if (timeMs === Infinity) return
    this.#cancelLook = this.#clock.after(timeMs - this.#clock.now(), () => this.#look())
  }

  #look(): void {
    const nowMs = this.#clock.now()
    let nextMs = Infinity
    for (const waiting of this.#unanswered())
      if (waiting.deadlineMs > nowMs) nextMs = Math.min(nextMs, waiting.deadlineMs)
      else waiting.fail(new CommandUnavailableError('deadline'))
    this.#lookAt(Math.max(nextMs, nowMs + deadlineLookMs))
  }

  #unanswered(): WaitingCommand[] {
    return this.#line.filter((waiting) => !waiting.isAnswered)
  }
}

/** So few that they are no burden, and so many that they are not looked through all the time. */
const answeredInLineMax = 64
