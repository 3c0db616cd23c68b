/**
 * Questions about all wallets together: what each day moved, what is held, what is owed to whom.
 * Promises: one statement a question and so one snapshot; sums are exact, as bigint in minor units.
 * Cost: a range of days reads its entries over the index on `time`; totals are one row an account.
 */
import type { AccountTotal } from '../../src/domain/journal.js'
import type { EntryType } from '../../src/domain/wallet-events.js'
import type { Pool } from '../../src/platform/postgres.js'
import { slowQuery } from '../../src/platform/postgres.js'

/** What the entries of one type did on one day (UTC). */
export interface DayVolume {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly type: EntryType
  readonly count: number
  readonly amountMinor: bigint
}

/** The days whose entries have `fromTime` ≤ time < `toTime`. */
export async function readVolumes(
  pool: Pool,
  range: { readonly fromTime: Date; readonly toTime: Date },
): Promise<DayVolume[]> {
  const { rows } = await pool.query<{ volumes: readonly VolumeJson[] }>(
    `select ${volumesOf('t.time >= $1 and t.time < $2')} as volumes`,
    [range.fromTime, range.toTime],
  )
  return (rows[0]?.volumes ?? []).map(toVolume)
}

export interface Standing {
  /** From `fromTime` on. */
  readonly volumes: readonly DayVolume[]
  /** The sum of all balances. */
  readonly heldMinor: bigint
  /** What the platform owes each client app, by clientId. */
  readonly owedMinor: ReadonlyMap<string, bigint>
}

/** The totals now and the volumes that lead to them, in one snapshot: they can be subtracted. */
export async function readStanding(pool: Pool, fromTime: Date): Promise<Standing> {
  const { rows } = await pool.query<{
    volumes: readonly VolumeJson[]
    totals: Readonly<Record<string, string>>
  }>(
    `select ${volumesOf('t.time >= $1')} as volumes,
       (select coalesce(json_object_agg(account, amount_minor::text), '{}')
        from read.journal_totals
        where account = 'wallet' or account like 'client-app:%') as totals`,
    [fromTime],
  )
  const { volumes = [], totals = {} } = rows[0] ?? {}
  const { wallet = '0', ...apps } = totals
  const owed = Object.entries(apps).map(([account, amount]): [string, bigint] => [
    account.slice('client-app:'.length),
    BigInt(amount),
  ])
  return { volumes: volumes.map(toVolume), heldMinor: BigInt(wallet), owedMinor: new Map(owed) }
}

/** Reads every row: ask rarely. */
export async function countWallets(pool: Pool): Promise<{ count: number; inactive: number }> {
  const { rows } = await pool.query<{ count: number; inactive: number }>(
    'select count(*) as count, count(*) filter (where not is_active) as inactive from read.wallets',
  )
  return rows[0] ?? { count: 0, inactive: 0 }
}

interface VolumeJson {
  readonly day: string
  readonly type: EntryType
  readonly count: number
  readonly amount: string
}

// Grouped by the date itself: making a text of every row's time costs more than all the rest.
function volumesOf(condition: string): string {
  return `
    (select coalesce(json_agg(json_build_object('day', to_char(v.day, 'YYYY-MM-DD'),
        'type', v.type, 'count', v.count, 'amount', v.amount::text)), '[]')
      from (
        select (t.time at time zone 'utc')::date as day, t.type, count(*) as count,
          sum(t.amount_minor) as amount
        from read.transactions t where ${condition} group by 1, 2
      ) v)`
}

function toVolume({ day, type, count, amount }: VolumeJson): DayVolume {
  return { day, type, count, amountMinor: BigInt(amount) }
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
