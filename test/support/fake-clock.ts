/**
 * A clock that stands still until a test moves it: eight seconds of deadline take no time at all.
 * Timers run in the order of their due times (then of their making), each at exactly its own time,
 * and promise chains settle between two of them, so a task may set further timers.
 * States of a timer: waiting → run, or waiting → cancelled; it is in the list only while waiting.
 */
import { timerDelay, type Clock } from '../../src/platform/clock.js'

interface Timer {
  dueMs: number
  readonly task: () => void
}

export class FakeClock implements Clock {
  #nowMs: number
  #timers: Timer[] = []
  #advancing = false

  constructor(startMs: number = Date.UTC(2025, 0, 1)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  after(delayMs: number, task: () => void): () => void {
    const timer: Timer = { dueMs: this.#nowMs + timerDelay(delayMs), task }
    // Behind every timer that is due at the same time or earlier: equal due times keep their order.
    const index = this.#timers.findIndex((other) => other.dueMs > timer.dueMs)
    this.#timers.splice(index === -1 ? this.#timers.length : index, 0, timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, delayMs, signal)
  }

  /** How many timers wait: zero at the end of a test means that nothing was left behind. */
  get waiting(): number {
    return this.#timers.length
  }

  /** Moves the time on, running what becomes due on the way; work that follows from it settles. */
  async advance(byMs: number): Promise<void> {
    if (!(byMs >= 0)) throw new RangeError(`time only moves on, not by ${byMs} ms`)
    if (this.#advancing) throw new Error('the clock is already being moved: await advance()')
    this.#advancing = true
    try {
      await settle()
      const targetMs = this.#nowMs + byMs
      for (let next = this.#due(targetMs); next !== undefined; next = this.#due(targetMs)) {
        this.#nowMs = next.dueMs
        this.#timers.shift()
        next.task()
        await settle()
      }
      this.#nowMs = targetMs
    } finally {
      this.#advancing = false
    }
  }

  /**
   * Sets the time of day, as an operator or NTP does: back or forth, and no timer runs. As on a
   * real machine the waiting timers keep the delay that is left to them.
   */
  set(nowMs: number): void {
    if (this.#advancing) throw new Error('the clock is being moved: await advance() first')
    const byMs = nowMs - this.#nowMs
    this.#nowMs = nowMs
    for (const timer of this.#timers) timer.dueMs += byMs
  }

  #due(targetMs: number): Timer | undefined {
    const [next] = this.#timers
    return next !== undefined && next.dueMs <= targetMs ? next : undefined
  }
}

/** The sleep of a clock whose timers are not the system's. */
export function sleepBy(
  clock: Pick<Clock, 'after'>,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve()
      return
    }
    const finish = (): void => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(delayMs, finish)
    signal?.addEventListener('abort', finish, { once: true })
  })
}

/** Rounds of the event loop that a chain of promises, ticks and immediates gets to settle. */
const settleRounds = 10

/** Lets everything run that needs no timer and no outside world: promises, ticks, immediates. */
export async function settle(): Promise<void> {
  for (let round = 0; round < settleRounds; round += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}
