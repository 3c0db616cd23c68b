/**
 * The rows of deliveries and their lines. Promises: only the oldest waiting delivery of an endpoint
 * and wallet is on its way, in one process; a line whose process died is taken over when its lease
 * is over; what a process says after it lost its lease counts for nothing, so its deliveries come
 * again. Everything else about a line stands in webhooks.sql.
 * States of a delivery: waiting → delivered or dead; sent again, both wait once more.
 */
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import { backOffMs } from '../platform/back-off.js'
import type { Random } from '../platform/random.js'
import * as limits from './limits.js'
import type { PlannedDelivery } from './planned-deliveries.js'

/** A line that this process delivers, for as long as the lease lasts. */
export interface ClaimedLine {
  readonly endpointId: string
  readonly walletId: string
  readonly lease: string
  readonly untilMs: number
}

export interface LineClaim {
  readonly nowMs: number
  readonly lease: string
  readonly max: number
  /** How many of an endpoint are under way here. */
  readonly active: ReadonlyMap<string, number>
}

export interface WaitingDelivery {
  readonly deliveryId: number
  readonly webhookId: string
  readonly body: string
}

export interface TryResult {
  readonly deliveryId: number
  readonly isDelivered: boolean
  readonly atMs: number
  readonly status: number | null
  readonly answer: string | null
  readonly fault: string | null
}

export async function insertDeliveries(
  client: Client,
  planned: readonly PlannedDelivery[],
  nowMs: number,
): Promise<void> {
  if (planned.length === 0) return
  const endpointIds = planned.map(({ endpointId }) => endpointId)
  const walletIds = planned.map(({ walletId }) => walletId)
  await client.query(lockLines, [endpointIds, walletIds, new Date(nowMs)])
  await client.query(insertRows, [
    planned.map(({ webhookId }) => webhookId),
    endpointIds,
    walletIds,
    planned.map(({ type }) => type),
    planned.map(({ body }) => body),
    new Date(nowMs),
    new Date(nowMs + limits.giveUpAfterMs),
  ])
}

/** Lines that are due, at most so many, and of each endpoint no more than it has room for. */
export async function claimLines(pool: Pool, claim: LineClaim): Promise<ClaimedLine[]> {
  const untilMs = claim.nowMs + limits.leaseMs
  const { rows } = await pool.query<{ endpoint_id: string; wallet_id: string }>(claimDue, [
    new Date(claim.nowMs),
    new Date(untilMs),
    claim.lease,
    limits.claimRowsMax,
    claim.max,
    limits.sendsPerEndpointMax,
    [...claim.active.keys()],
    [...claim.active.values()],
    fullOf(claim.active),
  ])
  return rows.map((row) => {
    const { endpoint_id: endpointId, wallet_id: walletId } = row
    return { endpointId, walletId, lease: claim.lease, untilMs }
  })
}

/** One that hangs with thousands of lines must not hide those of all others. */
function fullOf(active: ReadonlyMap<string, number>): string[] {
  return [...active].flatMap(([endpointId, count]) =>
    count >= limits.sendsPerEndpointMax ? [endpointId] : [],
  )
}

export async function readWaiting(pool: Pool, line: ClaimedLine): Promise<WaitingDelivery[]> {
  const { rows } = await pool.query<{ delivery_id: number; webhook_id: string; body: string }>(
    'select delivery_id, webhook_id, body from webhooks.deliveries ' +
      "where endpoint_id = $1 and wallet_id = $2 and state = 'waiting' " +
      'order by delivery_id limit $3',
    [line.endpointId, line.walletId, limits.lineDeliveriesMax],
  )
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    body: row.body,
  }))
}

/** What came of the tries, in their order; at most the last one failed. */
export async function finishLine(
  pool: Pool,
  { line, results, nowMs, random }: FinishedLine,
): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ failures: number }>(
      'select failures from webhooks.lines ' +
        'where endpoint_id = $1 and wallet_id = $2 and lease = $3 for update',
      [line.endpointId, line.walletId, line.lease],
    )
    const [held] = rows
    // Somebody else delivers it now, or it is gone with its endpoint or its person.
    if (held === undefined) return
    await writeResults(client, results)
    const after = lineAfter(results, { failures: held.failures, random })
    await markEndpoint(client, { line, nowMs, ...after })
    await releaseLine(client, { line, failures: after.failures, nextMs: nowMs + after.pauseMs })
  })
}

/** How a line stands after these tries: its failures in a row, and how long it rests. Pure. */
export function lineAfter(
  results: readonly TryResult[],
  before: { readonly failures: number; readonly random: Random },
): LineAfter {
  const isFailed = results.at(-1)?.isDelivered === false
  const hasArrived = results.some(({ isDelivered }) => isDelivered)
  const failures = isFailed ? (hasArrived ? 0 : before.failures) + 1 : 0
  const pauseMs = isFailed ? backOffMs(failures, before.random, limits) : 0
  return { isFailed, hasArrived, failures, pauseMs }
}

export interface LineAfter {
  readonly isFailed: boolean
  readonly hasArrived: boolean
  readonly failures: number
  readonly pauseMs: number
}

export interface FinishedLine {
  readonly line: ClaimedLine
  readonly results: readonly TryResult[]
  readonly nowMs: number
  readonly random: Random
}

/** Not delivered, for a reason that is not the receiver's: nothing counts as a try. */
export async function putBack(pool: Pool, line: ClaimedLine, nextMs: number): Promise<void> {
  await pool.query(
    'update webhooks.lines set lease = null, next_at = $4 ' +
      'where endpoint_id = $1 and wallet_id = $2 and lease = $3',
    [line.endpointId, line.walletId, line.lease, new Date(nextMs)],
  )
}

async function writeResults(client: Client, results: readonly TryResult[]): Promise<void> {
  if (results.length === 0) return
  await client.query(writeTries, [
    results.map(({ deliveryId }) => deliveryId),
    results.map(({ isDelivered }) => isDelivered),
    results.map(({ atMs }) => new Date(atMs)),
    results.map(({ status }) => status),
    results.map(({ answer }) => answer),
    results.map(({ fault }) => fault),
  ])
}

async function markEndpoint(
  client: Client,
  of: {
    readonly line: ClaimedLine
    readonly nowMs: number
    readonly isFailed: boolean
    readonly hasArrived: boolean
  },
): Promise<void> {
  const { endpointId, walletId } = of.line
  if (of.hasArrived)
    await client.query(
      'update webhooks.endpoints set dead_since = null ' +
        'where endpoint_id = $1 and dead_since is not null',
      [endpointId],
    )
  if (!of.isFailed) return
  const now = new Date(of.nowMs)
  const { rowCount } = await client.query(
    "update webhooks.deliveries set state = 'dead' where endpoint_id = $1 and wallet_id = $2 " +
      "and state = 'waiting' and give_up_at <= $3",
    [endpointId, walletId, now],
  )
  if ((rowCount ?? 0) > 0)
    await client.query(
      'update webhooks.endpoints set dead_since = coalesce(dead_since, $2) where endpoint_id = $1',
      [endpointId, now],
    )
}

/** The line is locked, so a statement of its own sees every delivery that was added to it. */
async function releaseLine(
  client: Client,
  of: { readonly line: ClaimedLine; readonly failures: number; readonly nextMs: number },
): Promise<void> {
  const { endpointId, walletId } = of.line
  const { rows } = await client.query<{ waits: boolean }>(
    'select exists (select from webhooks.deliveries where endpoint_id = $1 and wallet_id = $2 ' +
      "and state = 'waiting') as waits",
    [endpointId, walletId],
  )
  if (rows[0]?.waits === true)
    await client.query(
      'update webhooks.lines set lease = null, failures = $3, next_at = $4 ' +
        'where endpoint_id = $1 and wallet_id = $2',
      [endpointId, walletId, of.failures, new Date(of.nextMs)],
    )
  else
    await client.query('delete from webhooks.lines where endpoint_id = $1 and wallet_id = $2', [
      endpointId,
      walletId,
    ])
}

// In one order everywhere, so that two who lock several do not wait for each other. The update
// changes nothing: it locks, and so whoever ends the line sees what is added here.
const lockLines = `
  insert into webhooks.lines as known (endpoint_id, wallet_id, next_at)
  select distinct endpoint_id, wallet_id, $3::timestamptz
  from unnest($1::uuid[], $2::uuid[]) as added (endpoint_id, wallet_id)
  order by endpoint_id, wallet_id
  on conflict (endpoint_id, wallet_id) do update set next_at = known.next_at`

const insertRows = `
  insert into webhooks.deliveries
    (webhook_id, endpoint_id, wallet_id, type, body, created_at, give_up_at)
  select webhook_id, endpoint_id, wallet_id, type, body, $6::timestamptz, $7::timestamptz
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[])
    with ordinality as added (webhook_id, endpoint_id, wallet_id, type, body, place)
  order by place
  on conflict (webhook_id) do nothing`

const claimDue = `
  with due as (
    select endpoint_id, wallet_id, next_at from webhooks.lines
    where next_at <= $1 and endpoint_id <> all($9::uuid[])
    order by next_at limit $4 for update skip locked
  ), placed as (
    select due.endpoint_id, due.wallet_id, due.next_at, coalesce(busy.active, 0)
      + row_number() over (partition by due.endpoint_id order by due.next_at) as place
    from due left join unnest($7::uuid[], $8::int[]) as busy (endpoint_id, active)
      on busy.endpoint_id = due.endpoint_id
  ), chosen as (
    select endpoint_id, wallet_id from placed where place <= $6 order by next_at limit $5
  )
  update webhooks.lines l set lease = $3, next_at = $2 from chosen
  where l.endpoint_id = chosen.endpoint_id and l.wallet_id = chosen.wallet_id
  returning l.endpoint_id, l.wallet_id`

const writeTries = `
  update webhooks.deliveries d set tries = d.tries + 1,
    state = case when r.is_delivered then 'delivered' else d.state end,
    last_try_at = r.at, answer_status = r.status, answer_body = r.answer, fault = r.fault
  from unnest($1::bigint[], $2::boolean[], $3::timestamptz[], $4::int[], $5::text[], $6::text[])
    as r (delivery_id, is_delivered, at, status, answer, fault)
  where d.delivery_id = r.delivery_id and d.state = 'waiting'`
