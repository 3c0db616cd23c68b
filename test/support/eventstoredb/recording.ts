/**
 * Writes down a conversation in the shape of eventstoredb-recorded.jsonl: every call, protobuf
 * message, status and cancellation, as the client's own stubs decode it.
 * Never changes what it sees, and exists only when a test asked for it.
 */
import type { Metadata } from '@grpc/grpc-js'
import type { Message } from 'google-protobuf'
import type { Failure } from './failures.js'
import { shared, streams } from './stubs.js'
import { serializeAppendResp } from './wire-append.js'

export interface WireEntry {
  readonly method: string
  readonly from: 'client' | 'server'
  readonly kind: 'call' | 'message' | 'status' | 'cancel'
  readonly metadata?: unknown
  readonly message?: unknown
  readonly code?: number
  readonly details?: string
  readonly trailers?: unknown
}

const recordedHeaders = new Set(['connection-name', 'requires-leader'])
const textMax = 40
const errorDetails = [
  ['event_store.client.WrongExpectedVersion', shared.WrongExpectedVersion],
  ['event_store.client.StreamDeleted', shared.StreamDeleted],
  ['event_store.client.MaximumAppendSizeExceeded', shared.MaximumAppendSizeExceeded],
] as const

export class WireRecorder {
  readonly #entries: WireEntry[] = []
  readonly #watchers = new Set<() => void>()

  /** What was recorded since the last time this was called. */
  take(): WireEntry[] {
    return this.#entries.splice(0)
  }

  /** Resolves when the entries since the last `take` satisfy the condition. */
  async until(condition: (entries: readonly WireEntry[]) => boolean): Promise<void> {
    if (condition(this.#entries)) return
    await new Promise<void>((resolve) => {
      const watch = () => {
        if (!condition(this.#entries)) return
        this.#watchers.delete(watch)
        resolve()
      }
      this.#watchers.add(watch)
    })
  }

  call(method: string, headers: Metadata): void {
    const metadata = Object.fromEntries(
      Object.entries(headers.getMap()).filter(([name]) => recordedHeaders.has(name)),
    )
    this.#add({ method, from: 'client', kind: 'call', metadata })
  }

  message(method: string, from: 'client' | 'server', message: Message): void {
    this.#add({ method, from, kind: 'message', message: this.#decoded(message) })
  }

  status(method: string, failure?: Failure): void {
    const entry = { method, from: 'server', kind: 'status' } as const
    if (failure === undefined) this.#add({ ...entry, code: 0 })
    else
      this.#add({
        ...entry,
        code: failure.code,
        details: failure.details,
        trailers: failure.metadata.getMap(),
      })
  }

  cancel(method: string): void {
    this.#add({ method, from: 'client', kind: 'cancel' })
  }

  #add(entry: WireEntry): void {
    this.#entries.push(entry)
    for (const watch of this.#watchers) watch()
  }

  #decoded(message: Message): unknown {
    if (message instanceof streams.AppendResp)
      return plainOf(streams.AppendResp.deserializeBinary(serializeAppendResp(message)).toObject())
    const plain = plainOf(message.toObject())
    if (!(message instanceof streams.BatchAppendResp)) return plain
    const details = message.getError()?.getDetails()
    if (details === undefined) return plain
    const name = details.getTypeName()
    const type = errorDetails.find(([typeName]) => typeName === name)?.[1]
    if (type === undefined) return plain
    const unpacked = type.deserializeBinary(details.getValue_asU8())
    const decoded = { type: details.getTypeUrl(), message: plainOf(unpacked.toObject()) }
    return { ...(plain as object), errorDetails: decoded }
  }
}

// Bytes are shown as text, long texts by their beginning and length, absent fields not at all.
function plainOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => plainOf(item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => [name, plainOf(field, name)]),
    )
  if (typeof value !== 'string') return value
  if (key === 'value') return `base64:${value}`
  if (key === 'streamName' || key === 'data' || key === 'customMetadata')
    return shortened(Buffer.from(value, 'base64').toString('utf8'))
  return value
}

function shortened(text: string): string {
  if (text.length <= textMax) return text
  return `${text.slice(0, textMax)}… (${text.length.toString()} characters)`
}
