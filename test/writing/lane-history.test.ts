// What a lane does when the store under it is set back: a failover to a replica that was behind, or
// a restored backup, while the process runs on. Whatever is answered then is in the store.
import t from 'tap'
import { streamOf } from '../../src/domain/ids.js'
import { outcomeOf } from '../../src/domain/wallet.js'
import { decodeEvent, isEntry } from '../../src/domain/wallet-events.js'
import type { Answer } from '../../src/writing/waiting-command.js'
import { settle } from '../support/fake-clock.js'
import { propertySeed, randomNumbers } from '../support/property.js'
import { result, WriterHarness } from '../support/writer-harness.js'

t.test(
  'money that the store has lost is not spent, with and without a lost connection',
  async (t) => {
    for (const isReconnected of [false, true]) {
      const h = new WriterHarness()
      await h.send(h.credit(500, 'C-1'))
      await h.send(h.credit(3_000, 'C-2'))
      h.log.setBack(2)
      if (isReconnected) h.store.generation += 1
      const answer = h.send(h.debit(600, 'O-1'))
      await h.clock.advance(100)
      t.equal(await result(answer), 'INSUFFICIENT_BALANCE')
      t.equal(h.stream().wallet.balanceMinor, 500)
      t.equal(await result(h.send(h.debit(500, 'O-2'))), 'WalletDebited', 'and goes on')
      t.ok(h.writer.recent.hasSuspects, 'the loss is known')
      const others = h.lines.filter(({ msg }) => msg !== 'a lane loads its wallet again')
      t.same(others, [], 'and the wallet has not stopped')
    }
  },
)

t.test('a reference whose outcome is gone is decided anew, and not replayed', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  await h.send(h.debit(200, 'O-1'))
  h.log.setBack(2)
  h.store.generation += 1
  const answer = h.send(h.debit(200, 'O-1'))
  await h.clock.advance(100)
  t.equal(await result(answer), 'WalletDebited')
  t.equal(h.stream().wallet.balanceMinor, 300)
})

t.test('another history of the same length is never appended to, in any store', async (t) => {
  for (const comparesIds of [true, false]) {
    const h = new WriterHarness()
    h.log.comparesIds = comparesIds
    const other = h.another()
    await h.send(h.credit(500, 'C-1'))
    await h.send(h.credit(3_000, 'C-2'))
    h.log.setBack(2)
    h.store.generation += 1
    await h.send(h.debit(400, 'O-1'), other.writer)
    t.equal(h.stream().wallet.revision, 2, 'as long as the lane remembers')
    const answer = h.send(h.debit(101, 'O-2'))
    await h.clock.advance(100)
    t.equal(await result(answer), 'INSUFFICIENT_BALANCE')
    t.equal(h.stream().wallet.balanceMinor, 100, 'the chain holds')
  }
})

t.test('a batch of unknown outcome is not repeated on another history', async (t) => {
  for (const comparesIds of [true, false]) {
    const h = new WriterHarness()
    h.log.comparesIds = comparesIds
    const other = h.another()
    await h.send(h.credit(500, 'C-1'))
    await h.send(h.credit(3_000, 'C-2'))
    h.store.failNextAppends({ outcome: 'lost' })
    const answer = h.send(h.debit(600, 'O-1'))
    await settle()
    h.log.setBack(2)
    h.store.generation += 1
    await h.send(h.debit(400, 'O-9'), other.writer)
    await h.clock.advance(1_000)
    t.equal(await result(answer), 'INSUFFICIENT_BALANCE')
    t.equal(h.stream().wallet.balanceMinor, 100)
  }
})

t.test('a batch of unknown outcome that was kept is known as written', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.store.failNextAppends({ outcome: 'unacknowledged' })
  const answer = h.send(h.debit(100, 'O-1'))
  await settle()
  h.store.generation += 1
  h.store.failNextReads(1)
  await h.clock.advance(1_000)
  // Whether this try wrote it or one before nobody can tell any more.
  t.equal(await result(answer), 'replayed WalletDebited')
  t.equal(h.stream().wallet.balanceMinor, 400)
})

t.test('a lost connection and nothing else costs one look at the head', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const loads = h.readModels.loads
  h.store.generation += 1
  t.equal(await result(h.send(h.debit(100, 'O-1'))), 'WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-1'))), 'replayed WalletDebited')
  t.equal(h.readModels.loads, loads, 'the lane stayed warm')
  t.notOk(h.writer.recent.hasSuspects)
  t.same(h.lines, [])
})

t.test('while the store is away nobody is answered from memory', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.store.generation += 1
  h.store.failNextReads(2)
  const answer = h.send(h.credit(500, 'C-1'))
  let isAnswered = false
  void answer.then(() => (isAnswered = true))
  await settle()
  t.notOk(isAnswered)
  await h.clock.advance(1_000)
  t.equal(await result(answer), 'replayed WalletCredited', 'once it has been looked at')
})

t.test('what was looked up before the connection was lost decides nothing', async (t) => {
  const h = new WriterHarness()
  await h.fill(70)
  const other = h.another()
  const kept = h.log.events.length
  await h.send(h.credit(3_000, 'C-1'))
  h.log.setBack(kept)
  h.store.generation += 1
  // The lane has forgotten these: the rows would answer, and the rows are gone too.
  const answer = h.send(h.credit(3_000, 'C-1'))
  await h.clock.advance(100)
  t.equal(await result(answer), 'WalletCredited')
  t.equal(await result(h.send(h.credit(3_000, 'C-1'), other.writer)), 'replayed WalletCredited')
  t.equal(h.stream().wallet.balanceMinor, 70 * 100 + 3_000)
})

t.test('two processes on a store that is set back again and again invent nothing', async (t) => {
  const seed = propertySeed(t)
  for (let run = 0; run < 40; run += 1) {
    const random = randomNumbers(seed + run)
    const h = new WriterHarness()
    h.log.comparesIds = run % 2 === 0
    const other = h.another()
    let given: Promise<Answer>[] = []
    for (let step = 0; step < 60; step += 1) {
      const writer = random(2) === 0 ? h.writer : other.writer
      const id = `R-${random(30)}`
      const amount = 1 + random(400)
      given.push(h.send(random(2) === 0 ? h.debit(amount, id) : h.credit(amount, id), writer))
      if (random(4) === 0) await h.clock.advance(20)
      if (random(12) > 0) continue
      // Whatever was answered before may be gone; what is answered from here on must be there.
      await h.clock.advance(10_000)
      h.log.setBack(random(h.log.events.length + 1))
      h.store.generation += 1
      other.store.generation += 1
      given = []
    }
    await h.clock.advance(10_000)
    const answers = await Promise.all(given)
    const truth = outcomesIn(h)
    for (const answer of answers) {
      const outcome = 'outcome' in answer ? answer.outcome : undefined
      if (JSON.stringify(truth.get(outcome?.entryId ?? '')) !== JSON.stringify(outcome))
        t.fail('an answer is not in the store', { run, seed, outcome })
    }
    // Folds the chain and the sums, or throws.
    h.stream()
  }
  t.pass('every answer is the outcome in the stream')
})

function outcomesIn({ log, walletId }: WriterHarness): Map<string, unknown> {
  const outcomes = new Map<string, unknown>()
  for (const { type, data, revision } of log.stream(streamOf(walletId))) {
    const event = decodeEvent(type, data)
    if (!isEntry(event)) continue
    if (outcomes.has(event.data.entryId)) throw new Error('two outcomes of one reference')
    outcomes.set(event.data.entryId, outcomeOf(walletId, event, revision))
  }
  return outcomes
}
