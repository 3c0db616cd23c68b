// The rules of a wallet, in the order in which `decide` checks them: idempotency first.
import t from 'tap'
import { firstHash } from '../../src/domain/hash-chain.js'
import { balanceMaxMinor } from '../../src/domain/money.js'
import { emptyWallet, evolve } from '../../src/domain/wallet.js'
import type { DeclineCode, WalletEvent } from '../../src/domain/wallet-events.js'
import {
  booked,
  credit,
  credited,
  deactivate,
  deactivated,
  debit,
  debitDeclined,
  debited,
  given,
  holdPlaced,
  reactivated,
  service,
  TestLedger,
  time,
  voided,
  walletId,
} from '../support/given.js'

t.test('a repeated debit answers with the first balance and moves no money', (t) => {
  given(credited(500, 'C-1'), debited(200, 'ORDER-1'), credited(50, 'C-2'))
    .when(debit(200, 'ORDER-1'))
    .then(t, {
      events: [],
      outcome: { type: 'WalletDebited', balanceMinor: 300 },
      balanceMinor: 350,
    })
  t.end()
})

t.test('a repeat with another amount or the other verb is still the first outcome', (t) => {
  given(credited(500, 'C-1'), debited(200, 'ORDER-1'))
    .when(debit(499, 'ORDER-1'))
    .then(t, { events: [], outcome: { amountMinor: 200 }, balanceMinor: 300 })
  given(credited(500, 'C-1'), debited(200, 'ORDER-1'))
    .when(credit(200, 'ORDER-1'))
    .then(t, { events: [], outcome: { type: 'WalletDebited' }, balanceMinor: 300 })
  t.end()
})

t.test('a declined debit stays declined when the money arrives later', (t) => {
  given(debitDeclined(200, 'ORDER-1', { code: 'INSUFFICIENT_BALANCE' }), credited(500, 'C-1'))
    .when(debit(200, 'ORDER-1'))
    .then(t, {
      events: [],
      outcome: { type: 'DebitDeclined', code: 'INSUFFICIENT_BALANCE', balanceMinor: 0 },
      balanceMinor: 500,
    })
  t.end()
})

t.test('two client apps using the same pair do not collide', (t) => {
  given(credited(500, 'C-1'), debited(200, 'ORDER-1'))
    .when(debit(100, 'ORDER-1', { issuer: 'client-app:market' }))
    .then(t, { events: [['WalletDebited']], balanceMinor: 200 })
  t.end()
})

t.test('a client app using the label TOPUP does not collide with a card top-up', (t) => {
  given(booked('WalletToppedUp', 500, 'pi_1'))
    .when(debit(100, 'pi_1', { label: 'TOPUP' }))
    .then(t, { events: [['WalletDebited']], balanceMinor: 400 })
  t.end()
})

t.test('an inactive wallet declines debit and credit, before it looks at the balance', (t) => {
  given(deactivated)
    .when(debit(200, 'ORDER-1'))
    .then(t, { events: [['DebitDeclined', { code: 'WALLET_INACTIVE' }]], balanceMinor: 0 })
  given(credited(5, 'C-1'), deactivated)
    .when(credit(10, 'C-2'))
    .then(t, { events: [['CreditDeclined', { code: 'WALLET_INACTIVE' }]], balanceMinor: 5 })
  t.end()
})

t.test('a reactivated wallet works again, and what was declined stays declined', (t) => {
  given(
    credited(300, 'C-1'),
    deactivated,
    debitDeclined(200, 'ORDER-1', { code: 'WALLET_INACTIVE' }),
    reactivated,
  )
    .when(debit(200, 'ORDER-2'))
    .then(t, { events: [['WalletDebited']], balanceMinor: 100 })
  given(
    credited(300, 'C-1'),
    deactivated,
    debitDeclined(200, 'ORDER-1', { code: 'WALLET_INACTIVE' }),
    reactivated,
  )
    .when(debit(200, 'ORDER-1'))
    .then(t, { events: [], outcome: { code: 'WALLET_INACTIVE' }, balanceMinor: 300 })
  t.end()
})

t.test('deactivating twice is recorded twice: an answer nobody confirmed would be a guess', (t) => {
  given(deactivated)
    .when(deactivate)
    .then(t, { events: [['WalletDeactivated', { reason: 'fraud' }]], balanceMinor: 0 })
  t.end()
})

t.test('a debit takes the balance to zero and never below', (t) => {
  given(credited(200, 'C-1'))
    .when(debit(200, 'ORDER-1'))
    .then(t, { events: [['WalletDebited', { balanceMinor: 0 }]], balanceMinor: 0 })
  given(credited(200, 'C-1'))
    .when(debit(201, 'ORDER-1'))
    .then(t, {
      events: [['DebitDeclined', { code: 'INSUFFICIENT_BALANCE', amountMinor: 201 }]],
      outcome: { balanceMinor: 200 },
      balanceMinor: 200,
    })
  t.end()
})

t.test('partial refunds add up to what the debit took and no further', (t) => {
  const sold = [credited(500, 'C-1'), debited(300, 'ORDER-1')]
  given(...sold)
    .when(credit(301, 'R-1', { refundOf: 'ORDER-1' }))
    .then(t, { events: [['CreditDeclined', { code: 'REFUND_EXCEEDS_DEBIT' }]], balanceMinor: 200 })
  const once = [...sold, credited(200, 'R-1', { refundOf: 'ORDER-1' })]
  given(...once)
    .when(credit(100, 'R-2', { refundOf: 'ORDER-1' }))
    .then(t, { events: [['WalletCredited', { refundOf: {} }]], balanceMinor: 500 })
  given(...once)
    .when(credit(101, 'R-2', { refundOf: 'ORDER-1' }))
    .then(t, { events: [['CreditDeclined', { refundOf: {} }]], balanceMinor: 400 })
  t.end()
})

t.test(
  "nothing is left to refund of an unknown pair, another app's, a credit or a decline",
  (t) => {
    const history = [
      credited(500, 'C-1'),
      debited(300, 'ORDER-1'),
      debitDeclined(900, 'ORDER-2', { code: 'INSUFFICIENT_BALANCE' }),
    ]
    const refunds = [
      credit(1, 'R-1', { refundOf: 'ORDER-0' }),
      credit(1, 'R-1', { refundOf: 'ORDER-1', issuer: 'client-app:market' }),
      credit(1, 'R-1', { refundOf: 'C-1' }),
      credit(1, 'R-1', { refundOf: 'ORDER-2' }),
    ]
    for (const refund of refunds)
      given(...history)
        .when(refund)
        .then(t, {
          events: [['CreditDeclined', { code: 'REFUND_EXCEEDS_DEBIT' }]],
          balanceMinor: 200,
        })
    t.end()
  },
)

t.test('a credit beyond the largest printable balance is declined, a payment is booked', (t) => {
  given(credited(balanceMaxMinor, 'C-1'))
    .when(credit(1, 'C-2'))
    .then(t, {
      events: [['CreditDeclined', { code: 'BALANCE_LIMIT_EXCEEDED' }]],
      balanceMinor: balanceMaxMinor,
    })
  given(credited(balanceMaxMinor, 'C-1'))
    .when(service('TopUp', 1, 'pi_1'))
    .then(t, { events: [['WalletToppedUp']], balanceMinor: balanceMaxMinor + 1 })
  t.end()
})

t.test('a payment, a reversal and a reinstatement are booked on an inactive wallet too', (t) => {
  given(deactivated)
    .when(service('TopUp', 500, 'pi_1'))
    .then(t, { events: [['WalletToppedUp', { balanceMinor: 500 }]], balanceMinor: 500 })
  given(booked('WalletToppedUp', 500, 'pi_1'), deactivated)
    .when(service('ReverseTopUp', 500, 're_1'))
    .then(t, { events: [['TopUpReversed']], balanceMinor: 0 })
  given(booked('WalletToppedUp', 500, 'pi_1'), booked('TopUpReversed', 500, 're_1'), deactivated)
    .when(service('ReinstateTopUp', 500, 're_1_failed'))
    .then(t, { events: [['TopUpReinstated']], balanceMinor: 500 })
  t.end()
})

t.test('a reversed top-up may go below zero, and debits wait until it is covered', (t) => {
  const spent = [booked('WalletToppedUp', 500, 'pi_1'), debited(400, 'ORDER-1')]
  given(...spent)
    .when(service('ReverseTopUp', 500, 're_1'))
    .then(t, { events: [['TopUpReversed', { balanceMinor: -400 }]], balanceMinor: -400 })
  given(...spent, booked('TopUpReversed', 500, 're_1'))
    .when(debit(1, 'ORDER-2'))
    .then(t, { events: [['DebitDeclined', { code: 'INSUFFICIENT_BALANCE' }]], balanceMinor: -400 })
  t.end()
})

t.test('a return takes what may be spent and no more, be it nothing', (t) => {
  const held = [booked('WalletToppedUp', 500, 'pi_1'), debited(400, 'ORDER-1')]
  given(...held)
    .when(service('ReturnTopUp', 500, 'return-1'))
    .then(t, { events: [['TopUpReversed', { amountMinor: 100 }]], balanceMinor: 0 })
  given(...held, holdPlaced(70, 'H-1'))
    .when(service('ReturnTopUp', 500, 'return-1'))
    .then(t, { events: [['TopUpReversed', { amountMinor: 30 }]], balanceMinor: 70 })
  given(...held, booked('TopUpReversed', 500, 're_1'))
    .when(service('ReturnTopUp', 500, 'return-1'))
    .then(t, { events: [['TopUpReversed', { amountMinor: 0 }]], balanceMinor: -400 })
  given(...held, deactivated)
    .when(service('ReturnTopUp', 500, 'return-1'))
    .then(t, { events: [['TopUpReversed', { amountMinor: 0 }]], balanceMinor: 100 })
  given(...held, booked('TopUpReversed', 100, 'return-1'), credited(50, 'C-1'))
    .when(service('ReturnTopUp', 500, 'return-1'))
    .then(t, { events: [], outcome: { amountMinor: 100 }, balanceMinor: 50 })
  t.end()
})

t.test('a bonus is granted once under one reference', (t) => {
  given(booked('BonusGranted', 500, 'form-1'))
    .when(service('GrantBonus', 500, 'form-1'))
    .then(t, { events: [], outcome: { type: 'BonusGranted' }, balanceMinor: 500 })
  t.end()
})

t.test('voiding a free reference closes it, voiding a used one tells its outcome', (t) => {
  given(credited(500, 'C-1'), debitDeclined(0, 'ORDER-1', { code: 'VOIDED' }))
    .when(debit(100, 'ORDER-1'))
    .then(t, { events: [], outcome: { code: 'VOIDED', amountMinor: 0 }, balanceMinor: 500 })
  given(credited(500, 'C-1'), debited(100, 'ORDER-1'))
    .when(voided('ORDER-1'))
    .then(t, { events: [], outcome: { type: 'WalletDebited' }, balanceMinor: 400 })
  t.end()
})

t.test('an event that contradicts the fold is a broken invariant, never applied', (t) => {
  const opened: WalletEvent = { type: 'WalletOpened', data: { currency: 'usd', time, walletId } }
  const wallet = { ...evolve(emptyWallet(walletId), opened), hash: firstHash(walletId) }
  const { reference: pair, ...entry } = credit(10, 'C-1')
  const data = { ...entry, ...pair, balanceMinor: 10, time }
  t.doesNotThrow(() => evolve(wallet, { type: 'WalletCredited', data }))
  t.throws(() => evolve(wallet, { type: 'WalletCredited', data: { ...data, balanceMinor: 11 } }))
  t.throws(() => evolve(wallet, { type: 'WalletDebited', data: { ...data, balanceMinor: -10 } }))
  t.throws(() => evolve(wallet, { type: 'WalletCredited', data: { ...data, time: '2025' } }))
  t.throws(() => evolve(wallet, opened), 'a stream opens once')
  t.throws(() => evolve(emptyWallet(walletId), { type: 'WalletCredited', data }), 'and first')
  t.end()
})

t.test('an event that the wallet gave no reason for is a broken invariant too', (t) => {
  const ledger = new TestLedger()
  ledger.record(credited(10, 'C-1'))
  const { wallet } = ledger
  ledger.record(deactivated)
  const inactive = ledger.wallet
  for (const make of [debited(10, 'ORDER-1'), credited(10, 'C-2')]) {
    t.doesNotThrow(() => evolve(wallet, make(wallet)))
    t.throws(() => evolve(inactive, make(inactive)), /neither debited nor credited/)
  }
  const declined = (amountMinor: number, code: DeclineCode) =>
    debitDeclined(amountMinor, 'ORDER-1', { code })(wallet)
  const unfounded = /a decline has its reason/
  t.doesNotThrow(() => evolve(wallet, declined(11, 'INSUFFICIENT_BALANCE')))
  t.throws(() => evolve(wallet, declined(10, 'INSUFFICIENT_BALANCE')), unfounded)
  t.doesNotThrow(() => evolve(inactive, declined(10, 'WALLET_INACTIVE')))
  t.throws(() => evolve(wallet, declined(10, 'WALLET_INACTIVE')), unfounded)
  t.end()
})
