/**
 * Checks the whole ledger again and again while the service runs, at a pace that leaves the machine
 * to the debits. Promises: one process of all checks at a time (a lock of the database); every
 * result is recorded, and a divergence is also a loud line in the log; a check that was unable to
 * read is tried again later and recorded nowhere.
 */
import { integrityPauseMs } from '../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import { loopLoad } from '../../platform/loop-load.js'
import type { Pool } from '../../platform/postgres.js'
import { connect } from '../../platform/postgres.js'
import { RepeatingWork } from '../../platform/repeating-work.js'
import { recordCheck } from './integrity-checks.js'
import type { VerifyParts } from './verifier.js'
import { verifyLedger } from './verifier.js'

export interface BackgroundVerifierParts extends VerifyParts {
  readonly url: string
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly eventsPerSecondMax: number
}

export function createBackgroundVerifier(parts: BackgroundVerifierParts): RepeatingWork {
  const { clock, log } = parts
  return new RepeatingWork({
    clock,
    pauseMs: integrityPauseMs,
    round: (signal) =>
      checkLedger(parts, signal).catch((err: unknown) => {
        // Cut short by `stop` is no fault.
        if (!signal.aborted) throw err
      }),
    onFault: (err) => log.warn({ err }, 'the ledger could not be checked; tried again later'),
  })
}

/** One round. False when another process is at it. */
export async function checkLedger(
  parts: BackgroundVerifierParts,
  signal?: AbortSignal,
): Promise<boolean> {
  // On a connection of its own: the lock lasts as long as the connection, also after a crash.
  const client = await connect(parts.url, 'wallet-service integrity')
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [lockKey],
    )
    if (rows[0]?.locked !== true) return false
    await checkAndRecord(parts, signal)
    return true
  } finally {
    await client.end()
  }
}

const lockKey = '7308604758453055862'

async function checkAndRecord(
  parts: BackgroundVerifierParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { pool, clock, log, eventsPerSecondMax } = parts
  const startedMs = clock.now()
  const options = { eventsPerSecondMax, takeLoad: loopLoad(), ...(signal && { signal }) }
  const report = await verifyLedger(parts, options)
  if (report.divergence !== undefined)
    log.error({ ...report.divergence }, 'the ledger contradicts itself')
  const reason = report.witness?.unreachable ?? null
  if (reason !== null) log.warn({ reason }, 'the ledger was not compared with its witness')
  const { uncheckedTopUps, isViewCompared } = report
  if (uncheckedTopUps > 0)
    log.warn({ uncheckedTopUps }, 'top-ups without an intent, and no processor could be asked')
  if (!isViewCompared) log.warn('the view of the journal could not be compared')
  await recordCheck(pool, { report, startedMs, endedMs: clock.now() })
}
