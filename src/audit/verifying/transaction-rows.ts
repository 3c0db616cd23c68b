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
import { unprojectedIdsMax } from '../limits.js'
import { secondOutcome } from './references.js'
import type { ExpectedRow } from './wallet-fold.js'
import { fieldSeparator, placeOf, transactionFields } from './wallet-fold.js'

/**
 * The outcomes of a check, batch by batch. Those that the read models have not reached need no row;
 * only, none may be a second one of its reference: of a row, or of one before it. Remembers the
 * first `unprojectedIdsMax` of these; behind a longer lag the projector finds the others.
 */
export class OutcomeRows {
  readonly #pool: Pool
  readonly #unprojectedIds = new Set<string>()
  #projected: ExpectedRow[] = []
  #unprojected: ExpectedRow[] = []

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** How many wait for the next comparison. */
  get size(): number {
    return this.#projected.length + this.#unprojected.length
  }

  add(row: ExpectedRow, isProjected: boolean): void {
    if (isProjected) {
      this.#projected.push(row)
      return
    }
    if (this.#unprojectedIds.has(row.entryId)) diverges('event', placeOf(row.event), secondOutcome)
    if (this.#unprojectedIds.size < unprojectedIdsMax) this.#unprojectedIds.add(row.entryId)
    this.#unprojected.push(row)
  }

  async compare(): Promise<void> {
    const [projected, unprojected] = [this.#projected, this.#unprojected]
    this.#projected = []
    this.#unprojected = []
    await compareTransactions(this.#pool, projected)
    if (unprojected.length === 0) return
    const entryIds = unprojected.map((row) => row.entryId)
    const stored = await readTransactionTexts(this.#pool, entryIds)
    // A row that came meanwhile says the same.
    for (const { entryId, event, text } of unprojected)
      if ((stored.get(entryId) ?? text) !== text) diverges('event', placeOf(event), secondOutcome)
  }
}

/** The rows of these outcomes, each in every field. */
async function compareTransactions(pool: Pool, expected: readonly ExpectedRow[]): Promise<void> {
  const [first] = expected
  if (first === undefined) return
  const entryIds = expected.map((row) => row.entryId)
  const text = expected.map((row) => row.text).join('\u001e')
  const digest = createHash('sha256').update(text).digest('hex')
  if (digest === (await digestTransactions(pool, entryIds))) return
  const stored = await readTransactionTexts(pool, entryIds)
  for (const row of expected) {
    const found = stored.get(row.entryId)
    if (found === row.text) continue
    const place = placeOf(row.event)
    if (found === undefined) diverges('transaction-row', place, 'has no transaction row')
    const problem = `differs from its transaction row in ${differing(row.text, found)}`
    diverges('transaction-row', place, problem)
  }
  // Each row is right and all together are not: a reference has two outcomes in this batch.
  diverges('transaction-row', placeOf(first.event), 'or one after it has a second outcome')
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
  const { entryId, debitedMinor, storedMinor, refundsMinor } = wrong
  const place = `the transaction row of entry ${entryId}`
  const problem =
    storedMinor === refundsMinor
      ? `debits ${debitedMinor}, but ${refundsMinor} was refunded`
      : `says that ${storedMinor} was refunded, but its refunds sum to ${refundsMinor}`
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
