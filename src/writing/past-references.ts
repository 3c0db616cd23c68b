/**
 * Which references a lane has forgotten since it knew them all: a filter that says "surely not" or
 * "perhaps". A reference that is surely new needs no look-up, and nearly all are; on "perhaps" the
 * rows are asked, so a wrong guess costs a look-up and never an answer.
 * Promises: never "surely not" of what was added; some bytes for each, of a room that all lanes of
 * a process share. Never: forgets one; who cannot add one gives the whole filter up.
 */
import type { EntryId } from '../domain/ids.js'
import { forgottenReferencesMax } from './limits.js'

/** What all filters of a process may take together, in places for a mark. */
export class ReferenceRoom {
  #left: number

  constructor(max = forgottenReferencesMax) {
    this.#left = max
  }

  /** False: there is not so much left, and nothing is taken. */
  take(count: number): boolean {
    if (count > this.#left) return false
    this.#left -= count
    return true
  }

  giveBack(count: number): void {
    this.#left += count
  }
}

/** Of all that are empty: most lanes never need a place. */
const noMarks = new Uint32Array(0)

export class PastReferences {
  readonly #room: ReferenceRoom
  /** 0 is an empty place; a mark stands at its own place or in the run of full ones behind it. */
  #marks = noMarks
  #count = 0

  constructor(room: ReferenceRoom) {
    this.#room = room
  }

  mayHold(entryId: EntryId): boolean {
    return this.#count > 0 && this.#marks[this.#placeOf(markOf(entryId))] !== 0
  }

  /** False when there is no room: the filter is not complete any more, and must not be asked. */
  add(entryId: EntryId): boolean {
    if (2 * this.#count >= this.#marks.length && !this.#grow()) return false
    this.#put(markOf(entryId))
    return true
  }

  /** Its room is for others; it must not be asked any more. */
  giveUp(): void {
    this.#room.giveBack(this.#marks.length)
    this.#marks = noMarks
    this.#count = 0
  }

  #put(mark: number): void {
    const place = this.#placeOf(mark)
    if (this.#marks[place] === mark) return
    this.#marks[place] = mark
    this.#count += 1
  }

  /** Where the mark stands or would stand: at most half of the places are full, so there is one. */
  #placeOf(mark: number): number {
    const last = this.#marks.length - 1
    let place = mark & last
    while (this.#marks[place] !== 0 && this.#marks[place] !== mark) place = (place + 1) & last
    return place
  }

  #grow(): boolean {
    const marks = this.#marks
    const length = Math.max(2 * marks.length, placesMin)
    if (!this.#room.take(length - marks.length)) return false
    this.#marks = new Uint32Array(length)
    this.#count = 0
    for (const mark of marks) if (mark !== 0) this.#put(mark)
    return true
  }
}

/** A power of two, as are all lengths: a place is the end of a mark's bits. */
const placesMin = 128

/** 32 bits of a digest, the same for the same id; 0 stands for an empty place. */
export function markOf(entryId: EntryId): number {
  // Up to the first dash.
  const bits = Number.parseInt(entryId, 16)
  return bits === 0 ? 1 : bits
}
