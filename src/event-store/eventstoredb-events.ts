/**
 * Events between the port and the EventStoreDB client: JSON texts on our side, parsed JSON on its.
 * Promises: the bytes in the store are exactly the text that was given, and the text that is read
 * is exactly those bytes; a text for which that cannot hold is refused before anything is sent.
 * Never: repairs an event that another program wrote into a ledger stream.
 */
import type { ResolvedEvent } from '@eventstore/db-client'
import { AppendRefusedError, StoreCorruptError } from './event-store.js'
import type { EventPlace, NewEvent, RecordedEvent } from './event-store.js'

/** What the client yields from streams and from `$all` alike, as far as it is used here. */
export type ClientEvent = Pick<ResolvedEvent, 'event' | 'commitPosition'>

/**
 * Refuses texts that the client would not read as they are: it parses, and we make text of it
 * again. What its writer has folded it has made as canonical JSON.
 */
export function requireExact(events: readonly NewEvent[]): void {
  for (const { data, metadata, folded } of events) {
    if (folded !== undefined) continue
    requireExactText(data, 'data')
    requireExactText(metadata, 'metadata')
    // Ours always is one.
    if (!metadata.startsWith('{'))
      throw new AppendRefusedError('the metadata of an event must be an object')
  }
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

// Numbers like 1.0, spaces, repeated keys or keys that look like integers would come out as other
// bytes than those that were hashed.
function requireExactText(text: string, field: string): void {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppendRefusedError(`the ${field} of an event is not JSON`)
  }
  if (JSON.stringify(value) !== text)
    throw new AppendRefusedError(`the ${field} of an event would be read as other bytes`)
}

function metadataText(metadata: unknown, place: EventPlace): string {
  if (metadata === undefined || metadata instanceof Uint8Array)
    throw notOurs('has no JSON metadata', place)
  return JSON.stringify(metadata)
}

function notOurs(what: string, place: EventPlace): StoreCorruptError {
  return new StoreCorruptError(`${place.stream}@${place.revision} ${what}: nothing of ours`, place)
}
