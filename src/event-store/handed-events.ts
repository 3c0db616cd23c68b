/**
 * Events that this process has just written, for who follows the log at its end: it need not read
 * back what was in hand a moment ago. Promises: in the order of the log without a gap; bounded;
 * only what the store has acknowledged. Never: proves anything about the log of now; who takes from
 * it looks whether the log still holds the last one.
 */
import { handedEventsMax } from './limits.js'
import type { RecordedEvent } from './event-store.js'

export class HandedEvents {
  #events: RecordedEvent[] = []

  add(events: readonly RecordedEvent[]): void {
    const [first, last] = [events[0], this.#events.at(-1)]
    // Others have written in between, or nobody takes: those in front are read from the log.
    const isNext = last === undefined || first?.position === last.position + 1n
    if (!isNext || this.#events.length + events.length > handedEventsMax) this.#events = []
    this.#events.push(...events)
  }

  /** Those right after this position, which the taker has seen; it does not ask for them again. */
  after(position: bigint, maxCount: number): readonly RecordedEvent[] {
    const [first] = this.#events
    if (first === undefined || first.position > position + 1n) return []
    this.#events.splice(0, Number(position + 1n - first.position))
    return this.#events.slice(0, maxCount)
  }

  /** A connection was lost: they may have been written to a log that is not there any more. */
  clear(): void {
    this.#events = []
  }
}
