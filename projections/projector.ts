/**
 * The projector: one batch of events into all read models and the checkpoint, in one transaction
 * with one statement. Promises: a batch counts once however often it is delivered; rows and
 * checkpoint commit together; any number of runners may try at once; each event continues the hash
 * and the balance of its wallet's row, whatever it says itself.
 * Never: goes on over a gap, a wrong revision, hash or sum, or a second outcome of a reference: it
 * stops, loudly. Nor does it apply what was read of a log that is not the read models' any more.
 */
import { walletIdOfStream } from '../src/domain/ids.js'
import type { WalletId } from '../src/domain/ids.js'
import type { RecordedEvent } from '../src/event-store/event-store.js'
import { HistoryChangedError } from '../src/event-store/event-store.js'
import type { Client, Pool } from '../src/platform/postgres.js'
import { transaction } from '../src/platform/postgres.js'
import { readCheckpoint } from './checkpoint.js'
import type { Checkpoint } from './checkpoint.js'
import { rowsOf } from './rows.js'
import type { Rows, WalletState } from './rows.js'
import { lockProjections } from './read-schema.js'
import type { ReadSchema } from './read-schema.js'

/** The log and the read models contradict each other: a person must look at it. */
export class ProjectionStoppedError extends Error {
  override readonly name = 'ProjectionStoppedError'
}

/** A place in the log: where a batch begins, exclusive. */
export type LogPlace = Pick<Checkpoint, 'position' | 'eventId'>

/** Events of the log without a gap, and the place right before the first of them. */
export interface LogBatch {
  readonly after: LogPlace
  readonly events: readonly RecordedEvent[]
}

/** Where the batch after these events begins. */
export function placeAfter(after: LogPlace, events: readonly RecordedEvent[]): LogPlace {
  const last = events.at(-1)
  return last === undefined ? after : { position: last.position, eventId: last.id }
}

/** Applies what lies beyond the checkpoint; returns the place reached. */
export async function project(pool: Pool, batch: LogBatch): Promise<LogPlace> {
  return transaction(pool, async (client) => {
    await lockProjections(client)
    return applyEvents(client, batch, 'read')
  })
}

/** Inside the caller's transaction, which holds the lock when `schema` is the serving one. */
export async function applyEvents(
  client: Client,
  batch: LogBatch,
  schema: ReadSchema,
): Promise<LogPlace> {
  const checkpoint = await readCheckpoint(client, schema)
  // Redelivery, and two runners during a deploy, are normal.
  const fresh = batch.events.filter((event) => event.position > checkpoint.position)
  const last = fresh.at(-1)
  if (last === undefined) return checkpoint
  requireContinued(batch, checkpoint)
  const states = await readStates(client, schema, fresh)
  await write(client, rowsOf(fresh, states), last, schema)
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

/** The rows of these events' wallets, as they stand before them. */
async function readStates(
  client: Client,
  schema: ReadSchema,
  events: readonly RecordedEvent[],
): Promise<Map<WalletId, WalletState>> {
  const walletIds = [...new Set(events.map(({ stream }) => walletIdOfStream(stream)))]
  const { rows } = await client.query<WalletState & { walletId: WalletId }>(
    `select wallet_id as "walletId", revision, balance_minor as "balanceMinor",
       encode(hash, 'hex') as hash
     from ${schema}.wallets where wallet_id = any($1)`,
    [walletIds],
  )
  return new Map(rows.map((row) => [row.walletId, row]))
}

async function write(
  client: Client,
  rows: Rows,
  last: RecordedEvent,
  schema: ReadSchema,
): Promise<void> {
  const { rows: counts } = await client.query<{ wallets: number; refunds: number }>(
    statement(schema),
    [
      JSON.stringify(rows.wallets),
      JSON.stringify(rows.transactions),
      JSON.stringify(rows.refunds),
      JSON.stringify(rows.totals),
      last.position,
      last.id,
    ],
  )
  if (counts[0]?.wallets !== rows.wallets.length)
    throw new ProjectionStoppedError(
      `a wallet's row does not stand right before its next event, up to position ${last.position}`,
    )
  if (counts[0].refunds !== rows.refunds.length)
    throw new ProjectionStoppedError(
      `a refund names a debit that has no row, up to position ${last.position}`,
    )
}

function statement(schema: ReadSchema): string {
  return `
    with
      wallet_input as (
        select * from json_to_recordset($1) as w (
          wallet_id uuid, first_revision bigint, revision bigint, balance_minor bigint,
          is_active boolean, status_reason text, hash text, time timestamptz)
      ),
      new_wallets as (
        insert into ${schema}.wallets
          (wallet_id, revision, balance_minor, is_active, status_reason, hash, time)
        select wallet_id, revision, balance_minor, coalesce(is_active, true),
          status_reason, decode(hash, 'hex'), time
        from wallet_input where first_revision = 0
        returning 1
      ),
      changed_wallets as (
        update ${schema}.wallets w set
          revision = i.revision,
          balance_minor = i.balance_minor,
          is_active = coalesce(i.is_active, w.is_active),
          status_reason = case when i.is_active is null then w.status_reason
                               else i.status_reason end,
          hash = decode(i.hash, 'hex'),
          time = i.time
        from wallet_input i
        where w.wallet_id = i.wallet_id and i.first_revision > 0
          and w.revision = i.first_revision - 1
        returning 1
      ),
      new_transactions as (
        insert into ${schema}.transactions
        select * from json_populate_recordset(null::${schema}.transactions, $2)
      ),
      refunded as (
        update ${schema}.transactions t set refunded_minor = t.refunded_minor + r.amount_minor
        from json_to_recordset($3) as r (entry_id uuid, amount_minor bigint)
        where t.entry_id = r.entry_id
        returning 1
      ),
      totals as (
        insert into ${schema}.journal_totals as t (account, amount_minor, postings)
        select account, amount_minor, postings from json_to_recordset($4)
          as i (account text, amount_minor numeric, postings bigint)
        on conflict (account) do update set
          amount_minor = t.amount_minor + excluded.amount_minor,
          postings = t.postings + excluded.postings
      ),
      moved as (
        update ${schema}.checkpoint set position = $5, event_id = $6
      )
    select
      ((select count(*) from new_wallets) + (select count(*) from changed_wallets))::int as wallets,
      (select count(*) from refunded)::int as refunds`
}
