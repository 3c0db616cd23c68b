/**
 * Turns: work that only so much of may run at once, such as password hashes or long searches.
 * Promises: in order of arrival; whoever would wait behind too many is refused at once, and whoever
 * has waited too long is refused then.
 * States of a piece of work: waiting → running → done, or refused.
 */
import type { Clock } from './clock.js'

/** More is asked for than can be done in time: the same request may work in a second. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
}

export interface TurnBounds {
  /** How much may run: of work that weighs 1 unless it says otherwise. */
  readonly atOnceMax: number
  readonly waitingMax: number
  /** Without it whoever is in line waits for as long as it takes. */
  readonly wait?: { readonly clock: Clock; readonly maxMs: number }
  /** What is thrown at whoever is refused; an OverloadedError when left out. */
  readonly refusal?: () => Error
}

export class Turns {
  readonly #bounds: TurnBounds
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  /** Resolves when it is this one's turn; what entered must `leave` with the same weight. */
  enter(weight = 1): Promise<void> | void {
    // Nobody who comes now overtakes who waits.
    if (this.#waiting.length > 0 || !this.#hasRoomFor(weight)) return this.#wait(weight)
    this.#running += weight
  }

  leave(weight = 1): void {
    this.#running -= weight
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#hasRoomFor(next.weight)) return
      this.#waiting.shift()
      this.#running += next.weight
      next.begin()
    }
  }

  /** What is heavier than everything together runs alone. */
  #hasRoomFor(weight: number): boolean {
    return this.#running === 0 || this.#running + weight <= this.#bounds.atOnceMax
  }

  #wait(weight: number): Promise<void> {
    const { waitingMax, wait } = this.#bounds
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= waitingMax) {
        reject(this.#refusal())
        return
      }
      const cancel = wait?.clock.after(wait.maxMs, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(this.#refusal())
      })
      const begin = (): void => {
        cancel?.()
        resolve()
      }
      const waiting = { weight, begin }
      this.#waiting.push(waiting)
    })
  }

  #refusal(): Error {
    const { refusal } = this.#bounds
    return refusal?.() ?? new OverloadedError('too many wait for their turn already')
  }
}

interface Waiting {
  readonly weight: number
  readonly begin: () => void
}
