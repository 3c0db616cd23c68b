/**
 * Asks again and again for as long as somebody wants to know, as the pages of open wallets do.
 * Promises: one round at a time, with a pause before each; of a row of failed rounds the first is
 * told, and the next round comes all the same; nobody there, no timer. A round that is under way at
 * `rest` ends by itself.
 * States: resting ⇄ pausing → asking → pausing, or resting when nobody is left.
 */
import type { Clock } from './clock.js'

export interface PollParts {
  readonly clock: Clock
  readonly pauseMs: number
  readonly isWanted: () => boolean
  readonly round: () => Promise<void>
  /** Logs it, in words that fit the work. */
  readonly onFault: (err: unknown) => void
}

export class Poll {
  readonly #parts: PollParts
  #isResting = true
  #isFailing = false
  #cancelPause = (): void => undefined

  constructor(parts: PollParts) {
    this.#parts = parts
  }

  /** Does nothing when it goes on already. */
  begin(): void {
    const { clock, pauseMs, isWanted } = this.#parts
    if (!this.#isResting || !isWanted()) return
    this.#isResting = false
    const cancel = clock.after(pauseMs, () => void this.#ask())
    this.#cancelPause = () => {
      cancel()
      this.#isResting = true
    }
  }

  rest(): void {
    this.#cancelPause()
  }

  async #ask(): Promise<void> {
    const { round, onFault } = this.#parts
    this.#cancelPause = () => undefined
    try {
      await round()
      this.#isFailing = false
    } catch (err) {
      if (!this.#isFailing) onFault(err)
      this.#isFailing = true
    }
    this.#isResting = true
    this.begin()
  }
}
