/** The contract's cases about writers beside each other: nothing lost, doubled, torn or forked. */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { entryIdOf, streamOf, walletIdOf } from '../../src/domain/ids.js'
import { OutcomeMemory } from '../../src/domain/outcome-memory.js'
import { reference } from '../../src/domain/reference.js'
import { decide, emptyWallet, open } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { readNext, writeNext } from '../../src/domain/wallet-stream.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import type { Case } from './contract.js'
import { given, holdsExactly, missingOf, newEvents, writeRacing } from './contract-events.js'
import { newStream, readAll, write, writeUntilKnown } from './contract-events.js'

export const raceCases: readonly Case[] = [
  {
    sentence: 'many streams at once do not disturb each other',
    check: async (t, { store, another }) => {
      const stores = [store, await another()]
      const batches = Array.from({ length: 60 }, (_, index) => ({
        stream: newStream(),
        expectedRevision: -1,
        events: newEvents(1 + (index % 3)),
      }))
      const appends = batches.map((batch, index) => (stores[index % 2] ?? store).append(batch))
      const verdicts = await Promise.all(appends)
      t.ok(verdicts.every((verdict) => verdict.kind === 'written'))
      for (const batch of batches) await holdsExactly(t, store, batch)
    },
  },
  {
    sentence: 'of two batches for one revision, sent together, one is written',
    check: async (t, { store, another }) => {
      for (const other of [store, await another()]) {
        const stream = newStream()
        const batches = [store, other].map((writer) => ({ writer, events: newEvents(2) }))
        const verdicts = await Promise.all(
          batches.map(({ writer, events }) =>
            writer.append({ stream, expectedRevision: -1, events }),
          ),
        )
        const winner = verdicts.findIndex((verdict) => verdict.kind === 'written')
        const loser = verdicts.find((verdict) => verdict.kind === 'conflict')
        t.ok(winner !== -1 && loser !== undefined, 'one winner, one loser')
        const events = batches[winner]?.events ?? []
        t.strictSame(loser && given(missingOf(loser) ?? []), given(events), 'who sees the winner')
        await holdsExactly(t, store, { stream, events })
      }
    },
  },
  {
    sentence: 'one batch sent twice at the same time is written once, and both are told so',
    check: async (t, { store, another, atOnce = (_, send) => send() }) => {
      const batch = { stream: newStream(), expectedRevision: -1, events: newEvents(3) }
      const other = await another()
      const writers = [store, store, other, other]
      await atOnce(writers.length, async () => {
        await Promise.all(writers.map((writer) => writeUntilKnown(t, writer, batch)))
      })
      await holdsExactly(t, store, batch)
    },
  },
  {
    sentence: 'four racing writers lose, double and tear nothing',
    check: async (t, { store, another }) => {
      const stream = newStream()
      const writers = [store, store, await another(), await another()]
      const written = await Promise.all(writers.map((writer) => writeRacing(writer, stream, 15)))
      const found = await readAll(store, stream)
      t.strictSame(
        found.map((event) => event.revision),
        found.map((_, index) => index),
        'revisions without gaps',
      )
      const ids = found.map((event) => event.id)
      for (const batch of written.flat()) {
        const start = ids.indexOf(batch[0]?.id ?? '')
        t.strictSame(given(found.slice(start, start + batch.length)), given(batch), 'whole')
      }
      t.equal(found.length, written.flat(2).length, 'and nothing else')
    },
  },
  {
    sentence: 'same reference, same amount, another time: one is written, and the chain holds',
    check: async (t, { store, another }) => {
      const other = await another()
      const empty = emptyWallet(walletIdOf(randomUUID()))
      const stream = streamOf(empty.walletId)
      const time = '2025-01-01T00:00:00.000Z'
      const opened = writeNext(empty, open(empty, { currency: 'usd', time }))
      await write(t, store, { stream, expectedRevision: -1, events: [opened.stored] })
      const [first, second] = [
        credit(opened.wallet, 'ORDER-1', time),
        credit(opened.wallet, 'ORDER-1', '2025-01-01T00:00:00.001Z'),
      ]
      t.not(first.stored.id, second.stored.id, 'the ids cover the time')
      await write(t, store, { stream, expectedRevision: 0, events: [first.stored] })
      const expectedId = opened.stored.id
      const late = { stream, expectedRevision: 0, expectedId, events: [second.stored] }
      const missing = missingOf(await other.append(late)) ?? []
      t.strictSame(given(missing), given([first.stored]), 'the second learns of the first')

      // Both write once more: the winner from what it wrote, the loser from what it was told.
      const next = credit(first.wallet, 'ORDER-2', '2025-01-01T00:00:01.000Z')
      await write(t, store, { stream, expectedRevision: 1, events: [next.stored] })
      const told = missing.reduce((wallet, event) => readNext(wallet, event).wallet, opened.wallet)
      const again = readNext(told, { ...next.stored, revision: 2 }).wallet
      const last = credit(again, 'ORDER-3', '2025-01-01T00:00:02.000Z')
      await write(t, other, { stream, expectedRevision: 2, events: [last.stored] })
      await verifyChain(t, store, empty)
    },
  },
]

function credit(wallet: Wallet, id: string, time: string): ReturnType<typeof writeNext> {
  const pair = reference('ORDER', id)
  const issuer = 'client-app:shop'
  const entryId = entryIdOf({ issuer, walletId: wallet.walletId, reference: pair })
  const decision = decide(
    wallet,
    { type: 'Credit', entryId, issuer, reference: pair, amountMinor: 500 },
    new OutcomeMemory(),
    time,
  )
  if (decision.kind !== 'record') throw new Error('a new reference is no replay')
  return writeNext(wallet, decision.event)
}

async function verifyChain(t: Test, store: EventStore, empty: Wallet): Promise<void> {
  const found = await readAll(store, streamOf(empty.walletId))
  // Throws at the first event that does not continue the chain.
  const wallet = found.reduce((before, event) => readNext(before, event).wallet, empty)
  t.equal(wallet.revision, 3, 'four events')
  t.equal(wallet.balanceMinor, 1500, 'and each counted once')
}
