/**
 * Holds the entries of the log to the rules that reach beyond their wallet's state (one outcome a
 * reference, no refund of more than its debit has left, no reinstatement without its reversal, no
 * decline without its reason), and those that the read models have reached to their rows.
 * Promises: an entry is judged only after the rows that it is judged by have proved right; memory
 * is bounded whatever the length of a stream or the lag: up to where the read models stood, rows
 * answer; beyond, the first `outcomesMax` outcomes are remembered, and the others counted.
 */
import { sumRefunds } from '../../../projections/queries/audit.js'
import type { FoundOutcome } from '../../../projections/queries/lanes.js'
import { lookUpOutcomes } from '../../../projections/queries/lanes.js'
import { entryFault } from '../../domain/entry-fault.js'
import type { EntryId } from '../../domain/ids.js'
import { OutcomeMemory } from '../../domain/outcome-memory.js'
import type { Outcome, References } from '../../domain/wallet.js'
import { refundedEntryOf, reversedEntryOf } from '../../domain/wallet.js'
import type { Pool } from '../../platform/postgres.js'
import { unprojectedOutcomesMax } from '../limits.js'
import { diverges } from './divergence.js'
import { compareTransactions } from './transaction-rows.js'
import type { FoldedEntry } from './wallet-fold.js'
import { placeOf } from './wallet-fold.js'

/** How far the rows answer for an entry. */
export interface Reach {
  /** Whether the entry has a row itself. */
  readonly isProjected: boolean
  /** The revision of the wallet up to which they hold all that was before the entry. */
  readonly rowsThrough: number
}

export class EntryCheck {
  readonly #pool: Pool
  readonly #outcomesMax: number
  /** Every outcome beyond the read models, until there are too many. */
  readonly #beyond = new OutcomeMemory()
  #unremembered = 0
  #entries: LogEntry[] = []
  #judged: Promise<void> = Promise.resolve()

  constructor(pool: Pool, outcomesMax = unprojectedOutcomesMax) {
    this.#pool = pool
    this.#outcomesMax = outcomesMax
  }

  /** How many wait for the next comparison. */
  get size(): number {
    return this.#entries.length
  }

  /** Outcomes beyond the read models that later entries could not be held against. */
  get unremembered(): number {
    return this.#unremembered
  }

  /** Entries of one wallet in the order of its stream. */
  add(entry: FoldedEntry, reach: Reach): void {
    const { before, event, outcome } = entry
    const refunded = outcome.refundedEntryId ?? refundedEntryOf(before.walletId, event)
    const reversed = reversedEntryOf(before.walletId, event)
    this.#entries.push({ entry, refunded, reversed, ...reach })
  }

  /** What was added since the last call. Several may run at once: they judge one after another. */
  compare(): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    this.#judged = this.#check(entries, this.#judged)
    return this.#judged
  }

  async #check(entries: readonly LogEntry[], before: Promise<void>): Promise<void> {
    const projected = entries.filter(({ isProjected }) => isProjected).map(({ entry }) => entry)
    const [found] = await Promise.all([
      this.#lookUp(entries),
      compareTransactions(this.#pool, projected),
      before,
    ])
    for (const logged of entries) {
      const { entry, refunded, isProjected } = logged
      const fault = this.#mayDependOnForgotten(logged)
        ? undefined
        : refunded === undefined
          ? this.#faultOf(logged, found, 0)
          : await this.#faultOfRefund(logged, refunded, found)
      if (fault !== undefined) diverges('event', placeOf(entry.place), fault)
      if (!isProjected) this.#remember(entry.outcome)
    }
  }

  /** What the rows know of the references that these entries may depend on. */
  async #lookUp(entries: readonly LogEntry[]): Promise<Found> {
    const asked = entries.flatMap(({ entry, refunded, reversed, isProjected }) => {
      // A second outcome of a reference has no row of its own, so a projected entry was compared.
      const own = isProjected ? [] : [entry.outcome.entryId]
      const earlier = refunded ?? reversed
      return earlier === undefined ? own : [...own, earlier]
    })
    if (asked.length === 0) return nothingFound
    const { outcomes } = await lookUpOutcomes(this.#pool, { walletIds: [], entryIds: asked })
    return outcomes
  }

  /** What is not remembered may be the debit, a refund of it, or the reversal. */
  #mayDependOnForgotten({ refunded, reversed, isProjected }: LogEntry): boolean {
    return !isProjected && this.#unremembered > 0 && (refunded ?? reversed) !== undefined
  }

  #faultOf(logged: LogEntry, found: Found, refundedInRowsMinor: number): string | undefined {
    const { before, event } = logged.entry
    const known = new KnownReferences(this.#beyond, logged, found, refundedInRowsMinor)
    return entryFault(before, event, known)
  }

  async #faultOfRefund(
    logged: LogEntry,
    refunded: EntryId,
    found: Found,
  ): Promise<string | undefined> {
    const debit = found.get(refunded)
    // As if it were the last refund of its debit: if even then enough was left, it was before.
    const othersMinor = refundedByOthers(logged, debit?.refundedMinor ?? 0)
    const fault = this.#faultOf(logged, found, othersMinor)
    const isApplied = logged.entry.event.type === 'WalletCredited'
    if (othersMinor === 0 || (isApplied && fault === undefined)) return fault
    return this.#faultOf(logged, found, await this.#refundedBefore(logged, debit?.outcome))
  }

  /** In the rows. Reads those between the debit and the entry, so only where it is needed. */
  async #refundedBefore(
    { entry, rowsThrough: through }: LogEntry,
    debit: Outcome | undefined,
  ): Promise<number> {
    if (debit === undefined) return 0
    const { walletId } = entry.before
    const { entryId, revision: above } = debit
    return sumRefunds(this.#pool, { walletId, entryId, above, through })
  }

  #remember(outcome: Outcome): void {
    if (this.#beyond.size < this.#outcomesMax) this.#beyond.add(outcome)
    else this.#unremembered += 1
  }
}

interface LogEntry extends Reach {
  readonly entry: FoldedEntry
  /** The entry that it refunds, or was to refund. */
  readonly refunded: EntryId | undefined
  /** The reversal that it takes back. */
  readonly reversed: EntryId | undefined
}

type Found = ReadonlyMap<EntryId, FoundOutcome>
const nothingFound: Found = new Map()

/** At most: rows that moved on meanwhile count later refunds too. */
function refundedByOthers({ entry, isProjected }: LogEntry, inRowMinor: number): number {
  const { amountMinor, refundedEntryId } = entry.outcome
  const isCounted = isProjected && refundedEntryId !== undefined
  return Math.max(isCounted ? inRowMinor - amountMinor : inRowMinor, 0)
}

/** What was known right before an entry: what is remembered from beyond the rows, and the rows. */
class KnownReferences implements References {
  readonly #beyond: OutcomeMemory
  readonly #rowsThrough: number
  readonly #found: Found
  readonly #refundedInRowsMinor: number

  constructor(
    beyond: OutcomeMemory,
    { rowsThrough }: Reach,
    found: Found,
    refundedInRowsMinor: number,
  ) {
    this.#beyond = beyond
    this.#rowsThrough = rowsThrough
    this.#found = found
    this.#refundedInRowsMinor = refundedInRowsMinor
  }

  outcome(entryId: EntryId): Outcome | undefined {
    const remembered = this.#beyond.outcome(entryId)
    if (remembered !== undefined) return remembered
    const inRow = this.#found.get(entryId)?.outcome
    return inRow !== undefined && inRow.revision <= this.#rowsThrough ? inRow : undefined
  }

  refundedMinor(entryId: EntryId): number {
    return this.#refundedInRowsMinor + this.#beyond.refundedMinor(entryId)
  }
}
