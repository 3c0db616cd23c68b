/**
 * What the admin area asks about all wallets together: what each day moved, what is held, what is
 * owed to whom.
 * Promises: one statement a question and so one snapshot; sums are exact, as bigint in minor units.
 * Cost: a range of days reads its entries over the index on `time`; totals are one row an account.
 */
import type { EntryType } from '../../src/domain/wallet-events.js'
import type { Pool } from '../../src/platform/postgres.js'

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
