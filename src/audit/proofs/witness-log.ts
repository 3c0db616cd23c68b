/**
 * Has the end of the log witnessed every so often, so that newest events which were cut off
 * together with all their rows are missed even before a checkpoint covers them. Promises: never
 * moves back, and never over an event that is gone: that is a DivergenceError, and stays witnessed.
 * What came and went between two rounds is known to nobody.
 */
import type { EventStore } from '../../event-store/event-store.js'
import type { Clock } from '../../platform/clock.js'
import type { Pool } from '../../platform/postgres.js'
import { DivergenceError } from '../verifying/divergence.js'
import { CheckpointRunningError, locked } from './checkpoint-lock.js'
import type { Witnesses } from './witness.js'
import { findCut } from './witness-check.js'

export interface WitnessLogParts {
  readonly pool: Pool
  readonly store: EventStore
  readonly clock: Clock
  readonly witnesses: Witnesses
}

/** Does nothing before the first checkpoint, or while somebody makes one. */
export async function witnessLog(parts: WitnessLogParts): Promise<void> {
  try {
    // Under the lock: a checkpoint that is witnessed meanwhile must not be overwritten.
    await locked(parts, () => moveOn(parts), 0)
  } catch (error) {
    if (!(error instanceof CheckpointRunningError)) throw error
  }
}

async function moveOn({ store, witnesses }: WitnessLogParts): Promise<void> {
  const testimony = await witnesses.read()
  const { word } = testimony
  if (word === undefined) return
  const cut = await findCut(store, word)
  if (cut !== undefined) throw new DivergenceError(cut)
  const last = await store.lastEvent()
  if (last === undefined || last.position <= BigInt(word.record.seenPosition)) return
  const seen = { seenPosition: String(last.position), seenEventId: last.id }
  await testimony.write({ ...word.record, ...seen })
}
