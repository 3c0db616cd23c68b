/**
 * The tables of the read models in PostgreSQL: the one statement that writes them, and the lock
 * that whoever writes the serving ones holds.
 */
import type { OpenHolds } from '../src/domain/holds.js'
import type { WalletId } from '../src/domain/ids.js'
import type { RecordedEvent } from '../src/event-store/event-store.js'
import type { Client, Pool } from '../src/platform/postgres.js'
import { transaction } from '../src/platform/postgres.js'
import { plainArray, textArray, uuidArray } from '../src/platform/postgres-arrays.js'
import { readCheckpoint } from './checkpoint.js'
import { toOpenHolds } from './queries/wallet-rows.js'
import { lockProjections } from './read-schema.js'
import type { ReadSchema } from './read-schema.js'
import type { Checkpoint, OpenTables, ReadTables, Written } from './read-tables.js'
import type { Rows, WalletState } from './rows.js'

/** The serving ones. */
export class PostgresReadTables implements ReadTables {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  readCheckpoint(): Promise<Checkpoint> {
    return readCheckpoint(this.#pool)
  }

  async noteMarker(marker: string): Promise<void> {
    await this.#pool.query('update read.checkpoint set marker = $1 where marker is null', [marker])
  }

  transaction<T>(work: (tables: OpenTables) => Promise<T>): Promise<T> {
    return transaction(this.#pool, async (client) => {
      await lockProjections(client)
      return work(openTables(client, 'read'))
    })
  }
}

/** Inside the caller's transaction, which holds the lock when `schema` is the serving one. */
export function openTables(client: Client, schema: ReadSchema): OpenTables {
  return {
    readCheckpoint: () => readCheckpoint(client, schema),
    readStates: (walletIds) => readStates(client, walletIds, schema),
    write: (rows, last) => write(client, rows, last, schema),
  }
}

async function readStates(
  client: Client,
  walletIds: readonly WalletId[],
  schema: ReadSchema,
): Promise<Map<WalletId, WalletState>> {
  const { rows } = await client.query<StateRow>(
    `select wallet_id as "walletId", revision, balance_minor as "balanceMinor", holds,
       encode(hash, 'hex') as hash
     from ${schema}.wallets where wallet_id = any($1)`,
    [walletIds],
  )
  return new Map(rows.map((row) => [row.walletId, { ...row, holds: toOpenHolds(row.holds) }]))
}

type StateRow = Omit<WalletState, 'holds'> & {
  readonly walletId: WalletId
  readonly holds: OpenHolds | null
}

async function write(
  client: Client,
  rows: Rows,
  last: RecordedEvent,
  schema: ReadSchema,
): Promise<Written> {
  const values = [
    ...walletColumns(rows.wallets),
    ...transactionColumns(rows.transactions),
    uuidArray(rows.refunds.map((refund) => refund.entry_id)),
    plainArray(rows.refunds.map((refund) => refund.amount_minor)),
    textArray(rows.totals.map((total) => total.account)),
    plainArray(rows.totals.map((total) => total.amount_minor)),
    plainArray(rows.totals.map((total) => total.postings)),
    last.position,
    last.id,
  ]
  // Prepared once a connection: planning it took longer than a small batch. Not in a rebuild,
  // whose tables are empty when it would be planned.
  const name = schema === 'read' ? 'project' : undefined
  const query = { name, text: statement(schema), values }
  const { rows: counts } = await client.query<Written>(query)
  return counts[0] ?? { wallets: 0, refunds: 0 }
}

function walletColumns(wallets: Rows['wallets']): (string | Buffer)[] {
  return [
    uuidArray(wallets.map((wallet) => wallet.wallet_id)),
    plainArray(wallets.map((wallet) => wallet.first_revision)),
    textArray(wallets.map((wallet) => wallet.hash_before)),
    plainArray(wallets.map((wallet) => wallet.balance_minor_before)),
    plainArray(wallets.map((wallet) => wallet.revision)),
    plainArray(wallets.map((wallet) => wallet.balance_minor)),
    plainArray(wallets.map((wallet) => wallet.is_active)),
    textArray(wallets.map((wallet) => wallet.status_reason)),
    textArray(wallets.map((wallet) => wallet.hash)),
    plainArray(wallets.map((wallet) => wallet.time)),
    textArray(wallets.map(({ holds }) => (holds.length === 0 ? null : JSON.stringify(holds)))),
  ]
}

function transactionColumns(rows: Rows['transactions']): (string | Buffer)[] {
  return [
    uuidArray(rows.map((row) => row.entry_id)),
    uuidArray(rows.map((row) => row.wallet_id)),
    plainArray(rows.map((row) => row.revision)),
    textArray(rows.map((row) => row.type)),
    textArray(rows.map((row) => row.code)),
    plainArray(rows.map((row) => row.amount_minor)),
    plainArray(rows.map((row) => row.balance_minor)),
    textArray(rows.map((row) => row.reference_type)),
    textArray(rows.map((row) => row.reference_id)),
    textArray(rows.map((row) => row.issuer)),
    textArray(rows.map((row) => row.description)),
    uuidArray(rows.map((row) => row.refund_of)),
    plainArray(rows.map((row) => row.refunded_minor)),
    plainArray(rows.map((row) => row.time)),
    plainArray(rows.map((row) => row.held_minor)),
    plainArray(rows.map((row) => row.expires_at)),
    uuidArray(rows.map((row) => row.hold_of)),
  ]
}

function statement(schema: ReadSchema): string {
  return `
    with
      wallet_input as (
        select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
          $6::bigint[], $7::boolean[], $8::text[], $9::text[], $10::timestamptz[], $11::text[])
        as w (wallet_id, first_revision, hash_before, balance_minor_before, revision, balance_minor,
          is_active, status_reason, hash, time, holds)
      ),
      new_wallets as (
        insert into ${schema}.wallets
          (wallet_id, revision, balance_minor, is_active, status_reason, hash, time, holds)
        select wallet_id, revision, balance_minor, coalesce(is_active, true),
          status_reason, decode(hash, 'hex'), time, holds::jsonb
        from wallet_input where first_revision = 0
        returning 1
      ),
      changed_wallets as (
        update ${schema}.wallets w set
          revision = i.revision, balance_minor = i.balance_minor,
          is_active = coalesce(i.is_active, w.is_active),
          status_reason = case when i.is_active is null then w.status_reason
                               else i.status_reason end,
          hash = decode(i.hash, 'hex'),
          time = i.time, holds = i.holds::jsonb
        from wallet_input i
        where w.wallet_id = i.wallet_id and i.first_revision > 0
          and w.revision = i.first_revision - 1
          and w.hash = decode(i.hash_before, 'hex') and w.balance_minor = i.balance_minor_before
        returning 1
      ),
      new_transactions as (
        insert into ${schema}.transactions (entry_id, wallet_id, revision, type, code,
          amount_minor, balance_minor, reference_type, reference_id, issuer, description,
          refund_of, refunded_minor, time, held_minor, expires_at, hold_of)
        select * from unnest($12::uuid[], $13::uuid[], $14::bigint[], $15::text[], $16::text[],
          $17::bigint[], $18::bigint[], $19::text[], $20::text[], $21::text[], $22::text[],
          $23::uuid[], $24::bigint[], $25::timestamptz[], $26::bigint[], $27::timestamptz[],
          $28::uuid[])
      ),
      refunded as (
        update ${schema}.transactions t set refunded_minor = t.refunded_minor + r.amount_minor
        from unnest($29::uuid[], $30::bigint[]) as r (entry_id, amount_minor)
        where t.entry_id = r.entry_id
        returning 1
      ),
      totals as (
        insert into ${schema}.journal_totals as t (account, amount_minor, postings)
        select * from unnest($31::text[], $32::numeric[], $33::bigint[])
        on conflict (account) do update set
          amount_minor = t.amount_minor + excluded.amount_minor,
          postings = t.postings + excluded.postings
      ),
      moved as (
        update ${schema}.checkpoint set position = $34, event_id = $35
      )
    select
      ((select count(*) from new_wallets) + (select count(*) from changed_wallets))::int as wallets,
      (select count(*) from refunded)::int as refunds`
}
