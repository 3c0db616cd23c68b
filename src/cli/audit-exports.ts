/**
 * `audit export`, `audit trial-balance` and `audit settlement`: the books for accountants, from the
 * journal. Promises: what stood in the log when the command began is in the answer, or the command
 * refuses; stdout holds the file and nothing else, written as fast as it is read.
 * Never: writes to the ledger, or lets text of others control the terminal.
 */
import { once } from 'node:events'
import type { Command } from 'commander'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { ensureReadSchema } from '../../projections/read-schema.js'
import { beancountFormat, hledgerFormat, ndjsonFormat } from '../audit/books/export-formats.js'
import type { JournalFormat } from '../audit/books/export-journal.js'
import { exportJournal } from '../audit/books/export-journal.js'
import { exportCatchUpMs, exportCatchUpPauseMs } from '../audit/limits.js'
import type { WalletId } from '../domain/ids.js'
import { sealingKeysOf } from '../identity/sealing-keys.js'
import { systemClock } from '../platform/clock.js'
import type { Client } from '../platform/postgres.js'
import { connect } from '../platform/postgres.js'
import type { AuditWork } from './audit.js'
import { periodOf, withLedgerData } from './audit.js'
import { registerAuditSums } from './audit-sums.js'
import { printable } from './identity.js'
import { csvFormat } from './journal-csv.js'
import { CommandError } from './terminal.js'

export function registerAuditExports(audit: Command): void {
  audit
    .command('export')
    .description('the journal in double entry, to stdout')
    .requiredOption('--format <format>', 'hledger, beancount, csv or ndjson')
    .option('--from <time>', 'only entries at or after this ISO 8601 time')
    .option('--to <time>', 'only entries before this ISO 8601 time')
    .option('--descriptions', "with the texts of entries, which are people's own")
    .action(runExport)
  registerAuditSums(audit)
}

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

interface ExportOptions {
  readonly format: string
  readonly from?: string
  readonly to?: string
  readonly descriptions?: true
}

async function runExport({ format: name, descriptions, ...options }: ExportOptions): Promise<void> {
  const format = formats[name]
  if (format === undefined)
    throw new CommandError(
      `'${printable(name)}' is no format.`,
      'Give hledger, beancount, csv or ndjson.',
    )
  const range = periodOf(options)
  await withJournal(({ client, config: { currency }, pool }) =>
    writingOut((write) => {
      const keysOf = (walletIds: readonly WalletId[]) => sealingKeysOf(pool, walletIds)
      const parts = { client, currency, write, ...(descriptions && { keysOf }) }
      return exportJournal(parts, format, range)
    }),
  )
}

const formats: Readonly<Record<string, JournalFormat | undefined>> = {
  hledger: hledgerFormat,
  beancount: beancountFormat,
  csv: csvFormat,
  ndjson: ndjsonFormat,
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
