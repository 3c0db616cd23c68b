/**
 * What a lane remembers of its outcomes, those above its `base`: the few of an ordinary wallet on
 * the shelf that all lanes share, the many of a busy one in a memory of its own, by an index.
 * Promises: the same answers either way; whoever gives it up has nothing left on the shelf.
 * Never: goes back from many to few; a lane that is cold again begins anew.
 */
import type { EntryId } from '../domain/ids.js'
import { OutcomeMemory } from '../domain/outcome-memory.js'
import type { Outcome, References } from '../domain/wallet.js'
import { nowhere, type OutcomeShelf } from './outcome-shelf.js'

export class LaneOutcomes implements References {
  readonly #shelf: OutcomeShelf
  readonly #fewMax: number
  #last = nowhere
  #few = 0
  #many: OutcomeMemory | undefined

  constructor(shelf: OutcomeShelf, fewMax: number) {
    this.#shelf = shelf
    this.#fewMax = fewMax
  }

  get size(): number {
    return this.#many?.size ?? this.#few
  }

  outcome(entryId: EntryId): Outcome | undefined {
    if (this.#many !== undefined) return this.#many.outcome(entryId)
    return this.#shelf.find(entryId, this.#last)
  }

  /** The refunds of a debit among the remembered outcomes. */
  refundedMinor(debitEntryId: EntryId): number {
    if (this.#many !== undefined) return this.#many.refundedMinor(debitEntryId)
    let sum = 0
    for (const { outcome } of this.#shelf.line(this.#last))
      if (outcome.refundedEntryId === debitEntryId) sum += outcome.amountMinor
    return sum
  }

  add(outcome: Outcome): void {
    if (this.#many === undefined && this.#few >= this.#fewMax) this.#many = this.#takeAll()
    if (this.#many !== undefined) {
      this.#many.add(outcome)
      return
    }
    this.#last = this.#shelf.put(outcome, this.#last)
    this.#few += 1
  }

  /** The projections answer for these now; returns what was forgotten. */
  forgetThrough(revision: number): readonly Outcome[] {
    if (this.#many !== undefined) return this.#many.forgetThrough(revision)
    const forgotten: Outcome[] = []
    let firstKept = nowhere
    for (const { place, outcome } of this.#shelf.line(this.#last)) {
      if (outcome.revision > revision) {
        firstKept = place
        continue
      }
      forgotten.push(outcome)
      this.#shelf.free(place)
    }
    if (firstKept === nowhere) this.#last = nowhere
    else this.#shelf.cutBefore(firstKept)
    this.#few -= forgotten.length
    return forgotten
  }

  /** What was decided but not written is no outcome. */
  rollBackTo(revision: number): void {
    this.#many?.rollBackTo(revision)
    for (const { place, outcome } of this.#shelf.line(this.#last)) {
      if (outcome.revision <= revision) return
      this.#last = this.#shelf.before(place)
      this.#shelf.free(place)
      this.#few -= 1
    }
  }

  /** Its places are for others. */
  giveUp(): void {
    this.#shelf.freeLine(this.#last)
    this.#last = nowhere
    this.#few = 0
    this.#many = undefined
  }

  /** Off the shelf, oldest first. */
  #takeAll(): OutcomeMemory {
    const memory = new OutcomeMemory()
    const line = [...this.#shelf.line(this.#last)]
    for (const { outcome } of line.reverse()) memory.add(outcome)
    this.giveUp()
    return memory
  }
}
