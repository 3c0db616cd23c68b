/**
 * CheckCommit: what EventStoreDB 23.10 decides about an append before it writes anything.
 * Promises: every row of table 1.1, the strong branch (exact revision, looks into the stream) and
 * the weak one (ANY, STREAM_EXISTS, looks into the cache of recent ids). Compares ids, never
 * content.
 * Never writes; log.ts acts on the decision.
 */

/** The revision of a tombstone, and the `$tb` of a soft-deleted stream. */
export const deletedRevision = 9_223_372_036_854_775_807n

export type Expected = 'any' | 'no-stream' | 'stream-exists' | bigint

/** What the check may look at. Revisions and heads include what is not replicated yet. */
export interface StreamView {
  /** -1 when there is no stream, `deletedRevision` when it is tombstoned. */
  readonly head: bigint
  /** The last revision that readers can see. */
  readonly replicatedHead: bigint
  readonly isSoftDeleted: boolean
  readonly hasMetadata: boolean
  idAt(revision: bigint): string | undefined
  /** The revision under which the leader remembers this id for this stream, if it does. */
  recentRevision(eventId: string): bigint | undefined
}

export type Decision =
  | { readonly kind: 'ok' }
  | { readonly kind: 'idempotent'; readonly lastRevision: bigint }
  | { readonly kind: 'idempotent-not-ready' }
  | { readonly kind: 'wrong-version' }
  | { readonly kind: 'deleted' }

export function checkCommit(
  stream: StreamView,
  append: { expected: Expected; eventIds: readonly string[] },
): Decision {
  const { expected, eventIds } = append
  if (stream.head === deletedRevision) return { kind: 'deleted' }
  if (expected === 'stream-exists') {
    if (stream.isSoftDeleted) return { kind: 'deleted' }
    if (stream.head < 0n && !stream.hasMetadata) return { kind: 'wrong-version' }
  }
  if (expected === 'any' || expected === 'stream-exists') return checkWeakly(stream, eventIds)

  const expectedRevision = expected === 'no-stream' ? -1n : expected
  if (expectedRevision > stream.head) return { kind: 'wrong-version' }
  // At the head the ids are not looked at: a duplicate is written.
  if (expectedRevision === stream.head) return { kind: 'ok' }
  return checkStrongly(stream, { expectedRevision, eventIds })
}

function checkWeakly(stream: StreamView, eventIds: readonly string[]): Decision {
  let lastRevision: bigint | undefined
  for (const eventId of eventIds) {
    const revision = stream.recentRevision(eventId)
    if (revision === undefined)
      return lastRevision === undefined ? { kind: 'ok' } : { kind: 'wrong-version' }
    lastRevision = revision
  }
  return lastRevision === undefined ? { kind: 'ok' } : idempotent(stream, lastRevision)
}

function checkStrongly(
  stream: StreamView,
  append: { expectedRevision: bigint; eventIds: readonly string[] },
): Decision {
  const { expectedRevision, eventIds } = append
  let revision = expectedRevision
  for (const eventId of eventIds) {
    revision += 1n
    if (stream.idAt(revision) === eventId) continue
    const isFirst = revision === expectedRevision + 1n
    return isFirst && expectedRevision === -1n && stream.isSoftDeleted
      ? { kind: 'ok' }
      : { kind: 'wrong-version' }
  }
  return revision === expectedRevision ? { kind: 'wrong-version' } : idempotent(stream, revision)
}

function idempotent(stream: StreamView, lastRevision: bigint): Decision {
  return stream.replicatedHead >= lastRevision
    ? { kind: 'idempotent', lastRevision }
    : { kind: 'idempotent-not-ready' }
}
