/**
 * Events between the port and the EventStoreDB client: JSON texts on our side, parsed JSON on its.
 * Promises: the bytes in the store are exactly the text that was given, and the text that is read
 * is exactly those bytes; a text for which that cannot hold is refused before anything is sent.
 * Never: repairs an event that another program wrote into a ledger stream.
 */
import { jsonEvent } from '@eventstore/db-client'
import type { JSONEventData, JSONType, ResolvedEvent } from '@eventstore/db-client'
import { AppendRefusedError, StoreCorruptError } from './event-store.js'
import type { EventPlace, NewEvent, RecordedEvent } from './event-store.js'

/** What the client yields from streams and from `$all` alike, as far as it is used here. */
export type ClientEvent = Pick<ResolvedEvent, 'event' | 'commitPosition'>

export function toClientEvent(event: NewEvent): JSONEventData {
  const { id, type, metadata, folded } = event
  const data = dataOf(event)
  // Its writer has made the metadata as text: as bytes it is sent as it is.
  if (folded !== undefined) return jsonEvent({ id, type, data, metadata: bytesOf(metadata) })
  const parsed = parsedExactly(metadata, 'metadata')
  // The client leaves out metadata that is falsy: `null`, `0`, `false` and `""` would get lost.
  if (!Boolean(parsed)) throw new AppendRefusedError('the metadata of an event must be an object')
  return jsonEvent({ id, type, data, metadata: parsed as JSONType })
}

/** What the client will make the very text of; in the writer's hands it need not be parsed. */
function dataOf({ data, folded }: NewEvent): JSONType {
  const known: unknown = folded?.event.data
  const value = JSON.stringify(known) === data ? known : parsedExactly(data, 'data')
  return value as JSONType
}

/** Exactly a Uint8Array: of a Buffer the client would make JSON. */
function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'utf8'))
}

export function fromClientEvent({ event, commitPosition }: ClientEvent): RecordedEvent {
  const position = event?.position?.commit ?? commitPosition
  if (event === undefined || position === undefined)
    throw new StoreCorruptError('the event store sent an event without content or position')
  const place = { stream: event.streamId, revision: Number(event.revision), position }
  if (!event.isJson) throw notOurs('is not JSON', place)
  return {
    id: event.id,
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: metadataText(event.metadata, place),
    ...place,
  }
}

// The client stringifies what it is given. Numbers like 1.0, spaces, repeated keys or keys that
// look like integers would come out as other bytes than those that were hashed.
function parsedExactly(text: string, field: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppendRefusedError(`the ${field} of an event is not JSON`)
  }
  if (JSON.stringify(value) !== text)
    throw new AppendRefusedError(`the ${field} of an event would be stored as other bytes`)
  return value
}

function metadataText(metadata: unknown, place: EventPlace): string {
  if (metadata === undefined || metadata instanceof Uint8Array)
    throw notOurs('has no JSON metadata', place)
  return JSON.stringify(metadata)
}

function notOurs(what: string, place: EventPlace): StoreCorruptError {
  return new StoreCorruptError(`${place.stream}@${place.revision} ${what}: nothing of ours`, place)
}
