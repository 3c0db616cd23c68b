/**
 * How long to wait before the next try: twice as long after each failure, up to a bound.
 * Promises: at least half of the full pause, the rest by chance, so that many who failed together
 * do not come again together; however many failures, a pause that a timer can hold.
 * Never: counts or sleeps; whoever tries knows when a row of failures has ended.
 */
import * as limits from '../limits.js'
import type { Random } from './random.js'

export interface BackOffBounds {
  readonly retryPauseMinMs: number
  readonly retryPauseMaxMs: number
}

/** After so many failures in a row: 1 for the first. */
export function backOffMs(failures: number, random: Random, bounds: BackOffBounds = limits) {
  const { retryPauseMinMs: fromMs, retryPauseMaxMs: toMs } = bounds
  return doubledMs(failures - 1, { fromMs, toMs }) * (0.5 + random.fraction() / 2)
}

/** `fromMs` doubled so many times, at most `toMs`: for a plan that must be the same every time. */
export function doubledMs(times: number, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  return Math.min(fromMs * 2 ** times, toMs)
}
