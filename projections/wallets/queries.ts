/**
 * Questions to the `wallets` rows, each one statement and so one snapshot.
 * The SQL lives here, beside the table it reads.
 */
import type { ChainHash } from '../../src/domain/hash-chain.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import type { Outcome } from '../../src/domain/wallet.js'
import type { DeclineCode, EntryType } from '../../src/domain/wallet-events.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import type { Pool } from '../../src/platform/postgres.js'
import { slowQuery } from '../../src/platform/postgres.js'

export interface WalletRowWithOutcomes {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  readonly statusReason: string | null
  readonly hash: ChainHash
  readonly time: string
  readonly allOutcomes?: readonly Outcome[]
}

/** The rows of these wallets, in no order; with all outcomes where a wallet has few events. */
export async function loadWallets(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<WalletRowWithOutcomes[]> {
  const { rows } = await pool.query<WalletSqlRow>({
    name: 'wallets-load',
    text: loadStatement,
    values: [walletIds, smallWalletEventsMax],
  })
  return rows.map(toWalletRow)
}

/** The revisions of those wallets that have a row. */
export async function readRevisions(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<Map<WalletId, number>> {
  const { rows } = await pool.query<{ wallet_id: WalletId; revision: number }>({
    name: 'wallets-revisions',
    text: 'select wallet_id, revision from read.wallets where wallet_id = any($1)',
    values: [walletIds],
  })
  return new Map(rows.map((row) => [row.wallet_id, row.revision]))
}

const loadStatement = `
  select w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash, w.time,
    case when w.revision < $2 then (
      select coalesce(json_agg(json_build_array(
        t.entry_id, t.type, t.revision, t.amount_minor, t.balance_minor,
        to_char(t.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), t.code, t.refund_of
      ) order by t.revision), '[]')
      from read.transactions t where t.wallet_id = w.wallet_id
    ) end as outcomes
  from read.wallets w where w.wallet_id = any($1)`

type OutcomeTuple = [
  EntryId,
  EntryType,
  number,
  number,
  number,
  string,
  DeclineCode | null,
  EntryId | null,
]

/** The columns of a row, as every statement that returns one names them. */
export interface WalletSqlRow {
  readonly wallet_id: WalletId
  readonly revision: number
  readonly balance_minor: number
  readonly is_active: boolean
  readonly status_reason: string | null
  readonly hash: Buffer
  readonly time: Date
  readonly outcomes: readonly OutcomeTuple[] | null
}

export function toWalletRow(row: WalletSqlRow): WalletRowWithOutcomes {
  return {
    walletId: row.wallet_id,
    revision: row.revision,
    balanceMinor: row.balance_minor,
    isActive: row.is_active,
    statusReason: row.status_reason,
    hash: row.hash.toString('hex') as ChainHash,
    time: row.time.toISOString(),
    ...(row.outcomes === null ? {} : { allOutcomes: row.outcomes.map(toOutcome) }),
  }
}

function toOutcome(tuple: OutcomeTuple): Outcome {
  const [entryId, type, revision, amountMinor, balanceMinor, time, code, refundedEntryId] = tuple
  return {
    entryId,
    type,
    revision,
    amountMinor,
    balanceMinor,
    time,
    ...(code === null ? {} : { code }),
    ...(refundedEntryId === null ? {} : { refundedEntryId }),
  }
}

/** A page of rows in the order of their ids, `after` exclusive and `through` inclusive. */
export async function pageWallets(
  pool: Pool,
  page: { readonly after: string; readonly through: string; readonly limit: number },
): Promise<WalletRowWithOutcomes[]> {
  const { rows } = await pool.query<WalletSqlRow>({
    name: 'wallets-page',
    text: `
      select w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash,
        w.time, null as outcomes
      from read.wallets w where w.wallet_id > $1 and w.wallet_id <= $2
      order by w.wallet_id limit $3`,
    values: [page.after, page.through, page.limit],
  })
  return rows.map(toWalletRow)
}

/** Reads every row. */
export async function countWalletRows(pool: Pool): Promise<number> {
  const [row] = await slowQuery<{ count: number }>(pool, 'select count(*) from read.wallets')
  return row?.count ?? 0
}
