/**
 * The checkpoint: which store the read models follow, how far, and which event stands there.
 * Promises: a store that is another one, or an older copy of the same, is refused before anything
 * is read from it or written to it. Never: skips over a doubt.
 */
import type { EventStore } from '../src/event-store/event-store.js'
import { startOfLog } from '../src/event-store/event-store.js'
import type { Client, Pool } from '../src/platform/postgres.js'
import type { ReadSchema } from './read-schema.js'
import type { Checkpoint, ReadTables } from './read-tables.js'

/** The event store is not the one that the read models were made from. */
export class OtherStoreError extends Error {
  override readonly name = 'OtherStoreError'
}

export async function readCheckpoint(
  database: Pool | Client,
  schema: ReadSchema = 'read',
): Promise<Checkpoint> {
  const { rows } = await database.query<{
    marker: string | null
    position: string
    event_id: string | null
  }>(`select marker, position, event_id from ${schema}.checkpoint`)
  const [row] = rows
  if (row === undefined) throw new Error(`${schema}.checkpoint has no row`)
  return { marker: row.marker, position: BigInt(row.position), eventId: row.event_id }
}

/** Marker, position and the event there must all agree. On a new database the marker is noted. */
export async function verifyCheckpoint(store: EventStore, tables: ReadTables): Promise<Checkpoint> {
  const checkpoint = await tables.readCheckpoint()
  if (checkpoint.marker === null) return adoptStore(store, tables)
  const marker = await store.readMarker()
  if (marker !== checkpoint.marker)
    throw new OtherStoreError('the event store is another one than the read models were made from')
  if (checkpoint.position === startOfLog) return checkpoint
  const event = await store.eventAt(checkpoint.position)
  if (event?.id !== checkpoint.eventId)
    throw new OtherStoreError(
      'the event store does not hold the last event of the read models: an older copy of it?',
    )
  return checkpoint
}

async function adoptStore(store: EventStore, tables: ReadTables): Promise<Checkpoint> {
  const marker = (await store.readMarker()) ?? (await store.createMarker())
  await tables.noteMarker(marker)
  return verifyCheckpoint(store, tables)
}
