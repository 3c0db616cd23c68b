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
    const { rows } = await this.#pool.query<{ tries: number; window_ends_at: Date }>(countTry, [
      hashOf(key),
      new Date(nowMs),
      new Date(nowMs + limit.windowMs),
      limit.tries,
    ])
    const [counted] = rows
    if (counted === undefined || counted.tries <= limit.tries) return undefined
    return Math.max(1, Math.ceil((counted.window_ends_at.getTime() - nowMs) / 1_000))
  }

  /** Forgets the tries, such as after a login that worked. */
  async clear(key: ThrottleKey): Promise<void> {
    await this.#pool.query('delete from identity.throttle where key_hash = $1', [hashOf(key)])
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
