/**
 * The projector: one batch of events into all read models and the checkpoint, in one transaction
 * with one statement. Promises: a batch counts once however often it is delivered; rows and
 * checkpoint commit together; any number of runners may try at once; each event continues the hash
 * and the balance of its wallet's row, whatever it says itself.
 * Never: goes on over a gap, a wrong revision, hash or sum, or a second outcome of a reference: it
 * stops, loudly. Nor does it apply what was read of a log that is not the read models' any more.
 */
import type { WalletId } from '../src/domain/ids.js'
import type { EventStore, RecordedEvent } from '../src/event-store/event-store.js'
import { HistoryChangedError } from '../src/event-store/event-store.js'
import type { Checkpoint, OpenTables, ReadTables } from './read-tables.js'
import { rowsOf, walletsToRead } from './rows.js'
import type { WalletState } from './rows.js'

/** The log and the read models contradict each other: a person must look at it. */
export class ProjectionStoppedError extends Error {
  override readonly name = 'ProjectionStoppedError'
}

const noStates: ReadonlyMap<WalletId, WalletState> = new Map()

/** A place in the log: where a batch begins, exclusive. */
export type LogPlace = Pick<Checkpoint, 'position' | 'eventId'>

/** Events of the log without a gap, and the place right before the first of them. */
export interface LogBatch {
  readonly after: LogPlace
  readonly events: readonly RecordedEvent[]
  /** Where they were read, for who may be given a new connection between reading and writing. */
  readonly store?: Pick<EventStore, 'eventAt'>
}

/** Where the batch after these events begins. */
export function placeAfter(after: LogPlace, events: readonly RecordedEvent[]): LogPlace {
  const last = events.at(-1)
  return last === undefined ? after : { position: last.position, eventId: last.id }
}

/** Applies what lies beyond the checkpoint; returns the place reached. */
export async function project(tables: ReadTables, batch: LogBatch): Promise<LogPlace> {
  return tables.transaction((open) => applyEvents(open, batch))
}

/** Inside the caller's transaction, which holds the lock when the tables are the serving ones. */
export async function applyEvents(tables: OpenTables, batch: LogBatch): Promise<LogPlace> {
  const checkpoint = await tables.readCheckpoint()
  // Redelivery, and two runners during a deploy, are normal.
  const fresh = batch.events.filter((event) => event.position > checkpoint.position)
  const last = fresh.at(-1)
  if (last === undefined) return checkpoint
  requireContinued(batch, checkpoint)
  await requireThere(batch, last)
  const walletIds = walletsToRead(fresh)
  const rows = rowsOf(fresh, walletIds.length === 0 ? noStates : await tables.readStates(walletIds))
  const written = await tables.write(rows, last)
  if (written.wallets !== rows.wallets.length)
    throw new ProjectionStoppedError(
      `a wallet's row does not stand right before its next event, up to position ${last.position}`,
    )
  if (written.refunds !== rows.refunds.length)
    throw new ProjectionStoppedError(
      `a refund names a debit that has no row, up to position ${last.position}`,
    )
  return placeAfter(checkpoint, fresh)
}

/**
 * The batch was read before the lock, and database or store may have been set back in between: the
 * checkpoint must be the place that the batch begins after, or one of its own events.
 */
function requireContinued({ after, events }: LogBatch, checkpoint: Checkpoint): void {
  const known =
    after.position === checkpoint.position
      ? after.eventId
      : events.find(({ position }) => position === checkpoint.position)?.id
  if (known === checkpoint.eventId) return
  throw new HistoryChangedError(
    `the read models at position ${checkpoint.position} are not in the log that was read`,
  )
}

/**
 * Rows that were set back to the batch's beginning continue it, though its events may be gone with
 * the rest: only the log can tell, asked now that the rows are held. If the last is there, all are.
 */
async function requireThere({ store }: LogBatch, last: RecordedEvent): Promise<void> {
  if (store === undefined || (await store.eventAt(last.position))?.id === last.id) return
  throw new HistoryChangedError(`the event at position ${last.position} is not there any more`)
}
