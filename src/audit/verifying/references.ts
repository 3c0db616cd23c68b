/**
 * The references of one wallet's stream: each has one outcome for ever, and a debit is refunded no
 * further than it took. Remembers every entry, so only for streams whose length has a limit; over
 * the whole ledger the rows of `transactions` remember them (transaction-rows.ts).
 */
import type { EntryId, WalletId } from '../../domain/ids.js'
import { outcomeOf } from '../../domain/wallet.js'
import type { EntryEvent } from '../../domain/wallet-events.js'

export class References {
  readonly #walletId: WalletId
  readonly #seen = new Set<EntryId>()
  readonly #refundableMinor = new Map<EntryId, number>()

  constructor(walletId: WalletId) {
    this.#walletId = walletId
  }

  /** Takes the next entry of the stream; what is wrong with it, or undefined. */
  faultOf(event: EntryEvent, revision: number): string | undefined {
    const { entryId, amountMinor, refundedEntryId } = outcomeOf(this.#walletId, event, revision)
    if (this.#seen.has(entryId)) return secondOutcome
    this.#seen.add(entryId)
    if (event.type === 'WalletDebited') this.#refundableMinor.set(entryId, amountMinor)
    if (refundedEntryId === undefined) return undefined
    const leftMinor = (this.#refundableMinor.get(refundedEntryId) ?? 0) - amountMinor
    this.#refundableMinor.set(refundedEntryId, leftMinor)
    return leftMinor < 0 ? 'refunds more than its debit has left' : undefined
  }
}

export const secondOutcome = 'is a second outcome of a reference that has one'
