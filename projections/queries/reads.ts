/**
 * What reads ask the read models: a wallet's row with a page of its entries or with one entry, and
 * the revisions of wallets that somebody watches.
 * Promises: each question is one statement and so one snapshot.
 */
import type { EntryId, Issuer, WalletId } from '../../src/domain/ids.js'
import type { Outcome } from '../../src/domain/wallet.js'
import { signOf } from '../../src/domain/wallet-events.js'
import type { EntryType, SealedText } from '../../src/domain/wallet-events.js'
import type { Pool } from '../../src/platform/postgres.js'
import type { OutcomeSqlRow } from './outcome-rows.js'
import { outcomeColumns, toOutcome } from './outcome-rows.js'
import type { WalletRow, WalletSqlRow } from './wallet-rows.js'
import { toWalletRow, walletColumns } from './wallet-rows.js'

/** An outcome with everything that a statement shows; the description stays sealed. */
export interface EntryRow extends Outcome {
  readonly referenceType: string
  readonly referenceId: string
  readonly issuer: Issuer
  readonly description?: SealedText
}

const entryColumns = `${outcomeColumns},
  t.reference_type, t.reference_id, t.issuer, t.description`

interface EntrySqlRow extends OutcomeSqlRow {
  readonly reference_type: string
  readonly reference_id: string
  readonly issuer: Issuer
  readonly description: SealedText | null
}

function toEntry(row: EntrySqlRow): EntryRow {
  const { reference_type: referenceType, reference_id: referenceId, issuer, description } = row
  const entry = Object.assign(toOutcome(row), { referenceType, referenceId, issuer })
  return description === null ? entry : Object.assign(entry, { description })
}

/** Which entries; everything that is left out lets all pass. */
export interface EntryFilter {
  /** What moved money: no declines, and no holds before they are captured. */
  readonly appliedOnly?: boolean
  readonly types?: readonly EntryType[]
  /** A label, and whose entries may be found by it. */
  readonly label?: { readonly referenceType: string; readonly issuers: readonly Issuer[] }
  /** Whose entries. */
  readonly issuers?: readonly Issuer[]
  readonly search?: EntrySearch
  /** Inclusive. */
  readonly fromTime?: string
  /** Exclusive. */
  readonly toTime?: string
}

/** What a person types: a part of a reference, or an amount. */
export interface EntrySearch {
  /** Part of a referenceId, however its letters from A to Z are written. */
  readonly text: string
  /** The same text as an amount, if it is one. */
  readonly amountMinor?: number | undefined
  /** Whose references may be found; left out: everybody's. */
  readonly issuers?: readonly Issuer[] | undefined
}

/** The same rule as the statement's, for entries that are not in the rows yet. */
export function passes(entry: EntryRow, filter: EntryFilter): boolean {
  const { appliedOnly, types, label, issuers, search, fromTime, toTime } = filter
  if (appliedOnly === true && signOf[entry.type] === 0) return false
  if (types !== undefined && !types.includes(entry.type)) return false
  if (label !== undefined && entry.referenceType !== label.referenceType) return false
  if (label !== undefined && !label.issuers.includes(entry.issuer)) return false
  if (issuers !== undefined && !issuers.includes(entry.issuer)) return false
  if (search !== undefined && !isFound(entry, search)) return false
  if (fromTime !== undefined && entry.time < fromTime) return false
  return toTime === undefined || entry.time < toTime
}

function isFound(entry: EntryRow, { text, amountMinor, issuers }: EntrySearch): boolean {
  if (entry.amountMinor === amountMinor) return true
  if (issuers !== undefined && !issuers.includes(entry.issuer)) return false
  return asciiLower(entry.referenceId).includes(asciiLower(text))
}

/** As PostgreSQL's lower() in the collation "C": one rule, whatever the server's language. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

export interface PageRequest {
  readonly walletId: WalletId
  readonly limit: number
  /** Only entries of a lower revision. */
  readonly before?: number | undefined
  readonly filter?: EntryFilter
}

/** A wallet's row and a page of its entries, newest first, in one snapshot. */
export interface PageRows {
  readonly row: WalletRow | undefined
  readonly entries: readonly EntryRow[]
}

type PageSqlRow = WalletSqlRow & { readonly entries: readonly EntrySqlRow[] }

export async function readPage(pool: Pool, request: PageRequest): Promise<PageRows> {
  const { walletId, limit, before = Number.MAX_SAFE_INTEGER, filter = {} } = request
  const { rows } = await pool.query<PageSqlRow>({
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
      filter.issuers,
      filter.search && asciiLower(filter.search.text),
      filter.search?.amountMinor,
      filter.search?.issuers,
    ],
  })
  return toPage(rows[0])
}

/** One answer for each request, in order, all of one snapshot; of a filter only `appliedOnly`. */
export async function readPages(pool: Pool, requests: readonly PageRequest[]): Promise<PageRows[]> {
  const { rows } = await pool.query<PageSqlRow & { readonly place: number }>({
    name: 'transactions-pages',
    text: pagesStatement,
    values: [
      requests.map(({ walletId }) => walletId),
      requests.map(({ before }) => before ?? Number.MAX_SAFE_INTEGER),
      requests.map(({ limit }) => limit),
      requests.map(({ filter }) => filter?.appliedOnly ?? false),
    ],
  })
  const found = new Map(rows.map((row) => [row.place, row]))
  return requests.map((_, index) => toPage(found.get(index + 1)))
}

function toPage(row: PageSqlRow | undefined): PageRows {
  return { row: row && toWalletRow(row), entries: row?.entries.map(toEntry) ?? [] }
}

/** `signOf` of the domain is not 0. */
const movesMoney =
  "(t.code is null and t.type not in ('HoldPlaced', 'HoldReleased', 'HoldExpired'))"

const pagesStatement = `
  select asked.place, ${walletColumns},
    (select coalesce(json_agg(e order by e.revision desc), '[]')
      from (
        select ${entryColumns} from read.transactions t
        where t.wallet_id = w.wallet_id and t.revision < asked.before
          and (not asked.applied_only or ${movesMoney})
        order by t.revision desc limit asked.page_limit
      ) e
    ) as entries
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::boolean[])
    with ordinality as asked (wallet_id, before, page_limit, applied_only, place)
  join read.wallets w on w.wallet_id = asked.wallet_id`

const pageStatement = `
  select ${walletColumns},
    (select coalesce(json_agg(e order by e.revision desc), '[]')
      from (
        select ${entryColumns} from read.transactions t
        where t.wallet_id = w.wallet_id and t.revision < $2
          and (not $4 or ${movesMoney})
          and ($5::text[] is null or t.type = any($5))
          and ($6::text is null or (t.reference_type = $6 and t.issuer = any($7::text[])))
          and ($8::timestamptz is null or t.time >= $8)
          and ($9::timestamptz is null or t.time < $9)
          and ($10::text[] is null or t.issuer = any($10))
          and ($11::text is null or t.amount_minor = $12::bigint
            or (position($11 in lower(t.reference_id collate "C")) > 0
              and ($13::text[] is null or t.issuer = any($13))))
        order by t.revision desc limit $3
      ) e
    ) as entries
  from read.wallets w where w.wallet_id = $1`

/** A wallet's row and the entry of one reference, in one snapshot. */
export async function readEntry(
  pool: Pool,
  key: { readonly walletId: WalletId; readonly entryId: EntryId },
): Promise<{ row: WalletRow | undefined; entry: EntryRow | undefined }> {
  const { rows } = await pool.query<WalletSqlRow & { entry: EntrySqlRow | null }>({
    name: 'transactions-entry',
    text: entryStatement,
    values: [key.walletId, key.entryId],
  })
  const [row] = rows
  const entry = row?.entry ?? undefined
  return { row: row && toWalletRow(row), entry: entry && toEntry(entry) }
}

const entryStatement = `
  select ${walletColumns},
    (select row_to_json(e) from (
      select ${entryColumns} from read.transactions t
      where t.entry_id = $2 and t.wallet_id = w.wallet_id
    ) e) as entry
  from read.wallets w where w.wallet_id = $1`

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
