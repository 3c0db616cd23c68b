/**
 * The logins that were refused because of a wrong email or password, for people to look at.
 * Promises: one statement each; counted by the hour, so that a flood is a number and not a million
 * rows; so many rows a day and so many of one address, then all others of an hour share a row; what
 * is older than 90 days is swept. Processes that record at the same moment may exceed a bound by
 * one row each. Never: keeps what was typed, or tells anybody but an admin.
 */
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import {
  refusedLoginAddressCharactersMax,
  refusedLoginRowsPerAddress,
  refusedLoginRowsPerDay,
  refusedLoginsKeptMs,
} from './limits.js'
import { deleteInBatches } from './sweeper.js'
import { emailKeyOf, isStorable } from './user-rules.js'

export type LoginArea = 'admin' | 'widget'

export interface RefusedLogin {
  readonly refusedId: number
  readonly area: LoginArea
  /** An adminId or a serviceUserId; null when the email was nobody's, or the row is of many. */
  readonly account: string | null
  readonly adminEmail: string | null
  /** Null for all that the day had no room for. */
  readonly address: string | null
  readonly tries: number
  /** The hour that is counted, and the last one in it. */
  readonly hour: string
  readonly lastAt: string
}

export class RefusedLogins {
  readonly #pool: Pool
  readonly #clock: Clock

  constructor(parts: { pool: Pool; clock: Clock }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
  }

  async record(login: { area: LoginArea; email: string; address: string }): Promise<void> {
    const nowMs = this.#clock.now()
    await this.#pool.query(recordStatement[login.area], [
      new Date(nowMs - (nowMs % hourMs)),
      login.area,
      // Nobody's key is empty, and the database takes no other text that no account can have.
      isStorable(login.email) ? emailKeyOf(login.email) : '',
      login.address.slice(0, refusedLoginAddressCharactersMax),
      new Date(nowMs),
      refusedLoginRowsPerAddress,
      refusedLoginRowsPerDay,
    ])
  }

  /** The newest first; `before` is the `refusedId` of the last one seen. */
  async list(page: { limit: number; before?: number }): Promise<RefusedLogin[]> {
    const { rows } = await this.#pool.query<Row>(listStatement, [
      page.before ?? Number.MAX_SAFE_INTEGER,
      page.limit,
    ])
    return rows.map((row) => ({
      refusedId: row.refused_id,
      area: row.area,
      account: row.account === '' ? null : row.account,
      adminEmail: row.email,
      address: row.address === '' ? null : row.address,
      tries: row.tries,
      hour: row.hour.toISOString(),
      lastAt: row.last_at.toISOString(),
    }))
  }

  /** Removes what is older than it may be; how many rows. */
  async sweep(): Promise<number> {
    const before = new Date(this.#clock.now() - refusedLoginsKeptMs)
    return deleteInBatches(this.#pool, { table: 'identity.refused_logins', column: 'hour', before })
  }
}

/** A person who is erased is named here no longer. */
export const forgetRefusedLogins = 'delete from identity.refused_logins where account = $1'

// The row is looked for first, so that only a new one asks for room and takes a number.
function recordLogin(accountStatement: string): string {
  return `
    with named as (select coalesce((${accountStatement}), '') as account),
    counted as (
      update identity.refused_logins r set tries = least(r.tries, 2147483646) + 1, last_at = $5
      from named where r.hour = $1 and r.area = $2 and r.account = named.account and r.address = $4
      returning 1),
    room as (select
      (select count(*) from (select 1 from identity.refused_logins
        where hour > $1::timestamptz - interval '1 day' and address = $4 limit $6) a) < $6
      and (select count(*) from (select 1 from identity.refused_logins
        where hour > $1::timestamptz - interval '1 day' limit $7) d) < $7 as is_left)
    insert into identity.refused_logins as other (hour, area, account, address, tries, last_at)
    select $1, $2, case when is_left then account else '' end,
      case when is_left then $4 else '' end, 1, $5
    from named, room where not exists (select 1 from counted)
    on conflict (hour, area, account, address) do update set
      tries = least(other.tries, 2147483646) + 1, last_at = excluded.last_at`
}

const recordStatement: Readonly<Record<LoginArea, string>> = {
  admin: recordLogin('select admin_id from identity.admins where email = $3'),
  widget: recordLogin('select service_user_id from identity.users where email_key = $3'),
}

const hourMs = 60 * 60_000

const listStatement = `
  select r.refused_id, r.area, r.account, a.email, r.address, r.tries, r.hour, r.last_at
  from identity.refused_logins r
  left join identity.admins a on r.area = 'admin' and a.admin_id = r.account
  where r.refused_id < $1 order by r.refused_id desc limit $2`

interface Row {
  readonly refused_id: number
  readonly area: LoginArea
  readonly account: string
  readonly email: string | null
  readonly address: string
  readonly tries: number
  readonly hour: Date
  readonly last_at: Date
}
