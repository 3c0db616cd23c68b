// A lane that has known its wallet since it was small: which look-ups it does without.
import t from 'tap'
import { smallWalletEventsMax } from '../../src/limits.js'
import { batchesBetweenLookUps } from '../../src/writing/limits.js'
import { result, WriterHarness } from '../support/writer-harness.js'

/** Credits `C-0`… one by one, in the same lane, until it has forgotten the first of them. */
async function grown(count = smallWalletEventsMax + 10): Promise<WriterHarness> {
  const h = new WriterHarness()
  for (let index = 0; index < count; index += 1) await h.send(h.credit(100, `C-${index}`))
  return h
}

t.test('new references need a look-up only now and then', async (t) => {
  const h = await grown()
  const before = h.readModels.lookUps.length
  t.ok(before > 0)
  const count = 4 * (batchesBetweenLookUps + 1)
  for (let index = 0; index < count; index += 1) await h.send(h.debit(1, `O-${index}`))
  t.equal(h.readModels.lookUps.length, before + 4)
})

t.test('a repeat of what the lane has forgotten is found in the rows', async (t) => {
  const h = await grown()
  const before = h.readModels.lookUps.length
  t.equal(await result(h.send(h.credit(100, 'C-0'))), 'replayed WalletCredited')
  t.equal(h.readModels.lookUps.length, before + 1)
  const last = `C-${smallWalletEventsMax + 9}`
  t.equal(await result(h.send(h.credit(100, last))), 'replayed WalletCredited', 'remembered')
})

t.test(
  'each of many repeats among new ones gets its first answer, and no money twice',
  async (t) => {
    const h = await grown()
    const balance = h.stream().wallet.balanceMinor
    const count = smallWalletEventsMax + 10
    const repeats = Array.from({ length: count }, (_, index) => h.credit(100, `C-${index}`))
    const news = Array.from({ length: count }, (_, index) => h.debit(1, `N-${index}`))
    const sent = repeats.flatMap((repeat, index) => [repeat, news[index] ?? repeat])
    const answers = await Promise.all(sent.map((command) => result(h.send(command))))
    t.equal(answers.filter((answer) => answer === 'replayed WalletCredited').length, count)
    t.equal(answers.filter((answer) => answer === 'WalletDebited').length, count)
    t.equal(h.stream().wallet.balanceMinor, balance - count)
  },
)

t.test('a refund of a forgotten debit counts every refund of it once', async (t) => {
  const h = new WriterHarness()
  await h.send(h.credit(1_000, 'START'))
  await h.send(h.debit(300, 'O-1'))
  for (let index = 0; index < 2 * smallWalletEventsMax; index += 1)
    await h.send(h.credit(1, `C-${index}`))
  const refund = (minor: number, id: string) =>
    result(h.send(h.credit(minor, id, { refundOf: 'O-1' })))
  t.equal(await refund(200, 'R-1'), 'WalletCredited')
  await h.send(h.credit(1, 'BETWEEN'))
  t.equal(await refund(101, 'R-2'), 'REFUND_EXCEEDS_DEBIT')
  t.equal(await refund(100, 'R-3'), 'WalletCredited')
  t.equal(await refund(1, 'R-4'), 'REFUND_EXCEEDS_DEBIT')
})

// With another amount: the same would be the very same event, which is there already.
t.test('what another process wrote and projected is not taken for new', async (t) => {
  const h = await grown()
  const other = h.another()
  await h.send(h.debit(7, 'THEIRS'), other.writer)
  // By a look-up that brings the rows up to it, past the lane itself.
  t.equal(await result(h.send(h.credit(100, 'C-0'))), 'replayed WalletCredited')
  t.equal(await result(h.send(h.debit(8, 'THEIRS'))), 'replayed WalletDebited')
  t.equal(await result(h.send(h.debit(1, 'O-1'))), 'WalletDebited')
  t.equal(await result(h.send(h.debit(8, 'THEIRS'))), 'replayed WalletDebited')
  t.equal(h.stream().types.filter((type) => type === 'WalletDebited').length, 2)
})

t.test('what another process wrote unseen comes with the lost race', async (t) => {
  const h = await grown()
  await h.send(h.debit(7, 'THEIRS'), h.another().writer)
  t.equal(await result(h.send(h.debit(8, 'THEIRS'))), 'replayed WalletDebited')
  t.equal(h.stream().types.filter((type) => type === 'WalletDebited').length, 1)
})
