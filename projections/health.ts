/**
 * The health of the projections: how far they are behind the log, and whether they have stopped.
 * Reads are exact and writes work whatever it is, so the worst it says is `degraded`.
 */
import { decodeEvent } from '../src/domain/wallet-events.js'
import type { EventStore } from '../src/event-store/event-store.js'
import { projectionLagDegradedMs } from '../src/limits.js'
import type { Clock } from '../src/platform/clock.js'
import type { Pool } from '../src/platform/postgres.js'
import { readCheckpoint } from './checkpoint.js'
import type { ProjectionRunner } from './runner.js'

export interface ProjectionHealth {
  readonly state: 'ok' | 'degraded'
  readonly detail?: string
  readonly lagMs?: number
}

interface LagParts {
  readonly store: EventStore
  readonly pool: Pool
  readonly clock: Clock
}

export async function checkpointHealth(
  parts: LagParts & { readonly runner: ProjectionRunner },
): Promise<ProjectionHealth> {
  if (parts.runner.contradiction !== undefined)
    return { state: 'degraded', detail: 'stopped by a contradiction, see the log' }
  const lagMs = await projectionLagMs(parts)
  return { state: lagMs > projectionLagDegradedMs ? 'degraded' : 'ok', lagMs }
}

/** 0 when the rows hold the log's last event, else the age of the first event they do not hold. */
export async function projectionLagMs({ store, pool, clock }: LagParts): Promise<number> {
  // The log's end first: an event that arrives in between is no lag.
  const last = await store.lastEvent()
  const { position } = await readCheckpoint(pool)
  if (last === undefined || position >= last.position) return 0
  const once = new AbortController()
  const options = { maxCount: 1, maxWaitMs: 0, signal: once.signal }
  try {
    for await (const [next] of store.tail({ after: position, ...options })) {
      if (next === undefined) continue
      const { time } = decodeEvent(next.type, next.data).data
      return Math.max(0, clock.now() - Date.parse(time))
    }
    return 0
  } finally {
    once.abort()
  }
}
