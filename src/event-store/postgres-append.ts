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
  if (expectedId !== undefined) requireUuid(expectedId)
  for (const { id, type, data, metadata, folded } of events) {
    // What the rules have written has an id of theirs and canonical data.
    if (folded !== undefined) continue
    requireUuid(id)
    if (!type.isWellFormed() || !data.isWellFormed() || !metadata.isWellFormed())
      throw new AppendRefusedError('a text holds half of a surrogate pair')
  }
}

function requireUuid(id: string): void {
  if (!isUuid(id)) throw new AppendRefusedError('the id of an event is a UUID')
}

/** `run`: what this connection knows, if it knows anything. */
export function appendCall(batches: readonly AppendBatch[], run: OwnRun | undefined): AppendCall {
  const columns = columnsOf(batches, run)
  const wallets = uuidArray(columns.batchWallets)
  // Every batch has an event: as many of both means that each has one.
  const isOneEach = columns.ids.length === batches.length
  const values = [
    run?.end.position ?? null,
    run?.end.id ?? null,
    wallets,
    plainArray(columns.expected),
    uuidArray(columns.follows),
    plainArray(columns.isKnown),
    isOneEach ? wallets : uuidArray(columns.wallets),
    plainArray(columns.revisions),
    uuidArray(columns.ids),
    textArray(columns.types),
    textArray(columns.texts),
    textArray(columns.hashes),
    textArray(columns.metadatas),
  ]
  return { name: 'append', text: statement, values }
}

interface Columns {
  readonly batchWallets: string[]
  readonly expected: number[]
  readonly follows: (string | null)[]
  readonly isKnown: boolean[]
  readonly wallets: string[]
  readonly revisions: number[]
  readonly ids: string[]
  readonly types: string[]
  readonly texts: string[]
  readonly hashes: (string | null)[]
  readonly metadatas: (string | null)[]
}

/** In one walk: a column by itself would take a list of its own for each batch. */
function columnsOf(batches: readonly AppendBatch[], run: OwnRun | undefined): Columns {
  const columns: Columns = {
    batchWallets: [],
    expected: [],
    follows: [],
    isKnown: [],
    wallets: [],
    revisions: [],
    ids: [],
    types: [],
    texts: [],
    hashes: [],
    metadatas: [],
  }
  for (const batch of batches) {
    // All of them are: `requireStorable` has looked.
    const wallet = batch.stream.slice(ledgerStreamPrefix.length)
    columns.batchWallets.push(wallet)
    columns.expected.push(batch.expectedRevision)
    columns.follows.push(batch.expectedId ?? null)
    columns.isKnown.push(run?.knowsHeadOf(batch) === true)
    let revision = batch.expectedRevision
    for (const event of batch.events) {
      // Its writer knows it; of any other event the metadata tells.
      const hash = event.folded?.after.hash ?? hashIn(event.metadata) ?? null
      columns.wallets.push(wallet)
      columns.revisions.push((revision += 1))
      columns.ids.push(event.id)
      columns.types.push(event.type)
      columns.texts.push(event.data)
      columns.hashes.push(hash)
      columns.metadatas.push(hash === null ? event.metadata : null)
    }
  }
  return columns
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
  for (const [index, { stream, expectedRevision, events }] of batches.entries()) {
    if (letters[index] !== 'w') continue
    let revision = expectedRevision
    for (const { id, type, data, metadata, folded } of events) {
      revision += 1
      position += 1n
      // Field by field: a spread would cost more than all the rest.
      written.push(
        folded === undefined
          ? { stream, revision, position, id, type, data, metadata }
          : { stream, revision, position, id, type, data, metadata, folded },
      )
    }
  }
  return written
}

const statement =
  'select ledger.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as answer'
const answerPattern = /^(\d+)(?: ([0-9a-f-]{36}))? ([wacd]+)$/
