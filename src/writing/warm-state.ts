/**
 * What a warm lane knows: the wallet at the last confirmed revision, the event there and the
 * store's generation in which it was last seen there, and of its references those above `base` from
 * memory, those up to `base` from the look-up of the batch that is decided.
 */
import type { EntryId } from '../domain/ids.js'
import type { OutcomeMemory } from '../domain/outcome-memory.js'
import type { Outcome, References, Wallet } from '../domain/wallet.js'
import type { Hit } from '../reading/read-models.js'

export interface WarmState {
  wallet: Wallet
  /** Undefined while nothing is written. */
  headId: string | undefined
  /** Until the store has confirmed it, by an append or a read. */
  isRowAlone: boolean
  generation: number
  base: number
  /** Every outcome above `base`. */
  readonly memory: OutcomeMemory
}

/** For one batch: `found` holds what the rows know, at `base`, of every reference it asks for. */
export class LaneReferences implements References {
  readonly #memory: OutcomeMemory
  readonly #found: ReadonlyMap<EntryId, Hit>

  constructor(memory: OutcomeMemory, found: ReadonlyMap<EntryId, Hit>) {
    this.#memory = memory
    this.#found = found
  }

  outcome(entryId: EntryId): Outcome | undefined {
    return this.#memory.outcome(entryId) ?? this.#found.get(entryId)?.outcome
  }

  /** The row counts refunds up to `base`, the memory exactly those above it. */
  refundedMinor(entryId: EntryId): number {
    const inRow = this.#found.get(entryId)?.refundedMinor ?? 0
    return inRow + this.#memory.refundedMinor(entryId)
  }
}
