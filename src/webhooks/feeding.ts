/**
 * One step of the feeder: events of the log and rows of the outbox become deliveries in one
 * transaction with the checkpoint. Promises: each counts once, however often and by how many
 * processes it is read; deliveries stand in the order of the log, and the outbox between as
 * outbox.ts says. Never: goes on from a log that is not the checkpoint's any more.
 */
import type { EntryId, WalletId } from '../domain/ids.js'
import { streamOf, walletIdOfStream } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import type { EventStore, RecordedEvent } from '../event-store/event-store.js'
import { HistoryChangedError, startOfLog } from '../event-store/event-store.js'
import type { Clock } from '../platform/clock.js'
import type { Listener } from './audience.js'
import type { FeedCheckpoint, FeedPlace } from './checkpoint.js'
import { balanceLookBackEvents } from './limits.js'
import { forHolder, noticesOf } from './notices.js'
import type { Notice } from './notices.js'
import { isEarly, releasable } from './outbox.js'
import type { OutboxRow } from './outbox.js'
import { planEvent, planRow } from './planned-deliveries.js'
import type { PlannedDelivery, PreparedEvent } from './planned-deliveries.js'
import type { FeedTables, OpenFeedTables } from './webhook-tables.js'

export interface FeedingParts {
  readonly tables: FeedTables
  readonly store: EventStore
  readonly clock: Clock
  readonly currency: Currency
  /** Whose hold has expired, and under which reference it was placed. */
  readonly findEntry: (
    walletId: WalletId,
    entryId: EntryId,
  ) => Promise<
    | { readonly issuer: string; readonly referenceType: string; readonly referenceId: string }
    | undefined
  >
}

/** Events of the log without a gap, and the place right before the first of them. */
export interface FeedBatch {
  readonly after: FeedPlace
  readonly events: readonly RecordedEvent[]
}

export interface Fed {
  readonly deliveries: number
  /** False: there is nobody to be told, and nothing to follow. */
  readonly hasListeners: boolean
}

/** Undefined for the batch: the outbox alone. */
export async function feed(parts: FeedingParts, batch?: FeedBatch): Promise<Fed> {
  // Whatever has to be looked up is, before the lock is held.
  const prepared = await prepare(parts, batch?.events ?? [])
  return parts.tables.transaction(async (tables) => {
    const checkpoint = await tables.readCheckpoint()
    const listeners = await tables.readListeners()
    const fresh = prepared.filter((event) => event.position > checkpoint.position)
    const last = fresh.at(-1)
    if (batch !== undefined && last !== undefined) await requireSame(parts, batch, checkpoint, last)
    const rows = await readOutbox(parts, tables)
    const step = { fresh, rows, listeners, checkpoint }
    const planned = await plan(parts, tables, step)
    await tables.insertDeliveries(planned, parts.clock.now())
    if (last !== undefined)
      await tables.moveCheckpoint({ position: last.position, eventId: last.id })
    return { deliveries: planned.length, hasListeners: listeners.length > 0 }
  })
}

interface Step {
  readonly fresh: readonly PreparedEvent[]
  readonly rows: readonly OutboxRow[]
  readonly listeners: readonly Listener[]
  readonly checkpoint: FeedCheckpoint
}

async function plan(
  parts: FeedingParts,
  tables: OpenFeedTables,
  { fresh, rows, listeners, checkpoint }: Step,
): Promise<PlannedDelivery[]> {
  const { currency } = parts
  const now = new Date(parts.clock.now())
  if (listeners.length === 0) {
    if (rows.length > 0) await tables.markFed(rows, now)
    return []
  }
  const walletIds = [...new Set([...fresh, ...rows].map(({ walletId }) => walletId))]
  if (walletIds.length === 0) return []
  const audience = await tables.readAudience({ listeners, walletIds, currency })
  const planRows = async (released: readonly OutboxRow[]): Promise<PlannedDelivery[]> => {
    const planned: PlannedDelivery[] = []
    for (const row of released) {
      const balanceMinor = await balanceFor(parts, row)
      planned.push(...planRow(row, { audience, currency, balanceMinor }))
    }
    if (released.length > 0) await tables.markFed(released, now)
    return planned
  }
  const first = releasable(rows, checkpoint.position)
  const rest = rows.filter((row) => !first.includes(row))
  const reached = fresh.at(-1)?.position ?? checkpoint.position
  return [
    ...(await planRows(first)),
    ...fresh.flatMap((event) => planEvent(event, { audience, currency })),
    ...(await planRows(releasable(rest, reached))),
  ]
}

/** Those that are not fed yet, each with its place behind the log. */
async function readOutbox(
  { store }: FeedingParts,
  tables: OpenFeedTables,
): Promise<readonly OutboxRow[]> {
  const rows = await tables.readUnfed()
  const isNew = (row: OutboxRow): boolean => !isEarly(row) && row.afterPosition === undefined
  if (!rows.some(isNew)) return rows
  // After they were read: what was booked before one of them is in the log up to here.
  const position = (await store.lastEvent())?.position ?? startOfLog
  const placed = await tables.placeRows(rows.filter(isNew), position)
  const byId = new Map(placed.map((row) => [row.outboxId, row]))
  return rows.map((row) => byId.get(row.outboxId) ?? row)
}

async function prepare(
  parts: FeedingParts,
  events: readonly RecordedEvent[],
): Promise<PreparedEvent[]> {
  const prepared: PreparedEvent[] = []
  for (const event of events) {
    const { id, position, type, data } = event
    const notices: Notice[] = []
    for (const notice of noticesOf(event, parts.currency))
      notices.push(...(await complete(parts, event, notice)))
    prepared.push({ id, position, type, data, walletId: walletIdOfStream(event.stream), notices })
  }
  return prepared
}

async function complete(
  parts: FeedingParts,
  event: RecordedEvent,
  notice: Notice,
): Promise<Notice[]> {
  if (notice.balanceMinor === undefined)
    return [{ ...notice, balanceMinor: await balanceBefore(parts.store, event) }]
  if (notice.holdId === undefined) return [notice]
  const hold = await parts.findEntry(walletIdOfStream(event.stream), notice.holdId as EntryId)
  const known = hold && forHolder(notice, hold)
  return known === undefined ? [] : [known]
}

/** What the wallet held when the row is told; nothing to an app that is not linked any more. */
async function balanceFor({ store }: FeedingParts, row: OutboxRow): Promise<number | undefined> {
  if (row.type === 'link.removed') return undefined
  const stream = streamOf(row.walletId as WalletId)
  const head = await store.readHead(stream)
  return head === undefined ? 0 : (balanceIn(head) ?? balanceBefore(store, head))
}

/** The balance that the last entry before this event says; 0 where there is none. */
async function balanceBefore(
  store: EventStore,
  { stream, revision }: Pick<RecordedEvent, 'stream' | 'revision'>,
): Promise<number> {
  const fromRevision = Math.max(0, revision - balanceLookBackEvents)
  let balanceMinor = 0
  const maxCount = revision - fromRevision
  if (maxCount > 0)
    for await (const event of store.readStream(stream, { fromRevision, maxCount }))
      balanceMinor = balanceIn(event) ?? balanceMinor
  return balanceMinor
}

function balanceIn({ data }: Pick<RecordedEvent, 'data'>): number | undefined {
  return (JSON.parse(data) as { readonly balanceMinor?: number }).balanceMinor
}

/**
 * The batch was read before the lock: the checkpoint must be the place that it begins after, or one
 * of its own events, and its last event must still be there.
 */
async function requireSame(
  { store }: FeedingParts,
  { after, events }: FeedBatch,
  checkpoint: FeedCheckpoint,
  last: PreparedEvent,
): Promise<void> {
  const known =
    after.position === checkpoint.position
      ? after.eventId
      : events.find(({ position }) => position === checkpoint.position)?.id
  if (known !== checkpoint.eventId)
    throw new HistoryChangedError(
      `webhooks at position ${checkpoint.position} are not in the log that was read`,
    )
  if ((await store.eventAt(last.position))?.id !== last.id)
    throw new HistoryChangedError(`the event at position ${last.position} is not there any more`)
}
