/** The contract's cases about reading streams and single events, markers, and closing. */
import type { NewEvent } from '../../src/event-store/event-store.js'
import { OutcomeUnknownError, StoreUnavailableError } from '../../src/event-store/event-store.js'
import { readPageEvents } from '../../src/limits.js'
import type { Case } from './contract.js'
import { given, newEvents, newStream, readAll, write } from './contract-events.js'

export const readCases: readonly Case[] = [
  {
    sentence: 'a stream is read from any revision, and not further than asked',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(9) })
      const read = async (fromRevision: number, maxCount: number): Promise<NewEvent[]> =>
        given(await readAll(store, stream, { fromRevision, maxCount }))
      t.strictSame(await read(0, 100), given(events))
      t.strictSame(await read(4, 100), given(events.slice(4)), 'from the middle')
      t.strictSame(await read(4, 2), given(events.slice(4, 6)), 'bounded')
      t.strictSame(await read(8, 1), given(events.slice(8)), 'the last one')
      t.strictSame(await read(9, 100), [], 'beyond the end')
    },
  },
  {
    sentence: 'a stream that does not exist is empty and has no head',
    check: async (t, { store }) => {
      t.strictSame(await readAll(store, newStream()), [])
      t.strictSame(await readAll(store, newStream(), { fromRevision: 3 }), [])
      t.equal(await store.readHead(newStream()), undefined)
    },
  },
  {
    sentence: 'a stream longer than a page is read to its end, or as far as anyone cares',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = newEvents(readPageEvents * 2 + 1)
      for (let start = 0; start < events.length; start += 500) {
        const part = events.slice(start, start + 500)
        await write(t, store, { stream, expectedRevision: start - 1, events: part })
      }
      t.strictSame(given(await readAll(store, stream)), given(events))
      const bounded = await readAll(store, stream, { fromRevision: 1, maxCount: readPageEvents })
      t.strictSame(given(bounded), given(events.slice(1, 1 + readPageEvents)))
      for await (const event of store.readStream(stream, { fromRevision: 7, maxCount: 9_999 })) {
        t.equal(event.revision, 7, 'a reader may stop early')
        break
      }
      await store.check()
    },
  },
  {
    sentence: 'the head is the last event, whoever wrote it',
    check: async (t, { store, another }) => {
      const stream = newStream()
      await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      t.equal((await store.readHead(stream))?.revision, 1)
      const events = newEvents(2)
      await write(t, await another(), { stream, expectedRevision: 1, events })
      const head = await store.readHead(stream)
      t.strictSame(head, (await readAll(store, stream)).at(-1))
      t.equal(head?.id, events[1]?.id)
    },
  },
  {
    sentence: 'an event is found at exactly its own position',
    check: async (t, { store, another }) => {
      const stream = newStream()
      await write(t, store, { stream, expectedRevision: -1, events: newEvents(3) })
      const other = await another()
      const found = await readAll(store, stream)
      for (const event of found) t.strictSame(await other.eventAt(event.position), event)
      const last = found.at(-1)
      t.strictSame(await store.lastEvent(), last, 'the last of the log')
      t.equal(await store.eventAt((last?.position ?? 0n) + 1n), undefined, 'nothing beyond it')
    },
  },
  {
    sentence: 'a new log has no events and no marker',
    check: async (t, { isShared }, open) => {
      if (isShared === true) {
        t.comment('this store is never new')
        return
      }
      const { store } = await open(t)
      await store.check()
      t.equal(await store.lastEvent(), undefined)
      t.equal(await store.eventAt(1n), undefined)
      t.equal(await store.readMarker(), undefined)
    },
  },
  {
    sentence: 'a marker is made once, is the same for everyone, and differs between stores',
    check: async (t, { store, another, isShared }, open) => {
      const others = [await another(), await another()]
      const all = [store, ...others]
      const made = await Promise.all(all.map((one) => one.createMarker()))
      t.equal(new Set(made).size, 1, 'one marker however many make it at once')
      t.equal(await store.createMarker(), made[0], 'for ever')
      for (const one of all) t.equal(await one.readMarker(), made[0])
      if (isShared === true) return
      const stranger = await open(t)
      t.not(await stranger.store.createMarker(), made[0])
    },
  },
  {
    sentence: 'a closing store answers every append, and then takes none',
    check: async (t, { another }) => {
      const store = await another()
      const batches = Array.from({ length: 50 }, () => ({
        stream: newStream(),
        expectedRevision: -1,
        events: newEvents(1),
      }))
      const appends = batches.map((batch) => store.append(batch))
      const answers = Promise.allSettled(appends)
      await store.close()
      for (const answer of await answers)
        t.ok(answer.status === 'fulfilled' || answer.reason instanceof OutcomeUnknownError)
      const late = { stream: newStream(), expectedRevision: -1, events: newEvents(1) }
      await t.rejects(store.append(late), OutcomeUnknownError)
      await t.rejects(store.check(), StoreUnavailableError)
      await store.close()

      // Whatever was answered, a repeat elsewhere settles it.
      const other = await another()
      for (const batch of batches) t.equal((await other.append(batch)).kind, 'written')
    },
  },
]
