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

/** What stands in the rows for one reference of one wallet. */
export interface LookUpRow {
  /** The revision of the wallet's row; −1 without one. */
  readonly revision: number
  readonly outcome: Outcome | undefined
  /** Of a debit: what was refunded of it up to that revision. */
  readonly refundedMinor: number
}

/** One answer for each pair, in order, all of one snapshot. */
export async function lookUpOutcomes(
  pool: Pool,
  pairs: { readonly walletIds: readonly WalletId[]; readonly entryIds: readonly EntryId[] },
): Promise<LookUpRow[]> {
  const { rows } = await pool.query<LookUpSqlRow>({
    name: 'outcomes-look-up',
    text: lookUpStatement,
    values: [pairs.walletIds, pairs.entryIds],
  })
  return rows.map((row) => ({
    revision: row.row_revision ?? -1,
    outcome: row.entry_id === null ? undefined : toOutcome(row),
    refundedMinor: row.refunded_minor ?? 0,
  }))
}

const lookUpStatement = `
  select w.revision as row_revision, t.refunded_minor, ${outcomeColumns}
  from unnest($1::uuid[], $2::uuid[]) with ordinality as i (wallet_id, entry_id, place)
  left join read.wallets w on w.wallet_id = i.wallet_id
  left join read.transactions t on t.entry_id = i.entry_id
  order by i.place`

type LookUpSqlRow = {
  readonly row_revision: number | null
  readonly refunded_minor: number | null
} & (OutcomeSqlRow | Readonly<Record<keyof OutcomeSqlRow, null>>)
