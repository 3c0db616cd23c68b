/**
 * Answers of the database that may be believed for a moment: credentials and links.
 * Promises: only found rows are kept, and believed for at most `answerCacheMs` after the database
 * last said that nothing has changed (changes.sql counts what has); not beyond a change that the
 * feed tells of; and while the feed does not listen nothing is kept at all. Callers that miss at
 * the same moment share one statement, which begins after they asked, so "not found" is never older
 * than the question. Never: asks for the count while nobody asks for answers.
 * States: idle (what is kept is not believed) → believed, each half of a life confirmed anew or
 * forgotten → idle. Whoever asks first after a rest has the count looked at, and with it all of it
 * is believed again or forgotten: thousands of users who come back together are one question.
 */
import { answerCacheEntriesMax, answerCacheMs, answerWaitMs } from '../limits.js'
import { gatheredLookupsMax } from '../limits.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import { Gatherer } from '../platform/gather.js'
import type { Pool } from '../platform/postgres.js'
import { OverloadedError } from '../platform/turns.js'

export interface AnswerCacheParts<Answer> {
  readonly clock: Clock
  readonly changes: ChangeFeed
  /** One statement for all keys, each given once; what it leaves out does not exist. */
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>
  /** As `countChanges`; grows with every committed change of what `load` reads. */
  readonly countChanges: () => Promise<number>
  readonly entriesMax?: number
}

export async function countChanges(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'identity-changes',
    text: 'select count from identity.changes',
  })
  if (rows[0] === undefined) throw new Error('identity.changes has no row')
  return rows[0].count
}

interface Found<Answer> {
  readonly answer: Answer | undefined
}

export class AnswerCache<Answer> {
  readonly #parts: AnswerCacheParts<Answer>
  readonly #halfMax: number
  readonly #misses: Gatherer<string, Found<Answer>>
  /** Two halves by arrival: a full one pushes the older one out. */
  #young = new Map<string, Answer>()
  #old = new Map<string, Answer>()
  /** What the count was before anything that is kept now was read. */
  #count: number | undefined
  /** The number of the look that began last, and whether it has found the count. */
  #look = 0
  #isConfirmed = false
  /** When the look began that was last answered: what is kept was true then. */
  #confirmedMs = -Infinity
  #isTicking = false
  #wasAsked = false
  #flushes = 0

  constructor(parts: AnswerCacheParts<Answer>) {
    this.#parts = parts
    this.#halfMax = Math.ceil((parts.entriesMax ?? answerCacheEntriesMax) / 2)
    this.#misses = new Gatherer((keys) => this.#fetch(keys), { max: gatheredLookupsMax })
    parts.changes.onChange(() => this.#flush())
  }

  /** What is known without asking the database. */
  peek(key: string): Answer | undefined {
    this.#wasAsked = true
    if (!this.#parts.changes.isListening || !this.#isFresh()) return undefined
    return this.#young.get(key) ?? this.#old.get(key)
  }

  /**
   * What the database says now, by a statement that begins after this call. Throws OverloadedError
   * after `answerWaitMs`: a command must have time left for what comes next.
   */
  async ask(key: string): Promise<Answer | undefined> {
    const onLate = (): never => {
      throw new OverloadedError('credentials or a link got no answer in time')
    }
    const { clock } = this.#parts
    const { answer } = await within(this.#misses.ask(key), { clock, limitMs: answerWaitMs, onLate })
    return answer
  }

  /** By the clock and not by the timer: a process that was frozen serves requests before timers. */
  #isFresh(): boolean {
    const ageMs = this.#parts.clock.now() - this.#confirmedMs
    return ageMs >= 0 && ageMs <= answerCacheMs
  }

  async #fetch(keys: readonly string[]): Promise<Found<Answer>[]> {
    // The count first: a change between it and the answers is then seen at the next look.
    if (!this.#isTicking) await this.#confirm()
    this.#wasAsked = true
    const began = this.#flushes
    const found = await this.#parts.load([...new Set(keys)])
    // A change during the query: nobody knows which side of it the query saw.
    if (began === this.#flushes && this.#parts.changes.isListening) this.#keep(found)
    return keys.map((key) => ({ answer: found.get(key) }))
  }

  #keep(found: ReadonlyMap<string, Answer>): void {
    for (const [key, answer] of found) {
      this.#old.delete(key)
      this.#young.set(key, answer)
      if (this.#young.size < this.#halfMax) continue
      this.#old = this.#young
      this.#young = new Map()
    }
  }

  /**
   * Half a life later what is kept goes on being believed if this look ends well before, and so on.
   * A look that ends after the next one has begun says nothing any more.
   */
  async #confirm(): Promise<void> {
    this.#look += 1
    this.#isConfirmed = false
    this.#isTicking = true
    this.#wasAsked = false
    this.#parts.clock.after(answerCacheMs / 2, () => this.#onHalf())
    const look = this.#look
    const beganMs = this.#parts.clock.now()
    const count = await this.#parts.countChanges().catch(() => undefined)
    if (count === undefined || look !== this.#look) return
    if (count !== this.#count) this.#flush()
    this.#count = count
    this.#isConfirmed = true
    this.#confirmedMs = beganMs
  }

  #onHalf(): void {
    if (!this.#isConfirmed) this.#flush()
    if (this.#wasAsked) void this.#confirm()
    else this.#isTicking = false
  }

  #flush(): void {
    this.#flushes += 1
    this.#young.clear()
    this.#old.clear()
  }
}
