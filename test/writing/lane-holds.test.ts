// Holds in lanes: what has expired is written first, races have one outcome, the sweeper finds the
// rest.
import { pino } from 'pino'
import t from 'tap'
import type { DueWallet } from '../../src/reading/read-models.js'
import { HoldSweeper } from '../../src/writing/hold-sweeper.js'
import { holdSweepMs } from '../../src/writing/limits.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import { captureHold, deactivate, placeHold, releaseHold } from '../support/given.js'
import { result, WriterHarness } from '../support/writer-harness.js'

const minuteMs = 60_000

t.test('a debit after the expiry finds the money, behind the event that released it', async (t) => {
  const h = await withHold(100)
  t.equal(await result(h.send(h.debit(1, 'O-1'))), 'INSUFFICIENT_BALANCE')
  await h.clock.advance(minuteMs)
  t.equal(await result(h.send(h.debit(100, 'O-2'))), 'WalletDebited')
  t.same(h.stream().types.slice(-3), ['DebitDeclined', 'HoldExpired', 'WalletDebited'])
  t.match(h.stream().wallet, { balanceMinor: 0, heldMinor: 0 })
})

t.test('in one batch all that is due goes first, and each command sees it gone', async (t) => {
  const h = await withHold(50)
  await h.send(placeHold(50, 'H-2', { of: h.walletId, seconds: 60 }))
  await h.clock.advance(minuteMs)
  const answers = await Promise.all([
    result(h.send(captureHold('H-1', 'K-1', { of: h.walletId }))),
    result(h.send(releaseHold('H-2', 'X-1', { of: h.walletId }))),
    result(h.send(deactivate)),
  ])
  t.same(answers, ['HOLD_CLOSED', 'HOLD_CLOSED', 'recorded'])
  const expiries = ['HoldExpired', 'HoldExpired']
  const rest = ['CaptureDeclined', 'ReleaseDeclined', 'WalletDeactivated']
  t.same(h.stream().types.slice(-5), [...expiries, ...rest])
})

t.test('a clock that steps back lets no hold expire early or twice', async (t) => {
  const h = await withHold(100)
  h.stampMs = h.clock.now() + minuteMs
  t.equal(await result(h.send(h.credit(1, 'C-1'))), 'WalletCredited')
  h.stampMs = h.clock.now()
  t.equal(await result(h.send(h.credit(1, 'C-2'))), 'WalletCredited')
  const types = h.stream().types.filter((type) => type === 'HoldExpired')
  t.equal(types.length, 1, 'the fold accepts all of it')
})

t.test('capture, release and expiry race in two processes: one of them has the hold', async (t) => {
  for (const isDue of [false, true]) {
    const h = await withHold(100)
    const other = h.another()
    if (isDue) await h.clock.advance(minuteMs)
    const answers = await Promise.all([
      result(h.send(captureHold('H-1', 'K-1', { of: h.walletId }))),
      result(h.send(releaseHold('H-1', 'X-1', { of: h.walletId }), other.writer)),
      result(h.send(captureHold('H-1', 'K-2', { of: h.walletId }), other.writer)),
    ])
    const ends = h.stream().types.filter((type) => /^Hold(Captured|Released|Expired)$/.test(type))
    t.equal(ends.length, 1, `one end: ${ends.join()}`)
    t.equal(answers.filter((answer) => answer === 'HOLD_CLOSED').length, isDue ? 3 : 2)
  }
})

t.test('a cold lane of a large wallet loads the open holds with the row', async (t) => {
  const h = await withHold(100)
  await h.fill(smallWalletEventsMax + 10)
  const cold = h.another()
  const answer = await h.send(captureHold('H-1', 'K-1', { of: h.walletId }), cold.writer)
  t.match(answer.outcome, { type: 'HoldCaptured', amountMinor: 100 })
  t.equal(answer.outcome.heldMinor, undefined)
  const again = await h.send(placeHold(100, 'H-1', { of: h.walletId }), h.another().writer)
  t.match(again, { replayed: true, outcome: { type: 'HoldPlaced', heldMinor: 100 } })
})

t.test('the sweeper has what is due written where nothing else happens', async (t) => {
  const h = await withHold(100)
  const asked: (DueWallet | undefined)[] = []
  const due = {
    dueHolds: async ({ time, after }: { time: string; after?: DueWallet | undefined }) => {
      asked.push(after)
      const [next] = h.stream().wallet.holds
      if (next === undefined || next.expiresAt > time) return []
      return [{ walletId: h.walletId, expiresAt: next.expiresAt }]
    },
  }
  const log = pino({ level: 'silent' })
  const sweepers = [h.writer, h.another().writer].map(
    (writer) => new HoldSweeper({ due, writer, clock: h.clock, log }),
  )
  for (const sweeper of sweepers) sweeper.start()
  await h.clock.advance(minuteMs - 1)
  t.equal(h.stream().wallet.heldMinor, 100, 'not a moment too early')
  await h.clock.advance(holdSweepMs + 1)
  for (const sweeper of sweepers) await sweeper.stop()
  t.same(h.stream().types.slice(-2), ['HoldPlaced', 'HoldExpired'], 'once, by one of the two')
  t.ok(asked.length > 10)
  t.equal(h.clock.waiting, 0)
})

t.test('a sweep of a wallet without anything due writes nothing', async (t) => {
  const h = new WriterHarness()
  await h.writer.execute(h.walletId, { type: 'ExpireHolds' })
  t.same(h.stream().types, [], 'not even an opening')
  await h.send(h.credit(1, 'C-1'))
  t.same(await h.writer.execute(h.walletId, { type: 'ExpireHolds' }), { replayed: false })
  t.same(h.stream().types, ['WalletOpened', 'WalletCredited'])
})

/** A wallet with 100 and a hold of a minute. */
async function withHold(amountMinor: number): Promise<WriterHarness> {
  const h = new WriterHarness()
  await h.send(h.credit(100, 'C-0'))
  await h.send(placeHold(amountMinor, 'H-1', { of: h.walletId, seconds: 60 }))
  return h
}
