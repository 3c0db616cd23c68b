/**
 * The totals of the journal, added up from the log itself: rows and the view that sums them could
 * be changed together. Promises: compares the kept totals at the position that they stand at,
 * however far that has moved since the fold. Never: believes the rows about an amount.
 */
import { readTotals } from '../../../projections/queries/audit.js'
import type { AccountTotal } from '../../domain/journal.js'
import { JournalTotals } from '../../domain/journal.js'
import type { WalletEvent } from '../../domain/wallet-events.js'
import { isEntry } from '../../domain/wallet-events.js'
import type { RecordedEvent } from '../../event-store/event-store.js'
import type { Pool } from '../../platform/postgres.js'
import { diverges } from './divergence.js'
import { decoded } from './wallet-fold.js'

/** The log between two positions: after the first, up to and with the second. */
export type LogBetween = (after: bigint, until: bigint) => AsyncIterable<RecordedEvent>

export class TotalsCheck {
  readonly #totals = new JournalTotals()

  /** Every event up to the position that `compare` is told, each once, in any order. */
  add(event: WalletEvent): void {
    if (isEntry(event)) this.#totals.add(event)
  }

  async compare(pool: Pool, addedUntil: bigint, logBetween: LogBetween): Promise<void> {
    const kept = await readTotals(pool)
    for await (const recorded of logBetween(addedUntil, kept.position)) this.add(decoded(recorded))
    // Read models that were rebuilt meanwhile may stand before where the others stood.
    for await (const recorded of logBetween(kept.position, addedUntil)) {
      const event = decoded(recorded)
      if (isEntry(event)) this.#totals.remove(event)
    }
    for (const account of new Set([...kept.accounts.keys(), ...this.#totals.accounts.keys()])) {
      const [total, summed] = [kept.accounts, this.#totals.accounts].map((accounts) =>
        inWords(accounts.get(account)),
      )
      if (total === summed) continue
      const problem = `is kept as ${total}, but its entries in the log sum to ${summed}`
      const place = `the journal's total of account ${account}`
      diverges('journal-total', place, `${problem} (minor units)`)
    }
  }
}

function inWords({ amountMinor, postings }: AccountTotal = { amountMinor: 0n, postings: 0 }) {
  return `${amountMinor} in ${postings} postings`
}
