/**
 * The results of ledger checks, kept in the database so that every process and the admin area can
 * tell how the last one ended. Promises: the newest are kept, older ones are removed.
 */
import { readFileSync } from 'node:fs'
import { integrityChecksKept } from '../limits.js'
import type { Migration } from '../../platform/migrations.js'
import type { Pool } from '../../platform/postgres.js'
import type { Divergence } from './divergence.js'
import type { VerifyReport } from './verifier.js'

export const integrityChecksMigration: Migration = {
  name: '0015-integrity-checks',
  sql: readFileSync(new URL('./integrity-checks.sql', import.meta.url), 'utf8'),
}

export interface IntegrityCheck {
  readonly startedAt: string
  readonly endedAt: string
  readonly events: number
  readonly wallets: number
  readonly position: string
  /** Null: everything agreed. */
  readonly divergence: Divergence | null
}

export async function recordCheck(
  pool: Pool,
  { report, startedMs, endedMs }: { report: VerifyReport; startedMs: number; endedMs: number },
): Promise<void> {
  await pool.query(
    `with added as (
       insert into audit.integrity_checks
         (started_at, ended_at, events, wallets, position, divergence)
       values ($1, $2, $3, $4, $5, $6) returning check_id
     )
     delete from audit.integrity_checks c using added a where c.check_id <= a.check_id - $7`,
    [
      new Date(startedMs),
      new Date(endedMs),
      report.events,
      report.wallets,
      report.position,
      report.divergence === undefined ? null : JSON.stringify(report.divergence),
      integrityChecksKept,
    ],
  )
}

/** Undefined until the first check has ended. */
export async function lastCheck(pool: Pool): Promise<IntegrityCheck | undefined> {
  const { rows } = await pool.query<{
    started_at: Date
    ended_at: Date
    events: number
    wallets: number
    position: string
    divergence: Divergence | null
  }>('select * from audit.integrity_checks order by check_id desc limit 1')
  const [row] = rows
  if (row === undefined) return undefined
  const { events, wallets, position, divergence } = row
  const [startedAt, endedAt] = [row.started_at.toISOString(), row.ended_at.toISOString()]
  return { startedAt, endedAt, events, wallets, position, divergence }
}
