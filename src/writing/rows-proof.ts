/**
 * Whether the rows are those of the log that the store shows now: a cold lane may then decide on
 * its row and append at the row's revision, without reading the stream (docs/decisions/0022).
 * Promises: asked once a generation of the store, by all lanes together; only a yes is remembered.
 * Never: outlives a lost connection, behind which an older copy of the log may answer.
 */
import type { EventStore } from '../event-store/event-store.js'

/** Rejects where marker or checkpoint are not the store's, and where nobody answers. */
export type VerifyRows = () => Promise<unknown>

export class RowsProof {
  readonly #store: Pick<EventStore, 'generation'>
  readonly #verify: VerifyRows | undefined
  #provenIn: number | undefined
  #asking: { readonly generation: number; readonly answer: Promise<boolean> } | undefined

  /** Without `verify` no row is ever believed by itself. */
  constructor(store: Pick<EventStore, 'generation'>, verify: VerifyRows | undefined) {
    this.#store = store
    this.#verify = verify
  }

  /** For a row that was read in this generation. */
  async holdsIn(generation: number): Promise<boolean> {
    if (this.#provenIn === generation) return true
    if (this.#verify === undefined || this.#store.generation !== generation) return false
    if (this.#asking?.generation !== generation)
      this.#asking = { generation, answer: this.#ask(generation, this.#verify) }
    return this.#asking.answer
  }

  async #ask(generation: number, verify: VerifyRows): Promise<boolean> {
    try {
      await verify()
    } catch {
      // The lane reads its stream instead, and says what it finds there.
      if (this.#asking?.generation === generation) this.#asking = undefined
      return false
    }
    if (this.#store.generation !== generation) return false
    this.#provenIn = generation
    return true
  }
}
