/**
 * What makes checkpoints, put together from the configuration: the key's file, the witnesses, and
 * for a service the schedule. Used by the service and by the commands.
 */
import type { EventStore } from '../../event-store/event-store.js'
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import type { Pool } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import { CheckpointSchedule } from './checkpoint-schedule.js'
import type { CheckpointParts } from './checkpoint-completion.js'
import { makeCheckpoint } from './checkpoints.js'
import { SigningKeys } from './signing-keys.js'
import { witnessLog } from './witness-log.js'
import { openWitnesses } from './witness-places.js'

export interface CheckpointSettings {
  readonly everyMinutes: number
  readonly signingKeyFile: string
  /** Files, and addresses that begin with http:// or https://. */
  readonly witnesses: readonly string[]
}

export interface CheckpointSurroundings {
  readonly pool: Pool
  readonly store: EventStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function checkpointParts(
  { signingKeyFile: file, witnesses: places }: CheckpointSettings,
  { pool, store, clock, random, log }: CheckpointSurroundings,
): CheckpointParts {
  const keys = new SigningKeys({ file, random })
  return { pool, store, clock, keys, witnesses: openWitnesses(places, { random, log }) }
}

export function checkpointSchedule(
  parts: CheckpointParts,
  { everyMinutes, log }: { readonly everyMinutes: number; readonly log: Log },
): CheckpointSchedule {
  return new CheckpointSchedule({
    clock: parts.clock,
    log,
    everyMinutes,
    make: (options) => makeCheckpoint(parts, options),
    witnessLog: () => witnessLog(parts),
  })
}
