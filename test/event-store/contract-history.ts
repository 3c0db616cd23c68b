/**
 * The contract's cases about a store that is not the one a writer has known: an append proves what
 * it follows, and a lost connection shows.
 */
import { randomUUID } from 'node:crypto'
import type { Case } from './contract.js'
import { holdsExactly, newEvents, newStream, write } from './contract-events.js'

const diverged = { kind: 'diverged' }

export const historyCases: readonly Case[] = [
  {
    sentence: 'an append after another event than the one that stands there has diverged',
    check: async (t, { store, another, comparesIds = true }) => {
      const stream = newStream()
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(3) })
      const places = comparesIds ? [0, 1, 2] : [0, 1]
      for (const expectedRevision of places) {
        const batch = { stream, expectedRevision, expectedId: randomUUID(), events: newEvents(1) }
        t.strictSame(await store.append(batch), diverged, `at revision ${expectedRevision}`)
        t.strictSame(await (await another()).append(batch), diverged, 'whoever asks')
      }
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'an append above the head has diverged: nothing stands where it would follow',
    check: async (t, { store }) => {
      const stream = newStream()
      const expectedId = randomUUID()
      const above = { stream, expectedRevision: 5, expectedId, events: newEvents(1) }
      t.strictSame(await store.append(above), diverged, 'no stream')
      const events = await write(t, store, { stream, expectedRevision: -1, events: newEvents(2) })
      t.strictSame(await store.append(above), diverged, 'a shorter one')
      await holdsExactly(t, store, { stream, events })
    },
  },
  {
    sentence: 'one batch that has diverged harms none that is appended beside it',
    check: async (t, { store, comparesIds = true }) => {
      const stream = newStream()
      const [first] = await write(t, store, { stream, expectedRevision: -1, events: newEvents(1) })
      const wrong = { stream, expectedRevision: 0, expectedId: randomUUID(), events: newEvents(1) }
      const others = Array.from({ length: 10 }, () => newStream())
      const verdicts = await Promise.all([
        ...(comparesIds ? [store.append(wrong)] : []),
        ...others.map((other) =>
          store.append({ stream: other, expectedRevision: -1, events: newEvents(1) }),
        ),
      ])
      const written = others.map(() => ({ kind: 'written' }))
      t.strictSame(verdicts, [...(comparesIds ? [diverged] : []), ...written])
      const right = { ...wrong, expectedId: first?.id }
      t.strictSame(await store.append(right), { kind: 'written' }, 'and the stream goes on')
    },
  },
  {
    sentence: 'the generation stays while connections last, and grows with one that is lost',
    check: async (t, { another, loseConnections }) => {
      if (loseConnections === undefined) {
        t.comment('nobody can take the connections of this store away')
        return
      }
      const store = await another()
      const stream = newStream()
      const batch = { stream, expectedRevision: -1, events: newEvents(1) }
      await write(t, store, batch)
      const { generation } = store
      for (let round = 0; round < 5; round += 1) {
        await write(t, store, batch)
        await store.readHead(stream)
        await store.check()
      }
      t.equal(store.generation, generation, 'nothing was lost')
      await loseConnections()
      // The first answer of another connection comes after the news.
      for (let tries = 0; tries < 50; tries += 1) {
        const isAnswered = await store.check().then(
          () => true,
          () => false,
        )
        if (isAnswered) break
      }
      t.ok(store.generation > generation, 'a connection was lost')
      await write(t, store, batch)
    },
  },
]
