/** Streams, events and reading for the contract's cases. */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type {
  AppendBatch,
  AppendVerdict,
  EventStore,
  NewEvent,
  RecordedEvent,
} from '../../src/event-store/event-store.js'
import { noStream, OutcomeUnknownError } from '../../src/event-store/event-store.js'

export function newStream(): string {
  return `wallet-${randomUUID()}`
}

export function newEvent(content: Partial<NewEvent> = {}): NewEvent {
  const id = randomUUID()
  return { id, type: 'WalletDebited', data: `{"id":"${id}"}`, metadata: '{}', ...content }
}

export function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, () => newEvent())
}

/** Appends and expects success; returns the events for comparison. */
export async function write(
  t: Test,
  store: EventStore,
  batch: AppendBatch,
): Promise<readonly NewEvent[]> {
  const verdict = await store.append(await following(store, batch))
  t.equal(verdict.kind, 'written', 'is written')
  return batch.events
}

/**
 * The same where its twin is under way: EventStoreDB may then answer neither yes nor no until that
 * one is done, and a repeat settles it.
 */
export async function writeUntilKnown(t: Test, store: EventStore, batch: AppendBatch) {
  for (let tries = 1; ; tries += 1)
    try {
      return await write(t, store, batch)
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || tries === unknownTriesMax) throw error
    }
}

/** A twin is done long before the second of them. */
const unknownTriesMax = 5

/** The batch with the id of the event that it follows, as the store has it now. */
export async function following(store: EventStore, batch: AppendBatch): Promise<AppendBatch> {
  const { stream, expectedRevision, expectedId } = batch
  if (expectedRevision === noStream || expectedId !== undefined) return batch
  const [event] = await readAll(store, stream, { fromRevision: expectedRevision, maxCount: 1 })
  return { ...batch, expectedId: event?.id ?? randomUUID() }
}

export async function readAll(
  store: EventStore,
  stream: string,
  { fromRevision = 0, maxCount = 100_000 } = {},
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for await (const event of store.readStream(stream, { fromRevision, maxCount })) events.push(event)
  return events
}

/** Appends `count` batches to a stream that others write too: after a loss it goes on there. */
export async function writeRacing(
  store: EventStore,
  stream: string,
  count: number,
): Promise<readonly NewEvent[][]> {
  const batches: NewEvent[][] = []
  let [expectedRevision, expectedId]: [number, string | undefined] = [noStream, undefined]
  for (let tries = 1; batches.length < count; tries += 1) {
    if (tries > racingTriesMax) throw new Error('a race that nobody wins')
    const events = newEvents(1 + (batches.length % 3))
    const verdict = await store.append({ stream, expectedRevision, expectedId, events })
    if (verdict.kind === 'diverged') throw new Error('a stream that only grows has diverged')
    const there = verdict.kind === 'written' ? events : verdict.missing
    if (verdict.kind === 'written') batches.push(events)
    expectedRevision += there.length
    expectedId = there.at(-1)?.id ?? expectedId
  }
  return batches
}

/** Far more than four writers of fifteen batches lose: a store that is broken must not spin. */
const racingTriesMax = 2_000

/** What the writer gave, without what the store added. */
export function given(events: readonly NewEvent[]): NewEvent[] {
  return events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))
}

export function missingOf(verdict: AppendVerdict): readonly RecordedEvent[] | undefined {
  return verdict.kind === 'conflict' ? verdict.missing : undefined
}

/** Exactly these events, at revisions 0, 1, 2 …, and nothing else. */
export async function holdsExactly(
  t: Test,
  store: EventStore,
  content: { stream: string; events: readonly NewEvent[] },
): Promise<void> {
  const found = await readAll(store, content.stream)
  t.strictSame(given(found), given(content.events), 'the stream holds exactly these events')
  t.ok(
    found.every((event, index) => event.revision === index && event.stream === content.stream),
    'each at its own revision',
  )
}

/** Reads the tail until `isEnough`; the tail itself must end by the abort. */
export async function readTail(
  store: EventStore,
  options: { after: bigint; maxCount?: number; isEnough: (seen: RecordedEvent[]) => boolean },
): Promise<RecordedEvent[][]> {
  const { after, maxCount = 500, isEnough } = options
  const stop = new AbortController()
  const batches: RecordedEvent[][] = []
  const timer = setTimeout(() => stop.abort('late'), tailLimitMs)
  const tail = store.tail({ after, maxCount, maxWaitMs: 5, signal: stop.signal })
  for await (const batch of tail) {
    batches.push([...batch])
    if (isEnough(batches.flat())) stop.abort()
  }
  clearTimeout(timer)
  if (stop.signal.reason === 'late')
    throw new Error(`the tail gave ${batches.flat().length} events, and no more`)
  return batches
}

/** Long after what is written has come, also on a busy machine. */
const tailLimitMs = 15_000

export function isRising(events: readonly RecordedEvent[]): boolean {
  return events.every((event, index) => {
    const before = events[index - 1]
    return before === undefined || before.position < event.position
  })
}
