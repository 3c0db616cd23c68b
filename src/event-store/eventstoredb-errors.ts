/**
 * What each failure of the EventStoreDB client means for an append, for a read and for the client
 * itself. By type and code, never by text: the same trouble has many texts.
 * Promises: an append counts as refused only when the store answered that very append; everything
 * that is not proven is "unknown".
 */
import { ErrorType, isCommandError } from '@eventstore/db-client'

/** A call that got no answer in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** A call whose client had worked and was given up under it, because of this silence or another. */
export class ClientReplacedError extends Error {
  override readonly name = 'ClientReplacedError'
}

/** The store found fault with the content of this very append. */
export class ContentRefusedError extends Error {
  override readonly name = 'ContentRefusedError'
}

/** The stream of appends is over, for a reason that says nothing about any of them. */
export function streamEndedError(details: string): Error {
  return Object.assign(new Error(details), { code: grpcUnavailable, details })
}

/** `timed out`: the server says itself that it does not know, for one when a twin is under way. */
export type AppendFailure = 'conflict' | 'refused' | 'denied' | 'timed out' | 'unknown'

export function appendFailure(error: unknown): AppendFailure {
  const { type, code } = anatomy(error)
  if (error instanceof ContentRefusedError) return 'refused'
  if (type === ErrorType.WRONG_EXPECTED_VERSION) return 'conflict'
  // With a code it is the end of the shared stream, not an answer to this append: all that wait on
  // it get the same error, and may be written.
  if (code !== undefined) return 'unknown'
  if (type === ErrorType.ACCESS_DENIED) return 'denied'
  if (type === ErrorType.DEADLINE_EXCEEDED) return 'timed out'
  return type !== undefined && refusingTypes.has(type) ? 'refused' : 'unknown'
}

export type ReadFailure = 'no stream' | 'deleted' | 'no such position' | 'refused' | 'passing'

export function readFailure(error: unknown): ReadFailure {
  const { type, code } = anatomy(error)
  if (type === ErrorType.STREAM_NOT_FOUND) return 'no stream'
  if (type === ErrorType.STREAM_DELETED) return 'deleted'
  if (type === ErrorType.ACCESS_DENIED) return 'refused'
  return code === grpcInvalidArgument ? 'no such position' : 'passing'
}

/**
 * `answered`: the server works, whatever it said. `sent on`: it works, but another one leads, and
 * the client goes there. `failed`: nothing was heard; the client connects again by itself. `stuck`:
 * a failure of no known kind, of its discovery for one, after which only a new client is sure to
 * begin afresh.
 */
export function clientHealth(error: unknown): 'answered' | 'sent on' | 'failed' | 'stuck' {
  const { type, code } = anatomy(error)
  if (error instanceof ContentRefusedError) return 'answered'
  if (isOurs(error)) return 'failed'
  if (type === ErrorType.NOT_LEADER) return 'sent on'
  if (type === undefined)
    return code === grpcUnavailable || code === grpcCancelled ? 'failed' : 'stuck'
  if (code === undefined) return 'answered'
  return answeringTypes.has(type) ? 'answered' : 'failed'
}

/** Names of errors and codes for logs: no text of a server, which could carry anything. */
export function describeError(error: unknown): string {
  const { type, code } = anatomy(error)
  if (isOurs(error)) return error.message
  const name = type ?? (error instanceof Error ? error.name : typeof error)
  return code === undefined ? name : `${name}, gRPC code ${code}`
}

const grpcCancelled = 1
export const grpcInvalidArgument = 3
export const grpcUnavailable = 14

const refusingTypes: ReadonlySet<string> = new Set([
  ErrorType.STREAM_DELETED,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
])

const answeringTypes: ReadonlySet<string> = new Set([
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.STREAM_DELETED,
  ErrorType.ACCESS_DENIED,
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
])

function isOurs(error: unknown): error is Error {
  return error instanceof NoAnswerError || error instanceof ClientReplacedError
}

interface Anatomy {
  readonly type: string | undefined
  readonly code: number | undefined
}

function anatomy(error: unknown): Anatomy {
  if (!(error instanceof Error)) return { type: undefined, code: undefined }
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  return { type: isCommandError(error) ? error.type : undefined, code }
}
