/**
 * The corpus of forgeries: streams whose last entry no command could have made, each hashed as it
 * must be. `audit verify`, making a bundle, `verify-bundle` and the page all run it, and each must
 * name that very entry.
 */
import { encodeHash, eventIdOf, firstHash, nextHash } from '../../src/domain/hash-chain.js'
import type { Issuer, WalletId } from '../../src/domain/ids.js'
import { balanceMaxMinor } from '../../src/domain/money.js'
import { canonicalJson, isEntry } from '../../src/domain/wallet-events.js'
import type { DeclineCode, WalletEvent } from '../../src/domain/wallet-events.js'
import type { StoredEvent } from '../../src/domain/wallet-stream.js'
import {
  booked,
  creditDeclined,
  credited,
  deactivated,
  debitDeclined,
  debited,
  entered,
  opened,
  shop,
} from './given.js'
import type { MakeEvent } from './given.js'
import type { Forgery } from './hold-forgeries.js'
import { holdForgeries, honestHolds } from './hold-forgeries.js'

export type { Forgery }

const declined = debitDeclined(999, 'O-2', { code: 'INSUFFICIENT_BALANCE' })

/** A credit, a debit of 200 of which 50 were refunded, a declined debit, a top-up. */
export const history: readonly MakeEvent[] = [
  opened,
  credited(500, 'C-1'),
  debited(200, 'O-1'),
  credited(50, 'R-1', { refundOf: 'O-1' }),
  declined,
  booked('WalletToppedUp', 70, 'pi_1'),
]
const inactive = [...history, deactivated]
const full = [...history, booked('WalletToppedUp', balanceMaxMinor - 420, 'pi_2')]

const refunds = /^refunds more than its debit has left/
const noReason = / gives no reason to\.$/
const inactiveMoves = {
  audit: /an inactive wallet is neither debited nor credited$/,
  bundle: /^moves money of a wallet that was deactivated/,
}
const reversed = [...history, booked('TopUpReversed', 70, 're_1', 'TOPUP_REFUND')]
const wrongIssuer = {
  audit: /apps issue debits and credits, the service all else$/,
  bundle: /^has no valid issuer/,
}
const second = { audit: /^is a second outcome of/, bundle: /^is a second outcome of/ }

export const forgeries: Readonly<Record<string, Forgery>> = {
  ...holdForgeries,
  'a reference booked twice': { before: history, forged: debited(200, 'O-1'), ...second },
  'a top-up booked twice': {
    before: history,
    forged: booked('WalletToppedUp', 70, 'pi_1'),
    ...second,
  },
  'a declined reference that is booked after all': {
    before: history,
    forged: debited(1, 'O-2'),
    ...second,
  },
  'a debit while deactivated': {
    before: inactive,
    forged: debited(1, 'O-3'),
    ...inactiveMoves,
  },
  'a credit while deactivated': {
    before: inactive,
    forged: credited(1, 'C-2'),
    ...inactiveMoves,
  },
  'a debit below zero': {
    before: history,
    forged: debited(421, 'O-3'),
    audit: /a debit never goes below zero$/,
    bundle: /^is a debit below zero/,
  },
  'a credit above the largest balance': {
    before: full,
    forged: credited(1, 'C-2'),
    audit: /^is WalletCredited, where the rules make CreditDeclined \(BALANCE_LIMIT_EXCEEDED\)$/,
    bundle: /^is a credit above the largest balance/,
  },
  'a refund above its debit': refund(201, 'O-1'),
  'a refund above what its debit has left': refund(151, 'O-1'),
  'a refund above what two refunds have left': {
    ...refund(51, 'O-1'),
    before: [...history, credited(100, 'R-2', { refundOf: 'O-1' })],
  },
  'a refund of a debit that never was': refund(1, 'O-404'),
  'a refund of a credit': refund(1, 'C-1'),
  'a refund of a declined debit': refund(1, 'O-2'),
  "a refund of another app's debit": {
    before: history,
    forged: credited(1, 'R-3', { refundOf: 'O-1', issuer: 'client-app:market' }),
    audit: refunds,
    bundle: refunds,
  },
  'a refund before its debit': {
    before: [opened, credited(500, 'C-1')],
    forged: credited(1, 'R-3', { refundOf: 'O-3' }),
    audit: refunds,
    bundle: refunds,
  },
  'a refund of itself': refund(1, 'R-3'),
  'a decline for want of money that is there': {
    before: history,
    forged: debitDeclined(420, 'O-3', { code: 'INSUFFICIENT_BALANCE' }),
    audit: /a decline has its reason in all before it$/,
    bundle: noReason,
  },
  'a decline of an active wallet': {
    before: history,
    forged: debitDeclined(1, 'O-3', { code: 'WALLET_INACTIVE' }),
    audit: /a decline has its reason in all before it$/,
    bundle: noReason,
  },
  'a refund that was declined though enough was left': {
    before: history,
    forged: creditDeclined(150, 'R-3', { refundOf: 'O-1', code: 'REFUND_EXCEEDS_DEBIT' }),
    audit: /\(REFUND_EXCEEDS_DEBIT\), where the rules make WalletCredited$/,
    bundle: noReason,
  },
  'a credit that was declined though the balance had room': {
    before: history,
    forged: creditDeclined(1, 'C-2', { code: 'BALANCE_LIMIT_EXCEEDED' }),
    audit: /\(BALANCE_LIMIT_EXCEEDED\), where the rules make WalletCredited$/,
    bundle: noReason,
  },
  'a decline for another reason than the first': {
    before: inactive,
    forged: debitDeclined(999, 'O-3', { code: 'INSUFFICIENT_BALANCE' }),
    audit: /^is DebitDeclined \(INSUFFICIENT_BALANCE\), where .* \(WALLET_INACTIVE\)$/,
    bundle: noReason,
  },
  'a voided reference with an amount': {
    before: history,
    forged: debitDeclined(5, 'O-3', { code: 'VOIDED' }),
    audit: /^holds another amountMinor than the rules make/,
    bundle: /^voids its reference, but with an amount/,
  },
  'a voided credit': {
    before: history,
    forged: creditDeclined(5, 'C-2', { code: 'VOIDED' }),
    audit: /^is CreditDeclined \(VOIDED\), where the rules make WalletCredited$/,
    bundle: noReason,
  },
  'a debit of nothing': {
    before: history,
    forged: debited(0, 'O-3'),
    audit: /^is an entry of nothing/,
    bundle: /^is an entry of nothing/,
  },
  'a credit of nothing': {
    before: history,
    forged: credited(0, 'C-2'),
    audit: /^is an entry of nothing/,
    bundle: /^is an entry of nothing/,
  },
  'a debit whose amount is a text': {
    before: history,
    forged: withData(debited(1, 'O-3'), { amountMinor: '1' }),
    audit: /the data of WalletDebited holds amountMinor as a number$/,
    bundle: /amountMinor/,
  },
  'a decline whose amount is a text': {
    before: history,
    forged: withData(declined, { amountMinor: '999' }),
    audit: /the data of DebitDeclined holds amountMinor as a number$/,
    bundle: /amountMinor/,
  },
  'a balance that is a text': {
    before: history,
    forged: withData(debited(1, 'O-3'), { balanceMinor: '419' }),
    audit: /the data of WalletDebited holds balanceMinor as a number$/,
    bundle: /balanceMinor/,
  },
  'a time that is none': {
    before: history,
    forged: withData(debited(1, 'O-3'), { time: '2026-01-02 tomorrow' }),
    audit: /the time of an event is ISO 8601/,
    bundle: /time/,
  },
  'a field that no event has': {
    before: history,
    forged: withData(debited(1, 'O-3'), { note: 'paid in cash' }),
    audit: /^holds another note than the rules make/,
    bundle: /a field that does not belong there: "note"/,
  },
  'a top-up that an app issued': {
    before: history,
    forged: entered('WalletToppedUp', { amountMinor: 5, referenceId: 'pi_9', label: 'TOPUP' }),
    ...wrongIssuer,
  },
  'a bonus that an app issued': {
    before: history,
    forged: entered('BonusGranted', { amountMinor: 5, referenceId: 'form-9' }),
    ...wrongIssuer,
  },
  'a credit that the service issued': {
    before: history,
    forged: credited(5, 'C-2', { issuer: 'service' }),
    ...wrongIssuer,
  },
  'a debit of somebody who is no issuer': {
    before: history,
    forged: debited(5, 'O-3', { issuer: 'shop' as Issuer }),
    ...wrongIssuer,
  },
  'a deactivation by an app': {
    before: history,
    forged: withData(deactivated, { issuer: shop }),
    ...wrongIssuer,
  },
  'a decline with a code that no rule gives': {
    before: history,
    forged: debitDeclined(1, 'O-3', { code: 'BECAUSE' as DeclineCode }),
    audit: /a decline has its reason in all before it$/,
    bundle: /^has no valid code/,
  },
  'a debit that was declined with a code of credits': {
    before: history,
    forged: debitDeclined(1, 'O-3', { code: 'REFUND_EXCEEDS_DEBIT' }),
    audit: /^is DebitDeclined \(REFUND_EXCEEDS_DEBIT\), where the rules make WalletDebited$/,
    bundle: noReason,
  },
  'a reinstatement without a reversal': reinstatement(70, 're_1', 'TOPUP_REFUND_FAILED'),
  'a dispute that is won without having been lost': reinstatement(
    70,
    'dp_1',
    'TOPUP_DISPUTE_REINSTATED',
  ),
  'a reinstatement of what can have no reversal': reinstatement(70, 're_1', 'TOPUP'),
  'a reinstatement of another reversal': {
    ...reinstatement(70, 're_2', 'TOPUP_REFUND_FAILED'),
    before: reversed,
  },
  'a reinstatement of more than was reversed': {
    before: reversed,
    forged: booked('TopUpReinstated', 71, 're_1', 'TOPUP_REFUND_FAILED'),
    audit: /^reinstates another amount than was reversed/,
    bundle: /^reinstates another amount than was reversed/,
  },
  'a debit that says what it refunds': {
    before: history,
    forged: debited(1, 'O-3', { refundOf: 'O-1' }),
    audit: /^holds another refundOf than the rules make/,
    bundle: /refundOf/,
  },
}

/** Streams that commands made: whoever refuses one of these refuses too much. */
export const honest: Readonly<Record<string, readonly MakeEvent[]>> = {
  ...honestHolds,
  'entries with sealed descriptions': [
    ...history,
    debited(1, 'O-3', { description: 'v1.sealed' }),
    credited(1, 'R-3', { refundOf: 'O-3', description: 'v1.sealed' }),
    debitDeclined(999, 'O-4', { code: 'INSUFFICIENT_BALANCE', description: 'v1.sealed' }),
  ],
  'a refund of all that is left': [...history, credited(150, 'R-3', { refundOf: 'O-1' })],
  'refunds in parts, and one too much that is declined': [
    ...history,
    credited(100, 'R-2', { refundOf: 'O-1' }),
    creditDeclined(51, 'R-3', { refundOf: 'O-1', code: 'REFUND_EXCEEDS_DEBIT' }),
    credited(50, 'R-4', { refundOf: 'O-1' }),
    creditDeclined(1, 'R-5', { refundOf: 'O-1', code: 'REFUND_EXCEEDS_DEBIT' }),
  ],
  'declined refunds of what is no debit': [
    ...history,
    creditDeclined(1, 'R-3', { refundOf: 'O-404', code: 'REFUND_EXCEEDS_DEBIT' }),
    creditDeclined(1, 'R-4', { refundOf: 'C-1', code: 'REFUND_EXCEEDS_DEBIT' }),
    creditDeclined(1, 'R-5', { refundOf: 'O-2', code: 'REFUND_EXCEEDS_DEBIT' }),
    debited(5, 'O-404'),
  ],
  'a refund that is declined for the limit, and while deactivated': [
    ...full,
    creditDeclined(5, 'R-3', { refundOf: 'O-1', code: 'BALANCE_LIMIT_EXCEEDED' }),
    deactivated,
    creditDeclined(5, 'R-4', { refundOf: 'O-1', code: 'WALLET_INACTIVE' }),
    debitDeclined(0, 'O-5', { code: 'VOIDED' }),
    booked('TopUpReversed', 0, 're_0'),
  ],
  'a refund of a card that failed, and a dispute in parts that was won at once': [
    ...reversed,
    booked('TopUpReinstated', 70, 're_1', 'TOPUP_REFUND_FAILED'),
    booked('TopUpReversed', 30, 'dp_1', 'TOPUP_DISPUTE'),
    booked('TopUpReversed', 40, 'dp_1/txn_2', 'TOPUP_DISPUTE'),
    booked('TopUpReinstated', 60, 'dp_1', 'TOPUP_DISPUTE_REINSTATED'),
    booked('TopUpReinstated', 10, 'dp_1/txn_4', 'TOPUP_DISPUTE_REINSTATED'),
  ],
}

/** The stream as it is stored: canonical, chained, each with its id. Asks no rule. */
export function hashed(walletId: WalletId, events: readonly MakeEvent[]): StoredEvent[] {
  let [balanceMinor, heldMinor, hash] = [0, 0, firstHash(walletId)]
  return events.map((make, revision) => {
    const event = make({ walletId, balanceMinor, heldMinor })
    const [data, { type }] = [canonicalJson(event.data), event]
    hash = nextHash(hash, { walletId, revision, type, data })
    if (isEntry(event)) {
      balanceMinor = event.data.balanceMinor
      heldMinor = event.data.heldMinor ?? 0
    }
    const id = eventIdOf(isEntry(event) ? event.data.entryId : walletId, hash)
    return { id, type, data, metadata: encodeHash(hash) }
  })
}

/** The same event with other data, of whatever type. */
function withData(make: MakeEvent, changes: Readonly<Record<string, unknown>>): MakeEvent {
  return (wallet) => {
    const event = make(wallet)
    return { ...event, data: { ...event.data, ...changes } } as unknown as WalletEvent
  }
}

function reinstatement(amountMinor: number, referenceId: string, label: string): Forgery {
  const forged = booked('TopUpReinstated', amountMinor, referenceId, label)
  const problem = /^reinstates what was never reversed/
  return { before: history, forged, audit: problem, bundle: problem }
}

function refund(amountMinor: number, refundOf: string): Forgery {
  const forged = credited(amountMinor, 'R-3', { refundOf })
  return { before: history, forged, audit: refunds, bundle: refunds }
}
