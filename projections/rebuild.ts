/**
 * The rebuild: fills `read_next` from the first event while the service runs, brings it exactly to
 * the serving checkpoint under the projector's lock, and exchanges the two schemas.
 * Promises: readers see the old rows or the new ones, never fewer events than before; a failure
 * leaves the serving schema as it was. Never: two rebuilds at once.
 */
import type pg from 'pg'
import type { EventStore } from '../src/event-store/event-store.js'
import { startOfLog } from '../src/event-store/event-store.js'
import { projectionBatchMax } from '../src/limits.js'
import { readCheckpoint } from './checkpoint.js'
import { openTables } from './postgres-read-tables.js'
import { applyEvents, placeAfter } from './projector.js'
import type { LogBatch, LogPlace } from './projector.js'
import { createReadSchema, lockProjections } from './read-schema.js'

export interface RebuildParts {
  readonly store: EventStore
  /** Connections of the rebuild's own, without a time limit on statements. */
  readonly connect: () => Promise<pg.Client>
  readonly onProgress?: (progress: { events: number; position: bigint; target: bigint }) => void
}

export class RebuildRunningError extends Error {
  override readonly name = 'RebuildRunningError'
}

const rebuildLock = 7_305_003

/** Returns the number of events folded. */
export async function rebuild(parts: RebuildParts): Promise<number> {
  const client = await parts.connect()
  try {
    await lockRebuild(client)
    await startShadow(client)
    const events = (await fill(client, parts)) + (await swap(client, parts))
    await client.query('drop schema if exists read_old cascade')
    return events
  } finally {
    await client.end()
  }
}

async function lockRebuild(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [rebuildLock],
  )
  if (rows[0]?.locked !== true) throw new RebuildRunningError('another rebuild is running')
}

async function startShadow(client: pg.Client): Promise<void> {
  await inTransaction(client, async () => {
    // What an earlier rebuild left behind when it was interrupted.
    await client.query('drop schema if exists read_next cascade')
    await client.query('drop schema if exists read_old cascade')
    await createReadSchema(client, 'read_next')
    await client.query(
      'update read_next.checkpoint set marker = (select marker from read.checkpoint)',
    )
  })
}

/** Follows the serving checkpoint until the shadow has reached it once. */
async function fill(client: pg.Client, parts: RebuildParts): Promise<number> {
  let events = 0
  let after: LogPlace = { position: startOfLog, eventId: null }
  for (;;) {
    const target = (await readCheckpoint(client)).position
    if (after.position >= target) return events
    for await (const batch of between(parts.store, after, target)) {
      after = await inTransaction(client, () => applyEvents(openTables(client, 'read_next'), batch))
      events += batch.events.length
      parts.onProgress?.({ events, position: after.position, target })
    }
  }
}

/** Under the lock nobody moves the serving checkpoint: the shadow is brought exactly there. */
async function swap(client: pg.Client, parts: RebuildParts): Promise<number> {
  return inTransaction(client, async () => {
    await lockProjections(client)
    let events = 0
    const { position: live } = await readCheckpoint(client)
    const shadow = await readCheckpoint(client, 'read_next')
    for await (const batch of between(parts.store, shadow, live)) {
      await applyEvents(openTables(client, 'read_next'), batch)
      events += batch.events.length
    }
    await client.query('alter schema read rename to read_old')
    await client.query('alter schema read_next rename to read')
    return events
  })
}

/** The events after one position up to and including another. */
async function* between(
  store: EventStore,
  start: LogPlace,
  target: bigint,
): AsyncIterable<LogBatch> {
  if (start.position >= target) return
  let after = start
  const done = new AbortController()
  const options = { maxCount: projectionBatchMax, maxWaitMs: 0, signal: done.signal }
  try {
    for await (const events of store.tail({ after: start.position, ...options })) {
      const wanted = events.filter((event) => event.position <= target)
      yield { after, events: wanted }
      after = placeAfter(after, wanted)
      if (wanted.length < events.length || wanted.at(-1)?.position === target) return
    }
  } finally {
    done.abort()
  }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
