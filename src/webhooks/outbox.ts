/**
 * The outbox: what client apps are told of that is no event of the log. Triggers write it, in the
 * transaction that makes it (webhooks.sql). Promises: nothing of one wallet overtakes what came
 * before it: a row waits until the log up to where it was when the row was first seen has become
 * deliveries, and behind every earlier row of its wallet; a link, however, goes before what is
 * booked by it. Rows that were fed stay as long as deliveries do: they tell when a link was.
 */
import type { Client } from '../platform/postgres.js'
import { outboxBatchRows } from './limits.js'
import type { WebhookType } from './webhook-types.js'

export interface OutboxRow {
  readonly outboxId: number
  readonly sourceId: string
  readonly type: WebhookType
  /** The one client app that it is for; undefined: every app that is linked. */
  readonly clientId: string | undefined
  readonly serviceUserId: string
  readonly walletId: string
  readonly details: Readonly<Record<string, unknown>>
  readonly time: string
  /** Undefined until it was first seen. */
  readonly afterPosition: bigint | undefined
}

/** A link that is gone: between these times its app could see the wallet. */
export interface EndedLink {
  readonly clientId: string
  readonly sinceMs: number
  readonly untilMs: number
}

export async function hasUnfed(database: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ yes: boolean }>(
    'select exists (select from webhooks.outbox where fed_at is null) as yes',
  )
  return rows[0]?.yes === true
}

/** Oldest first. */
export async function readUnfed(client: Client): Promise<OutboxRow[]> {
  const { rows } = await client.query<Row>(
    'select * from webhooks.outbox where fed_at is null order by outbox_id limit $1',
    [outboxBatchRows],
  )
  return rows.map(outboxRowOf)
}

/** Where the log ended when they were first seen. */
export async function placeRows(
  client: Client,
  rows: readonly OutboxRow[],
  position: bigint,
): Promise<OutboxRow[]> {
  await client.query('update webhooks.outbox set after_position = $2 where outbox_id = any($1)', [
    rows.map(({ outboxId }) => outboxId),
    position,
  ])
  return rows.map((row) => ({ ...row, afterPosition: position }))
}

export async function markFed(
  client: Client,
  rows: readonly OutboxRow[],
  now: Date,
): Promise<void> {
  await client.query('update webhooks.outbox set fed_at = $2 where outbox_id = any($1)', [
    rows.map(({ outboxId }) => outboxId),
    now,
  ])
}

/** By wallet. */
export async function readEndedLinks(
  client: Client,
  walletIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EndedLink[]>> {
  const { rows } = await client.query<Row>(
    'select * from webhooks.outbox ' +
      "where wallet_id = any($1::uuid[]) and type = 'link.removed' and linked_since is not null",
    [walletIds],
  )
  const ended = new Map<string, EndedLink[]>()
  for (const { wallet_id: walletId, client_id: clientId, linked_since: since, at } of rows) {
    if (clientId === null || since === null) continue
    const link = { clientId, sinceMs: since.getTime(), untilMs: at.getTime() }
    ended.set(walletId, [...(ended.get(walletId) ?? []), link])
  }
  return ended
}

/** A link goes at once, so that it is told before the first debit by it. */
export function isEarly({ type }: OutboxRow): boolean {
  return type === 'link.created'
}

/** Those of the rows, in their order, that may go when the log is fed up to this position. */
export function releasable(rows: readonly OutboxRow[], position: bigint): OutboxRow[] {
  const held = new Set<string>()
  return rows.filter((row) => {
    const isDue = isEarly(row) || (row.afterPosition ?? position + 1n) <= position
    if (isDue && !held.has(row.walletId)) return true
    held.add(row.walletId)
    return false
  })
}

interface Row {
  readonly outbox_id: number
  readonly source_id: string
  readonly type: WebhookType
  readonly client_id: string | null
  readonly service_user_id: string
  readonly wallet_id: string
  readonly linked_since: Date | null
  readonly details: Readonly<Record<string, unknown>>
  readonly at: Date
  readonly after_position: string | null
}

function outboxRowOf(row: Row): OutboxRow {
  return {
    outboxId: row.outbox_id,
    sourceId: row.source_id,
    type: row.type,
    clientId: row.client_id ?? undefined,
    serviceUserId: row.service_user_id,
    walletId: row.wallet_id,
    details: row.details,
    time: row.at.toISOString(),
    afterPosition: row.after_position === null ? undefined : BigInt(row.after_position),
  }
}
