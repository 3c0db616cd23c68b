/**
 * Where all lanes of a process keep the outcomes that they remember: as text in blocks of bytes,
 * which no garbage collection has to copy or to walk: as objects they were what it did most.
 * A place holds one outcome and names the place before it, so a line of outcomes is known by its
 * last place. Promises: what is taken out is what was put in; an outcome is found by a walk along
 * its line that looks at eight bytes a place, so a line should be short.
 * Never: shrinks; a place that is free again is the next one taken. All lanes that a process may
 * have, full, take 270 MB.
 */
import type { EntryId } from '../domain/ids.js'
import { invariant } from '../domain/invariant.js'
import type { Outcome } from '../domain/wallet.js'
import { markOf } from './past-references.js'

export type Place = number

/** Where a line begins. */
export const nowhere: Place = -1

export class OutcomeShelf {
  readonly #blocks: Buffer[] = []
  /** Two a place: the mark of its entry, and the place before it; of a free one the next free. */
  #links = new Uint32Array(0)
  #free: Place = nowhere
  #taken = 0

  /** How many outcomes are kept. */
  get size(): number {
    return this.#taken
  }

  /** Becomes the last of the line whose last one was `before`. */
  put(outcome: Outcome, before: Place): Place {
    const text = textOf(outcome)
    invariant(text.length < placeBytes, 'an outcome finds room in its place')
    if (this.#free === nowhere) this.#addBlock()
    const place = this.#free
    this.#free = this.before(place)
    this.#taken += 1
    this.#links[2 * place] = markOf(outcome.entryId)
    this.#links[2 * place + 1] = before
    const { block, start } = this.#at(place)
    block[start] = block.write(text, start + 1, 'latin1')
    return place
  }

  before(place: Place): Place {
    // Unsigned in the table, so that a mark fits: nowhere comes back as what it was.
    return (this.#links[2 * place + 1] ?? nowhere) | 0
  }

  /** The one of this entry in a line. */
  find(entryId: EntryId, last: Place): Outcome | undefined {
    const mark = markOf(entryId)
    for (let place = last; place !== nowhere; place = this.before(place)) {
      if (this.#links[2 * place] !== mark) continue
      const outcome = this.outcome(place)
      if (outcome.entryId === entryId) return outcome
    }
    return undefined
  }

  outcome(place: Place): Outcome {
    const { block, start } = this.#at(place)
    return outcomeIn(block.toString('latin1', start + 1, start + 1 + (block[start] ?? 0)))
  }

  /** A line from its last outcome to its first. */
  *line(last: Place): Generator<{ readonly place: Place; readonly outcome: Outcome }> {
    for (let place = last; place !== nowhere;) {
      // Before it is given out: who gets it may free it.
      const before = this.before(place)
      yield { place, outcome: this.outcome(place) }
      place = before
    }
  }

  /** The line of `place` begins with it now. */
  cutBefore(place: Place): void {
    this.#links[2 * place + 1] = nowhere
  }

  freeLine(last: Place): void {
    for (let place = last; place !== nowhere;) {
      const before = this.before(place)
      this.free(place)
      place = before
    }
  }

  free(place: Place): void {
    this.#links[2 * place + 1] = this.#free
    this.#free = place
    this.#taken -= 1
  }

  #at(place: Place): { readonly block: Buffer; readonly start: number } {
    const block = this.#blocks[Math.floor(place / blockPlaces)]
    invariant(block !== undefined, 'a place is on the shelf')
    return { block, start: (place % blockPlaces) * placeBytes }
  }

  #addBlock(): void {
    const first = this.#blocks.length * blockPlaces
    this.#blocks.push(Buffer.allocUnsafeSlow(blockPlaces * placeBytes))
    const end = first + blockPlaces
    if (2 * end > this.#links.length) {
      const links = new Uint32Array(Math.max(2 * end, 2 * this.#links.length))
      links.set(this.#links)
      this.#links = links
    }
    for (let place = end - 1; place >= first; place -= 1) {
      this.#links[2 * place + 1] = this.#free
      this.#free = place
    }
  }
}

const blockPlaces = 1024

/** The longest text has less than 200 characters; the first byte says how many. */
const placeBytes = 208

/** None of the fields holds a space; of those that few have, what is left out is empty. */
function textOf(outcome: Outcome): string {
  const { entryId, type, revision, amountMinor, balanceMinor, time } = outcome
  const text = `${entryId} ${type} ${revision} ${amountMinor} ${balanceMinor} ${time}`
  const { heldMinor, code, expiresAt, holdEntryId, refundedEntryId } = outcome
  const isPlain = (heldMinor ?? code ?? expiresAt ?? holdEntryId ?? refundedEntryId) === undefined
  if (isPlain) return text
  return [text, heldMinor, code, expiresAt, holdEntryId, refundedEntryId].join(' ')
}

function outcomeIn(text: string): Outcome {
  const [entryId, type, revision, amountMinor, balanceMinor, time, ...rest] = text.split(' ')
  const plain = {
    entryId,
    type,
    revision: Number(revision),
    amountMinor: Number(amountMinor),
    balanceMinor: Number(balanceMinor),
    time,
  } as Outcome
  if (rest.length === 0) return plain
  const [heldMinor = '', code = '', expiresAt = '', holdEntryId = '', refundedEntryId = ''] = rest
  return {
    ...plain,
    ...(heldMinor !== '' && { heldMinor: Number(heldMinor) }),
    ...(code !== '' && { code }),
    ...(expiresAt !== '' && { expiresAt }),
    ...(holdEntryId !== '' && { holdEntryId }),
    ...(refundedEntryId !== '' && { refundedEntryId }),
  } as Outcome
}
