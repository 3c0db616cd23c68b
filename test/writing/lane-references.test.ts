// How a lane knows which references are used: its memory above `base`, the rows up to it.
import t from 'tap'
import { smallWalletEventsMax } from '../../src/limits.js'
import { result, WriterHarness } from '../support/writer-harness.js'

const large = smallWalletEventsMax + 10

t.test('a wallet with few entries loads them all and needs no look-up', async (t) => {
  const h = new WriterHarness()
  await h.fill(5)
  const cold = h.another()
  t.equal(await result(h.send(h.credit(100, 'FILL-0'), cold.writer)), 'replayed WalletCredited')
  t.equal(await result(h.send(h.debit(100, 'O-1'), cold.writer)), 'WalletDebited')
  t.equal(cold.readModels.loads, 1)
  t.equal(cold.readModels.lookUps.length, 0)
})

t.test('a large wallet asks the rows once a batch for all its references', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  const cold = h.another()
  const commands = [h.credit(1, 'FILL-7'), h.debit(100, 'O-1'), h.debit(9, 'FILL-8')]
  const answers = await Promise.all(commands.map((c) => result(h.send(c, cold.writer))))
  t.same(answers, ['replayed WalletCredited', 'WalletDebited', 'replayed WalletCredited'])
  t.same(
    cold.readModels.lookUps.map(({ entryIds }) => entryIds.length),
    [3],
  )
  t.equal(await result(h.send(h.debit(100, 'O-1'), cold.writer)), 'replayed WalletDebited')
})

t.test('references that the rows do not know yet stay in memory', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  const cold = h.another()
  await h.send(h.debit(100, 'O-1'), cold.writer)
  cold.readModels.holdAt(h.log.events.at(-2)?.position)
  t.equal(await result(h.send(h.debit(100, 'O-2'), cold.writer)), 'WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-2'), cold.writer)), 'replayed WalletDebited')
  t.equal(await result(h.send(h.debit(100, 'O-1'), cold.writer)), 'replayed WalletDebited')
})

t.test('rows that lag behind a cold lane are completed by the tail of the stream', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  const cold = h.another()
  cold.readModels.holdAt(h.log.events.at(-5)?.position)
  const lastFill = `FILL-${large - 1}`
  t.equal(await result(h.send(h.credit(100, lastFill), cold.writer)), 'replayed WalletCredited')
  t.equal(await result(h.send(h.debit(100, 'O-1'), cold.writer)), 'WalletDebited')
})

t.test(
  'rows that step back behind the base: the lane loads again and doubles nothing',
  async (t) => {
    const h = new WriterHarness()
    await h.fill(large)
    const cold = h.another()
    await h.send(h.debit(100, 'O-1'), cold.writer)
    await h.send(h.debit(100, 'O-2'), cold.writer)
    const loads = cold.readModels.loads
    cold.readModels.holdAt(h.log.events.at(20)?.position)
    const repeat = h.send(h.debit(100, 'O-1'), cold.writer)
    await h.clock.advance(1_000)
    t.equal(await result(repeat), 'replayed WalletDebited')
    t.equal(cold.readModels.loads, loads + 1)
    t.equal(h.stream().types.filter((type) => type === 'WalletDebited').length, 2)
  },
)

t.test('rows ahead of the lane: another process wrote, nothing is doubled', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  const [one, two] = [h.another(), h.another()]
  await h.send(h.debit(100, 'O-1'), one.writer)
  await h.send(h.debit(200, 'O-2'), two.writer)
  await h.send(h.debit(200, 'O-3'), two.writer)
  const answers = [h.debit(1, 'O-2'), h.debit(100, 'O-4'), h.debit(1, 'O-3')]
  t.same(await Promise.all(answers.map((c) => result(h.send(c, one.writer)))), [
    'replayed WalletDebited',
    'WalletDebited',
    'replayed WalletDebited',
  ])
  t.equal(h.stream().wallet.balanceMinor, large * 100 - 600)
})

t.test('memory stays bounded: what the rows answer for is forgotten', async (t) => {
  const h = new WriterHarness({ laneReferencesMax: smallWalletEventsMax + 2 })
  const count = 3 * smallWalletEventsMax
  for (let index = 0; index < count; index += 1) await h.send(h.credit(1, `C-${index}`))
  t.equal(h.stream().wallet.balanceMinor, count)
})

t.test(
  'while the projections stand still a lane refuses before its memory overflows',
  async (t) => {
    const h = new WriterHarness({ laneReferencesMax: 100 })
    h.readModels.holdAt(0n)
    for (let index = 0; index < 100; index += 1) await h.send(h.credit(1, `C-${index}`))
    t.equal(await result(h.send(h.credit(1, 'C-100'))), 'unavailable: projections-behind')
    h.readModels.holdAt(undefined)
    t.equal(await result(h.send(h.credit(1, 'C-100'))), 'WalletCredited', 'they have caught up')
  },
)

t.test('a refund counts what the rows and the memory know, each once', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  await h.send(h.debit(300, 'O-1'))
  await h.send(h.credit(100, 'R-1', { refundOf: 'O-1' }))
  const cold = h.another()
  // The rows know the debit and the first refund; the second and third are only in memory.
  cold.readModels.holdAt(h.log.events.at(-1)?.position)
  const refund = (minor: number, id: string) =>
    result(h.send(h.credit(minor, id, { refundOf: 'O-1' }), cold.writer))
  t.equal(await refund(100, 'R-2'), 'WalletCredited')
  t.equal(await refund(101, 'R-3'), 'REFUND_EXCEEDS_DEBIT')
  const together = await Promise.all([refund(60, 'R-4'), refund(60, 'R-5'), refund(40, 'R-6')])
  t.same(together, ['WalletCredited', 'REFUND_EXCEEDS_DEBIT', 'WalletCredited'])
  cold.readModels.holdAt(undefined)
  t.equal(await refund(1, 'R-7'), 'REFUND_EXCEEDS_DEBIT')
})

t.test(
  'a refund raced by another process is decided again with what that one refunded',
  async (t) => {
    const h = new WriterHarness()
    await h.fill(large)
    await h.send(h.debit(300, 'O-1'))
    const [one, two] = [h.another(), h.another()]
    await h.send(h.credit(1, 'WARM'), one.writer)
    one.readModels.holdAt(h.log.events.at(-1)?.position)
    await h.send(h.credit(200, 'R-1', { refundOf: 'O-1' }), two.writer)
    const late = h.send(h.credit(200, 'R-2', { refundOf: 'O-1' }), one.writer)
    t.equal(await result(late), 'REFUND_EXCEEDS_DEBIT')
  },
)

t.test('rows that step back only behind what the lane has forgotten are noticed too', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  const cold = h.another()
  await h.send(h.debit(100, 'O-1'), cold.writer)
  const before = h.log.events.at(-2)?.position
  // This look-up moves the base beyond O-1, which the lane then leaves to the rows.
  await h.send(h.debit(100, 'O-2'), cold.writer)
  cold.readModels.holdAt(before)
  const repeat = h.send(h.debit(100, 'O-1'), cold.writer)
  await h.clock.advance(1_000)
  t.equal(await result(repeat), 'replayed WalletDebited')
})

t.test('a refund that moves from the memory into the rows still counts once', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  await h.send(h.debit(300, 'O-1'))
  const cold = h.another()
  const refund = (id: string) => result(h.send(h.credit(100, id, { refundOf: 'O-1' }), cold.writer))
  t.equal(await refund('R-1'), 'WalletCredited', 'now in memory only')
  t.equal(await refund('R-2'), 'WalletCredited', 'the first one is in the rows now')
  t.equal(await refund('R-3'), 'WalletCredited')
  t.equal(await refund('R-4'), 'REFUND_EXCEEDS_DEBIT')
})

t.test('a refund of another process that is in the rows already counts once', async (t) => {
  const h = new WriterHarness()
  await h.fill(large)
  await h.send(h.debit(300, 'O-1'))
  const [one, two] = [h.another(), h.another()]
  await h.send(h.credit(1, 'WARM'), one.writer)
  await h.send(h.credit(100, 'R-1', { refundOf: 'O-1' }), two.writer)
  // The rows are ahead of lane one: it loses the race and folds what the rows counted already.
  const rest = h.send(h.credit(200, 'R-2', { refundOf: 'O-1' }), one.writer)
  t.equal(await result(rest), 'WalletCredited')
})
