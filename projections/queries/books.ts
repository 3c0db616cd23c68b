/**
 * The journal as exports, trial balance and settlement read it: all on one snapshot of one position
 * of the log, taken by `inSnapshot`. Promises: rows arrive in pages through a cursor, so that a
 * journal of any length needs little memory; sums are exact, as bigint in minor units.
 * Cost: entries are read over the index on `time`; sums up to a time read all entries before it.
 */
import type { Issuer, WalletId } from '../../src/domain/ids.js'
import type { EntryType, SealedText } from '../../src/domain/wallet-events.js'
import type { Client } from '../../src/platform/postgres.js'
import { RebuildRunningError } from '../rebuild.js'

/** Entries with `from` ≤ time < `to`; what is left out is open. */
export interface TimeRange {
  readonly from?: string
  readonly to?: string
}

export interface Posting {
  /** `wallet:<walletId>`, `client-app:<clientId>`, `processor`, `bonus` or `reversal`. */
  readonly account: string
  /** Above zero what the platform owes the account, below zero what it is owed. */
  readonly amountMinor: number
}

export interface JournalEntry {
  readonly entryId: string
  readonly walletId: WalletId
  readonly revision: number
  readonly time: string
  readonly type: EntryType
  readonly referenceType: string
  readonly referenceId: string
  readonly issuer: Issuer
  readonly description: SealedText | null
  /** The wallet's first; they sum to zero. */
  readonly postings: readonly Posting[]
}

/**
 * Runs `work` on one snapshot of the read models, and tells it their position. The connection must
 * have no time limit on statements.
 */
export async function inSnapshot<T>(
  client: Client,
  work: (position: bigint) => Promise<T>,
): Promise<T> {
  await client.query('begin isolation level repeatable read read only')
  try {
    const result = await work(await positionOf(client))
    // A rebuild exchanges the tables by their names: what was read after that would be empty.
    await positionOf(client)
    return result
  } finally {
    // It only read; a connection that broke must not hide why.
    await client.query('rollback').catch(() => undefined)
  }
}

/** Every account but the wallets that has a posting. */
export async function listCounterAccounts(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ account: string }>(
    "select account from read.journal_totals where account <> 'wallet' order by account",
  )
  return rows.map(({ account }) => account)
}

/** The wallets that have a posting in the range, in pages. */
export function pageJournalWallets(
  client: Client,
  range: TimeRange,
  pageRows: number,
): AsyncGenerator<WalletId[]> {
  const text = `
    select w.wallet_id from read.wallets w
    where exists (
      select from read.transactions t
      where t.wallet_id = w.wallet_id and ${movesMoney} and ${inRangeOfWallet}
    ) order by w.wallet_id`
  const cursor = { name: 'journal_wallets', text, range, pageRows }
  return pages(client, cursor, ({ wallet_id }: { wallet_id: WalletId }) => wallet_id)
}

/**
 * As the journal's view has it: a hold moves no money. Nor does a return to a card that found
 * nothing in the wallet, and books have no line of nothing.
 */
const movesMoney =
  "(t.code is null and t.type not in ('HoldPlaced', 'HoldReleased', 'HoldExpired')" +
  ' and t.amount_minor <> 0)'

/** The entries of the range by time, then wallet, then revision, in pages. */
export function pageJournal(
  client: Client,
  range: TimeRange,
  pageRows: number,
): AsyncGenerator<JournalEntry[]> {
  const text = `
    select t.entry_id, t.wallet_id, t.revision, t.time, t.type, t.reference_type, t.reference_id,
      t.issuer, t.description,
      (select json_agg(json_build_object('account', p.account, 'amountMinor', p.amount_minor)
          order by p.kind = 'wallet' desc)
        from read.journal p where p.entry_id = t.entry_id) as postings
    from read.transactions t
    where ${movesMoney} and ${inRange}
    order by t.time, t.wallet_id, t.revision`
  return pages(client, { name: 'journal_entries', text, range, pageRows }, toEntry)
}

export interface AccountSum {
  readonly account: string
  readonly amountMinor: bigint
}

/** The sum of every account's postings up to a time, inclusive; all wallets are one account. */
export async function sumAccounts(client: Client, at: string | undefined): Promise<AccountSum[]> {
  const { rows } = await client.query<{ account: string; amount: string }>(
    `select case when kind = 'wallet' then 'wallet' else account end as account,
       sum(amount_minor)::text as amount
     from read.journal where $1::timestamptz is null or time <= $1 group by 1 order by 1`,
    [at ?? null],
  )
  return rows.map(({ account, amount }) => ({ account, amountMinor: BigInt(amount) }))
}

/** Each wallet's sum up to a time, inclusive, in pages. */
export function pageWalletSums(
  client: Client,
  at: string | undefined,
  pageRows: number,
): AsyncGenerator<AccountSum[]> {
  // One look at the last entry of each wallet: its balance is the sum of all before it.
  const text = `
    select 'wallet:' || w.wallet_id as account, last.balance_minor::text as amount
    from read.wallets w
    cross join lateral (
      select t.balance_minor from read.transactions t
      where t.wallet_id = w.wallet_id and t.code is null and ${inRangeOfWallet}
      order by t.revision desc limit 1
    ) last
    order by w.wallet_id`
  // Times have milliseconds, so the next one is the first that no longer counts.
  const range = at === undefined ? {} : { to: new Date(Date.parse(at) + 1).toISOString() }
  const toSum = ({ account, amount }: { account: string; amount: string }): AccountSum => ({
    account,
    amountMinor: BigInt(amount),
  })
  return pages(client, { name: 'journal_sums', text, range, pageRows }, toSum)
}

export interface ClientAppSum {
  readonly clientId: string
  readonly debitCount: number
  readonly debitsMinor: bigint
  readonly creditCount: number
  readonly creditsMinor: bigint
  /** What of the credits refunded a debit. */
  readonly refundsMinor: bigint
}

/** What each client app, or one, debited and credited in the range. */
export async function sumClientApps(
  client: Client,
  range: TimeRange,
  clientId: string | undefined,
): Promise<ClientAppSum[]> {
  const { rows } = await client.query<{
    client_id: string
    debit_count: number
    debits: string
    credit_count: number
    credits: string
    refunds: string
  }>(
    `select substr(t.issuer, length('client-app:') + 1) as client_id,
       count(*) filter (where type in ${debits}) as debit_count,
       coalesce(sum(amount_minor) filter (where type in ${debits}), 0)::text as debits,
       count(*) filter (where type = 'WalletCredited') as credit_count,
       coalesce(sum(amount_minor) filter (where type = 'WalletCredited'), 0)::text as credits,
       coalesce(sum(amount_minor)
         filter (where type = 'WalletCredited' and refund_of is not null), 0)::text as refunds
     from read.transactions t
     where t.type in ('WalletDebited', 'HoldCaptured', 'WalletCredited')
       and t.issuer like 'client-app:%'
       and ($3::text is null or t.issuer = 'client-app:' || $3) and ${inRange}
     group by t.issuer order by t.issuer`,
    [...rangeValues(range), clientId ?? null],
  )
  return rows.map((row) => ({
    clientId: row.client_id,
    debitCount: row.debit_count,
    debitsMinor: BigInt(row.debits),
    creditCount: row.credit_count,
    creditsMinor: BigInt(row.credits),
    refundsMinor: BigInt(row.refunds),
  }))
}

/** What takes money for a client app. */
const debits = "('WalletDebited', 'HoldCaptured')"

const inRange =
  "t.time >= coalesce($1::timestamptz, '-infinity') and " +
  "t.time < coalesce($2::timestamptz, 'infinity')"

// Written so that the index on time cannot serve it: a wallet's entries are found by its own index,
// whatever the planner believes about a table that has just been filled.
const inRangeOfWallet = `(${inRange}) is true`

function rangeValues({ from, to }: TimeRange): (string | null)[] {
  return [from ?? null, to ?? null]
}

async function positionOf(client: Client): Promise<bigint> {
  const { rows } = await client.query<{ position: string }>(
    'select position::text from read.checkpoint',
  )
  const [row] = rows
  if (row === undefined) throw new RebuildRunningError('a rebuild has just exchanged the tables')
  return BigInt(row.position)
}

interface CursorOf {
  readonly name: string
  readonly text: string
  readonly range: TimeRange
  readonly pageRows: number
}

async function* pages<Value>(
  client: Client,
  { name, text, range, pageRows }: CursorOf,
  /** Of the columns that the text names. */
  toValue: (row: never) => Value,
): AsyncGenerator<Value[]> {
  // The first page is wanted soon, and a sort of everything would come before it; and without
  // statistics, as after a rebuild, the planner would look for each row in the whole table.
  await client.query('set local enable_sort = off; set local enable_seqscan = off')
  await client.query(`declare ${name} no scroll cursor for ${text}`, rangeValues(range))
  for (;;) {
    const { rows } = await client.query<never>(`fetch ${pageRows} from ${name}`)
    if (rows.length > 0) yield rows.map(toValue)
    if (rows.length < pageRows) break
  }
  await client.query(`close ${name}`)
}

interface EntrySqlRow {
  readonly entry_id: string
  readonly wallet_id: WalletId
  readonly revision: number
  readonly time: Date
  readonly type: EntryType
  readonly reference_type: string
  readonly reference_id: string
  readonly issuer: Issuer
  readonly description: SealedText | null
  readonly postings: readonly Posting[]
}

function toEntry(row: EntrySqlRow): JournalEntry {
  return {
    entryId: row.entry_id,
    walletId: row.wallet_id,
    revision: row.revision,
    time: row.time.toISOString(),
    type: row.type,
    referenceType: row.reference_type,
    referenceId: row.reference_id,
    issuer: row.issuer,
    description: row.description,
    postings: row.postings,
  }
}
