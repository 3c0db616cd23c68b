/**
 * How far the log has become deliveries, and the lock of whoever moves that on: marker, position
 * and event id, as the read models have them. Promises: a store that is another one, or an older
 * copy of the same, is refused before anything is told of it.
 */
import type { EventStore } from '../event-store/event-store.js'
import { startOfLog } from '../event-store/event-store.js'
import type { Client, Pool } from '../platform/postgres.js'
import { feedLockIdleMs } from './limits.js'

export interface FeedCheckpoint {
  /** Null until the first endpoint was made. */
  readonly marker: string | null
  readonly position: bigint
  readonly eventId: string | null
}

/** A place in the log: where a batch begins, exclusive. */
export type FeedPlace = Pick<FeedCheckpoint, 'position' | 'eventId'>

/** The event store is not the one that webhooks were made of. */
export class OtherLogError extends Error {
  override readonly name = 'OtherLogError'
}

/** Any number that nobody else uses as an advisory lock in this database. */
const feedLock = 7_305_026

/** A statement of its own: what comes after it sees everything that the last holder committed. */
export async function lockFeed(client: Client): Promise<void> {
  await client.query(
    "select set_config('idle_in_transaction_session_timeout', $2, true), " +
      'pg_advisory_xact_lock($1)',
    [feedLock, String(feedLockIdleMs)],
  )
}

export async function readCheckpoint(database: Pool | Client): Promise<FeedCheckpoint> {
  const { rows } = await database.query<{
    marker: string | null
    position: string
    event_id: string | null
  }>('select marker, position, event_id from webhooks.checkpoint')
  const [row] = rows
  if (row === undefined) throw new Error('webhooks.checkpoint has no row')
  return { marker: row.marker, position: BigInt(row.position), eventId: row.event_id }
}

export async function moveCheckpoint(client: Client, place: FeedPlace): Promise<void> {
  await client.query('update webhooks.checkpoint set position = $1, event_id = $2', [
    place.position,
    place.eventId,
  ])
}

/** To the end of the log as it is now: what lies before is told to nobody any more. */
export async function beginAtEnd(
  client: Client,
  store: Pick<EventStore, 'lastEvent' | 'readMarker' | 'createMarker'>,
): Promise<FeedPlace> {
  const marker = (await store.readMarker()) ?? (await store.createMarker())
  const last = await store.lastEvent()
  const place = { position: last?.position ?? startOfLog, eventId: last?.id ?? null }
  await client.query('update webhooks.checkpoint set marker = $1', [marker])
  await moveCheckpoint(client, place)
  return place
}

/** Marker, position and the event there must all agree. Throws OtherLogError. */
export async function verifyCheckpoint(
  store: Pick<EventStore, 'readMarker' | 'eventAt'>,
  tables: { readCheckpoint(): Promise<FeedCheckpoint> },
): Promise<FeedPlace> {
  const checkpoint = await tables.readCheckpoint()
  if ((await store.readMarker()) !== checkpoint.marker)
    throw new OtherLogError('the event store is another one than webhooks were made of')
  if (checkpoint.position === startOfLog) return checkpoint
  const event = await store.eventAt(checkpoint.position)
  if (event?.id === checkpoint.eventId) return checkpoint
  throw new OtherLogError(
    'the event store does not hold the last event that became webhooks: an older copy of it?',
  )
}
