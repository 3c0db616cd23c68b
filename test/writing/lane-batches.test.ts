// A lane takes everything that waits, decides it in order, appends once, and only then answers.
import t from 'tap'
import { batchBytesMax, batchCommandsMax } from '../../src/limits.js'
import { settle } from '../support/fake-clock.js'
import { deactivate } from '../support/given.js'
import { result, WriterHarness } from '../support/writer-harness.js'

t.test('the first batch of a wallet opens its stream', async (t) => {
  const h = new WriterHarness()
  t.equal(await result(h.send(h.credit(500, 'C-1'))), 'WalletCredited')
  t.same(h.stream().types, ['WalletOpened', 'WalletCredited'])
  t.equal(h.store.appends[0]?.expectedRevision, -1)
})

t.test(
  'commands that wait together go in one append, in order, each with its answer',
  async (t) => {
    const h = new WriterHarness()
    const hold = h.store.holdNextAppend('before')
    const first = h.send(h.credit(500, 'C-1'))
    await hold.reached
    const waiting = [
      h.send(h.debit(300, 'O-1')),
      h.send(h.debit(300, 'O-2')),
      h.send(h.debit(200, 'O-3')),
    ]
    hold.release()
    t.equal(await result(first), 'WalletCredited')
    t.same(await Promise.all(waiting.map(result)), [
      'WalletDebited',
      'INSUFFICIENT_BALANCE',
      'WalletDebited',
    ])
    t.equal(h.store.appends.length, 2)
    t.equal(h.stream().wallet.balanceMinor, 0)
  },
)

t.test('events carry the bounded time where the clock of this machine is ahead', async (t) => {
  const h = new WriterHarness()
  h.stampMs = h.clock.now() - 3_600_000
  await h.send(h.credit(500, 'C-1'))
  t.equal(h.stream().wallet.time, new Date(h.stampMs).toISOString())
})

t.test('one append is in flight: what arrives meanwhile waits', async (t) => {
  const h = new WriterHarness()
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.credit(500, 'C-1'))
  await hold.reached
  const second = h.send(h.debit(100, 'O-1'))
  await settle()
  t.equal(h.store.appends.length, 1)
  hold.release()
  await Promise.all([first, second])
  t.equal(h.store.appends.length, 2)
})

t.test('nobody is answered before the append is confirmed', async (t) => {
  const h = new WriterHarness()
  const hold = h.store.holdNextAppend('after')
  let answered = false
  const answer = h.send(h.credit(500, 'C-1')).finally(() => (answered = true))
  await hold.reached
  await settle()
  t.equal(answered, false)
  hold.release()
  await answer
})

t.test('sixty-four equal debits at once are one event and sixty-four equal answers', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const answers = await Promise.all(Array.from({ length: 64 }, () => h.send(h.debit(100, 'O-1'))))
  t.equal(new Set(answers.map(({ outcome }) => JSON.stringify(outcome))).size, 1)
  t.equal(answers.filter(({ replayed }) => !replayed).length, 1)
  t.equal(h.stream().wallet.balanceMinor, 400)
})

t.test('a batch of replays appends nothing', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const before = h.store.appends.length
  t.equal(await result(h.send(h.credit(500, 'C-1'))), 'replayed WalletCredited')
  t.equal(await result(h.send(h.debit(9, 'C-1'))), 'replayed WalletCredited')
  t.equal(h.store.appends.length, before)
})

t.test('a command without a reference is recorded and changes what follows it', async (t) => {
  const h = new WriterHarness()
  const answers = [h.credit(500, 'C-1'), deactivate, h.debit(1, 'O-1')].map((c) => h.send(c))
  t.same(await Promise.all(answers.map(result)), ['WalletCredited', 'recorded', 'WALLET_INACTIVE'])
})

t.test('times never run back within a stream, whatever the clock does', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(500, 'C-1'))
  const before = h.stream().wallet.time
  h.clock.set(h.clock.now() - 3_600_000)
  const { outcome } = await h.send(h.debit(100, 'O-1'))
  t.equal(outcome.time, before)
  h.clock.set(h.clock.now() + 7_200_000)
  const later = await h.send(h.debit(100, 'O-2'))
  t.ok(later.outcome.time > before)
})

t.test('a batch is bounded by its count, the rest follows in the next one', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(100_000, 'C-1'))
  const commands = Array.from({ length: batchCommandsMax + 10 }, (_, i) => h.debit(1, `O-${i}`))
  const answers = await Promise.all(commands.map((command) => h.send(command)))
  t.ok(answers.every(({ outcome }) => outcome.type === 'WalletDebited'))
  const sizes = h.store.appends.map((batch) => batch.events.length)
  t.ok(Math.max(...sizes) <= batchCommandsMax)
  t.equal(h.stream().wallet.balanceMinor, 100_000 - commands.length)
})

t.test('a batch is bounded by its bytes, and every command is still booked in order', async (t) => {
  const h = new WriterHarness()
  const description = `v1.${'x'.repeat(6_000)}` as const
  const commands = Array.from({ length: 200 }, (_, i) => ({
    ...h.credit(1, `C-${i}`),
    description,
  }))
  const answers = await Promise.all(commands.map((command) => h.send(command)))
  t.same(
    answers.map(({ outcome }) => outcome.balanceMinor),
    commands.map((_, index) => index + 1),
  )
  for (const { events } of h.store.appends) {
    const bytes = events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0)
    t.ok(bytes <= batchBytesMax)
  }
})
