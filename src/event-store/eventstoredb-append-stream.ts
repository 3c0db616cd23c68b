/**
 * The one gRPC stream that carries all appends of a client. States: open → over (with the failure
 * that everyone who waits hears). Promises: an append is answered by its own answer or by the end
 * of the stream, once; an answer that nobody waits for any more harms nothing. Never: repeats an
 * append, waits for room (what is under way is bounded by the lanes), or times out: whoever sends
 * watches.
 */
import type { Duplex } from 'node:stream'
import { convertToCommandError } from '@eventstore/db-client'
import type { Random } from '../platform/random.js'
import type { AppendBatch } from './event-store.js'
import { streamEndedError } from './eventstoredb-errors.js'
import { encodeAppend } from './eventstoredb-messages.js'
import type { AppendAnswer } from './eventstoredb-messages.js'

export interface AppendStreamParts {
  readonly random: Random
  readonly onUnexpected: () => void
}

export class AppendStream {
  readonly #stream: Duplex
  readonly #parts: AppendStreamParts
  // By place, and not in a Map: one that grows and shrinks with every append keeps what is dead.
  readonly #waiting: (Waiting | undefined)[] = []
  readonly #free: number[] = []
  #failure: Error | undefined

  /** `stream` takes requests as bytes and yields answers (AppendAnswer). */
  constructor(stream: Duplex, parts: AppendStreamParts) {
    this.#stream = stream
    this.#parts = parts
    stream.on('data', (answer: AppendAnswer) => this.#answered(answer))
    // Stays for good: a stream that was destroyed may break again.
    stream.on('error', (error: Error) => this.#fail(convertToCommandError(error)))
    // The server may end it with OK; the client would then go on using it.
    stream.once('end', () => {
      if (this.#failure === undefined)
        stream.destroy(streamEndedError('the event store ended the stream of appends'))
    })
  }

  /** The revision of the last event of the batch. */
  send(batch: AppendBatch, deadlineMs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure)
        return
      }
      const place = this.#free.pop() ?? this.#waiting.length
      const correlationId = placedId(place, this.#parts.random.uuid())
      const request = encodeAppend({ correlationId, batch, deadlineMs })
      this.#waiting[place] = { correlationId, resolve, reject }
      this.#stream.write(request)
    })
  }

  end(error: Error): void {
    this.#stream.destroy(error)
  }

  #answered({ correlationId, outcome }: AppendAnswer): void {
    const place = placeOf(correlationId)
    const waiting = this.#waiting[place]
    if (waiting?.correlationId !== correlationId) {
      this.#parts.onUnexpected()
      return
    }
    this.#waiting[place] = undefined
    this.#free.push(place)
    if (outcome instanceof Error) waiting.reject(outcome)
    else waiting.resolve(outcome)
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const waiting of this.#waiting.splice(0)) waiting?.reject(this.#failure)
  }
}

interface Waiting {
  readonly correlationId: string
  readonly resolve: (revision: number) => void
  readonly reject: (error: Error) => void
}

/** An id that nobody else has, and that tells where its append waits. */
function placedId(place: number, uuid: string): string {
  return place.toString(16).padStart(placeDigits, '0') + uuid.slice(placeDigits)
}

function placeOf(correlationId: string): number {
  return Number.parseInt(correlationId.slice(0, placeDigits), 16)
}

const placeDigits = 8
