// The rules of holds, in the order in which `decide` checks them, and what folding refuses.
import t from 'tap'
import { entryFault } from '../../src/domain/entry-fault.js'
import { openHoldsMax } from '../../src/domain/holds.js'
import { evolve } from '../../src/domain/wallet.js'
import type { MakeEvent } from '../support/given.js'
import {
  booked,
  captureHold,
  credit,
  credited,
  deactivate,
  deactivated,
  debit,
  entered,
  entryOf,
  given,
  holdCaptured,
  holdExpired,
  holdPlaced,
  holdReleased,
  later,
  placeHold,
  releaseHold,
  service,
  TestLedger,
  voided,
} from '../support/given.js'

t.test('a hold sets money aside: the balance stays, what is available does not', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'))
  const { outcome } = ledger.send(placeHold(300, 'H-1', { seconds: 60 }))
  t.match(outcome, { type: 'HoldPlaced', balanceMinor: 500, heldMinor: 300, expiresAt: later(60) })
  t.match(ledger.wallet, { balanceMinor: 500, heldMinor: 300 })
  t.match(ledger.send(debit(201, 'O-1')).outcome, { code: 'INSUFFICIENT_BALANCE', heldMinor: 300 })
  t.match(ledger.send(debit(200, 'O-2')).outcome, { type: 'WalletDebited', balanceMinor: 300 })
  t.match(ledger.send(placeHold(1, 'H-2')).outcome, { code: 'INSUFFICIENT_BALANCE' })
  t.match(ledger.send(credit(10, 'C-2')).outcome, { balanceMinor: 310, heldMinor: 300 })
  const all = ledger.send(placeHold(10, 'H-3')).outcome
  t.match(all, { type: 'HoldPlaced', heldMinor: 310 }, 'all that is available can be held')
  t.end()
})

t.test('a repeated hold is the first one, also when it is over', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'))
  const first = ledger.send(placeHold(300, 'H-1'))
  t.same(ledger.send(placeHold(300, 'H-1')), { events: [], outcome: first.outcome })
  ledger.send(releaseHold('H-1', 'X-1'))
  t.same(ledger.send(placeHold(300, 'H-1')), { events: [], outcome: first.outcome })
  t.equal(ledger.wallet.heldMinor, 0, 'nothing is held by a repeat')
  t.end()
})

t.test('a hold is declined while inactive, for want of money, and beyond the bound', (t) => {
  const inactive = { code: 'WALLET_INACTIVE', amountMinor: 5 }
  given(deactivated)
    .when(placeHold(5, 'H-1'))
    .then(t, { events: [['HoldDeclined', inactive]], balanceMinor: 0 })
  const full = ledgerOf(credited(500, 'C-1'))
  for (let count = 0; count < openHoldsMax; count += 1) full.send(placeHold(1, `H-${count}`))
  t.match(full.send(placeHold(401, 'H-a')).outcome, { code: 'INSUFFICIENT_BALANCE' })
  t.match(full.send(placeHold(1, 'H-b')).outcome, { code: 'TOO_MANY_HOLDS', heldMinor: 100 })
  full.send(releaseHold('H-7', 'X-1'))
  t.match(full.send(placeHold(1, 'H-c')).outcome, { type: 'HoldPlaced', heldMinor: 100 })
  t.end()
})

t.test('captures take of the hold until it is used up', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1'))
  const first = ledger.send(captureHold('H-1', 'K-1', { amountMinor: 100 }))
  t.match(first.outcome, { type: 'HoldCaptured', balanceMinor: 400, heldMinor: 200 })
  t.match(ledger.send(captureHold('H-1', 'K-2', { amountMinor: 201 })).outcome, {
    ...{ type: 'CaptureDeclined', code: 'CAPTURE_EXCEEDS_HOLD' },
    ...{ balanceMinor: 400, heldMinor: 200 },
  })
  const rest = ledger.send(captureHold('H-1', 'K-3')).outcome
  t.match(rest, { type: 'HoldCaptured', amountMinor: 200, balanceMinor: 200 })
  t.equal(rest.heldMinor, undefined, 'nothing is held any more')
  t.match(ledger.send(captureHold('H-1', 'K-4')).outcome, { code: 'HOLD_CLOSED', amountMinor: 0 })
  t.same(ledger.send(captureHold('H-1', 'K-1', { amountMinor: 100 })).outcome, first.outcome)
  t.end()
})

t.test('a final capture releases what is left', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1'))
  const { events } = ledger.send(captureHold('H-1', 'K-1', { amountMinor: 120, isFinal: true }))
  t.match(events, [{ type: 'HoldCaptured', data: { amountMinor: 120, releasedMinor: 180 } }])
  t.match(ledger.wallet, { balanceMinor: 380, heldMinor: 0, holds: [] })
  t.match(ledger.send(releaseHold('H-1', 'X-1')).outcome, { code: 'HOLD_CLOSED' })
  t.end()
})

t.test('what never was a hold, or is another app’s, is closed', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1'))
  ledger.send(placeHold(201, 'H-2'))
  const closed = { code: 'HOLD_CLOSED', balanceMinor: 500, heldMinor: 300 }
  t.match(ledger.send(captureHold('H-2', 'K-1')).outcome, closed, 'a refused hold')
  t.match(ledger.send(captureHold('C-1', 'K-2')).outcome, closed, 'a credit')
  t.match(ledger.send(captureHold('H-404', 'K-3')).outcome, closed, 'nothing')
  const market = { issuer: 'client-app:market' } as const
  t.match(ledger.send(captureHold('H-1', 'K-4', market)).outcome, closed, 'of another app')
  t.match(ledger.send(releaseHold('H-1', 'X-1', market)).outcome, closed)
  ledger.send(voided('H-3'))
  t.match(ledger.send(placeHold(1, 'H-3')).outcome, { code: 'VOIDED' }, 'a voided reference')
  t.end()
})

t.test('after a reversal a capture never goes below zero', (t) => {
  const ledger = ledgerOf(booked('WalletToppedUp', 100, 'pi_1'), holdPlaced(90, 'H-1'))
  ledger.send(service('ReverseTopUp', 80, 're_1'))
  t.match(ledger.wallet, { balanceMinor: 20, heldMinor: 90 })
  t.match(ledger.send(captureHold('H-1', 'K-1', { amountMinor: 21 })).outcome, {
    code: 'INSUFFICIENT_BALANCE',
  })
  t.match(ledger.send(captureHold('H-1', 'K-2', { amountMinor: 20 })).outcome, {
    ...{ type: 'HoldCaptured', balanceMinor: 0, heldMinor: 70 },
  })
  t.match(ledger.send(debit(1, 'O-1')).outcome, { code: 'INSUFFICIENT_BALANCE' })
  t.end()
})

t.test('an inactive wallet declines a capture; release and expiry always work', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1'), holdPlaced(50, 'H-2'))
  ledger.send(deactivate)
  t.match(ledger.send(captureHold('H-1', 'K-1')).outcome, {
    ...{ code: 'WALLET_INACTIVE', amountMinor: 300, heldMinor: 350 },
  })
  t.match(ledger.send(releaseHold('H-1', 'X-1')).outcome, { type: 'HoldReleased', heldMinor: 50 })
  ledger.now = later(8 * 86_400)
  t.match(ledger.expire(), [{ type: 'HoldExpired' }])
  t.match(ledger.wallet, { balanceMinor: 500, heldMinor: 0 })
  t.end()
})

t.test('a capture can be refunded as a debit can', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1'))
  ledger.send(captureHold('H-1', 'K-1', { amountMinor: 100 }))
  const tooMuch = credit(101, 'R-1', { refundOf: 'K-1' })
  t.match(ledger.send(tooMuch).outcome, { code: 'REFUND_EXCEEDS_DEBIT' })
  t.match(ledger.send(credit(60, 'R-2', { refundOf: 'K-1' })).outcome, { type: 'WalletCredited' })
  t.match(ledger.send(credit(41, 'R-3', { refundOf: 'K-1' })).outcome, {
    code: 'REFUND_EXCEEDS_DEBIT',
  })
  t.match(ledger.send(credit(1, 'R-4', { refundOf: 'H-1' })).outcome, {
    code: 'REFUND_EXCEEDS_DEBIT',
  })
  t.end()
})

t.test('a hold expires at its time, before anything later is decided', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'), holdPlaced(300, 'H-1', { expiresAt: later(60) }))
  ledger.send(placeHold(100, 'H-2', { seconds: 90 }))
  ledger.now = later(59.999)
  t.match(ledger.send(debit(101, 'O-1')).outcome, { code: 'INSUFFICIENT_BALANCE' })
  ledger.now = later(60)
  const { events } = ledger.send(captureHold('H-1', 'K-1'))
  const reference = { referenceType: 'HOLD_EXPIRED', referenceId: entryOf('H-1') }
  t.match(events, [
    {
      type: 'HoldExpired',
      data: { ...reference, issuer: 'service', amountMinor: 300, heldMinor: 100 },
    },
    { type: 'CaptureDeclined', data: { code: 'HOLD_CLOSED' } },
  ])
  ledger.now = later(1_000)
  t.match(ledger.send(debit(500, 'O-2')).events, [
    { type: 'HoldExpired', data: { referenceId: entryOf('H-2') } },
    { type: 'WalletDebited', data: { balanceMinor: 0 } },
  ])
  t.end()
})

t.test('folding stops at what no rule made of a hold', (t) => {
  const base = [credited(500, 'C-1'), holdPlaced(300, 'H-1')]
  const refused: readonly [MakeEvent, RegExp][] = [
    [holdCaptured('H-1', 301, 'K-1'), /no more is captured than is held/],
    [holdExpired('H-1', 300, { time: later(60) }), /never expires before its time/],
    [holdExpired('H-404', 300), /only an open hold/],
    [holdReleased('H-1', 299, 'X-1'), /gives back all that is left/],
    [entered('WalletDebited', { amountMinor: 201, referenceId: 'O-1' }), /what is held/],
    [holdPlaced(201, 'H-2'), /what is held/],
    [holdPlaced(1, 'H-2', { expiresAt: later(0) }), /after it was placed/],
    [holdCaptured('H-1', 100, 'K-1', { releasedMinor: 100 }), /all that is left/],
    [credited(1, 'C-2', { time: later(9 * 86_400) }), /before anything later/],
    [holdCaptured('H-1', 1, 'K-1', { issuer: 'service' }), /apps issue/],
    [holdExpired('H-1', 300, { issuer: 'client-app:shop' }), /apps issue/],
  ]
  for (const [make, problem] of refused) {
    const { wallet } = ledgerOf(...base)
    t.throws(() => evolve(wallet, make(wallet)), { message: problem })
  }
  const { wallet } = ledgerOf(...base)
  const untold = credited(1, 'C-2')({ ...wallet, heldMinor: 0 })
  t.throws(() => evolve(wallet, untold), { message: /the held sum/ })
  t.end()
})

t.test('an audit reads the command of every hold entry back from it', (t) => {
  const ledger = ledgerOf(credited(500, 'C-1'))
  const commands = [
    placeHold(300, 'H-1'),
    captureHold('H-1', 'K-1', { amountMinor: 100 }),
    captureHold('H-1', 'K-2', { amountMinor: 999 }),
    captureHold('H-1', 'K-3', { amountMinor: 50, isFinal: true }),
    captureHold('H-1', 'K-4'),
    releaseHold('H-1', 'X-1'),
    placeHold(100, 'H-2'),
    releaseHold('H-2', 'X-2'),
    placeHold(999, 'H-3'),
  ]
  for (const command of commands) {
    const { wallet } = ledger
    const [event] = ledger.send(command).events
    if (event === undefined || !('entryId' in event.data)) throw new Error('an entry')
    const before = ledgerBefore(ledger)
    t.equal(entryFault(wallet, event as never, before), undefined, event.type)
  }
  const { wallet } = ledgerOf(credited(500, 'C-1'))
  const odd = holdPlaced(5, 'H-9', { expiresAt: later(59) })(wallet)
  t.match(entryFault(wallet, odd as never, new TestLedger()), /for a time that no command/)
  t.end()
})

/** The references before its last event. */
function ledgerBefore(ledger: TestLedger): TestLedger {
  const before = new TestLedger()
  for (const event of ledger.events.slice(1, -1)) before.record(() => event)
  return before
}

function ledgerOf(...events: readonly MakeEvent[]): TestLedger {
  const ledger = new TestLedger()
  for (const make of events) ledger.record(make)
  return ledger
}
