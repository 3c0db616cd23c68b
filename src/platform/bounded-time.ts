/**
 * The time that is written into events: this machine's, but never far ahead of the database's. An
 * event cannot be older than the one before it, so a machine whose clock jumped an hour ahead would
 * stamp a wallet with the future for an hour, on every process.
 * Promises: monotonic time carries the last look at the database on, so a jump between two looks is
 * bounded at once. Never: holds anybody up; before the first look this machine's time stands alone.
 */
import { clockLeadMaxMs, databaseTimeCheckMs } from '../limits.js'
import type { Clock } from './clock.js'
import { monotonicMs } from './clock.js'
import type { Log } from './log.js'
import type { Pool } from './postgres.js'
import { RepeatingWork } from './repeating-work.js'

export interface BoundedTimeParts {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds since 1970, as the database has them. */
  readonly askDatabase: () => Promise<number>
  /** Of tests; never runs back, whatever is done to the clock. */
  readonly monotonic?: () => number
}

export class BoundedTime {
  readonly #parts: BoundedTimeParts
  readonly #monotonic: () => number
  readonly #looks: RepeatingWork
  /** The database's time is at most this plus the monotonic time. */
  #offsetMs: number | undefined
  #isAhead = false

  constructor(parts: BoundedTimeParts) {
    this.#parts = parts
    this.#monotonic = parts.monotonic ?? monotonicMs
    this.#looks = new RepeatingWork({
      clock: parts.clock,
      pauseMs: databaseTimeCheckMs,
      firstPauseMs: 0,
      round: () => this.look(),
      // A database that is away is told by everybody else; the last look still holds.
      onFault: () => undefined,
    })
  }

  /** Milliseconds since 1970. */
  now(): number {
    const ownMs = this.#parts.clock.now()
    if (this.#offsetMs === undefined) return ownMs
    const latestMs = Math.floor(this.#offsetMs + this.#monotonic()) + clockLeadMaxMs
    this.#tell(ownMs - latestMs)
    return Math.min(ownMs, latestMs)
  }

  start(): void {
    this.#looks.start()
  }

  async stop(): Promise<void> {
    await this.#looks.stop()
  }

  async look(): Promise<void> {
    const askedMs = this.#monotonic()
    const databaseMs = await this.#parts.askDatabase()
    // As if the whole way were the answer's: the bound is never too early.
    this.#offsetMs = databaseMs - askedMs
  }

  #tell(beyondMs: number): void {
    const isAhead = beyondMs > 0
    if (isAhead === this.#isAhead) return
    this.#isAhead = isAhead
    const { log } = this.#parts
    if (isAhead) {
      const aheadMs = beyondMs + clockLeadMaxMs
      log.warn({ aheadMs }, 'the clock of this machine is ahead of the database: its time is taken')
    } else log.info('the clock of this machine agrees with the database again')
  }
}

export async function databaseTimeMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>({
    name: 'database-time',
    text: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
  })
  const ms = rows[0]?.ms
  if (ms === undefined) throw new Error('a select returned no row')
  return ms
}
