/**
 * What a warm lane knows: the wallet at the last confirmed revision, the event there and the
 * store's generation in which it was last seen there, and of its references those above `base` from
 * memory, those up to `base` from the look-up of the batch that is decided. A lane that has once
 * known them all can tell which of the latter are surely new, and does without most look-ups.
 */
import type { EntryId } from '../domain/ids.js'
import type { Outcome, References, Wallet } from '../domain/wallet.js'
import type { Hit } from '../reading/read-models.js'
import type { LaneOutcomes } from './lane-outcomes.js'
import { batchesBetweenLookUps } from './limits.js'
import type { PastReferences } from './past-references.js'

export interface WarmState {
  wallet: Wallet
  /** Undefined while nothing is written. */
  headId: string | undefined
  /** Until the store has confirmed it, by an append or a read. */
  isRowAlone: boolean
  generation: number
  base: number
  /** Every outcome above `base`. */
  readonly memory: LaneOutcomes
  /** Every reference up to `base`; undefined where some may be missing in it. */
  past: PastReferences | undefined
  /** That may do without a look-up. */
  batchesLeft: number
}

/**
 * What a row alone tells. Field by field: of spreads each state would get a hidden class of its
 * own, and every look at one of ten thousand lanes would be a search.
 */
export function ofRow(row: Omit<WarmState, 'isRowAlone' | 'batchesLeft'>): WarmState {
  const { wallet, headId, generation, base, memory, past } = row
  return { wallet, headId, isRowAlone: true, generation, base, memory, past, batchesLeft: 0 }
}

/** Every outcome of a small wallet: there is nothing to ask for. */
export function remembersAll(
  { memory, base }: WarmState,
  bounds: { readonly smallWalletEventsMax: number },
): boolean {
  return base === -1 && memory.size <= bounds.smallWalletEventsMax
}

/** Whether the rows must be asked before these references are decided. */
export function mustAskRows(
  { memory, past, batchesLeft }: WarmState,
  entryIds: readonly EntryId[],
  bounds: { readonly laneReferencesMax: number },
): boolean {
  if (past === undefined || batchesLeft <= 0 || memory.size >= bounds.laneReferencesMax) return true
  return entryIds.some((entryId) => past.mayHold(entryId))
}

/** The rows answer up to this revision now: what they answer for is forgotten. */
export function leaveToRows(warm: WarmState, revision: number): void {
  const forgotten = warm.memory.forgetThrough(revision)
  // Rows that are ahead of the lane hold references that it has never seen.
  const isAllKnown = revision <= warm.wallet.revision
  if (!isAllKnown || !forgotten.every(({ entryId }) => warm.past?.add(entryId) === true))
    forgetPast(warm)
  warm.base = revision
  warm.batchesLeft = batchesBetweenLookUps
}

/** What it takes of what all lanes share. */
export function giveUp(warm: WarmState): void {
  warm.memory.giveUp()
  forgetPast(warm)
}

function forgetPast(warm: WarmState): void {
  warm.past?.giveUp()
  warm.past = undefined
}

/** For one batch: `found` holds what the rows know, at `base`, of every reference it asks for. */
export class LaneReferences implements References {
  readonly #memory: LaneOutcomes
  readonly #found: ReadonlyMap<EntryId, Hit>

  constructor(memory: LaneOutcomes, found: ReadonlyMap<EntryId, Hit>) {
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
