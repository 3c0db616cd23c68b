/**
 * What a connection knows of the log by its unbroken run of own appends: where the log ends, and
 * the heads of those streams that it has written since the run began. As long as the log still ends
 * there, nobody else has written, and such a head needs no look-up (postgres-columns.sql).
 * Promises: bounded. Never: knows a head that it has not written itself in this run. The end of the
 * log alone proves no stream: an exchanged database may reach the same end by another way.
 */
import { knownHeadsMax } from './limits.js'
import type { AppendBatch, RecordedEvent } from './event-store.js'

/** The last event of the whole log; no id while there is none. */
export interface LogEnd {
  readonly position: bigint
  readonly id: string | null
}

export class OwnRun {
  #end: LogEnd
  readonly #heads = new Map<string, Pick<RecordedEvent, 'revision' | 'id'>>()

  constructor(end: LogEnd) {
    this.#end = end
  }

  get end(): LogEnd {
    return this.#end
  }

  endsAt({ position, id }: LogEnd): boolean {
    return this.#end.position === position && this.#end.id === id
  }

  knowsHeadOf({ stream, expectedRevision, expectedId }: AppendBatch): boolean {
    const head = this.#heads.get(stream)
    return head !== undefined && head.revision === expectedRevision && head.id === expectedId
  }

  /** The batch was written at the end of the log. */
  add({ stream, expectedRevision, events }: AppendBatch): void {
    const last = events.at(-1)
    if (last === undefined) return
    // Forgetting all of them costs one look-up each, and next to nothing until then.
    if (this.#heads.size >= knownHeadsMax) this.#heads.clear()
    this.#heads.set(stream, { revision: expectedRevision + events.length, id: last.id })
    this.#end = { position: this.#end.position + BigInt(events.length), id: last.id }
  }
}
