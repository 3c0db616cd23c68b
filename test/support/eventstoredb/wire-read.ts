/**
 * Reads and subscriptions on the wire: what the client asks for in the log's terms, and the
 * messages of 23.10.8 for events, checkpoints and the marks of a subscription.
 * Pure: no state, no I/O.
 */
import type { LogEvent } from './log.js'
import { shared, streams } from './stubs.js'
import type * as stubs from './stubs.js'
import { streamIdentifier, streamNameOf } from './wire-append.js'

type ReadOptions = NonNullable<ReturnType<stubs.ReadReq['getOptions']>>
type FilterOptions = NonNullable<ReturnType<ReadOptions['getFilter']>>

export type Place = 'start' | 'end' | bigint

export interface EventFilter {
  matches(event: LogEvent): boolean
  /** Events considered between two checkpoints. */
  readonly checkpointInterval: number
  /** Events considered in one page. */
  readonly windowSize: number
}

export interface ReadRequest {
  /** Undefined for `$all`. */
  readonly stream: string | undefined
  readonly from: Place
  readonly isBackwards: boolean
  readonly count: number
  readonly isSubscription: boolean
  readonly filter: EventFilter | undefined
}

/** The server reads and filters in pages of this many events. */
export const pageSize = 32

export function readRequestOf(request: stubs.ReadReq): ReadRequest {
  const options = request.getOptions() ?? new streams.ReadReq.Options()
  const stream = options.getStream()
  const all = options.getAll()
  const filter = options.getFilter()
  return {
    stream: stream === undefined ? undefined : streamNameOf(stream.getStreamIdentifier()),
    from:
      stream === undefined
        ? placeOf(all, all?.getPosition()?.getCommitPosition())
        : placeOf(stream, stream.getRevision()),
    isBackwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: Number(options.getCount()),
    isSubscription: options.hasSubscription(),
    filter: filter === undefined ? undefined : filterOf(filter),
  }
}

export function eventMessage(event: LogEvent): stubs.ReadResp {
  const position = event.position.toString()
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  recorded.setId(new shared.UUID().setString(event.id))
  recorded.setStreamIdentifier(streamIdentifier(event.stream))
  recorded.setStreamRevision(event.revision.toString())
  recorded.setPreparePosition(position)
  recorded.setCommitPosition(position)
  recorded.getMetadataMap().set('type', event.type)
  recorded.getMetadataMap().set('created', event.createdTicks.toString())
  recorded.getMetadataMap().set('content-type', event.contentType)
  recorded.setCustomMetadata(event.metadata)
  recorded.setData(event.data)
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(recorded)
  read.setCommitPosition(position)
  return new streams.ReadResp().setEvent(read)
}

export function streamNotFoundMessage(stream: string): stubs.ReadResp {
  const missing = new streams.ReadResp.StreamNotFound()
  missing.setStreamIdentifier(streamIdentifier(stream))
  return new streams.ReadResp().setStreamNotFound(missing)
}

export function confirmationMessage(subscriptionId: string): stubs.ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  confirmation.setSubscriptionId(subscriptionId)
  return new streams.ReadResp().setConfirmation(confirmation)
}

export function checkpointMessage(position: { commit: bigint; prepare: bigint }): stubs.ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
  checkpoint.setCommitPosition(position.commit.toString())
  checkpoint.setPreparePosition(position.prepare.toString())
  return new streams.ReadResp().setCheckpoint(checkpoint)
}

export function caughtUpMessage(): stubs.ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())
}

function placeOf(
  options: { hasStart(): boolean; hasEnd(): boolean } | undefined,
  place: string | undefined,
): Place {
  if (options === undefined || options.hasStart()) return 'start'
  if (options.hasEnd()) return 'end'
  return place === undefined ? 'start' : BigInt(place)
}

function filterOf(options: FilterOptions): EventFilter {
  const byStream = options.getStreamIdentifier()
  const expression = byStream ?? options.getEventType()
  const prefixes = expression?.getPrefixList() ?? []
  const pattern = prefixes.length === 0 ? new RegExp(expression?.getRegex() ?? '') : undefined
  const windowSize = options.hasMax() ? options.getMax() : pageSize
  return {
    matches: (event) => {
      const text = byStream === undefined ? event.type : event.stream
      return pattern?.test(text) ?? prefixes.some((prefix) => text.startsWith(prefix))
    },
    checkpointInterval: windowSize * Math.max(1, options.getCheckpointintervalmultiplier()),
    windowSize,
  }
}
