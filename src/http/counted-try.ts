/**
 * Counts a try before the work that it asks for, and refuses the one that is too many: 429 with
 * `Retry-After`. Promises: keys are counted in the order given, up to the first that refuses.
 * Never: tells which bound was reached.
 */
import type { Throttle, ThrottleKey, ThrottleLimit } from '../identity/throttle.js'
import { ApiError } from './errors.js'

export async function countTry(
  throttle: Throttle,
  ...bounds: readonly (ThrottleKey & ThrottleLimit)[]
): Promise<void> {
  for (const { kind, value, tries, windowMs } of bounds) {
    const waitSeconds = await throttle.count({ kind, value }, { tries, windowMs })
    if (waitSeconds !== undefined)
      throw new ApiError('TOO_MANY_TRIES', { headers: { 'retry-after': String(waitSeconds) } })
  }
}
