/**
 * The event-store port: what the ledger asks of any store, whatever stands behind it.
 * Promises: an append is all or nothing at exactly one revision; repeating the very same batch is
 * harmless; the tail shows every wallet event once, in one order, without gaps. A store may be
 * exchanged for an older copy of itself under a running process (a failover, a restored backup):
 * whoever believes something of it names the event it believes in, and looks at `generation`.
 * Never: retries an append by itself, regroups a batch, or answers "written" for other bytes.
 */

import type { FoldedEvent } from '../domain/wallet-stream.js'

/** The expected revision of a stream that does not exist yet. */
export const noStream = -1

/** The tail after this position starts with the first event of the log. */
export const startOfLog = 0n

/** Every stream of the ledger begins so; whatever else lives in the store is not ours. */
export const ledgerStreamPrefix = 'wallet-'

/** `data` and `metadata` are JSON texts: kept byte for byte, never parsed by a store. */
export interface NewEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
  /**
   * What its writer has folded, for who is handed the event within this process. No store keeps it,
   * and an event that was read has none.
   */
  readonly folded?: FoldedEvent
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  readonly revision: number
  /** The place in the whole log: strictly increasing, above `startOfLog`. */
  readonly position: bigint
}

export type EventPlace = Pick<RecordedEvent, 'stream' | 'revision' | 'position'>

export interface AppendBatch {
  readonly stream: string
  readonly expectedRevision: number
  /** The id of the event at `expectedRevision`: left out exactly when the stream is new. */
  readonly expectedId?: string | undefined
  readonly events: readonly NewEvent[]
}

/**
 * `written`: exactly these events stand at expectedRevision + 1 onwards; `already`: they stood
 * there before this call, by an earlier try of it or by another process that decided the very same.
 * EventStoreDB tells only where it had to look; it takes most repeats for the first.
 * `conflict`: others stand there, so this batch can never be written. `missing` brings the first
 * events after the expected revision (at most `conflictEventsMax`); it is empty while the
 * store itself is still ahead of what it lets anyone read. `diverged`: another event than
 * `expectedId`, or none, stands at the expected revision. Nothing of this batch is there, and
 * whoever made it has folded a history that this store does not have.
 *
 * EventStoreDB compares revisions and no ids: there an append at the very head is `written` though
 * the event at the head is another one. It shows by a new `generation` that this may be so.
 */
export type AppendVerdict =
  | { readonly kind: 'written'; readonly already?: true }
  | { readonly kind: 'conflict'; readonly missing: readonly RecordedEvent[] }
  | { readonly kind: 'diverged' }

export interface TailOptions {
  /** Exclusive. */
  readonly after: bigint
  /** No batch is larger. */
  readonly maxCount: number
  /** How long a batch may gather after its first event. */
  readonly maxWaitMs: number
  readonly signal: AbortSignal
}

export interface EventStore {
  /**
   * Grows whenever a connection was lost: what answers from now on may be another server with an
   * older copy. Whoever remembers something of before looks again whether it is still there.
   */
  readonly generation: number

  /** Throws OutcomeUnknownError, AppendRefusedError or NotWritableError. */
  append(batch: AppendBatch): Promise<AppendVerdict>

  /**
   * Forwards from a revision, inclusive; nothing when the stream or the revision does not exist.
   */
  readStream(
    stream: string,
    options: { fromRevision: number; maxCount: number },
  ): AsyncIterable<RecordedEvent>

  /** The last event of a stream. */
  readHead(stream: string): Promise<RecordedEvent | undefined>

  /** Batches of ledger events in log order, waiting for more at the end; ends when aborted. */
  tail(options: TailOptions): AsyncIterable<readonly RecordedEvent[]>

  /** The last ledger event of the whole log. */
  lastEvent(): Promise<RecordedEvent | undefined>

  /** The ledger event that stands at exactly this position. */
  eventAt(position: bigint): Promise<RecordedEvent | undefined>

  /** The identity of this store, made once in its life: it tells one store from another. */
  readMarker(): Promise<string | undefined>
  createMarker(): Promise<string>

  /**
   * Resolves when the store answers a real read and takes writes, as far as that can be told
   * without writing; throws StoreUnavailableError or NotWritableError otherwise.
   */
  check(): Promise<void>

  close(): Promise<void>
}

/** Of every store, before it looks at anything else. Throws AppendRefusedError. */
export function requireWellFormed({ expectedRevision, expectedId, events }: AppendBatch): void {
  if (!Number.isSafeInteger(expectedRevision) || expectedRevision < noStream)
    throw new AppendRefusedError('the expected revision of an append is a whole number')
  if ((expectedRevision === noStream) !== (expectedId === undefined))
    throw new AppendRefusedError('an append names the event that it follows')
  if (events.length === 0) throw new AppendRefusedError('an append needs an event')
}

/** The append may or may not be in the log: repeat the same batch at the same revision. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
}

/** The store looked at this content and refused it: nothing of this try is in the log. */
export class AppendRefusedError extends Error {
  override readonly name = 'AppendRefusedError'
}

/** The store takes no writes now (read-only, full): nothing of this try is in the log. */
export class NotWritableError extends Error {
  override readonly name = 'NotWritableError'
}

/** A read got no answer. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** What was read of the store before is not there any more: begin anew from what is there now. */
export class HistoryChangedError extends Error {
  override readonly name = 'HistoryChangedError'
}

/** The log contradicts itself (a gap, an order that runs back): nobody may go on from here. */
export class StoreCorruptError extends Error {
  override readonly name = 'StoreCorruptError'
  /** Which event cannot be, when it is one. */
  readonly event?: EventPlace

  constructor(message: string, event?: EventPlace) {
    super(message)
    if (event === undefined) return
    // The place alone: errors are logged, and what an event holds is nobody's business there.
    const { stream, revision, position } = event
    this.event = { stream, revision, position }
  }
}
