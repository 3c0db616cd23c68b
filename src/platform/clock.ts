/**
 * The only place that reads the time or sets a timer; everything else is given a Clock.
 * Two kinds of waiting, on purpose: `after` is for guards (deadlines, watchdogs, cache expiry) and
 * never keeps the process alive, because what it guards does; `sleep` is a pause inside work that
 * somebody awaits, so the process stays until it is over or its signal aborts.
 * Never: rejects a sleep, fires a task early, or fires it after it was cancelled.
 */

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Runs `task` once; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, task: () => void): () => void
  /**
   * Resolves after `delayMs`, or at once when the signal aborts (it never rejects: look at the
   * signal). Keeps the process alive meanwhile: a batch that waits for its next try must not be
   * lost because nothing else runs. A loop that should not hold up a shutdown passes its signal.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** Node fires a longer timer at once (its delay is a signed 32-bit number): about 24.8 days. */
export const timerDelayMaxMs = 2 ** 31 - 1

/** A delay in the past means "now"; one that no timer can hold is a mistake of the caller. */
export function timerDelay(delayMs: number): number {
  if (Number.isNaN(delayMs) || delayMs > timerDelayMaxMs)
    throw new RangeError(`a delay of ${delayMs} ms does not fit a timer`)
  return Math.max(0, delayMs)
}

export const systemClock: Clock = {
  now: () => Date.now(),

  after(delayMs, task) {
    const timer = setTimeout(task, timerDelay(delayMs))
    timer.unref()
    return () => clearTimeout(timer)
  },

  sleep(delayMs, signal) {
    const delay = timerDelay(delayMs)
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve()
        return
      }
      const finish = (): void => {
        clearTimeout(timer)
        // One signal outlives thousands of sleeps: a listener left behind would be a leak.
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, delay)
      signal?.addEventListener('abort', finish, { once: true })
    })
  },
}

/** Milliseconds since the process began: for what must not follow a clock that is set. */
export function monotonicMs(): number {
  return performance.now()
}
