/**
 * What commands that print the journal begin and end with, and how they write what may be long.
 * Promises: what stood in the log when the command began is in the answer, or the command refuses;
 * stdout is written as fast as it is read.
 */
import { once } from 'node:events'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { ensureReadSchema } from '../../projections/read-schema.js'
import { exportCatchUpMs, exportCatchUpPauseMs } from '../audit/limits.js'
import { systemClock } from '../platform/clock.js'
import type { Client } from '../platform/postgres.js'
import { connect } from '../platform/postgres.js'
import type { AuditWork } from './opened-ledger.js'
import { withLedgerData } from './opened-ledger.js'
import { CommandError } from './terminal.js'

export interface JournalWork extends AuditWork {
  /** A connection without a time limit on statements. */
  readonly client: Client
}

/** Opens the journal, once it holds what the log held when the command began. */
export async function withJournal<T>(work: (parts: JournalWork) => Promise<T>): Promise<T> {
  return withLedgerData(async (parts) => {
    await ensureReadSchema(parts.pool)
    await catchUp(parts)
    const client = await connect(parts.url, 'wallet-service export')
    try {
      return await work({ ...parts, client })
    } finally {
      await client.end()
    }
  })
}

/** Runs work that writes to stdout, no faster than it is read; `| head` is no fault. */
export async function writingOut(
  work: (write: (text: string) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const { stdout } = process
  let fault: Error | undefined
  const note = (error: Error): void => {
    fault = error
  }
  const write = async (text: string): Promise<void> => {
    if (fault !== undefined) throw fault
    if (!stdout.write(text)) await once(stdout, 'drain')
  }
  stdout.on('error', note)
  try {
    await work(write)
  } catch (error) {
    // Whoever read has seen enough and is gone.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  } finally {
    stdout.off('error', note)
  }
}

/** A running service is a moment behind; read models that nobody fills would be half a journal. */
async function catchUp({ pool, store }: AuditWork): Promise<void> {
  const last = await store.lastEvent()
  const giveUpMs = systemClock.now() + exportCatchUpMs
  for (;;) {
    const { position } = await readCheckpoint(pool)
    if (last === undefined || position >= last.position) return
    if (systemClock.now() >= giveUpMs)
      throw new CommandError(
        `The read models are at position ${position}, but the log has ${last.position}.`,
        'Start the service, or run: npm run -s wallet -- rebuild',
      )
    await systemClock.sleep(exportCatchUpPauseMs)
  }
}
