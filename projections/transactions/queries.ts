/**
 * Questions to the `transactions` rows, each one statement and so one snapshot.
 * The SQL lives here, beside the table it reads.
 */
import type { EntryId, Issuer, WalletId } from '../../src/domain/ids.js'
import type { Outcome } from '../../src/domain/wallet.js'
import type { DeclineCode, EntryType, SealedText } from '../../src/domain/wallet-events.js'
import type { Pool } from '../../src/platform/postgres.js'
import { slowQuery } from '../../src/platform/postgres.js'
import { toWalletRow } from '../wallets/queries.js'
import type { WalletRowWithOutcomes, WalletSqlRow } from '../wallets/queries.js'

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
    outcome: toOutcome(row),
    refundedMinor: row.refunded_minor ?? 0,
  }))
}

const lookUpStatement = `
  select w.revision as row_revision, t.entry_id, t.type, t.revision, t.amount_minor,
    t.balance_minor, t.time, t.code, t.refund_of, t.refunded_minor
  from unnest($1::uuid[], $2::uuid[]) with ordinality as i (wallet_id, entry_id, place)
  left join read.wallets w on w.wallet_id = i.wallet_id
  left join read.transactions t on t.entry_id = i.entry_id
  order by i.place`

interface LookUpSqlRow {
  readonly row_revision: number | null
  readonly entry_id: EntryId | null
  readonly type: EntryType
  readonly revision: number
  readonly amount_minor: number
  readonly balance_minor: number
  readonly time: Date
  readonly code: DeclineCode | null
  readonly refund_of: EntryId | null
  readonly refunded_minor: number | null
}

function toOutcome(row: LookUpSqlRow): Outcome | undefined {
  if (row.entry_id === null) return undefined
  return {
    entryId: row.entry_id,
    type: row.type,
    revision: row.revision,
    amountMinor: row.amount_minor,
    balanceMinor: row.balance_minor,
    time: row.time.toISOString(),
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.refund_of === null ? {} : { refundedEntryId: row.refund_of }),
  }
}

/** An outcome with everything that a statement shows; the description stays sealed. */
export interface EntryRow extends Outcome {
  readonly referenceType: string
  readonly referenceId: string
  readonly issuer: Issuer
  readonly description?: SealedText
}

/** Which entries; everything that is left out lets all pass. */
export interface EntryFilter {
  readonly appliedOnly?: boolean
  readonly types?: readonly EntryType[]
  /** A label, and whose entries may be found by it. */
  readonly label?: { readonly referenceType: string; readonly issuers: readonly Issuer[] }
  /** Inclusive. */
  readonly fromTime?: string
  /** Exclusive. */
  readonly toTime?: string
}

/** The same rule as the statement's, for entries that are not in the rows yet. */
export function passes(entry: EntryRow, filter: EntryFilter): boolean {
  const { appliedOnly, types, label, fromTime, toTime } = filter
  if (appliedOnly === true && entry.code !== undefined) return false
  if (types !== undefined && !types.includes(entry.type)) return false
  if (label !== undefined && entry.referenceType !== label.referenceType) return false
  if (label !== undefined && !label.issuers.includes(entry.issuer)) return false
  if (fromTime !== undefined && entry.time < fromTime) return false
  return toTime === undefined || entry.time < toTime
}

export interface PageRequest {
  readonly walletId: WalletId
  readonly limit: number
  /** Only entries of a lower revision. */
  readonly before?: number | undefined
  readonly filter?: EntryFilter
}

/** A wallet's row and a page of its entries, newest first, in one snapshot. */
export async function readPage(
  pool: Pool,
  request: PageRequest,
): Promise<{ row: WalletRowWithOutcomes | undefined; entries: readonly EntryRow[] }> {
  const { walletId, limit, before = Number.MAX_SAFE_INTEGER, filter = {} } = request
  const { rows } = await pool.query<WalletSqlRow & { entries: readonly EntryRow[] }>({
    name: 'transactions-page',
    text: pageStatement,
    values: [
      walletId,
      before,
      limit,
      filter.appliedOnly ?? false,
      filter.types,
      filter.label?.referenceType,
      filter.label?.issuers,
      filter.fromTime,
      filter.toTime,
    ],
  })
  const [row] = rows
  return { row: row && toWalletRow(row), entries: row?.entries ?? [] }
}

const entryJson = `json_strip_nulls(json_build_object(
  'entryId', t.entry_id, 'type', t.type, 'revision', t.revision,
  'amountMinor', t.amount_minor, 'balanceMinor', t.balance_minor,
  'time', to_char(t.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'code', t.code, 'refundedEntryId', t.refund_of,
  'referenceType', t.reference_type, 'referenceId', t.reference_id, 'issuer', t.issuer,
  'description', t.description))`

const pageStatement = `
  select w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash, w.time,
    null as outcomes,
    (select coalesce(json_agg(${entryJson} order by t.revision desc), '[]')
      from (
        select * from read.transactions
        where wallet_id = w.wallet_id and revision < $2
          and (not $4 or code is null)
          and ($5::text[] is null or type = any($5))
          and ($6::text is null or (reference_type = $6 and issuer = any($7::text[])))
          and ($8::timestamptz is null or time >= $8)
          and ($9::timestamptz is null or time < $9)
        order by revision desc limit $3
      ) t
    ) as entries
  from read.wallets w where w.wallet_id = $1`

/** A wallet's row and the entry of one reference, in one snapshot. */
export async function readEntry(
  pool: Pool,
  key: { readonly walletId: WalletId; readonly entryId: EntryId },
): Promise<{ row: WalletRowWithOutcomes | undefined; entry: EntryRow | undefined }> {
  const { rows } = await pool.query<WalletSqlRow & { entry: EntryRow | null }>({
    name: 'transactions-entry',
    text: entryStatement,
    values: [key.walletId, key.entryId],
  })
  const [row] = rows
  return { row: row && toWalletRow(row), entry: row?.entry ?? undefined }
}

const entryStatement = `
  select w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash, w.time,
    null as outcomes,
    (select ${entryJson} from read.transactions t
      where t.entry_id = $2 and t.wallet_id = w.wallet_id) as entry
  from read.wallets w where w.wallet_id = $1`

// One text a row, for an audit that compares millions of them: the order and the separator are
// those of `transactionFields` in src/audit/verifying/wallet-fold.ts.
const transactionText = `
  concat_ws(E'\\x1f', t.entry_id, t.wallet_id, t.revision, t.type, coalesce(t.code, ''),
    t.amount_minor, t.balance_minor, octet_length(t.reference_type), octet_length(t.reference_id),
    t.reference_type, t.reference_id, t.issuer, coalesce(t.description, ''),
    coalesce(t.refund_of::text, ''), (extract(epoch from t.time) * 1000)::bigint)`

/** SHA-256 over the texts of these rows, in this order, with a record separator between them. */
export async function digestTransactions(
  pool: Pool,
  entryIds: readonly string[],
): Promise<string | undefined> {
  const { rows } = await pool.query<{ digest: string | null }>({
    name: 'transactions-digest',
    text: `
      select encode(sha256(convert_to(
        string_agg(${transactionText}, E'\\x1e' order by asked.place), 'UTF8')), 'hex') as digest
      from json_array_elements_text($1) with ordinality as asked (entry_id, place)
      join read.transactions t on t.entry_id = asked.entry_id::uuid`,
    values: [JSON.stringify(entryIds)],
  })
  return rows[0]?.digest ?? undefined
}

/** The texts of these rows by entry id; one that has no row is left out. */
export async function readTransactionTexts(
  pool: Pool,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ entry_id: string; text: string }>(
    `select t.entry_id, ${transactionText} as text from read.transactions t
     where t.entry_id = any($1::uuid[])`,
    [entryIds],
  )
  return new Map(rows.map((row) => [row.entry_id, row.text]))
}

/** How many rows each of these wallets has, up to a revision of its own. */
export async function countTransactions(
  pool: Pool,
  wallets: { readonly walletIds: readonly WalletId[]; readonly revisions: readonly number[] },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ wallet_id: string; count: number }>({
    name: 'transactions-count',
    text: `
      select asked.wallet_id, (
        select count(*) from read.transactions t
        where t.wallet_id = asked.wallet_id and t.revision <= asked.revision
      ) as count
      from unnest($1::uuid[], $2::bigint[]) as asked (wallet_id, revision)`,
    values: [wallets.walletIds, wallets.revisions],
  })
  return new Map(rows.map((row) => [row.wallet_id, row.count]))
}

/** A row beyond its wallet's row, or without one: in one snapshot there is none. */
export async function findStrayTransaction(
  pool: Pool,
): Promise<{ walletId: string; revision: number } | undefined> {
  const [row] = await slowQuery<{ wallet_id: string; revision: number }>(
    pool,
    `select t.wallet_id, t.revision from read.transactions t
     left join read.wallets w on w.wallet_id = t.wallet_id
     where w.wallet_id is null or t.revision > w.revision limit 1`,
  )
  return row && { walletId: row.wallet_id, revision: row.revision }
}

export interface WrongRefund {
  readonly entryId: string
  /** What of the entry may be refunded at most: 0 unless it is a debit. */
  readonly debitedMinor: number
  readonly storedMinor: number
  readonly refundsMinor: number
}

interface RefundRow extends Record<'debited' | 'stored' | 'refunds', number> {
  readonly entry_id: string
}

/** An entry whose `refunded_minor` is not the sum of its refunds, or more than it debited. */
export async function findWrongRefund(
  pool: Pool,
  walletId?: WalletId,
): Promise<WrongRefund | undefined> {
  const [row] = await slowQuery<RefundRow>(
    pool,
    `select t.entry_id, t.refunded_minor as stored, coalesce(r.sum, 0)::bigint as refunds,
       case t.type when 'WalletDebited' then t.amount_minor else 0 end as debited
     from read.transactions t
     left join (
       select refund_of, sum(amount_minor) as sum from read.transactions
       where refund_of is not null and ($1::uuid is null or wallet_id = $1) group by refund_of
     ) r on r.refund_of = t.entry_id
     where ($1::uuid is null or t.wallet_id = $1)
       and (t.refunded_minor <> coalesce(r.sum, 0) or t.refunded_minor >
         case t.type when 'WalletDebited' then t.amount_minor else 0 end)
     limit 1`,
    [walletId ?? null],
  )
  if (row === undefined) return undefined
  const { entry_id: entryId, debited, stored, refunds } = row
  return { entryId, debitedMinor: debited, storedMinor: stored, refundsMinor: refunds }
}
