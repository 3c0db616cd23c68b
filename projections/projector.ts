/**
 * The projector: one batch of events into all read models and the checkpoint, in one transaction
 * with one statement. Promises: a batch counts once however often it is delivered; rows and
 * checkpoint commit together; any number of runners may try at once.
 * Never: goes on over a gap, a wrong revision or a second outcome of a reference: it stops, loudly.
 */
import type { RecordedEvent } from '../src/event-store/event-store.js'
import type { OpenTables, ReadTables } from './read-tables.js'
import { rowsOf } from './rows.js'

/** The log and the read models contradict each other: a person must look at it. */
export class ProjectionStoppedError extends Error {
  override readonly name = 'ProjectionStoppedError'
}

/** Applies what lies beyond the checkpoint; returns the position reached. */
export async function project(
  tables: ReadTables,
  events: readonly RecordedEvent[],
): Promise<bigint> {
  return tables.transaction((open) => applyEvents(open, events))
}

/** Inside the caller's transaction, which holds the lock when the tables are the serving ones. */
export async function applyEvents(
  tables: OpenTables,
  events: readonly RecordedEvent[],
): Promise<bigint> {
  const { position } = await tables.readCheckpoint()
  // Redelivery, and two runners during a deploy, are normal.
  const fresh = events.filter((event) => event.position > position)
  const last = fresh.at(-1)
  if (last === undefined) return position
  const rows = rowsOf(fresh)
  const written = await tables.write(rows, last)
  if (written.wallets !== rows.wallets.length)
    throw new ProjectionStoppedError(
      `a wallet's row does not stand right before its next event, up to position ${last.position}`,
    )
  if (written.refunds !== rows.refunds.length)
    throw new ProjectionStoppedError(
      `a refund names a debit that has no row, up to position ${last.position}`,
    )
  return last.position
}
