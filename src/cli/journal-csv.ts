/**
 * The journal as CSV: one line a posting with a debit and a credit column.
 * Promises: amounts are exact; text of others is never taken for a formula.
 */
import { columnsOf, decimalText } from '../audit/books/decimal-text.js'
import type { JournalFormat } from '../audit/books/export-journal.js'
import { csvLine } from '../audit/books/csv.js'

/** One line a posting, so that a spreadsheet can sum the columns by account. */
export const csvFormat: JournalFormat = {
  head: () => `${csvLine(csvColumns)}\n`,
  entry({ postings, ...entry }, currency) {
    const lines = postings.map(({ account, amountMinor }) => {
      const { debitMinor, creditMinor } = columnsOf(BigInt(amountMinor))
      const text = (minor: bigint | undefined): string | null =>
        minor === undefined ? null : decimalText(minor, currency)
      const fields: Record<(typeof csvColumns)[number], string | number | null> = {
        time: entry.time,
        entryId: entry.entryId,
        type: entry.type,
        account,
        debit: text(debitMinor),
        credit: text(creditMinor),
        currency: currency.code,
        walletId: entry.walletId,
        revision: entry.revision,
        issuer: entry.issuer,
        referenceType: entry.referenceType,
        referenceId: entry.referenceId,
        description: entry.description ?? null,
      }
      return `${csvLine(csvColumns.map((column) => fields[column]))}\n`
    })
    return lines.join('')
  },
}

const csvColumns = [
  'time',
  'entryId',
  'type',
  'account',
  'debit',
  'credit',
  'currency',
  'walletId',
  'revision',
  'issuer',
  'referenceType',
  'referenceId',
  'description',
] as const
