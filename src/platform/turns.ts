/**
 * Turns: work that only so much of may run at once, such as password hashes or long searches.
 * Promises: in order of arrival; whoever would wait behind too many is refused at once.
 * States of a piece of work: waiting → running → done, or refused (OverloadedError).
 */

/** More is asked for than can be done in time: the same request may work in a second. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError'
}

/** At most `atOnceMax` pieces of work run, `waitingMax` wait in order, and more are refused. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor({ atOnceMax, waitingMax }: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = atOnceMax
    this.#waitingMax = waitingMax
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnceMax) await this.#turn()
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The place is handed over, so that nobody who comes now overtakes who waits.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax)
      throw new OverloadedError('too many wait for their turn already')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
