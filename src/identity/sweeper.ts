/**
 * Removes what has expired: link proofs, reset tokens, widget sessions, throttle rows,
 * refused logins.
 * Promises: short statements of bounded size, a bounded number of them in a round, and a failed
 * round is logged and followed by the next. Any number of processes may sweep at once.
 */
import { sweepBatchesMax, sweepBatchRows, sweepPauseMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import { RepeatingWork } from '../platform/repeating-work.js'

export interface Swept {
  /** How many rows went. */
  sweep(): Promise<number>
}

export function createSweeper(parts: {
  readonly clock: Clock
  readonly log: Log
  readonly swept: readonly Swept[]
}): RepeatingWork {
  const { clock, log, swept } = parts
  const onFault = (err: unknown): void =>
    log.warn({ err }, 'expired rows were not removed; the next round tries again')
  const round = async (signal: AbortSignal): Promise<void> => {
    for (const table of swept) {
      if (signal.aborted) return
      // One table that cannot be swept does not spare the others.
      await table.sweep().catch(onFault)
    }
  }
  return new RepeatingWork({ clock, pauseMs: sweepPauseMs, round, onFault })
}

/** One statement of the form below, repeated until it finds less than a whole batch. */
export async function deleteInBatches(
  pool: Pool,
  rows: { readonly table: string; readonly column: string; readonly before: Date },
): Promise<number> {
  let removed = 0
  for (let batch = 0; batch < sweepBatchesMax; batch += 1) {
    // Rows that another process is removing, or that are just being used, are left to them.
    const { rowCount } = await pool.query(
      `delete from ${rows.table} where ctid = any(array(select ctid from ${rows.table} ` +
        `where ${rows.column} <= $1 order by ${rows.column} limit $2 for update skip locked))`,
      [rows.before, sweepBatchRows],
    )
    removed += rowCount ?? 0
    if ((rowCount ?? 0) < sweepBatchRows) break
  }
  return removed
}
