/**
 * Compares the `transactions` rows, and the sums that the database keeps over them, with what
 * folded streams say. Promises: a batch that agrees costs one digest; a row that differs is named
 * with the fields in which it does. Never: counts the rows of a wallet; that is wallet-rows.ts.
 */
import { createHash } from 'node:crypto'
import {
  digestTransactions,
  findStrayTransaction,
  findWrongRefund,
  findWrongTotal,
  readTransactionTexts,
} from '../../../projections/queries/audit.js'
import type { WalletId } from '../../domain/ids.js'
import type { Pool } from '../../platform/postgres.js'
import { diverges } from './divergence.js'
import type { FoldedEntry } from './wallet-fold.js'
import { fieldSeparator, placeOf, transactionFields } from './wallet-fold.js'

/** The rows of these entries, each in every field. */
export async function compareTransactions(
  pool: Pool,
  entries: readonly FoldedEntry[],
): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  const entryIds = entries.map(({ outcome }) => outcome.entryId)
  const text = entries.map(({ rowText }) => rowText).join('\u001e')
  const digest = createHash('sha256').update(text).digest('hex')
  if (digest === (await digestTransactions(pool, entryIds))) return
  const stored = await readTransactionTexts(pool, entryIds)
  for (const { outcome, place: event, rowText } of entries) {
    const found = stored.get(outcome.entryId)
    if (found === rowText) continue
    const place = placeOf(event)
    if (found === undefined) diverges('transaction-row', place, 'has no transaction row')
    const problem = `differs from its transaction row in ${differing(rowText, found)}`
    diverges('transaction-row', place, problem)
  }
  // Each row is right and all together are not: a reference has two outcomes in this batch.
  diverges('transaction-row', placeOf(first.place), 'or one after it has a second outcome')
}

function differing(expected: string, stored: string): string {
  const [wanted, found] = [expected.split(fieldSeparator), stored.split(fieldSeparator)]
  const names = transactionFields.filter((_, index) => wanted[index] !== found[index])
  return names.join(', ')
}

/** Rows that no wallet's row has reached. Reads every row. */
export async function compareOwners(pool: Pool): Promise<void> {
  const stray = await findStrayTransaction(pool)
  if (stray === undefined) return
  const place = `the transaction row of wallet ${stray.walletId}, revision ${stray.revision}`
  diverges('transaction-row', place, "is beyond the wallet's row")
}

/** Of one wallet, or of all: reads every row then. */
export async function compareRefunds(pool: Pool, walletId?: WalletId): Promise<void> {
  const wrong = await findWrongRefund(pool, walletId)
  if (wrong === undefined) return
  const { entryId, storedMinor, refundsMinor } = wrong
  const place = `the transaction row of entry ${entryId}`
  const problem = `says that ${storedMinor} was refunded, but its refunds sum to ${refundsMinor}`
  diverges('refunded-amount', place, `${problem} (minor units)`)
}

/** Reads every row. */
export async function compareTotals(pool: Pool): Promise<void> {
  const wrong = await findWrongTotal(pool)
  if (wrong === undefined) return
  const { account, total, postings } = wrong
  const problem = `is kept as ${total}, but its postings sum to ${postings} (minor units)`
  diverges('journal-total', `the journal's total of account ${account}`, problem)
}
