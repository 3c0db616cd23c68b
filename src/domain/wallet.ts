/**
 * The rules of a wallet: what a command becomes (`decide`) and what an event changes (`evolve`).
 * Pure: no clock, I/O, randomness or logger; time and ids arrive as values, and what became of
 * other references is asked through `References`.
 * Promises: every answer that depends on the wallet's state is an event or the replay of one; a
 * debit takes only what is there and not held (holds.ts), and is never refunded further than it
 * took; money already received or already gone is always booked.
 */
import { balanceAfter, isIssuedRightly, requireHeld } from './entry-invariants.js'
import { entryData } from './entry-order.js'
import type { EntryOrder } from './entry-order.js'
import type { CaptureHold, OpenHolds, PlaceHold, ReleaseHold } from './holds.js'
import {
  availableMinor,
  captureHold,
  heldMinorOf,
  holdsAfter,
  noHolds,
  placeHold,
  releaseHold,
  requireNothingDue,
  settledHoldOf,
} from './holds.js'
import type { EntryId, Issuer, WalletId } from './ids.js'
import { entryIdOf } from './ids.js'
import type { ChainHash } from './hash-chain.js'
import { firstHash } from './hash-chain.js'
import { invariant, unreachable } from './invariant.js'
import { balanceMaxMinor } from './money.js'
import type { Reference } from './reference.js'
import { reversalOf } from './top-up-references.js'
import type {
  CreditDeclined,
  DeclineCode,
  EntryEvent,
  EntryType,
  Time,
  WalletDeactivated,
  WalletEvent,
  WalletOpened,
  WalletReactivated,
} from './wallet-events.js'
import { isDecline, isEntry, signOf } from './wallet-events.js'

/** The folded state of one stream. Revision −1: nothing is written yet. */
export interface Wallet {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  readonly holds: OpenHolds
  /** The sum of what they have left: not available for anything else. */
  readonly heldMinor: number
  /** The chain's hash at `revision`. */
  readonly hash: ChainHash
  /** The time of the last event; empty before the first. */
  readonly time: Time
}

/** A command with a reference: it has an outcome, for ever. */
export type EntryCommand =
  | (EntryOrder & { readonly type: 'Debit' })
  | (EntryOrder & { readonly type: 'Credit'; readonly refundOf?: Reference })
  | (EntryOrder & { readonly type: 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp' | 'GrantBonus' })
  /** At most so much, before the processor is asked: what is not there cannot go back to a card. */
  | (EntryOrder & { readonly type: 'ReturnTopUp' })
  | (Omit<EntryOrder, 'amountMinor'> & { readonly type: 'Void' })
  | PlaceHold
  | CaptureHold
  | ReleaseHold

export interface StatusCommand {
  readonly type: 'Deactivate' | 'Reactivate'
  readonly issuer: Issuer
  readonly reason: string
}

export type WalletCommand = EntryCommand | StatusCommand

/** What became of a reference, for ever. */
export interface Outcome {
  readonly entryId: EntryId
  readonly type: EntryType
  readonly revision: number
  readonly amountMinor: number
  readonly balanceMinor: number
  readonly time: Time
  readonly code?: DeclineCode
  /** On a refund: the debit or capture that it refunds. */
  readonly refundedEntryId?: EntryId
  /** What open holds set aside after it; left out when it is nothing. */
  readonly heldMinor?: number
  /** On a hold that was placed. */
  readonly expiresAt?: Time
  /** On a capture, a release and an expiry: the hold. */
  readonly holdEntryId?: EntryId
}

/** What is known of a wallet's references: everything before the command that is decided. */
export interface References {
  /** Undefined while the reference is free. */
  outcome(entryId: EntryId): Outcome | undefined
  /** What was refunded of an entry so far. */
  refundedMinor(entryId: EntryId): number
}

export type EntryDecision =
  | { readonly kind: 'replay'; readonly outcome: Outcome }
  | { readonly kind: 'record'; readonly event: EntryEvent; readonly outcome: Outcome }

export interface StatusDecision {
  readonly kind: 'change'
  readonly event: WalletDeactivated | WalletReactivated
}

export type Decision = EntryDecision | StatusDecision

export function emptyWallet(walletId: WalletId): Wallet {
  return {
    walletId,
    revision: -1,
    balanceMinor: 0,
    isActive: true,
    holds: noHolds,
    heldMinor: 0,
    hash: firstHash(walletId),
    time: '',
  }
}

export function open(wallet: Wallet, opening: { currency: string; time: Time }): WalletOpened {
  return { type: 'WalletOpened', data: { ...opening, walletId: wallet.walletId } }
}

/** Of a wallet that is open. `time` is never before the wallet's last event. */
export function decide(
  wallet: Wallet,
  command: EntryCommand,
  references: References,
  time: Time,
): EntryDecision
export function decide(
  wallet: Wallet,
  command: WalletCommand,
  references: References,
  time: Time,
): Decision
export function decide(
  wallet: Wallet,
  command: WalletCommand,
  references: References,
  time: Time,
): Decision {
  if (!('entryId' in command)) return { kind: 'change', event: statusChange(command, time) }
  const earlier = references.outcome(command.entryId)
  if (earlier !== undefined) return { kind: 'replay', outcome: earlier }
  const event = entryFor(wallet, command, references, time)
  return { kind: 'record', event, outcome: outcomeOf(wallet.walletId, event, wallet.revision + 1) }
}

/** The references that deciding this command asks for. */
export function referencesOf(walletId: WalletId, command: WalletCommand): readonly EntryId[] {
  if (!('entryId' in command)) return []
  if (command.type !== 'Credit' || command.refundOf === undefined) return [command.entryId]
  return [command.entryId, refundedEntryIdOf(walletId, command, command.refundOf)]
}

/** The entry that a credit refunds, or was to refund when it was declined. */
export function refundedEntryOf(walletId: WalletId, { data }: EntryEvent): EntryId | undefined {
  if (!('refundOf' in data)) return undefined
  return refundedEntryIdOf(walletId, data, data.refundOf)
}

/** The reversal that a reinstatement takes back; undefined when its reference names none. */
export function reversedEntryOf(walletId: WalletId, { type, data }: EntryEvent) {
  const reversal = type === 'TopUpReinstated' ? reversalOf(data) : undefined
  return reversal && entryIdOf({ issuer: data.issuer, walletId, reference: reversal })
}

export function evolve(wallet: Wallet, event: WalletEvent): Omit<Wallet, 'hash'> {
  const { walletId, isActive } = wallet
  const revision = wallet.revision + 1
  const time = event.data.time
  const isOpening = event.type === 'WalletOpened'
  invariant(isOpening === (revision === 0), 'a stream opens once, with its first event')
  invariant(time >= wallet.time, 'time never runs back within a stream')
  if (event.type !== 'WalletOpened')
    invariant(isIssuedRightly(event), 'apps issue debits and credits, the service all else')
  if (wallet.heldMinor !== 0) requireNothingDue(wallet.holds, event)
  if (isEntry(event)) {
    const balanceMinor = balanceAfter(wallet, event)
    const holds = holdsAfter(wallet, event)
    const heldMinor = holds === wallet.holds ? wallet.heldMinor : heldMinorOf(holds)
    requireHeld(heldMinor, event)
    return { walletId, revision, balanceMinor, isActive, holds, heldMinor, time }
  }
  const { balanceMinor, holds, heldMinor } = wallet
  const next = { walletId, revision, balanceMinor, isActive, holds, heldMinor, time }
  switch (event.type) {
    case 'WalletOpened':
      invariant(event.data.walletId === walletId, 'a stream opens its own wallet')
      return next
    case 'WalletDeactivated':
      return { ...next, isActive: false }
    case 'WalletReactivated':
      return { ...next, isActive: true }
    default:
      return unreachable(event)
  }
}

export function outcomeOf(walletId: WalletId, event: EntryEvent, revision: number): Outcome {
  const { entryId, amountMinor, balanceMinor, time } = event.data
  const plain: Outcome = { entryId, type: event.type, revision, amountMinor, balanceMinor, time }
  const { heldMinor } = event.data
  const outcome = heldMinor === undefined ? plain : { ...plain, heldMinor }
  if (isDecline(event)) return { ...outcome, code: event.data.code }
  if (event.type === 'HoldPlaced') return { ...outcome, expiresAt: event.data.expiresAt }
  const holdEntryId = settledHoldOf(walletId, event)
  if (holdEntryId !== undefined) return { ...outcome, holdEntryId }
  if (event.type === 'WalletCredited' && event.data.refundOf !== undefined) {
    const refundedEntryId = refundedEntryIdOf(walletId, event.data, event.data.refundOf)
    return { ...outcome, refundedEntryId }
  }
  return outcome
}

function entryFor(
  wallet: Wallet,
  command: EntryCommand,
  references: References,
  time: Time,
): EntryEvent {
  switch (command.type) {
    case 'Debit':
      if (!wallet.isActive) return debitDeclined(wallet, command, time, 'WALLET_INACTIVE')
      if (command.amountMinor > availableMinor(wallet))
        return debitDeclined(wallet, command, time, 'INSUFFICIENT_BALANCE')
      return booked('WalletDebited', wallet, command, time)
    case 'Credit':
      return credit(wallet, command, references, time)
    case 'TopUp':
      return booked('WalletToppedUp', wallet, command, time)
    case 'ReverseTopUp':
      return booked('TopUpReversed', wallet, command, time)
    case 'ReturnTopUp':
      return booked('TopUpReversed', wallet, returned(wallet, command), time)
    case 'ReinstateTopUp':
      return booked('TopUpReinstated', wallet, command, time)
    case 'GrantBonus':
      return booked('BonusGranted', wallet, command, time)
    case 'Void':
      return debitDeclined(wallet, { ...command, amountMinor: 0 }, time, 'VOIDED')
    case 'PlaceHold':
      return placeHold(wallet, command, time)
    case 'CaptureHold':
      return captureHold(wallet, command, time)
    case 'ReleaseHold':
      return releaseHold(wallet, command, time)
    default:
      return unreachable(command)
  }
}

type CreditCommand = Extract<EntryCommand, { type: 'Credit' }>

function credit(
  wallet: Wallet,
  command: CreditCommand,
  references: References,
  time: Time,
): EntryEvent {
  const { refundOf } = command
  const extra = refundOf === undefined ? {} : { refundOf }
  const declined = (code: DeclineCode): CreditDeclined => ({
    type: 'CreditDeclined',
    data: { ...entryData(wallet, command, time), ...extra, code },
  })
  if (!wallet.isActive) return declined('WALLET_INACTIVE')
  if (refundOf !== undefined) {
    const debitEntryId = refundedEntryIdOf(wallet.walletId, command, refundOf)
    if (command.amountMinor > refundableMinor(references, debitEntryId))
      return declined('REFUND_EXCEEDS_DEBIT')
  }
  const { amountMinor } = command
  if (wallet.balanceMinor + amountMinor > balanceMaxMinor) return declined('BALANCE_LIMIT_EXCEEDED')
  return {
    type: 'WalletCredited',
    data: { ...entryData(wallet, command, time, amountMinor), ...extra },
  }
}

/** An app refunds its own debits only: another's has another entry id. */
function refundedEntryIdOf(
  walletId: WalletId,
  { issuer }: { readonly issuer: Issuer },
  refundOf: Reference,
): EntryId {
  return entryIdOf({ issuer, walletId, reference: refundOf })
}

// A free reference, a credit or a declined debit has nothing to refund.
function refundableMinor(references: References, debitEntryId: EntryId): number {
  const debit = references.outcome(debitEntryId)
  if (debit?.type !== 'WalletDebited' && debit?.type !== 'HoldCaptured') return 0
  return debit.amountMinor - references.refundedMinor(debitEntryId)
}

// As much of it as may be spent: an outcome of nothing is one too, and then nobody is asked.
function returned(wallet: Wallet, order: EntryOrder): EntryOrder {
  const thereMinor = wallet.isActive ? Math.max(0, availableMinor(wallet)) : 0
  return { ...order, amountMinor: Math.min(order.amountMinor, thereMinor) }
}

type BookedType =
  | 'WalletDebited'
  | 'WalletToppedUp'
  | 'TopUpReversed'
  | 'TopUpReinstated'
  | 'BonusGranted'

function booked(type: BookedType, wallet: Wallet, command: EntryOrder, time: Time): EntryEvent {
  return { type, data: entryData(wallet, command, time, signOf[type] * command.amountMinor) }
}

function debitDeclined(
  wallet: Wallet,
  command: EntryOrder,
  time: Time,
  code: DeclineCode,
): EntryEvent {
  return {
    type: 'DebitDeclined',
    data: { ...entryData(wallet, command, time), code },
  }
}

function statusChange({ type, issuer, reason }: StatusCommand, time: Time) {
  const data = { issuer, reason, time }
  if (type === 'Deactivate') return { type: 'WalletDeactivated', data } as const
  return { type: 'WalletReactivated', data } as const
}
