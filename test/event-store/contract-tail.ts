/** The contract's cases about the tail: every ledger event once, in one order, without gaps. */
import type { EventStore, RecordedEvent } from '../../src/event-store/event-store.js'
import { startOfLog } from '../../src/event-store/event-store.js'
import type { Case } from './contract.js'
import { given, isRising, missingOf, newEvents, newStream } from './contract-events.js'
import { readAll, readTail, write } from './contract-events.js'

export const tailCases: readonly Case[] = [
  {
    sentence: 'the tail begins with the first event of the log, in batches no larger than asked',
    check: async (t, { store }) => {
      const [one, two] = [newStream(), newStream()]
      await write(t, store, { stream: one, expectedRevision: -1, events: newEvents(4) })
      await write(t, store, { stream: two, expectedRevision: -1, events: newEvents(3) })
      const expected = [...(await readAll(store, one)), ...(await readAll(store, two))]
      const last = expected.at(-1)
      const batches = await readTail(store, {
        after: startOfLog,
        maxCount: 3,
        isEnough: (seen) => seen.at(-1)?.position === last?.position,
      })
      t.ok(batches.every((batch) => batch.length > 0 && batch.length <= 3))
      const seen = batches.flat()
      t.ok(isRising(seen), 'in order')
      t.strictSame(seen.slice(-7), expected, 'as the streams hold them')
      t.equal(new Set(seen.map((event) => event.id)).size, seen.length, 'each once')
    },
  },
  {
    sentence: 'the tail goes on right after a position, which it does not repeat',
    check: async (t, { store }) => {
      const stream = newStream()
      await write(t, store, { stream, expectedRevision: -1, events: newEvents(6) })
      const found = await readAll(store, stream)
      const batches = await readTail(store, {
        after: found[2]?.position ?? -1n,
        isEnough: (seen) => seen.length >= 3,
      })
      t.strictSame(batches.flat(), found.slice(3))
    },
  },
  {
    sentence: 'at its end the tail waits for what anyone writes',
    check: async (t, { store, another }) => {
      const [stream, other] = [newStream(), await another()]
      await write(t, store, { stream, expectedRevision: -1, events: newEvents(1) })
      const after = (await store.lastEvent())?.position ?? startOfLog
      const stop = new AbortController()
      const tail = store.tail({ after, maxCount: 10, maxWaitMs: 5, signal: stop.signal })
      const batches = tail[Symbol.asyncIterator]()
      for (const [index, writer] of [store, other].entries()) {
        const waiting = batches.next()
        const events = newEvents(1)
        await write(t, writer, { stream, expectedRevision: index, events })
        const { value } = (await waiting) as { value: RecordedEvent[] }
        t.strictSame(given(value), events)
      }
      stop.abort()
      t.equal((await batches.next()).done, true)
    },
  },
  {
    sentence: 'beside four racing writers the tail shows every event once and in order',
    check: async (t, { store, another }) => {
      const anchor = newStream()
      await write(t, store, { stream: anchor, expectedRevision: -1, events: newEvents(1) })
      const after = (await store.readHead(anchor))?.position ?? startOfLog
      const streams = Array.from({ length: 5 }, () => newStream())
      const writers = [store, store, await another(), await another()]
      const rounds = 40
      const total = writers.length * rounds
      const tail = readTail(await another(), { after, isEnough: (seen) => seen.length >= total })
      const work = writers.map((writer) => writeRounds(writer, streams, rounds))
      const [seen] = await Promise.all([tail.then((batches) => batches.flat()), ...work])
      t.equal(seen.length, total)
      t.ok(isRising(seen), 'positions rise')
      for (const stream of streams) {
        const shown = seen.filter((event) => event.stream === stream)
        t.strictSame(shown, await readAll(store, stream), 'each stream whole and in order')
      }
    },
  },
  {
    sentence:
      'an abort ends the tail at once: before its start, while it waits, and between batches',
    check: async (t, { store }) => {
      const stream = newStream()
      await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      const after = (await store.lastEvent())?.position ?? startOfLog
      const options = { after, maxCount: 1, maxWaitMs: 60_000 }
      const early = store.tail({ ...options, signal: AbortSignal.abort() })
      t.equal((await early[Symbol.asyncIterator]().next()).done, true, 'before its start')

      const waiting = new AbortController()
      const quiet = store.tail({ ...options, signal: waiting.signal })[Symbol.asyncIterator]()
      const next = quiet.next()
      // A real answer of the store in between: the tail has asked by now, and waits.
      await store.check()
      waiting.abort()
      t.equal((await next).done, true, 'while it waits')

      const between = new AbortController()
      const full = store.tail({ ...options, after: startOfLog, signal: between.signal })
      const batches = full[Symbol.asyncIterator]()
      t.equal((await batches.next()).done, false)
      between.abort()
      t.equal((await batches.next()).done, true, 'between batches')
    },
  },
]

/** One event a round, the streams in turn; a lost race is repeated from what the verdict brings. */
async function writeRounds(
  store: EventStore,
  streams: readonly string[],
  rounds: number,
): Promise<void> {
  const heads = new Map<string, { revision: number; id?: string | undefined }>()
  for (let round = 0; round < rounds; round += 1) {
    const stream = streams[round % streams.length] ?? ''
    const events = newEvents(1)
    for (;;) {
      const { revision, id } = heads.get(stream) ?? { revision: -1 }
      const batch = { stream, expectedRevision: revision, expectedId: id, events }
      const missing = missingOf(await store.append(batch))
      const there = missing ?? events
      heads.set(stream, { revision: revision + there.length, id: there.at(-1)?.id ?? id })
      if (missing === undefined) break
    }
  }
}
