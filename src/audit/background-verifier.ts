/**
 * Checks the whole ledger again and again while the service runs, at a pace that leaves the machine
 * to the debits. Promises: one process of all checks at a time (a lock of the database); every
 * result is recorded, and a divergence is also a loud line in the log; a check that was unable to
 * read is tried again later and recorded nowhere.
 * States: stopped → pausing ⇄ checking → stopped.
 */
import { integrityPauseMs } from './limits.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import { connect } from '../platform/postgres.js'
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

export class BackgroundVerifier {
  readonly #parts: BackgroundVerifierParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: BackgroundVerifierParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** False when another process is at it. */
  async check(): Promise<boolean> {
    // On a connection of its own: the lock lasts as long as the connection, also after a crash.
    const client = await connect(this.#parts.url, 'wallet-service integrity')
    try {
      const { rows } = await client.query<{ locked: boolean }>(
        'select pg_try_advisory_lock($1) as locked',
        [lockKey],
      )
      if (rows[0]?.locked !== true) return false
      await this.#check()
      return true
    } finally {
      await client.end()
    }
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts
    const { signal } = this.#stopping
    for (;;) {
      await clock.sleep(integrityPauseMs, signal)
      if (signal.aborted) return
      await this.check().catch((err: unknown) => {
        if (!signal.aborted) log.warn({ err }, 'the ledger could not be checked; tried again later')
      })
    }
  }

  async #check(): Promise<void> {
    const { pool, clock, log, eventsPerSecondMax } = this.#parts
    const startedMs = clock.now()
    const options = { eventsPerSecondMax, signal: this.#stopping.signal }
    const report = await verifyLedger(this.#parts, options)
    if (report.divergence !== undefined)
      log.error({ ...report.divergence }, 'the ledger contradicts itself')
    await recordCheck(pool, { report, startedMs, endedMs: clock.now() })
  }
}

const lockKey = '7308604758453055862'
