/**
 * Counts tries in PostgreSQL, so that a bound holds over several processes: a window of fixed
 * length begins with a key's first try, and after its end the count begins anew.
 * Promises: one statement a try, exact under concurrency; a key is kept only as its hash.
 * Never: counts beyond what it needs to refuse, or lengthens a window because of further tries.
 */
import { sha256 } from '../domain/digest.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { deleteInBatches } from './sweeper.js'

export interface ThrottleKey {
  /** What is counted, such as `login-account`: the same value of another kind is another key. */
  readonly kind: string
  readonly value: string
}

export interface ThrottleLimit {
  readonly tries: number
  readonly windowMs: number
}

export class Throttle {
  readonly #pool: Pool
  readonly #clock: Clock

  constructor(parts: { pool: Pool; clock: Clock }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
  }

  /** Counts a try; undefined when it is allowed, else the whole seconds to wait. */
  async count(key: ThrottleKey, limit: ThrottleLimit): Promise<number | undefined> {
    const nowMs = this.#clock.now()
    const { tries, window_ends_at } = await this.#count(key, limit, nowMs)
    if (tries <= limit.tries) return undefined
    return Math.max(1, Math.ceil((window_ends_at.getTime() - nowMs) / 1_000))
  }

  /** Counts a try; which one in the window it is, up to one more than `limit.tries`. */
  async tally(key: ThrottleKey, limit: ThrottleLimit): Promise<number> {
    return (await this.#count(key, limit, this.#clock.now())).tries
  }

  /** Takes a try back that came to nothing: it was counted, and then nobody had time for it. */
  async giveBack(key: ThrottleKey): Promise<void> {
    await this.#pool.query(
      'update identity.throttle set tries = tries - 1 where key_hash = $1 and tries > 0',
      [hashOf(key)],
    )
  }

  /** Forgets the tries, such as after a login that worked. */
  async clear(key: ThrottleKey): Promise<void> {
    await this.#pool.query('delete from identity.throttle where key_hash = $1', [hashOf(key)])
  }

  async #count(key: ThrottleKey, limit: ThrottleLimit, nowMs: number): Promise<CountedRow> {
    const { rows } = await this.#pool.query<CountedRow>(countTry, [
      hashOf(key),
      new Date(nowMs),
      new Date(nowMs + limit.windowMs),
      limit.tries,
    ])
    if (rows[0] === undefined) throw new Error('an upsert returned no row')
    return rows[0]
  }

  /** Removes windows that are over; how many. */
  async sweep(): Promise<number> {
    const before = new Date(this.#clock.now())
    return deleteInBatches(this.#pool, {
      table: 'identity.throttle',
      column: 'window_ends_at',
      before,
    })
  }
}

interface CountedRow {
  readonly tries: number
  readonly window_ends_at: Date
}

const countTry = `
  insert into identity.throttle as counted (key_hash, tries, window_ends_at) values ($1, 1, $3)
  on conflict (key_hash) do update set
    tries = case when counted.window_ends_at > $2 then least(counted.tries, $4) + 1 else 1 end,
    window_ends_at = case when counted.window_ends_at > $2 then counted.window_ends_at else $3 end
  returning tries, window_ends_at`

function hashOf({ kind, value }: ThrottleKey): Buffer {
  // The length keeps ('a', 'bc') and ('ab', 'c') apart.
  return sha256(Buffer.from(`${kind.length} ${kind} ${value}`, 'utf8'))
}
