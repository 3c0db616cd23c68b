/**
 * The messages of appends between us and EventStoreDB, as bytes, by the field numbers of its
 * streams.proto (BatchAppendReq, BatchAppendResp). The client would build each one field by field
 * and serialise its events twice; here one pass writes the texts as they are.
 * Promises: exactly the bytes that the client would send (eventstoredb-messages.test.ts compares);
 * an answer that is not plainly "written" is read by the client's own code, for which two of its
 * inner modules are imported. Pure. Never: looks into the data of an event.
 */
import { ErrorType, UnknownError } from '@eventstore/db-client'
import unpack from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js'
import uuids from '@eventstore/db-client/dist/utils/grpcUUID.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import protobuf from 'protobufjs/minimal.js'
import type { Reader } from 'protobufjs/minimal.js'
import { noStream } from './event-store.js'
import type { AppendBatch, NewEvent } from './event-store.js'
import { ContentRefusedError, grpcInvalidArgument } from './eventstoredb-errors.js'

export interface AppendRequest {
  readonly correlationId: string
  readonly batch: AppendBatch
  /** Until when the server may try, by the clock on the wall. */
  readonly deadlineMs: number
}

export interface AppendAnswer {
  readonly correlationId: string
  /** The revision of the last event of the batch, or what came instead. */
  readonly outcome: number | Error
}

export function encodeAppend({ correlationId, batch, deadlineMs }: AppendRequest): Uint8Array {
  const writer = protobuf.Writer.create()
  writer.uint32(sized(1)).fork().uint32(sized(2)).string(correlationId).ldelim()
  writer.uint32(sized(2)).fork()
  writer.uint32(sized(1)).fork().uint32(sized(3)).string(batch.stream).ldelim()
  if (batch.expectedRevision === noStream) writer.uint32(sized(3)).fork().ldelim()
  else writer.uint32(varint(2)).uint64(batch.expectedRevision)
  writer
    .uint32(sized(6))
    .fork()
    .uint32(varint(1))
    .int64(Math.floor(deadlineMs / 1_000))
  // A nought is not written.
  const nanos = (deadlineMs % 1_000) * 1_000_000
  if (nanos > 0) writer.uint32(varint(2)).int32(nanos)
  writer.ldelim().ldelim()
  for (const event of batch.events) encodeEvent(writer, event)
  return writer.uint32(varint(4)).bool(true).finish()
}

function encodeEvent(writer: protobuf.Writer, { id, type, data, metadata }: NewEvent): void {
  writer.uint32(sized(3)).fork()
  writer.uint32(sized(1)).fork().uint32(sized(2)).string(id).ldelim()
  encodePair(writer, 'content-type', 'application/json')
  encodePair(writer, 'type', type)
  writer.uint32(sized(3)).string(metadata).uint32(sized(4)).string(data).ldelim()
}

function encodePair(writer: protobuf.Writer, name: string, value: string): void {
  writer.uint32(sized(2)).fork()
  writer.uint32(sized(1)).string(name).uint32(sized(2)).string(value).ldelim()
}

/** The tag of a field that says its length: a message, a text or bytes. */
function sized(field: number): number {
  return (field << 3) | 2
}

/** The tag of a field that is a whole number. */
function varint(field: number): number {
  return field << 3
}

export function decodeAnswer(bytes: Uint8Array): AppendAnswer {
  return plainlyWritten(bytes) ?? otherAnswer(streams.BatchAppendResp.deserializeBinary(bytes))
}

/** Undefined: anything but the id as text and a revision. */
function plainlyWritten(bytes: Uint8Array): AppendAnswer | undefined {
  const reader = protobuf.Reader.create(bytes)
  let correlationId: string | undefined
  let revision: number | undefined
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === sized(1)) correlationId = firstField(reader, sized(2), () => reader.string())
    else if (tag === sized(3)) revision = firstField(reader, varint(1), () => wholeOf(reader))
    else if (tag === sized(2)) return undefined
    else reader.skipType(tag & 7)
  }
  if (correlationId === undefined || revision === undefined) return undefined
  return { correlationId, outcome: revision }
}

/** Of a message within the message, when it begins with this field; the rest of it is skipped. */
function firstField<Value>(reader: Reader, tag: number, read: () => Value): Value | undefined {
  const end = reader.uint32() + reader.pos
  const value = end > reader.pos && reader.uint32() === tag ? read() : undefined
  reader.pos = end
  return value
}

function wholeOf(reader: Reader): number {
  return Number(reader.uint64())
}

function otherAnswer(response: BatchAppendResp): AppendAnswer {
  const correlationId = uuids.parseUUID(response.getCorrelationId()) ?? ''
  return { correlationId, outcome: outcomeOf(response) }
}

function outcomeOf(response: BatchAppendResp): number | Error {
  const error = response.getError()
  if (error === undefined) {
    const success = response.getSuccess()
    if (success?.hasCurrentRevision() === true) return Number(success.getCurrentRevision())
    return new UnknownError(undefined, 'an answer without a revision')
  }
  const named = error.hasDetails() ? unpack.unpackToCommandError(error, '') : undefined
  if (named !== undefined && named.type !== ErrorType.UNKNOWN) return named
  // What the client has no name for still has a code, and is about this very append.
  if (error.getCode() === grpcInvalidArgument) return new ContentRefusedError(error.getMessage())
  return new UnknownError(undefined, error.getMessage())
}
