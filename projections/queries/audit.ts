/**
 * What audits ask the read models: rows, sums and counts to hold against the log, and the heads of
 * all wallets to sign. Promises: each question is one statement and so one snapshot.
 */
import type { ChainHash } from '../../src/domain/hash-chain.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import type { AccountTotal } from '../../src/domain/journal.js'
import type { Client, Pool } from '../../src/platform/postgres.js'
import { slowQuery } from '../../src/platform/postgres.js'
import type { WalletRow, WalletSqlRow } from './wallet-rows.js'
import { toWalletRow, walletColumns } from './wallet-rows.js'

/** The rows of these wallets, in no order. */
export async function readWallets(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<WalletRow[]> {
  const { rows } = await pool.query<WalletSqlRow>({
    name: 'wallets-by-id',
    text: `select ${walletColumns} from read.wallets w where w.wallet_id = any($1)`,
    values: [walletIds],
  })
  return rows.map(toWalletRow)
}

/** A page of rows in the order of their ids, `after` exclusive and `through` inclusive. */
export async function pageWallets(
  pool: Pool,
  page: { readonly after: string; readonly through: string; readonly limit: number },
): Promise<WalletRow[]> {
  const { rows } = await pool.query<WalletSqlRow>({
    name: 'wallets-page',
    text: `
      select ${walletColumns}
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

/** The heads of all wallets, and where in the log they stand. */
export interface Heads {
  /** Undefined: no event is projected yet. */
  readonly place: HeadsPlace | undefined
  /** In the order of the wallets' ids; to be read once, in the transaction that opened them. */
  readonly pages: AsyncGenerator<readonly WalletHead[], void>
}

export interface HeadsPlace {
  readonly position: string
  readonly eventId: string
  readonly storeMarker: string
}

export interface WalletHead {
  readonly walletId: WalletId
  readonly revision: number
  readonly hash: ChainHash
}

/**
 * Inside the caller's transaction. One statement over both tables: a rebuild may exchange the
 * schema between two.
 */
export async function openHeads(client: Client, pageRows: number): Promise<Heads> {
  await client.query(`
    declare heads no scroll cursor for
    select w.wallet_id, w.revision, encode(w.hash, 'hex') as hash,
      (select position::text from read.checkpoint) as position,
      (select event_id from read.checkpoint) as event_id,
      (select marker from read.checkpoint) as marker
    from read.wallets w order by w.wallet_id`)
  const first = await fetchHeads(client, pageRows)
  return { place: placeOf(first[0]), pages: pagesOf(client, { first, pageRows }) }
}

interface HeadSqlRow {
  readonly wallet_id: WalletId
  readonly revision: number
  readonly hash: ChainHash
  readonly position: string | null
  readonly event_id: string | null
  readonly marker: string | null
}

function placeOf(row: HeadSqlRow | undefined): HeadsPlace | undefined {
  const { position = null, event_id: eventId = null, marker: storeMarker = null } = row ?? {}
  if (position === null || eventId === null || storeMarker === null) return undefined
  return { position, eventId, storeMarker }
}

async function* pagesOf(
  client: Client,
  { first, pageRows }: { readonly first: readonly HeadSqlRow[]; readonly pageRows: number },
): AsyncGenerator<readonly WalletHead[], void> {
  for (let rows = first; rows.length > 0; rows = await fetchHeads(client, pageRows))
    yield rows.map(({ wallet_id, revision, hash }) => ({ walletId: wallet_id, revision, hash }))
}

async function fetchHeads(client: Client, pageRows: number): Promise<readonly HeadSqlRow[]> {
  return (await client.query<HeadSqlRow>(`fetch ${pageRows} from heads`)).rows
}

// One text a row, for an audit that compares millions of them: the order and the separator are
// those of `transactionFields` in src/audit/verifying/wallet-fold.ts.
const transactionText = `
  concat_ws(E'\\x1f', t.entry_id, t.wallet_id, t.revision, t.type, coalesce(t.code, ''),
    t.amount_minor, t.balance_minor, octet_length(t.reference_type), octet_length(t.reference_id),
    t.reference_type, t.reference_id, t.issuer, coalesce(t.description, ''),
    coalesce(t.refund_of::text, ''), (extract(epoch from t.time) * 1000)::bigint,
    coalesce(t.held_minor::text, ''),
    coalesce((extract(epoch from t.expires_at) * 1000)::bigint::text, ''),
    coalesce(t.hold_of::text, ''))`

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
  readonly storedMinor: number
  readonly refundsMinor: number
}

interface RefundRow extends Record<'stored' | 'refunds', number> {
  readonly entry_id: string
}

/** An entry whose `refunded_minor` is not the sum of its refunds. */
export async function findWrongRefund(
  pool: Pool,
  walletId?: WalletId,
): Promise<WrongRefund | undefined> {
  const [row] = await slowQuery<RefundRow>(
    pool,
    `select t.entry_id, t.refunded_minor as stored, coalesce(r.sum, 0)::bigint as refunds
     from read.transactions t
     left join (
       select refund_of, sum(amount_minor) as sum from read.transactions
       where refund_of is not null and ($1::uuid is null or wallet_id = $1) group by refund_of
     ) r on r.refund_of = t.entry_id
     where ($1::uuid is null or t.wallet_id = $1) and t.refunded_minor <> coalesce(r.sum, 0)
     limit 1`,
    [walletId ?? null],
  )
  if (row === undefined) return undefined
  return { entryId: row.entry_id, storedMinor: row.stored, refundsMinor: row.refunds }
}

/** What was refunded of an entry above its own revision, up to and with another. */
export async function sumRefunds(
  pool: Pool,
  refunded: { readonly walletId: WalletId; readonly entryId: EntryId } & Revisions,
): Promise<number> {
  const [row] = await slowQuery<{ sum: number }>(
    pool,
    `select coalesce(sum(amount_minor), 0)::bigint as sum from read.transactions
     where wallet_id = $1 and refund_of = $2 and revision > $3 and revision <= $4`,
    [refunded.walletId, refunded.entryId, refunded.above, refunded.through],
  )
  return row?.sum ?? 0
}

interface Revisions {
  readonly above: number
  readonly through: number
}

/** The kept totals, and the position of the log that they stand at: one snapshot. */
export async function readTotals(
  pool: Pool,
): Promise<{ position: bigint; accounts: ReadonlyMap<string, AccountTotal> }> {
  const { rows } = await pool.query<{
    position: string
    totals: readonly { account: string; amount: string; postings: number }[]
  }>(
    `select position, (
       select coalesce(json_agg(json_build_object(
         'account', account, 'amount', amount_minor::text, 'postings', postings)), '[]')
       from read.journal_totals
     ) as totals from read.checkpoint`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('read.checkpoint has no row')
  const accounts = row.totals.map(({ account, amount, postings }): [string, AccountTotal] => [
    account,
    { amountMinor: BigInt(amount), postings },
  ])
  return { position: BigInt(row.position), accounts: new Map(accounts) }
}

/** An account whose kept total is not the sum of its postings; all wallets are one account. */
export async function findWrongTotal(
  pool: Pool,
): Promise<{ account: string; total: string; postings: string } | undefined> {
  const [wrong] = await slowQuery<{ account: string; total: string; postings: string }>(
    pool,
    `select coalesce(v.account, t.account) as account,
      format('%s in %s postings', coalesce(t.amount_minor, 0), coalesce(t.postings, 0)) as total,
      format('%s in %s postings', coalesce(v.amount_minor, 0), coalesce(v.count, 0)) as postings
    from (
      select case when kind = 'wallet' then 'wallet' else account end as account,
        sum(amount_minor) as amount_minor, count(*) as count
      from read.journal group by 1
    ) v
    full join read.journal_totals t using (account)
    where v.amount_minor is distinct from t.amount_minor or v.count is distinct from t.postings
    limit 1`,
  )
  return wrong
}
