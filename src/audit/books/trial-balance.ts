/**
 * The trial balance: every account of the journal with its balance in the debit or the credit
 * column. Promises: one snapshot; the two columns have the same sum, and a balance that has not is
 * a DivergenceError and not an answer.
 */
import type { AccountSum } from '../../../projections/queries/books.js'
import { inSnapshot, pageWalletSums, sumAccounts } from '../../../projections/queries/books.js'
import type { Client } from '../../platform/postgres.js'
import { columnsOf } from './decimal-text.js'
import { diverges } from '../verifying/divergence.js'
import { exportPageRows } from '../limits.js'

export interface TrialLine {
  readonly account: string
  readonly debitMinor: bigint | undefined
  readonly creditMinor: bigint | undefined
}

export interface TrialTotals {
  /** Of the log, at which the read models were. */
  readonly position: bigint
  readonly debitMinor: bigint
  readonly creditMinor: bigint
}

export interface TrialBalanceOptions {
  /** Up to this time, inclusive; up to now when left out. */
  readonly at?: string
  /** One line a wallet instead of one for all. */
  readonly wallets?: boolean
}

/** Tells each line to `write` and answers the sums of the columns. */
export async function trialBalance(
  client: Client,
  { at, wallets = false }: TrialBalanceOptions,
  write: (lines: readonly TrialLine[]) => Promise<void>,
): Promise<TrialTotals> {
  return inSnapshot(client, async (position) => {
    const totals = { debitMinor: 0n, creditMinor: 0n }
    const tell = async (sums: readonly AccountSum[]): Promise<void> => {
      const lines = sums.map(lineOf)
      for (const { debitMinor = 0n, creditMinor = 0n } of lines) {
        totals.debitMinor += debitMinor
        totals.creditMinor += creditMinor
      }
      await write(lines)
    }
    const accounts = await sumAccounts(client, at)
    await tell(accounts.filter(({ account }) => !wallets || account !== 'wallet'))
    if (wallets)
      for await (const sums of pageWalletSums(client, at, exportPageRows)) await tell(sums)
    const { debitMinor, creditMinor } = totals
    if (debitMinor !== creditMinor)
      diverges(
        'journal-total',
        'the trial balance',
        `has debits of ${debitMinor}, but credits of ${creditMinor} (minor units)`,
      )
    return { position, ...totals }
  })
}

function lineOf({ account, amountMinor }: AccountSum): TrialLine {
  const { debitMinor, creditMinor } = columnsOf(amountMinor)
  return { account, debitMinor, creditMinor }
}
