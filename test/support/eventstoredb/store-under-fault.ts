/**
 * An EventStoreDbStore on its own stand-in, with short pauses and (unless the test is patient,
 * because it lets nothing fail) watchdogs, and what a lane does with it: a frozen batch that is
 * repeated unchanged until its outcome is known. Promises: everything is closed when the test is
 * over, and no repeat goes on for ever.
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { OutcomeUnknownError } from '../../../src/event-store/event-store.js'
import type {
  AppendBatch,
  AppendVerdict,
  EventStore,
  NewEvent,
  RecordedEvent,
} from '../../../src/event-store/event-store.js'
import { EventStoreDbStore } from '../../../src/event-store/eventstoredb.js'
import { systemClock, type Clock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { settle as settleLoop } from '../fake-clock.js'
import { EventStoreStandIn } from './stand-in.js'

export interface StoreUnderFault {
  readonly standIn: EventStoreStandIn
  readonly store: EventStoreDbStore
  /** What the store told its log. */
  readonly notices: string[]
  /** Another store, as of a second process, on the same stand-in. */
  readonly open: () => EventStoreDbStore
}

/** Short, and yet longer than a very busy machine needs for an ordinary append. */
const appendWatchdogMs = 3_000
const readTimeoutMs = 4_000
const repeatsMax = 20

/** Pauses pass twenty times as fast; watchdogs and time-outs are given their own short times. */
const hurriedClock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(delayMs / 20, signal),
}

export async function storeUnderFault(
  t: Test,
  options: { nodes?: 1 | 3; more?: string; isPatient?: true } = {},
): Promise<StoreUnderFault> {
  const standIn = await EventStoreStandIn.start({ nodes: options.nodes ?? 1 })
  const notices: string[] = []
  const times = options.isPatient === true ? {} : { appendWatchdogMs, readTimeoutMs }
  const open = (): EventStoreDbStore => {
    const store = new EventStoreDbStore({
      url: standIn.connectionString + (options.more ?? ''),
      clock: hurriedClock,
      random: systemRandom,
      onNotice: (sentence) => notices.push(sentence),
      ...times,
    })
    t.teardown(() => store.close())
    return store
  }
  const store = open()
  // Teardowns run in reverse: the stand-in would stop first and leave the stores without an end.
  t.teardown(async () => {
    await store.close()
    // Node 20 can spin in `http2` when a server is destroyed while a cancelled call is still in the
    // kernel: the last frames get a few turns of the event loop to arrive.
    await settleLoop()
    await standIn.stop()
  })
  return { standIn, store, notices, open }
}

export function newStream(): string {
  return `wallet-${randomUUID()}`
}

export function newEvents(count: number, text = 'x'): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    type: 'WalletCredited',
    data: JSON.stringify({ amountMinor: index, text }),
    metadata: '{"hash":"00"}',
  }))
}

/** The batch that follows another one. */
export function batchAfter(batch: AppendBatch, count = 1): AppendBatch {
  const { stream, expectedRevision, events } = batch
  const expectedId = events.at(-1)?.id
  const revision = expectedRevision + events.length
  return { stream, expectedRevision: revision, expectedId, events: newEvents(count) }
}

export function batchOf(stream: string, expectedRevision: number, count = 1): AppendBatch {
  return { stream, expectedRevision, events: newEvents(count) }
}

/** Repeats the same batch at the same revision until the store knows; conflicts count as known. */
export async function settle(store: EventStore, batch: AppendBatch): Promise<AppendVerdict> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      const verdict = await store.append(batch)
      const isOpen = verdict.kind === 'conflict' && verdict.missing.length === 0
      if (!isOpen) return verdict
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || repeats >= repeatsMax) throw error
    }
    await hurriedClock.sleep(500)
  }
}

export async function idsOf(store: EventStore, stream: string): Promise<string[]> {
  const ids: string[] = []
  for await (const event of store.readStream(stream, { fromRevision: 0, maxCount: 1_000 }))
    ids.push(event.id)
  return ids
}

/** Long after what follows from network traffic and watchdogs, also on a busy machine. */
const patienceMs = 15_000

/** Waits for what follows from network traffic alone; throws when it does not come. */
export async function until(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + patienceMs
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`waited in vain for ${condition.toString()}`)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Tails until the condition holds, then aborts; returns all batches. Throws when it never does. */
export async function tailUntil(
  store: EventStore,
  options: { after: bigint; maxCount?: number; maxWaitMs?: number },
  isEnough: (events: readonly RecordedEvent[]) => boolean | Promise<boolean>,
): Promise<readonly (readonly RecordedEvent[])[]> {
  const controller = new AbortController()
  const batches: (readonly RecordedEvent[])[] = []
  const { after, maxCount = 100, maxWaitMs = 5 } = options
  const timer = setTimeout(() => controller.abort('late'), patienceMs)
  for await (const batch of store.tail({ after, maxCount, maxWaitMs, signal: controller.signal })) {
    batches.push(batch)
    if (await isEnough(batches.flat())) controller.abort()
  }
  clearTimeout(timer)
  if (controller.signal.reason === 'late')
    throw new Error(`only ${batches.flat().length} events came`)
  return batches
}
