// What a lane does when the store is slow, silent, raced for, refusing or contradicting itself.
import t from 'tap'
import { eventIdOf, firstHash } from '../../src/domain/hash-chain.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { AppendBatch } from '../../src/event-store/event-store.js'
import { commandDeadlineMs } from '../../src/limits.js'
import { settle } from '../support/fake-clock.js'
import { result, WriterHarness } from '../support/writer-harness.js'

t.test('after an unknown outcome the same batch is repeated at the same revision', async (t) => {
  for (const outcome of ['lost', 'unacknowledged'] as const) {
    const h = new WriterHarness()
    await h.send(h.credit(500, 'C-1'))
    h.store.failNextAppends({ outcome }, { outcome })
    const first = h.send(h.debit(100, 'O-1'))
    await settle()
    const regroup = h.send(h.debit(100, 'O-2'))
    await h.clock.advance(2_000)
    // Whether it was this process that wrote it cannot be told any more.
    const repeat = outcome === 'unacknowledged' ? 'replayed ' : ''
    t.equal(await result(first), `${repeat}WalletDebited`)
    t.equal(await result(regroup), 'WalletDebited')
    const [, one, two, three, next] = h.store.appends
    t.same(two, one, 'frozen')
    t.same(three, one, 'frozen')
    t.equal(next?.events.length, 1, 'the later command goes in a batch of its own')
    t.equal(h.stream().wallet.balanceMinor, 300, `${outcome}: booked once`)
  }
})

t.test(
  'an unknown outcome at the deadline is a 503, and the repeat tells what happened',
  async (t) => {
    const h = new WriterHarness()
    await h.send(h.credit(500, 'C-1'))
    h.store.onAppend = () => ({ outcome: 'unacknowledged' })
    const answer = h.send(h.debit(100, 'O-1'))
    await h.clock.advance(commandDeadlineMs)
    t.equal(await result(answer), 'unavailable: deadline')
    await h.clock.advance(5_000)
    h.store.onAppend = () => undefined
    const loads = h.readModels.loads
    t.equal(await result(h.send(h.debit(100, 'O-1'))), 'replayed WalletDebited')
    t.ok(h.readModels.loads > loads, 'the lane forgot its state and loaded again')
    t.equal(h.stream().wallet.balanceMinor, 400)
  },
)

t.test('a lost race folds the missing events and decides the same commands again', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const other = h.another()
  t.equal(await result(h.send(h.debit(400, 'O-1'), other.writer)), 'WalletDebited')
  const answers = await Promise.all([
    result(h.send(h.debit(200, 'O-2'))),
    result(h.send(h.debit(400, 'O-1'))),
  ])
  t.same(answers, ['INSUFFICIENT_BALANCE', 'replayed WalletDebited'])
  t.equal(h.readModels.lookUps.length, 0, 'no look-up while deciding again')
  t.equal(h.stream().wallet.balanceMinor, 100)
})

t.test(
  'a lane that loses again and again pauses from the third loss and wins in the end',
  async (t) => {
    const h = new WriterHarness()
    await h.send(h.credit(500, 'C-1'))
    const other = h.another()
    let races = 0
    h.store.onAppend = () => {
      if (races === 5) return undefined
      races += 1
      return { before: () => other.writer.execute(h.walletId, h.credit(1, `RACE-${races}`)) }
    }
    const answer = h.send(h.debit(100, 'O-1'))
    await settle()
    t.equal(races, 3, 'the first two losses are repeated at once, the third waits')
    await h.clock.advance(1_000)
    t.equal(await result(answer), 'WalletDebited')
    t.equal(h.stream().wallet.balanceMinor, 405)
  },
)

t.test('a race that is lost until the deadline is a 503 and nothing is written', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const other = h.another()
  let races = 0
  h.store.onAppend = () => {
    races += 1
    return { before: () => other.writer.execute(h.walletId, h.credit(1, `RACE-${races}`)) }
  }
  const answer = h.send(h.debit(100, 'O-1'))
  await h.clock.advance(commandDeadlineMs)
  t.equal(await result(answer), 'unavailable: deadline')
  await h.clock.advance(5_000)
  h.store.onAppend = () => undefined
  t.notMatch(h.stream().types.join(), 'WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-1'))), 'WalletDebited')
})

t.test('a conflict that shows nothing yet repeats the same batch', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const append = h.store.append.bind(h.store)
  const seen: AppendBatch[] = []
  h.store.append = async (batch) => {
    seen.push(batch)
    // Decided anew, the events would carry another time.
    await h.clock.sleep(5)
    return seen.length <= 2 ? { kind: 'conflict', missing: [] } : append(batch)
  }
  const answer = h.send(h.debit(100, 'O-1'))
  await h.clock.advance(1_000)
  t.equal(await result(answer), 'WalletDebited')
  t.equal(seen.length, 3)
  t.same(seen[2], seen[0], 'frozen')
})

t.test('a refused batch fails only its own commands and the lane goes on', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.store.failNextAppends({ outcome: 'refused' })
  const refused = h.send(h.debit(100, 'O-1'))
  await settle()
  const next = h.send(h.debit(100, 'O-2'))
  t.equal(await result(refused), 'unavailable: refused')
  t.equal(await result(next), 'WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-1'))), 'WalletDebited', 'the reference stayed free')
  t.equal(h.readModels.loads, 1, 'the lane stayed warm')
  t.match(h.lines, [{ level: 'error', msg: 'the store refused a batch' }])
})

t.test('a refusal after an unknown try is settled by loading again, not believed', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.store.failNextAppends({ outcome: 'unacknowledged' }, { outcome: 'refused' })
  const answer = h.send(h.debit(100, 'O-1'))
  await h.clock.advance(2_000)
  t.equal(await result(answer), 'replayed WalletDebited')
  t.equal(h.stream().wallet.balanceMinor, 400)
})

t.test('a command that waited past its deadline is not decided any more', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.debit(100, 'O-1'))
  await hold.reached
  const second = h.send(h.debit(100, 'O-2'))
  await h.clock.advance(commandDeadlineMs)
  t.equal(await result(first), 'unavailable: deadline')
  t.equal(await result(second), 'unavailable: deadline')
  hold.release()
  await settle()
  t.equal(h.stream().wallet.balanceMinor, 400, 'what was in flight landed, the waiting one did not')
  t.equal(await result(h.send(h.debit(100, 'O-1'))), 'replayed WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-2'))), 'WalletDebited')
})

t.test('a store or database that is away for a moment delays the command, not more', async (t) => {
  const h = new WriterHarness()
  h.readModels.failNext(2)
  h.store.failNextReads(2)
  const answer = h.send(h.credit(500, 'C-1'))
  await h.clock.advance(4_000)
  t.equal(await result(answer), 'WalletCredited')
})

t.test('a store that stays away is a 503 at the deadline', async (t) => {
  const h = new WriterHarness()
  h.rowsAreProven = false
  h.store.failNextReads(1_000)
  const answer = h.send(h.credit(500, 'C-1'))
  await h.clock.advance(commandDeadlineMs - 1)
  const before = h.clock.waiting
  await h.clock.advance(1)
  t.ok(before > 0)
  t.equal(await result(answer), 'unavailable: deadline')
  await h.clock.advance(5_000)
  t.equal(h.clock.waiting, 0, 'no timer is left behind')
})

t.test('a row that is not in the stream stops the wallet loudly', async (t) => {
  const h = new WriterHarness()
  const { walletId } = h
  const sums = { balanceMinor: 900, heldMinor: 0, holds: [] }
  const row = { walletId, revision: 3, ...sums, isActive: true, time: '2025' }
  h.readModels.forged = { ...row, ...forged(walletId) }
  t.equal(await result(h.send(h.credit(1, 'C-1'))), 'unavailable: broken')
  t.match(h.lines, [{ level: 'error', msg: 'this wallet has stopped' }])
  t.same(h.stream().types, [], 'never taken for a wallet without a stream')

  const other = new WriterHarness()
  await other.fill(3)
  const { wallet } = other.stream()
  other.readModels.forged = { ...wallet, ...forged(other.walletId) }
  const cold = other.another()
  cold.readModels.forged = other.readModels.forged
  t.equal(await result(other.send(other.credit(1, 'C-9'), cold.writer)), 'unavailable: broken')
  t.equal(other.stream().wallet.revision, wallet.revision)
})

/** What a row of another store might say. */
function forged(walletId: WalletId) {
  const hash = firstHash(walletId)
  return { hash, headId: eventIdOf(walletId, hash), allOutcomes: [] }
}

t.test('a deadline holds by the clock, also when its timer runs late', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.debit(100, 'O-1'))
  await hold.reached
  const late = h.send(h.debit(100, 'O-2'))
  h.clock.set(h.clock.now() + commandDeadlineMs + 1)
  hold.release()
  t.equal(await result(first), 'WalletDebited', 'it was decided in time')
  await settle()
  t.equal(h.stream().types.filter((type) => type === 'WalletDebited').length, 1)
  await h.clock.advance(commandDeadlineMs)
  t.equal(await result(late), 'unavailable: deadline')
})

t.test('the time for an answer begins with the request, not with the queue', async (t) => {
  const h = new WriterHarness()
  const hold = h.store.holdNextAppend('before')
  const sinceMs = h.clock.now() - commandDeadlineMs + 100
  const answer = h.writer.execute(h.walletId, h.credit(1, 'C-1'), sinceMs)
  answer.catch(() => undefined)
  await h.clock.advance(100)
  t.equal(await result(answer), 'unavailable: deadline')
  hold.release()
})

t.test(
  'a store that takes no writes fails commands at once, and the lane stays warm',
  async (t) => {
    const h = new WriterHarness()
    await h.send(h.credit(500, 'C-1'))
    h.store.onAppend = () => ({ outcome: 'not writable' })
    const loads = h.readModels.loads
    t.equal(await result(h.send(h.debit(100, 'O-1'))), 'unavailable: not-writable')
    t.equal(
      await result(h.send(h.credit(500, 'C-1'))),
      'replayed WalletCredited',
      'a repeat is read',
    )
    h.store.onAppend = () => undefined
    t.equal(await result(h.send(h.debit(500, 'O-1'))), 'WalletDebited', 'nothing of it was kept')
    t.equal(h.readModels.loads, loads)
    t.equal(h.stream().wallet.balanceMinor, 0)
  },
)

t.test('a batch that may be written is repeated though the store takes no writes', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  h.store.failNextAppends(
    { outcome: 'unacknowledged' },
    { outcome: 'not writable' },
    { outcome: 'not writable' },
  )
  const answer = h.send(h.debit(100, 'O-1'))
  await h.clock.advance(2_000)
  t.match(await result(answer), /WalletDebited/)
  t.equal(h.stream().wallet.balanceMinor, 400, 'booked once')
})

t.test('of equal commands in one millisecond over two processes one is the first', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const other = h.another()
  await result(h.send(h.credit(500, 'C-1'), other.writer))
  const hold = h.store.holdNextAppend('before')
  const here = result(h.send(h.debit(100, 'O-1')))
  await hold.reached
  t.equal(await result(h.send(h.debit(100, 'O-1'), other.writer)), 'WalletDebited')
  hold.release()
  t.equal(await here, 'replayed WalletDebited')
  const [first, second] = [h.store.appends.at(-1), other.store.appends.at(-1)]
  t.same(first, second, 'the very same bytes: the store calls both written')
  t.equal(h.stream().wallet.balanceMinor, 400)
})
