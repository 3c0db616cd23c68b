/**
 * What lanes ask the read models: the rows of wallets, and the outcomes of references.
 * Promises: each question is one statement and so one snapshot, whoever of the many lanes that are
 * gathered into it asks.
 */
import { eventIdOf } from '../../src/domain/hash-chain.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import type { Outcome } from '../../src/domain/wallet.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import type { Pool } from '../../src/platform/postgres.js'
import { uuidArray } from '../../src/platform/postgres-arrays.js'
import type { OutcomeSqlRow } from './outcome-rows.js'
import { outcomeColumns, toOutcome } from './outcome-rows.js'
import type { WalletRow, WalletSqlRow } from './wallet-rows.js'
import { toWalletRow, walletColumns } from './wallet-rows.js'

export interface LoadedWalletRow extends WalletRow {
  /** The id of the event at the row's revision. */
  readonly headId: string
  /** Of a wallet with few events: all of them, the oldest first. */
  readonly allOutcomes?: readonly Outcome[]
}

/** The rows of these wallets, in no order; with all outcomes where a wallet has few events. */
export async function loadWallets(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<LoadedWalletRow[]> {
  const { rows } = await pool.query<LoadSqlRow>({
    name: 'wallets-load',
    text: loadStatement,
    values: [walletIds, smallWalletEventsMax],
  })
  return rows.map(({ outcomes, last_entry_id, ...sqlRow }) => {
    const row = toWalletRow(sqlRow)
    const headId = eventIdOf(last_entry_id ?? row.walletId, row.hash)
    return { ...row, headId, ...(outcomes && { allOutcomes: outcomes.map(toOutcome) }) }
  })
}

interface LoadSqlRow extends WalletSqlRow {
  /** Null where the wallet's last event is no entry. */
  readonly last_entry_id: EntryId | null
  readonly outcomes: readonly OutcomeSqlRow[] | null
}

const loadStatement = `
  select ${walletColumns},
    (
      select t.entry_id from read.transactions t
      where t.wallet_id = w.wallet_id and t.revision = w.revision
    ) as last_entry_id,
    case when w.revision < $2 then (
      select coalesce(json_agg(o order by o.revision), '[]')
      from (
        select ${outcomeColumns} from read.transactions t where t.wallet_id = w.wallet_id
      ) o
    ) end as outcomes
  from read.wallets w where w.wallet_id = any($1)`

/** Wallets with a hold that has expired at `time`, those that wait longest first. */
export async function findDueHolds(pool: Pool, page: DuePage): Promise<DueRow[]> {
  const { time, limit, after } = page
  const { rows } = await pool.query<DueRow>({
    name: 'wallets-due-holds',
    text: dueStatement,
    values: [time, after?.expiresAt ?? '', after?.walletId ?? noWallet, limit],
  })
  return rows
}

export interface DuePage {
  readonly time: string
  readonly limit: number
  /** Exclusive. */
  readonly after?: DueRow | undefined
}

export interface DueRow {
  readonly walletId: WalletId
  readonly expiresAt: string
}

const noWallet = '00000000-0000-0000-0000-000000000000'

// As the index has it, so that only wallets with a hold that is due are looked at.
const nextExpiry = `(w.holds -> 0 ->> 'expiresAt') collate "C"`
const dueStatement = `
  select w.wallet_id as "walletId", ${nextExpiry} as "expiresAt"
  from read.wallets w
  where w.holds is not null and ${nextExpiry} <= $1 and (${nextExpiry}, w.wallet_id) > ($2, $3)
  order by ${nextExpiry}, w.wallet_id limit $4`

/** What stands in the rows for a reference. */
export interface FoundOutcome {
  readonly outcome: Outcome
  /** Of a debit: what was refunded of it up to the revision of its wallet's row. */
  readonly refundedMinor: number
}

export interface FoundOutcomes {
  /** Of each wallet that has a row, the row's revision. */
  readonly revisions: ReadonlyMap<WalletId, number>
  readonly outcomes: ReadonlyMap<EntryId, FoundOutcome>
}

/** All of one snapshot. Only what is there comes back: most references are new ones. */
export async function lookUpOutcomes(
  pool: Pool,
  asked: { readonly walletIds: readonly WalletId[]; readonly entryIds: readonly EntryId[] },
): Promise<FoundOutcomes> {
  const { rows } = await pool.query<LookUpSqlRow>({
    name: 'outcomes-look-up',
    text: lookUpStatement,
    values: [uuidArray(asked.walletIds), uuidArray(asked.entryIds)],
  })
  const revisions = new Map<WalletId, number>()
  const outcomes = new Map<EntryId, FoundOutcome>()
  for (const row of rows)
    if (row.wallet_id !== null) revisions.set(row.wallet_id, row.row_revision)
    else outcomes.set(row.entry_id, { outcome: toOutcome(row), refundedMinor: row.refunded_minor })
  return { revisions, outcomes }
}

const lookUpStatement = `
  select w.wallet_id, w.revision as row_revision, t.refunded_minor, ${outcomeColumns}
  from unnest($1::uuid[]) as i (wallet_id)
  join read.wallets w on w.wallet_id = i.wallet_id
  left join read.transactions t on false
  union all
  select null, null, t.refunded_minor, ${outcomeColumns}
  from unnest($2::uuid[]) as i (entry_id)
  join read.transactions t on t.entry_id = i.entry_id`

/** The row of a wallet, or that of an outcome. */
type LookUpSqlRow =
  | { readonly wallet_id: WalletId; readonly row_revision: number }
  | ({ readonly wallet_id: null; readonly refunded_minor: number } & OutcomeSqlRow)
