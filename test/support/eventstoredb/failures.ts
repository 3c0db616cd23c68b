/**
 * The gRPC statuses with which EventStoreDB 23.10 ends a call, texts and trailers as the server
 * writes them (RpcExceptions.cs): the client recognises most of them by the trailer `exception`.
 */
import { Metadata, status } from '@grpc/grpc-js'

export interface Failure {
  readonly code: status
  readonly details: string
  readonly metadata: Metadata
}

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export function failure(
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): Failure {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return { code, details, metadata }
}

export function notLeader(leader: Endpoint): Failure {
  return failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': leader.port.toString(),
  })
}

export function streamDeleted(stream: string): Failure {
  return failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  })
}

export function accessDenied(): Failure {
  return failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })
}

export function maximumAppendSizeExceeded(bytesMax: number): Failure {
  const size = bytesMax.toString()
  return failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${size} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': size,
  })
}

export function operationTimedOut(): Failure {
  return failure(status.ABORTED, 'Operation timed out: Commit phase timeout.')
}

export function serverNotReady(): Failure {
  return failure(status.UNAVAILABLE, 'Server Is Not Ready')
}

export function wrongVersion(
  operation: string,
  versions: { stream: string; expected: string; actual: string },
): Failure {
  const { stream, expected, actual } = versions
  const text = `Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`
  return failure(
    status.FAILED_PRECONDITION,
    `${operation} failed due to WrongExpectedVersion. ${text}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': expected,
      'actual-version': actual,
    },
  )
}

/** A position inside a record: of an older copy of the database, or of another one. */
export function invalidPosition(): Failure {
  return failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')
}
