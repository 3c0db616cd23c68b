/**
 * Appends and deletions on the wire: requests into the log's terms, outcomes into the very
 * messages that 23.10.8 sends, for BatchAppend (errors inside the message) and for Append (errors
 * end the call).
 * Pure: no state, no I/O.
 */
import { status } from '@grpc/grpc-js'
import type { Message } from 'google-protobuf'
import type { Expected } from './commit-check.js'
import * as failures from './failures.js'
import type { ProposedEvent } from './log.js'
import {
  Any,
  BinaryWriter,
  Code,
  GoogleEmpty,
  shared,
  status as rpcStatus,
  streams,
} from './stubs.js'
import type * as stubs from './stubs.js'

/** 23.10 refuses more in one append. */
export const appendBytesMax = 1024 * 1024

export type AppendAnswer =
  | {
      readonly kind: 'success'
      readonly revision: bigint
      readonly position: bigint | undefined
    }
  | { readonly kind: 'wrong-version'; readonly current: bigint | undefined }
  | { readonly kind: 'stream-deleted' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'access-denied' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'not-ready' }
  | { readonly kind: 'bad-request'; readonly reason: string }

interface ExpectedOptions {
  hasNoStream(): boolean
  hasAny(): boolean
  hasStreamExists(): boolean
}

export function expectedOf(options: ExpectedOptions, revision: string): Expected {
  if (options.hasNoStream()) return 'no-stream'
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'stream-exists'
  return BigInt(revision)
}

export function streamNameOf(identifier: stubs.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')
}

export function proposedEventOf(
  message: NonNullable<ReturnType<stubs.AppendReq['getProposedMessage']>>,
): ProposedEvent {
  return {
    id: message.getId()?.getString() ?? '',
    type: message.getMetadataMap().get('type') ?? '',
    contentType: message.getMetadataMap().get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

export function batchAnswer(
  answer: AppendAnswer,
  request: { correlationId: stubs.UUID | undefined; stream: string; expected: Expected },
): stubs.BatchAppendResp {
  const response = new streams.BatchAppendResp()
  response.setCorrelationId(request.correlationId)
  response.setStreamIdentifier(streamIdentifier(request.stream))
  if (answer.kind === 'success') {
    const success = new streams.BatchAppendResp.Success()
    success.setCurrentRevision(answer.revision.toString())
    if (answer.position === undefined) success.setNoPosition(new GoogleEmpty())
    else success.setPosition(placed(new shared.AllStreamPosition(), answer.position))
    response.setSuccess(success)
  } else {
    response.setError(batchError(answer, request))
  }
  return response
}

/** The answer of the single Append call, or the status that ends it. */
export function singleAnswer(
  answer: AppendAnswer,
  request: { stream: string; expected: Expected },
): stubs.AppendResp | failures.Failure {
  switch (answer.kind) {
    case 'success': {
      const success = new streams.AppendResp.Success()
      success.setCurrentRevision(answer.revision.toString())
      if (answer.position === undefined) success.setNoPosition(new shared.Empty())
      else success.setPosition(placed(new streams.AppendResp.Position(), answer.position))
      return new streams.AppendResp().setSuccess(success)
    }
    case 'wrong-version':
      return new streams.AppendResp().setWrongExpectedVersion(
        singleWrongVersion(answer.current, request.expected),
      )
    case 'stream-deleted':
      return failures.streamDeleted(request.stream)
    case 'too-large':
      return failures.maximumAppendSizeExceeded(appendBytesMax)
    case 'access-denied':
      return failures.accessDenied()
    case 'timeout':
      return failures.operationTimedOut()
    case 'not-ready':
      return failures.serverNotReady()
    case 'bad-request':
      return failures.failure(status.INVALID_ARGUMENT, answer.reason)
  }
}

/**
 * Replaces the generated serializer for one field: servers send "no stream" to 20.6.0 clients as
 * the largest unsigned number, which the stubs' plain numbers cannot hold.
 */
export function serializeAppendResp(response: stubs.AppendResp): Buffer {
  const wrong = response.getWrongExpectedVersion()
  if (wrong?.hasExpectedNoStream() !== true) return Buffer.from(response.serializeBinary())
  const rest = wrong.cloneMessage()
  rest.clearExpectedRevision2060()
  const writer = new BinaryWriter()
  writer.writeMessage(2, rest, () => {
    writer.writeUint64String(3, (2n ** 64n - 1n).toString())
    streams.AppendResp.WrongExpectedVersion.serializeBinaryToWriter(rest, writer)
  })
  return Buffer.from(writer.getResultBuffer())
}

export function deleteAnswer(position: bigint): stubs.DeleteResp {
  return new streams.DeleteResp().setPosition(placed(new streams.DeleteResp.Position(), position))
}

export function tombstoneAnswer(position: bigint): stubs.TombstoneResp {
  const place = placed(new streams.TombstoneResp.Position(), position)
  return new streams.TombstoneResp().setPosition(place)
}

export function streamIdentifier(stream: string): stubs.StreamIdentifier {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream).toString('base64'))
  return identifier
}

function batchError(
  answer: Exclude<AppendAnswer, { kind: 'success' }>,
  request: { stream: string; expected: Expected },
): stubs.Status {
  switch (answer.kind) {
    case 'wrong-version':
      return rpcError(
        { code: Code.ALREADY_EXISTS, name: 'WrongExpectedVersion' },
        batchWrongVersion(answer.current, request.expected),
      )
    case 'stream-deleted': {
      const detail = new shared.StreamDeleted()
      detail.setStreamIdentifier(streamIdentifier(request.stream))
      return rpcError({ code: Code.NOT_FOUND, name: 'StreamDeleted' }, detail)
    }
    case 'too-large': {
      const detail = new shared.MaximumAppendSizeExceeded()
      detail.setMaxappendsize(appendBytesMax)
      return rpcError({ code: Code.INVALID_ARGUMENT, name: 'MaximumAppendSizeExceeded' }, detail)
    }
    case 'access-denied':
      return rpcError(
        { code: Code.PERMISSION_DENIED, name: 'AccessDenied' },
        new shared.AccessDenied(),
      )
    case 'timeout':
      return rpcError({ code: Code.DEADLINE_EXCEEDED, name: 'Timeout' }, new shared.Timeout())
    case 'bad-request': {
      const detail = new shared.BadRequest()
      detail.setMessage(answer.reason)
      return rpcError({ code: Code.INVALID_ARGUMENT, name: 'BadRequest' }, detail)
    }
    case 'not-ready': {
      // Not one of the server's own detail types: the client calls it unrecognisable.
      const error = new rpcStatus.Status()
      error.setMessage('Server Is Not Ready')
      error.setDetails(packed('google.protobuf.Empty', new GoogleEmpty()))
      return error
    }
  }
}

function rpcError(
  kind: { code: ReturnType<stubs.Status['getCode']>; name: string },
  detail: Message,
): stubs.Status {
  const error = new rpcStatus.Status()
  error.setCode(kind.code)
  error.setMessage(kind.name)
  error.setDetails(packed(`event_store.client.${kind.name}`, detail))
  return error
}

function packed(typeName: string, detail: Message): InstanceType<typeof Any> {
  const any = new Any()
  any.pack(detail.serializeBinary(), typeName)
  return any
}

function batchWrongVersion(
  current: bigint | undefined,
  expected: Expected,
): InstanceType<typeof shared.WrongExpectedVersion> {
  const detail = new shared.WrongExpectedVersion()
  if (current === undefined) detail.setCurrentNoStream(new GoogleEmpty())
  else detail.setCurrentStreamRevision(current.toString())
  if (expected === 'any') detail.setExpectedAny(new GoogleEmpty())
  else if (expected === 'no-stream') detail.setExpectedNoStream(new GoogleEmpty())
  else if (expected === 'stream-exists') detail.setExpectedStreamExists(new GoogleEmpty())
  else detail.setExpectedStreamPosition(expected.toString())
  return detail
}

// Every number stands there twice: once for clients of 20.6.0, once for all later ones.
function singleWrongVersion(
  current: bigint | undefined,
  expected: Expected,
): InstanceType<typeof streams.AppendResp.WrongExpectedVersion> {
  const detail = new streams.AppendResp.WrongExpectedVersion()
  if (current === undefined) {
    detail.setCurrentNoStream(new shared.Empty()).setNoStream2060(new shared.Empty())
  } else {
    detail.setCurrentRevision(current.toString()).setCurrentRevision2060(Number(current))
  }
  if (expected === 'any') {
    detail.setExpectedAny(new shared.Empty()).setAny2060(new shared.Empty())
  } else if (expected === 'stream-exists') {
    detail.setExpectedStreamExists(new shared.Empty()).setStreamExists2060(new shared.Empty())
  } else if (expected === 'no-stream') {
    detail.setExpectedNoStream(new shared.Empty())
  } else {
    detail.setExpectedRevision(expected.toString()).setExpectedRevision2060(Number(expected))
  }
  return detail
}

interface Place {
  setCommitPosition(value: string): unknown
  setPreparePosition(value: string): unknown
}

// Events of gRPC clients are written in one record, so both positions are that record's.
function placed<Kind extends Place>(place: Kind, position: bigint): Kind {
  place.setCommitPosition(position.toString())
  place.setPreparePosition(position.toString())
  return place
}
