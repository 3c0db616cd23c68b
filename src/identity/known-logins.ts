/**
 * Where a person has logged in from lately: a hash of browser and network for each place, so that a
 * login from elsewhere can be told to them. Promises: a place is new once in 90 days; a bounded
 * number of places a person. Never: keeps an address or the name of a browser.
 */
import { sha256 } from '../domain/digest.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { knownLoginsKeptMs, knownLoginsMax } from './limits.js'
import { deleteInBatches } from './sweeper.js'

export interface LoginPlace {
  readonly device: string
  /** The part of the address that stays the same from day to day. */
  readonly network: string
}

export class KnownLogins {
  readonly #pool: Pool
  readonly #clock: Clock

  constructor(parts: { pool: Pool; clock: Clock }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
  }

  /** Remembers it; true when the person has not been there lately. */
  async note(serviceUserId: string, { device, network }: LoginPlace): Promise<boolean> {
    const mark = sha256(Buffer.from(`${serviceUserId} ${device.length} ${device} ${network}`))
    const nowMs = this.#clock.now()
    const { rows } = await this.#pool.query<{ is_new: boolean }>(noteLogin, [
      serviceUserId,
      mark,
      new Date(nowMs),
      new Date(nowMs - knownLoginsKeptMs),
    ])
    await this.#pool.query(deleteSurplus, [serviceUserId, knownLoginsMax])
    return rows[0]?.is_new !== false
  }

  /** Removes places of long ago; how many. */
  async sweep(): Promise<number> {
    const before = new Date(this.#clock.now() - knownLoginsKeptMs)
    return deleteInBatches(this.#pool, {
      table: 'identity.known_logins',
      column: 'last_at',
      before,
    })
  }
}

const noteLogin = `
  with before as (
    select last_at from identity.known_logins where service_user_id = $1 and mark = $2
  ), noted as (
    insert into identity.known_logins (service_user_id, mark, last_at) values ($1, $2, $3)
    on conflict (service_user_id, mark) do update set last_at = excluded.last_at
  )
  select not exists (select from before where last_at > $4) as is_new`

const deleteSurplus = `
  delete from identity.known_logins where service_user_id = $1 and mark in (
    select mark from identity.known_logins where service_user_id = $1
    order by last_at desc, mark offset $2)`
