/**
 * How busy the event loop of this process is: for work that should leave it to others.
 * Never: sets a timer; it counts from one look to the next.
 */
import { performance } from 'node:perf_hooks'

/** A function that says how busy it was since it was last called, 0 to 1. */
export function loopLoad(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
