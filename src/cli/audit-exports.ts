/**
 * `audit export`, `audit trial-balance` and `audit settlement`: the books for accountants, from the
 * journal. Promises: stdout holds the file and nothing else.
 * Never: writes to the ledger, or lets text of others control the terminal.
 */
import type { Command } from 'commander'
import { beancountFormat, hledgerFormat, ndjsonFormat } from '../audit/books/export-formats.js'
import type { JournalFormat } from '../audit/books/export-journal.js'
import { exportJournal } from '../audit/books/export-journal.js'
import type { WalletId } from '../domain/ids.js'
import { sealingKeysOf } from '../identity/sealing-keys.js'
import { registerAuditSums } from './audit-sums.js'
import { printable } from './identity.js'
import { csvFormat } from './journal-csv.js'
import { withJournal, writingOut } from './opened-journal.js'
import { periodOf } from './period.js'
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
