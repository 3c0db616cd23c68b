/**
 * A promise that is waited for with a limit. Promises: nothing stays behind, no timer and no
 * listener, whoever is first; what the work does after its time is nobody's fault any more, also
 * when it fails then. Never: stops the work itself; it goes on, and whoever began it may end it.
 */
import type { Clock } from './clock.js'

export interface Deadline<Late> {
  readonly clock: Clock
  readonly limitMs: number
  /** What is answered, or thrown, when the time is over. */
  readonly onLate: () => Late
  /** Its abort ends the waiting too, with its reason. */
  readonly signal?: AbortSignal
}

/** What the work gives or throws; after its time, what `onLate` does. */
export async function within<Result, Late = never>(
  work: Promise<Result>,
  { clock, limitMs, onLate, signal }: Deadline<Late>,
): Promise<Result | Late> {
  let cancel = (): void => undefined
  let onAbort = (): void => undefined
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(limitMs, resolve)
  })
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(asError(signal?.reason))
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
  })
  try {
    return await Promise.race([work, late.then(onLate), aborted])
  } finally {
    cancel()
    // One signal outlives thousands of answers: a listener left behind would be a leak.
    signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * Waits for the end of the work, a failure too, but not longer than this: for clean-up that may
 * never end. Keeps the process alive meanwhile, as `sleep` does: what comes after the clean-up must
 * still happen.
 */
export async function endedWithin(
  work: Promise<unknown>,
  { clock, limitMs }: Pick<Deadline<void>, 'clock' | 'limitMs'>,
): Promise<void> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  void work.then(end, end)
  await clock.sleep(limitMs, ended.signal)
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
