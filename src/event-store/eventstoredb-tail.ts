/**
 * The tail of the log from EventStoreDB: one filtered `$all` subscription after another. States:
 * looking for the last event seen → subscribed → dropped → pausing → looking …; over when aborted.
 * Promises: every ledger event once, in log order, whatever drops (the client never resumes by
 * itself); a store that lost what was already seen is refused, because a server silently accepts a
 * position beyond its end and skips. Never: moves on by a checkpoint, which runs ahead of us.
 */
import { START, streamNameFilter } from '@eventstore/db-client'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { resumeLooksMax, streamBufferEvents } from '../limits.js'
import { backOffMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { ledgerStreamPrefix, startOfLog, StoreCorruptError } from './event-store.js'
import type { RecordedEvent, TailOptions } from './event-store.js'
import type { OnNotice } from './eventstoredb-client.js'
import { describeError, NoAnswerError, readFailure } from './eventstoredb-errors.js'
import { fromClientEvent } from './eventstoredb-events.js'
import type { ClientGenerations } from './eventstoredb-generations.js'
import { firstOf, pullAll, PulledStream } from './eventstoredb-pull.js'
import type { ClientStream } from './eventstoredb-pull.js'

export interface TailParts {
  readonly generations: ClientGenerations
  readonly clock: Clock
  readonly random: Random
  readonly readTimeoutMs: number
  readonly onNotice: OnNotice
}

type Batch = readonly RecordedEvent[]

/** Tries again for as long as it is not aborted: an outage of any length ends by itself. */
export async function* tailLog(
  parts: TailParts,
  options: TailOptions,
): AsyncGenerator<Batch, void> {
  const { clock, random, onNotice } = parts
  const { signal } = options
  let after = options.after
  let lastSeen: RecordedEvent | undefined
  let failures = 0
  let misses = 0
  while (!signal.aborted) {
    try {
      if (lastSeen !== undefined && !(await isStillThere(parts, lastSeen, signal))) {
        misses += 1
        if (misses >= resumeLooksMax) throw lostEvent(lastSeen)
        throw new NoAnswerError('it is behind what was already seen')
      }
      misses = 0
      for await (const batch of subscription(parts, { ...options, after })) {
        for (const event of batch) {
          if (event.position <= after) throw runsBack(event, after)
          after = event.position
          lastSeen = event
        }
        failures = 0
        yield batch
      }
    } catch (error) {
      if (error instanceof StoreCorruptError) throw error
      if (!isAborted(signal))
        onNotice(`the event store dropped the subscription: ${describeError(error)}`)
    }
    failures += 1
    await clock.sleep(backOffMs(failures, random), signal)
  }
}

/** The ledger event that stands at exactly this position of `$all`. */
export async function eventAtPosition(
  { generations, readTimeoutMs }: Pick<TailParts, 'generations' | 'readTimeoutMs'>,
  position: bigint,
  signal?: AbortSignal,
): Promise<RecordedEvent | undefined> {
  const options = { silenceMs: readTimeoutMs, signal }
  const open = (client: EventStoreDBClient): ClientStream =>
    client.readAll({ fromPosition: place(position), maxCount: 1, requiresLeader: true })
  try {
    const found = await firstOf(pullAll(generations, options, open))
    if (found?.event?.position?.commit !== position) return undefined
    return isLedgerEvent(found.event.streamId) ? fromClientEvent(found) : undefined
  } catch (error) {
    if (readFailure(error) === 'no such position') return undefined
    throw error
  }
}

export function isLedgerEvent(stream: string): boolean {
  return stream.startsWith(ledgerStreamPrefix)
}

// The compiler believes that what a loop has tested stays so, also over an await.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

async function isStillThere(
  parts: TailParts,
  seen: RecordedEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await eventAtPosition(parts, seen.position, signal)
  if (found !== undefined && found.id !== seen.id) throw lostEvent(seen)
  return found !== undefined
}

/** Ends when aborted; throws when the subscription drops, also when the server ends it politely. */
async function* subscription(parts: TailParts, options: TailOptions): AsyncGenerator<Batch, void> {
  const { signal } = options
  let pulled: PulledStream | undefined
  const call = await parts.generations.call((error) => pulled?.fail(error))
  const onAbort = (): void => pulled?.nudge()
  let cancelConfirmation = (): void => undefined
  signal.addEventListener('abort', onAbort)
  try {
    const stream = subscribe(call.client, options.after)
    pulled = new PulledStream(stream)
    const dropped = pulled
    // Later silence is normal: nothing happens. Without a confirmation there is no subscription.
    cancelConfirmation = call.watch(parts.readTimeoutMs, (silence) => dropped.fail(silence))
    stream.once('confirmation', () => {
      cancelConfirmation()
      call.answered()
    })
    for (;;) {
      const batch = await gather(pulled, parts.clock, options)
      if (batch.length === 0) break
      yield batch
    }
    if (signal.aborted) return
    const failure = pulled.failure ?? new NoAnswerError('the server ended it')
    call.failed(failure)
    throw failure
  } finally {
    cancelConfirmation()
    signal.removeEventListener('abort', onAbort)
    pulled?.close()
    call.over()
  }
}

function subscribe(client: EventStoreDBClient, after: bigint): ClientStream {
  return client.subscribeToAll(
    {
      fromPosition: after === startOfLog ? START : place(after),
      // A node that is behind would accept a position beyond its end and leave events out.
      requiresLeader: true,
      filter: streamNameFilter({ prefixes: [ledgerStreamPrefix], checkpointInterval: 1_000 }),
    },
    { highWaterMark: streamBufferEvents },
  )
}

/** Empty only when aborted or over. */
async function gather(
  pulled: PulledStream,
  clock: Clock,
  { maxCount, maxWaitMs, signal }: TailOptions,
): Promise<Batch> {
  const batch: RecordedEvent[] = []
  const late = new AbortController()
  let cancel = (): void => undefined
  try {
    while (!signal.aborted && batch.length < maxCount) {
      const event = pulled.take()
      if (event !== undefined) {
        batch.push(fromClientEvent(event))
        if (batch.length > 1) continue
        cancel = clock.after(maxWaitMs, () => {
          late.abort()
          pulled.nudge()
        })
      } else if (late.signal.aborted || pulled.isOver) break
      else await pulled.changed()
    }
    return signal.aborted ? [] : batch
  } finally {
    cancel()
  }
}

/** Everything that is written through gRPC has the same commit and prepare position. */
function place(position: bigint): { commit: bigint; prepare: bigint } {
  return { commit: position, prepare: position }
}

function runsBack(event: RecordedEvent, after: bigint): StoreCorruptError {
  return new StoreCorruptError(
    `the log runs back: ${event.stream}@${event.revision} at position ${event.position} ` +
      `came after position ${after}`,
  )
}

function lostEvent(event: RecordedEvent): StoreCorruptError {
  return new StoreCorruptError(
    `${event.stream}@${event.revision} is no longer at position ${event.position}: ` +
      'another or a restored store',
  )
}
