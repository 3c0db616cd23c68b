/**
 * What must hold of every entry in the state before it, however it came into the stream: folding
 * stops at an entry that breaks one of these. What needs the other references too is
 * entry-fault.ts's to say. Pure.
 */
import type { Holder } from './holds.js'
import { availableMinor, holdEntryIdOf, openHold, openHoldsMax } from './holds.js'
import { isIssuer } from './ids.js'
import { invariant } from './invariant.js'
import type { Decline, EntryEvent, EntryType, WalletEvent, WalletOpened } from './wallet-events.js'
import { isDecline, signOf } from './wallet-events.js'

export function balanceAfter(wallet: Holder, event: EntryEvent): number {
  const { amountMinor, balanceMinor } = event.data
  invariant(amountMinor >= 0, 'an amount is never negative')
  const balance = wallet.balanceMinor + signOf[event.type] * amountMinor
  invariant(Number.isSafeInteger(balance), 'a balance is a safe integer')
  invariant(balance === balanceMinor, 'the balance in an event is the fold of all before it')
  if (takes.has(event.type)) requireTakeable(wallet, event, balance)
  invariant(
    wallet.isActive || !refusedWhileInactive.has(event.type),
    'an inactive wallet is neither debited nor credited',
  )
  if (isDecline(event))
    invariant(isFounded(wallet, event), 'a decline has its reason in all before it')
  return balance
}

const takes: ReadonlySet<EntryType> = new Set(['WalletDebited', 'HoldPlaced', 'HoldCaptured'])

function requireTakeable(wallet: Holder, event: EntryEvent, balanceMinor: number): void {
  const { amountMinor } = event.data
  invariant(balanceMinor >= 0, 'a debit never goes below zero')
  invariant(
    event.type === 'HoldCaptured' || amountMinor <= availableMinor(wallet),
    'what is held is not taken or held once more',
  )
}

export const refusedWhileInactive: ReadonlySet<EntryType> = new Set([
  'WalletDebited',
  'WalletCredited',
  'HoldPlaced',
  'HoldCaptured',
])

/** Left out of the data when it is nothing. */
export function requireHeld(heldMinor: number, { data }: EntryEvent): void {
  invariant(
    data.heldMinor === (heldMinor === 0 ? undefined : heldMinor),
    'the held sum in an event is the fold of all before it',
  )
}

export function isIssuedRightly({ type, data }: Exclude<WalletEvent, WalletOpened>): boolean {
  if (!issuedByApps.has(type)) return data.issuer === 'service'
  return data.issuer !== 'service' && isIssuer(data.issuer)
}

const issuedByApps: ReadonlySet<string> = new Set<EntryType>([
  'WalletDebited',
  'DebitDeclined',
  'WalletCredited',
  'CreditDeclined',
  'HoldPlaced',
  'HoldDeclined',
  'HoldCaptured',
  'CaptureDeclined',
  'HoldReleased',
  'ReleaseDeclined',
])

/** As far as the state tells. */
function isFounded(wallet: Holder, event: Decline): boolean {
  const isOfHold = event.type === 'CaptureDeclined' || event.type === 'ReleaseDeclined'
  const hold = isOfHold
    ? openHold(wallet.holds, holdEntryIdOf(wallet.walletId, event.data, event.data.holdOf))
    : undefined
  const { data } = event
  switch (data.code) {
    case 'WALLET_INACTIVE':
      return !wallet.isActive
    case 'INSUFFICIENT_BALANCE':
      return data.amountMinor > (isOfHold ? wallet.balanceMinor : availableMinor(wallet))
    case 'CAPTURE_EXCEEDS_HOLD':
      return hold !== undefined && data.amountMinor > hold.leftMinor
    case 'HOLD_CLOSED':
      return isOfHold && hold === undefined
    case 'TOO_MANY_HOLDS':
      return wallet.holds.length >= openHoldsMax
    case 'REFUND_EXCEEDS_DEBIT':
    case 'BALANCE_LIMIT_EXCEEDED':
    case 'VOIDED':
      return true
    default:
      // Nothing that is stored is trusted to be of its type: a code that no rule gives.
      return false
  }
}
