/**
 * References as a memory of outcomes: of all of them, or of those above a revision up to which the
 * projections answer (a lane's `base`). Promises: says what it was told; refunds of a debit add up.
 * Never: answers for what it has forgotten; that comes from a look-up.
 */
import type { EntryId } from './ids.js'
import type { Outcome, References } from './wallet.js'

export class OutcomeMemory implements References {
  /** In the order of revisions, oldest first. */
  #outcomes: Outcome[] = []
  readonly #byEntry = new Map<EntryId, Outcome>()
  readonly #refundsMinor = new Map<EntryId, number>()

  get size(): number {
    return this.#outcomes.length
  }

  outcome(entryId: EntryId): Outcome | undefined {
    return this.#byEntry.get(entryId)
  }

  /** The refunds of a debit among the remembered outcomes. */
  refundedMinor(debitEntryId: EntryId): number {
    return this.#refundsMinor.get(debitEntryId) ?? 0
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome)
    this.#byEntry.set(outcome.entryId, outcome)
    this.#addRefund(outcome, outcome.amountMinor)
  }

  /** The projections answer for these now; returns what was forgotten. */
  forgetThrough(revision: number): readonly Outcome[] {
    const kept = this.#outcomes.findIndex((outcome) => outcome.revision > revision)
    const count = kept === -1 ? this.#outcomes.length : kept
    if (count === 0) return []
    const forgotten = this.#outcomes.slice(0, count)
    for (const outcome of forgotten) this.#remove(outcome)
    this.#outcomes = this.#outcomes.slice(count)
    return forgotten
  }

  /** What was decided but not written is no outcome. */
  rollBackTo(revision: number): void {
    for (let last = this.#outcomes.at(-1); last !== undefined && last.revision > revision;) {
      this.#outcomes.pop()
      this.#remove(last)
      last = this.#outcomes.at(-1)
    }
  }

  #remove(outcome: Outcome): void {
    this.#byEntry.delete(outcome.entryId)
    this.#addRefund(outcome, -outcome.amountMinor)
  }

  #addRefund(outcome: Outcome, amountMinor: number): void {
    const debit = outcome.refundedEntryId
    if (debit === undefined) return
    const sum = this.refundedMinor(debit) + amountMinor
    if (sum === 0) this.#refundsMinor.delete(debit)
    else this.#refundsMinor.set(debit, sum)
  }
}
