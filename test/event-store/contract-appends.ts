/** The contract's cases about one append at a time: verdicts, repeats, texts, refusals. */
import { randomUUID } from 'node:crypto'
import { AppendRefusedError } from '../../src/event-store/event-store.js'
import { batchBytesMax, conflictEventsMax } from '../../src/limits.js'
import type { Case } from './contract.js'
import { following, given, holdsExactly, missingOf, newEvent } from './contract-events.js'
import { newEvents, newStream, readAll, write } from './contract-events.js'

export const appendCases: readonly Case[] = [
  {
    sentence: 'the first append of a stream begins at revision 0',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(3) })
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'an append at the head continues the stream',
    check: async (t, { store, another }) => {
      const stream = newStream()
      const first = await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      const second = await write(t, await another(), {
        stream,
        expectedRevision: 1,
        events: newEvents(1),
      })
      await holdsExactly(t, store, { stream, events: [...first, ...second] })
    },
  },
  {
    sentence: 'an append below the head is a conflict and brings the missing events',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(4) })
      const late = { stream, expectedRevision: 1, events: newEvents(1) }
      const verdict = await store.append(await following(store, late))
      const missing = missingOf(verdict)
      t.strictSame(given(missing ?? []), given(events.slice(2)), 'those after revision 1')
      t.strictSame(
        missing,
        await readAll(store, stream, { fromRevision: 2 }),
        'as a read gives them',
      )
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'a conflict brings the first of many missing events, not all',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = newEvents(conflictEventsMax + 10)
      await write(t, store, { stream, expectedRevision: -1, events })
      const late = { stream, expectedRevision: 2, events: newEvents(1) }
      const verdict = await store.append(await following(store, late))
      const expected = events.slice(3, 3 + conflictEventsMax)
      t.strictSame(given(missingOf(verdict) ?? []), given(expected))
    },
  },
  {
    sentence: 'a batch repeated after a lost acknowledgement is written once',
    check: async (t, { store, another }) => {
      const stream = newStream()
      const batch = { stream, expectedRevision: -1, events: newEvents(3) }
      await write(t, store, batch)
      await write(t, store, batch)
      await write(t, await another(), batch)
      await holdsExactly(t, store, batch)
    },
  },
  {
    sentence: 'a batch repeated long after others wrote is still known as written',
    check: async (t, { store, another }) => {
      const stream = newStream()
      const first = await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      const batch = { stream, expectedRevision: 1, events: newEvents(2) }
      await write(t, store, batch)
      const later = await write(t, store, { stream, expectedRevision: 3, events: newEvents(5) })
      await write(t, store, batch)
      await write(t, await another(), batch)
      await holdsExactly(t, store, { stream, events: [...first, ...batch.events, ...later] })
    },
  },
  {
    sentence:
      'the beginning of a written batch counts as written, for exactly these events stand there',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(3) })
      await write(t, store, { stream, expectedRevision: -1, events: events.slice(0, 2) })
      await write(t, store, { stream, expectedRevision: 0, events: events.slice(1, 2) })
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'a batch that grew, shifted or changed its order is a conflict, and nothing is added',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(3) })
      const others = [
        { stream, expectedRevision: -1, events: [...events, newEvent()] },
        { stream, expectedRevision: -1, events: [...events].reverse() },
        { stream, expectedRevision: -1, events: events.slice(1) },
        { stream, expectedRevision: 0, events: [...events.slice(1), newEvent()] },
        { stream, expectedRevision: -1, events: [newEvent(), ...events.slice(1)] },
      ]
      for (const other of others) {
        const missing = missingOf(await store.append(await following(store, other)))
        const expected = events.slice(other.expectedRevision + 1)
        t.strictSame(given(missing ?? []), given(expected), 'conflict')
      }
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'ids alone decide whether a batch is there: what was written first stays',
    check: async (t, { store }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      const altered = events.map((event) => ({ ...event, data: '{"altered":1}' }))
      await write(t, store, { stream, expectedRevision: -1, events: altered })
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'texts as the ledger writes them come back byte for byte',
    check: async (t, { store }) => {
      const stream = newStream()
      const texts = [
        { é: 'ß', ж: '漢字', smile: '😀', family: '👩‍👩‍👧', decomposed: 'e\u0301' },
        { escaped: '\u0001 \t \r\n " \\ / \u2028\u2029\ufeff\u007f', literal: '\\u0000 \\n' },
        { quotes: "'' $1 \\x41 %s {} [] ,", integer: 9_007_199_254_740_991, negative: -1 },
      ].map((value) => JSON.stringify(value))
      const events = texts.map((text) => newEvent({ data: text, metadata: text }))
      await write(t, store, { stream, expectedRevision: -1, events })
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'any other JSON text is kept byte for byte or refused, never altered',
    check: async (t, { store, keepsAnyText = false }) => {
      const texts = [
        '{ "b" : 1,"a":\t2 }',
        '{"escaped":"\\u00e9 \\/ \\ud83d\\ude00 \\u0000"}',
        '{\n  "lines": "two"\r\n}',
        '{"2":1,"1":1.0,"a":1e2,"a":2}',
      ]
      for (const data of texts) {
        const stream = newStream()
        const events = [newEvent({ data })]
        const verdict = await store
          .append({ stream, expectedRevision: -1, events })
          .catch((error: unknown) => error)
        const isRefused = verdict instanceof AppendRefusedError
        if (keepsAnyText || !isRefused) t.strictSame(verdict, { kind: 'written' })
        await holdsExactly(t, store, { stream, events: isRefused ? [] : events })
      }
    },
  },
  {
    sentence: 'a batch of the largest size is written whole',
    check: async (t, { store }) => {
      const stream = newStream()
      const count = 64
      const data = `{"text":"${'x'.repeat(batchBytesMax / count - 200)}"}`
      const events = Array.from({ length: count }, () => newEvent({ data }))
      await write(t, store, { stream, expectedRevision: -1, events })
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'an append without events, below the beginning or after nothing is refused',
    check: async (t, { store }) => {
      const stream = newStream()
      for (const batch of [
        { stream, expectedRevision: -1, events: [] },
        { stream, expectedRevision: -2, events: newEvents(1) },
        { stream, expectedRevision: 0, events: newEvents(1) },
        { stream, expectedRevision: -1, expectedId: randomUUID(), events: newEvents(1) },
      ])
        await t.rejects(store.append(batch), AppendRefusedError)
      t.equal(await store.readHead(stream), undefined)
    },
  },
  {
    sentence: 'refused content fails its own batch whole, and no other',
    check: async (t, { store, refusedData }) => {
      if (refusedData === undefined) {
        t.comment('this store refuses no content')
        return
      }
      const poisoned = newStream()
      const others = Array.from({ length: 20 }, () => newStream())
      const bad = [newEvent(), newEvent({ data: refusedData }), newEvent()]
      const batches = others.map((stream) => ({
        stream,
        expectedRevision: -1,
        events: newEvents(2),
      }))
      batches.splice(10, 0, { stream: poisoned, expectedRevision: -1, events: bad })
      const answers = await Promise.allSettled(batches.map((batch) => store.append(batch)))
      const refused = answers.splice(10, 1)[0]
      t.ok(refused?.status === 'rejected' && refused.reason instanceof AppendRefusedError)
      t.ok(answers.every((answer) => answer.status === 'fulfilled' && isWritten(answer.value)))
      t.equal(await store.readHead(poisoned), undefined, 'nothing of it is in the log')
      const events = await write(t, store, {
        stream: poisoned,
        expectedRevision: -1,
        events: newEvents(1),
      })
      await holdsExactly(t, store, { stream: poisoned, events })
    },
  },
]

function isWritten(verdict: { kind: string }): boolean {
  return verdict.kind === 'written'
}
