/**
 * The tables of the read models in PostgreSQL: the one statement that writes them, and the lock
 * that whoever writes the serving ones holds.
 */
import type { WalletId } from '../src/domain/ids.js'
import type { RecordedEvent } from '../src/event-store/event-store.js'
import type { Client, Pool } from '../src/platform/postgres.js'
import { transaction } from '../src/platform/postgres.js'
import { readCheckpoint } from './checkpoint.js'
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
): Promise<Written> {
  const { rows: counts } = await client.query<Written>(statement(schema), [
    JSON.stringify(rows.wallets),
    JSON.stringify(rows.transactions),
    JSON.stringify(rows.refunds),
    JSON.stringify(rows.totals),
    last.position,
    last.id,
  ])
  return counts[0] ?? { wallets: 0, refunds: 0 }
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
