/**
 * The call of `ledger.append` (postgres-columns.sql): many batches as columns, and its answer as
 * one verdict a batch and the position that the log stood at before.
 * Promises: what could not be kept exactly as it is, or is no wallet's, is refused before it is
 * sent. Pure. Never: groups, sends or repeats anything.
 */
import { hashIn } from '../domain/hash-chain.js'
import { isUuid } from '../domain/ids.js'
import { invariant } from '../domain/invariant.js'
import { plainArray, textArray, uuidArray } from '../platform/postgres-arrays.js'
import type { AppendBatch, NewEvent, RecordedEvent } from './event-store.js'
import { AppendRefusedError, ledgerStreamPrefix } from './event-store.js'
import type { LogEnd, OwnRun } from './postgres-own-run.js'

export interface AppendCall {
  readonly name: string
  readonly text: string
  readonly values: (string | bigint | Buffer | null)[]
}

export interface AppendAnswer {
  /** The log's end before: the events of the batches that were written follow, in their order. */
  readonly before: LogEnd
  /** One a batch: written, already, conflict or diverged. */
  readonly letters: string
}

/** The wallet whose stream this is; undefined for any other name, which no log can hold. */
export function walletOf(stream: string): string | undefined {
  const walletId = stream.slice(ledgerStreamPrefix.length)
  return stream.startsWith(ledgerStreamPrefix) && isUuid(walletId) ? walletId : undefined
}

/** Throws AppendRefusedError. */
export function requireStorable({ stream, expectedId, events }: AppendBatch): void {
  if (walletOf(stream) === undefined)
    throw new AppendRefusedError('a stream of this store is named wallet-<uuid>')
  for (const id of [expectedId, ...events.map((event) => event.id)])
    if (id !== undefined && !isUuid(id))
      throw new AppendRefusedError('the id of an event is a UUID')
  for (const { type, data, metadata } of events)
    if (!type.isWellFormed() || !data.isWellFormed() || !metadata.isWellFormed())
      throw new AppendRefusedError('a text holds half of a surrogate pair')
}

/** `run`: what this connection knows, if it knows anything. */
export function appendCall(batches: readonly AppendBatch[], run: OwnRun | undefined): AppendCall {
  // All of them are: `requireStorable` has looked.
  const wallets = batches.map(({ stream }) => stream.slice(ledgerStreamPrefix.length))
  const events = batches.flatMap((batch) => batch.events)
  const hashes = events.map(({ metadata }) => hashIn(metadata) ?? null)
  const values = [
    run?.end.position ?? null,
    run?.end.id ?? null,
    uuidArray(wallets),
    plainArray(batches.map((batch) => batch.expectedRevision)),
    uuidArray(batches.map((batch) => batch.expectedId ?? null)),
    plainArray(batches.map((batch) => run?.knowsHeadOf(batch) === true)),
    uuidArray(batches.flatMap((batch, index) => batch.events.map(() => wallets[index] ?? null))),
    plainArray(
      batches.flatMap((batch) => batch.events.map((_, place) => revisionAt(batch, place))),
    ),
    uuidArray(events.map((event) => event.id)),
    textArray(events.map((event) => event.type)),
    textArray(events.map((event) => event.data)),
    textArray(hashes),
    textArray(events.map((event, place) => (hashes[place] === null ? event.metadata : null))),
  ]
  return { name: 'append', text: statement, values }
}

/** Where the batch puts its event at this place. */
export function revisionAt({ expectedRevision }: AppendBatch, place: number): number {
  return expectedRevision + 1 + place
}

/** What the server needs at least to take in these events. */
export function bytesOf(events: readonly NewEvent[]): number {
  return events.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + metadata.length,
    0,
  )
}

export function readAnswer(text: string | undefined, count: number): AppendAnswer {
  const [, position = '', id = null, letters = ''] = answerPattern.exec(text ?? '') ?? []
  invariant(letters.length === count, 'one letter a batch')
  return { before: { position: BigInt(position), id }, letters }
}

/** What this call has written, where it stands now. */
export function writtenEvents(
  batches: readonly AppendBatch[],
  { before, letters }: AppendAnswer,
): RecordedEvent[] {
  const written: RecordedEvent[] = []
  let { position } = before
  for (const [index, batch] of batches.entries()) {
    if (letters[index] !== 'w') continue
    const { stream } = batch
    for (const [place, { id, type, data, metadata, folded }] of batch.events.entries()) {
      const revision = revisionAt(batch, place)
      position += 1n
      const event = { stream, revision, position, id, type, data, metadata }
      written.push(folded === undefined ? event : { ...event, folded })
    }
  }
  return written
}

const statement =
  'select ledger.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as answer'
const answerPattern = /^(\d+)(?: ([0-9a-f-]{36}))? ([wacd]+)$/
