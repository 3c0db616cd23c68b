/**
 * Answers of the database that may be believed for a moment: credentials and links.
 * Promises: only found rows are kept, for at most `answerCacheMs` after their query began, and not
 * beyond a change that the feed tells of; while the feed does not listen nothing is kept at all.
 * Callers that miss at the same moment share one statement, which begins after they asked, so "not
 * found" is never older than the question. Never: lengthens the life of an answer.
 * States of an answer: young → old → gone, one step each half of its life or when there is no room.
 */
import { answerCacheEntriesMax, answerCacheMs, gatheredLookupsMax } from '../limits.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import { Gatherer } from '../platform/gather.js'

export interface AnswerCacheParts<Answer> {
  readonly clock: Clock
  readonly changes: ChangeFeed
  /** One statement for all keys, each given once; what it leaves out does not exist. */
  readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>
  readonly entriesMax?: number
}

interface Found<Answer> {
  readonly answer: Answer | undefined
}

export class AnswerCache<Answer> {
  readonly #clock: Clock
  readonly #changes: ChangeFeed
  readonly #load: AnswerCacheParts<Answer>['load']
  readonly #halfMax: number
  readonly #misses: Gatherer<string, Found<Answer>>
  #young = new Map<string, Answer>()
  #old = new Map<string, Answer>()
  /** Counts the halves of a life: an answer's age is measured from when its query began. */
  #halves = 0
  #flushes = 0
  #isLoading = false
  #isTicking = false

  constructor(parts: AnswerCacheParts<Answer>) {
    this.#clock = parts.clock
    this.#changes = parts.changes
    this.#load = parts.load
    this.#halfMax = Math.ceil((parts.entriesMax ?? answerCacheEntriesMax) / 2)
    this.#misses = new Gatherer((keys) => this.#fetch(keys), { max: gatheredLookupsMax })
    parts.changes.onChange(() => this.#flush())
  }

  /** What is known without asking the database. */
  peek(key: string): Answer | undefined {
    if (!this.#changes.isListening) return undefined
    return this.#young.get(key) ?? this.#old.get(key)
  }

  /** What the database says now, by a statement that begins after this call. */
  async ask(key: string): Promise<Answer | undefined> {
    const { answer } = await this.#misses.ask(key)
    return answer
  }

  async #fetch(keys: readonly string[]): Promise<Found<Answer>[]> {
    const began = { half: this.#halves, flushes: this.#flushes }
    this.#isLoading = true
    this.#tick()
    try {
      const found = await this.#load([...new Set(keys)])
      // A change during the query: nobody knows which side of it the query saw.
      if (began.flushes === this.#flushes && this.#changes.isListening)
        this.#keep(found, began.half)
      return keys.map((key) => ({ answer: found.get(key) }))
    } finally {
      this.#isLoading = false
    }
  }

  #keep(found: ReadonlyMap<string, Answer>, half: number): void {
    const age = this.#halves - half
    if (age > 1) return
    for (const [key, answer] of found) {
      this.#old.delete(key)
      if (age === 1) this.#old.set(key, answer)
      else this.#young.set(key, answer)
      if (this.#young.size >= this.#halfMax || this.#old.size >= this.#halfMax) this.#age()
    }
  }

  #tick(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    this.#clock.after(answerCacheMs / 2, () => {
      this.#isTicking = false
      this.#halves += 1
      this.#age()
      // An idle process has no timer: the next query sets one before it begins.
      if (this.#isLoading || this.#old.size > 0) this.#tick()
    })
  }

  #age(): void {
    this.#old = this.#young
    this.#young = new Map()
  }

  #flush(): void {
    this.#flushes += 1
    this.#young.clear()
    this.#old.clear()
  }
}
