/**
 * The one log behind all nodes of the stand-in: streams, `$all` order, metadata streams as far as
 * deletion needs them ($tb; no $maxCount, $maxAge, ACL) and the leader's cache of recent ids.
 * Promises: an append is all or nothing; readers see the replicated part only; positions grow.
 * States of an event: on the leader, then replicated; an unreplicated tail can still be lost.
 */
import { randomUUID } from 'node:crypto'
import {
  checkCommit,
  deletedRevision,
  type Decision,
  type Expected,
  type StreamView,
} from './commit-check.js'

export interface ProposedEvent {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface LogEvent extends ProposedEvent {
  readonly stream: string
  readonly revision: bigint
  readonly position: bigint
  /** 100 ns since 1970, as the server writes it. */
  readonly createdTicks: bigint
}

export interface AppendRequest {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly ProposedEvent[]
}

export type AppendResult =
  | {
      readonly kind: 'success'
      readonly revision: bigint
      readonly position: bigint | undefined
      /** The number of events that must be replicated before this may be acknowledged. */
      readonly neededCount: number
    }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'wrong-version'; readonly current: bigint | undefined }
  | { readonly kind: 'stream-deleted' }

export type StreamState = 'missing' | 'deleted' | 'readable'

/** Users, settings and their metadata: a fresh 23.10.8 was recorded with this many. */
const systemEventCount = 77
/** What the server gives its cache of recent ids. */
const recentIdsBytesMax = 8 * 1024 * 1024
const recentIdBytes = 28
const recordOverheadBytes = 60
const ticksPerMs = 10_000n

export class Log {
  #events: LogEvent[] = []
  #streams = new Map<string, LogEvent[]>()
  #truncateBefore = new Map<string, bigint>()
  #recentIds = new Map<string, { stream: string; revision: bigint }>()
  #recentBytes = 0
  #replicatedCount = 0
  #endPosition = 0n
  #isReplicationHeld = false
  readonly #listeners = new Set<() => void>()

  constructor() {
    this.#seed()
  }

  /** The replicated events, oldest first: what readers and subscriptions may see. */
  get replicatedCount(): number {
    return this.#replicatedCount
  }

  /** Where a page of the log begins: the event's own position, or the end of what can be read. */
  positionOf(index: number): bigint {
    return this.eventAt(index)?.position ?? this.#visibleEnd
  }

  /** Events appended since the database was made, without those of the system. */
  get eventCount(): number {
    return this.#replicatedCount - systemEventCount
  }

  eventAt(index: number): LogEvent | undefined {
    return index < this.#replicatedCount ? this.#events[index] : undefined
  }

  /** The first replicated event at or after a position; not `isExact` inside a record. */
  find(position: bigint): { index: number; isExact: boolean } {
    let low = 0
    let high = this.#replicatedCount
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = this.#events[middle]
      if (event !== undefined && event.position < position) low = middle + 1
      else high = middle
    }
    const found = this.eventAt(low)
    const isExact = found === undefined ? position >= this.#visibleEnd : found.position === position
    return { index: low, isExact }
  }

  /** The events of one stream that a reader sees, oldest first. */
  read(stream: string): readonly LogEvent[] {
    const first = this.#truncateBefore.get(stream)
    const events = this.#replicated(stream)
    return first === undefined ? events : events.filter((event) => event.revision >= first)
  }

  stateOf(stream: string): StreamState {
    const last = this.#replicated(stream).at(-1)
    if (last === undefined) return 'missing'
    if (last.revision === deletedRevision) return 'deleted'
    return this.#truncateBefore.get(stream) === deletedRevision ? 'missing' : 'readable'
  }

  append(request: AppendRequest): AppendResult {
    const decision = checkCommit(this.#viewOf(request.stream), {
      expected: request.expected,
      eventIds: request.events.map((event) => event.id),
    })
    return this.#act(request, decision)
  }

  /** The batch reaches the leader and nobody else, until the next settling. */
  appendToLeaderOnly(request: AppendRequest): AppendResult {
    const wasHeld = this.#isReplicationHeld
    this.#isReplicationHeld = true
    const result = this.append(request)
    this.#isReplicationHeld = wasHeld
    return result
  }

  /** The last revision of a stream, what is not replicated included; -1 without a stream. */
  headOf(stream: string): bigint {
    return this.#streams.get(stream)?.at(-1)?.revision ?? -1n
  }

  /** A soft delete is a metadata event; the stream may be written again later. */
  softDelete(stream: string): LogEvent | undefined {
    return this.#writeMetadata(stream, deletedRevision)
  }

  tombstone(stream: string): LogEvent | undefined {
    return this.#write(stream, [systemEvent('$streamDeleted', '')], deletedRevision)
  }

  /** While held, appends reach the leader only and nobody is told of them. */
  holdReplication(): void {
    this.#isReplicationHeld = true
  }

  replicate(): void {
    this.#isReplicationHeld = false
    this.#settle()
  }

  /** Replicates what waits, unless a test holds replication back. */
  settle(): void {
    if (!this.#isReplicationHeld) this.#settle()
  }

  /** The leader died before its tail reached anyone. */
  loseUnreplicated(): void {
    this.#cutTo(this.#replicatedCount)
  }

  /** A new leader, or a restarted one, remembers no ids. */
  forgetRecentIds(): void {
    this.#recentIds.clear()
    this.#recentBytes = 0
  }

  /** An older copy: the events of the system and the first `eventCount` others. */
  restoreTo(eventCount: number): void {
    this.#cutTo(Math.min(systemEventCount + eventCount, this.#replicatedCount))
  }

  /** Another database with its own history. */
  wipe(): void {
    this.#cutTo(0)
    this.#seed()
  }

  /**
   * Somebody edits the files under the server: each event as it is given back, or gone. No rule of
   * an append is kept, and every other event stays where it is.
   */
  rewrite(edit: (event: LogEvent) => LogEvent | undefined): void {
    this.#cutTo(this.#replicatedCount)
    this.#replace(this.#events.flatMap((event) => edit(event) ?? []))
    this.#replicatedCount = this.#events.length
  }

  /** Called after every growth of the replicated part. Returns how to stop. */
  onReplicated(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #act(request: AppendRequest, decision: Decision): AppendResult {
    const { stream, events } = request
    const head = this.headOf(stream)
    switch (decision.kind) {
      case 'deleted':
        return { kind: 'stream-deleted' }
      case 'wrong-version':
        return { kind: 'wrong-version', current: head < 0n ? undefined : head }
      case 'idempotent-not-ready':
        return { kind: 'dropped' }
      case 'idempotent': {
        const last = this.#at(stream, decision.lastRevision)
        return success({
          revision: decision.lastRevision,
          position: last?.position,
          neededCount: 0,
        })
      }
      case 'ok': {
        const wasSoftDeleted = this.#truncateBefore.get(stream) === deletedRevision
        const last = this.#write(stream, events, head + 1n)
        if (wasSoftDeleted) this.#writeMetadata(stream, head + 1n)
        const revision = head + BigInt(events.length)
        return success({ revision, position: last?.position, neededCount: this.#events.length })
      }
    }
  }

  #viewOf(stream: string): StreamView {
    return {
      head: this.headOf(stream),
      replicatedHead: this.#replicated(stream).at(-1)?.revision ?? -1n,
      isSoftDeleted: this.#truncateBefore.get(stream) === deletedRevision,
      hasMetadata: this.#streams.has(`$$${stream}`),
      idAt: (revision) => this.#at(stream, revision)?.id,
      recentRevision: (eventId) => {
        const recent = this.#recentIds.get(eventId)
        return recent?.stream === stream ? recent.revision : undefined
      },
    }
  }

  get #visibleEnd(): bigint {
    return this.#events[this.#replicatedCount]?.position ?? this.#endPosition
  }

  // Revisions of a stream have no gaps, apart from the tombstone at the end of the numbers; nobody
  // appends to a stream that was rewritten.
  #at(stream: string, revision: bigint): LogEvent | undefined {
    const events = this.#streams.get(stream)
    return revision === deletedRevision ? events?.at(-1) : events?.[Number(revision)]
  }

  #replicated(stream: string): readonly LogEvent[] {
    const events = this.#streams.get(stream) ?? []
    const firstHidden = this.#events[this.#replicatedCount]
    if (firstHidden === undefined) return events
    return events.filter((event) => event.position < firstHidden.position)
  }

  #write(
    stream: string,
    proposed: readonly ProposedEvent[],
    firstRevision: bigint,
  ): LogEvent | undefined {
    const events = this.#streams.get(stream) ?? []
    this.#streams.set(stream, events)
    const createdTicks = BigInt(Date.now()) * ticksPerMs
    for (const [index, proposal] of proposed.entries()) {
      const revision = firstRevision + BigInt(index)
      const event = { ...proposal, stream, revision, position: this.#endPosition, createdTicks }
      events.push(event)
      this.#events.push(event)
      this.#endPosition += BigInt(recordOverheadBytes + stream.length + sizeOnDisk(proposal))
      this.#remember(event)
      if (stream.startsWith('$$')) this.#truncateBefore.set(stream.slice(2), truncationOf(event))
    }
    if (!this.#isReplicationHeld) this.#settle()
    return events.at(-1)
  }

  #writeMetadata(stream: string, truncateBefore: bigint): LogEvent | undefined {
    const data = `{"$tb":${truncateBefore.toString()}}`
    const metadataStream = `$$${stream}`
    return this.#write(
      metadataStream,
      [systemEvent('$metadata', data)],
      this.headOf(metadataStream) + 1n,
    )
  }

  #remember(event: LogEvent): void {
    const { id, stream, revision } = event
    if (!this.#recentIds.has(id)) this.#recentBytes += recentIdBytes + stream.length
    this.#recentIds.set(id, { stream, revision })
    for (const [oldId, old] of this.#recentIds) {
      if (this.#recentBytes <= recentIdsBytesMax) return
      this.#recentIds.delete(oldId)
      this.#recentBytes -= recentIdBytes + old.stream.length
    }
  }

  #settle(): void {
    if (this.#replicatedCount === this.#events.length) return
    this.#replicatedCount = this.#events.length
    for (const listener of this.#listeners) listener()
  }

  #cutTo(count: number): void {
    const firstLost = this.#events[count]
    if (firstLost !== undefined) this.#endPosition = firstLost.position
    this.#replicatedCount = Math.min(this.#replicatedCount, count)
    this.#isReplicationHeld = false
    this.#replace(this.#events.slice(0, count))
  }

  // Streams and metadata are read off the log again: what is not in it has never been.
  #replace(kept: LogEvent[]): void {
    this.#events = kept
    this.forgetRecentIds()
    this.#streams = new Map()
    this.#truncateBefore = new Map()
    for (const event of kept) {
      const events = this.#streams.get(event.stream) ?? []
      events.push(event)
      this.#streams.set(event.stream, events)
      if (event.stream.startsWith('$$'))
        this.#truncateBefore.set(event.stream.slice(2), truncationOf(event))
    }
    // A stream is read by revision, wherever its events lie in the log.
    for (const events of this.#streams.values())
      events.sort((one, other) => Number(one.revision - other.revision))
  }

  #seed(): void {
    for (let index = 0; index < systemEventCount; index += 1)
      this.#write('$users', [systemEvent('$User', `{"user":${index.toString()}}`)], BigInt(index))
    this.#settle()
    this.forgetRecentIds()
  }
}

/** What the server counts towards the limit of an append. */
export function sizeOnDisk(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2
}

function success(result: Omit<Extract<AppendResult, { kind: 'success' }>, 'kind'>): AppendResult {
  return { kind: 'success', ...result }
}

function systemEvent(type: string, data: string): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: data === '' ? 'application/octet-stream' : 'application/json',
    data: Buffer.from(data),
    metadata: Buffer.alloc(0),
  }
}

// The tombstone's number is beyond what JSON.parse keeps exact, so the digits are read as text.
function truncationOf(metadataEvent: LogEvent): bigint {
  const digits = /"\$tb"\s*:\s*(\d+)/.exec(Buffer.from(metadataEvent.data).toString('utf8'))?.[1]
  return digits === undefined ? 0n : BigInt(digits)
}
