/**
 * The rules of a wallet: what a command becomes (`decide`) and what an event changes (`evolve`).
 * Pure: no clock, I/O, randomness or logger; time, ids and what is already known arrive as values.
 * Promises: every answer that depends on the wallet's state is an event or the replay of one; a
 * debit never takes the balance below zero; money already received or already gone is always
 * booked.
 */
import type { EntryId, Issuer, WalletId } from './ids.js'
import { entryIdOf } from './ids.js'
import type { ChainHash } from './hash-chain.js'
import { firstHash } from './hash-chain.js'
import { invariant, unreachable } from './invariant.js'
import { balanceMaxMinor } from './money.js'
import type { Reference } from './reference.js'
import type {
  CreditDeclined,
  DebitDeclined,
  DeclineCode,
  EntryEvent,
  EntryType,
  SealedText,
  Time,
  WalletEvent,
  WalletOpened,
} from './wallet-events.js'
import { isEntry, signOf } from './wallet-events.js'

/** The folded state of one stream. Revision −1: nothing is written yet. */
export interface Wallet {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  /** The chain's hash at `revision`. */
  readonly hash: ChainHash
  /** The time of the last event; empty before the first. */
  readonly time: Time
}

interface EntryCommand {
  readonly entryId: EntryId
  readonly issuer: Issuer
  readonly reference: Reference
  readonly amountMinor: number
  readonly description?: SealedText
}

export type WalletCommand =
  | (EntryCommand & { readonly type: 'Debit' })
  | (EntryCommand & { readonly type: 'Credit'; readonly refundOf?: Reference })
  | (EntryCommand & { readonly type: 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp' | 'GrantBonus' })
  | (Omit<EntryCommand, 'amountMinor'> & { readonly type: 'Void' })
  | { readonly type: 'Deactivate' | 'Reactivate'; readonly issuer: Issuer; readonly reason: string }

/** What became of a reference, for ever. */
export interface Outcome {
  readonly entryId: EntryId
  readonly type: EntryType
  readonly revision: number
  readonly amountMinor: number
  readonly balanceMinor: number
  readonly time: Time
  readonly code?: DeclineCode
  /** On a refund: the debit that it refunds. */
  readonly refundedEntryId?: EntryId
}

/** What is known about a command beside the wallet's state. */
export interface Circumstances {
  /** Never before the wallet's last event. */
  readonly time: Time
  /** The outcome that the command's reference already has. */
  readonly earlier?: Outcome | undefined
  /** What the debit named by `refundOf` has left to refund; 0 when there is no such debit. */
  readonly refundableMinor?: number
}

export type Decision =
  | { readonly kind: 'replay'; readonly outcome: Outcome }
  | { readonly kind: 'record'; readonly event: WalletEvent }

export function emptyWallet(walletId: WalletId): Wallet {
  return {
    walletId,
    revision: -1,
    balanceMinor: 0,
    isActive: true,
    hash: firstHash(walletId),
    time: '',
  }
}

export function open(wallet: Wallet, opening: { currency: string; time: Time }): WalletOpened {
  return { type: 'WalletOpened', data: { ...opening, walletId: wallet.walletId } }
}

export function decide(wallet: Wallet, command: WalletCommand, known: Circumstances): Decision {
  if (known.earlier !== undefined) return { kind: 'replay', outcome: known.earlier }
  return { kind: 'record', event: eventFor(wallet, command, known) }
}

export function evolve(wallet: Wallet, event: WalletEvent): Omit<Wallet, 'hash'> {
  const { walletId, isActive } = wallet
  const revision = wallet.revision + 1
  const time = event.data.time
  const isOpening = event.type === 'WalletOpened'
  invariant(isOpening === (revision === 0), 'a stream opens once, with its first event')
  invariant(time >= wallet.time, 'time never runs back within a stream')
  const balanceMinor = isEntry(event) ? balanceAfter(wallet, event) : wallet.balanceMinor
  const next = { walletId, revision, balanceMinor, isActive, time }
  if (isEntry(event)) return next
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
  const { entryId, amountMinor, balanceMinor, time, issuer } = event.data
  const outcome: Outcome = { entryId, type: event.type, revision, amountMinor, balanceMinor, time }
  if (event.type === 'DebitDeclined' || event.type === 'CreditDeclined')
    return { ...outcome, code: event.data.code }
  if (event.type === 'WalletCredited' && event.data.refundOf !== undefined) {
    const refundedEntryId = entryIdOf({ issuer, walletId, reference: event.data.refundOf })
    return { ...outcome, refundedEntryId }
  }
  return outcome
}

function eventFor(wallet: Wallet, command: WalletCommand, known: Circumstances): WalletEvent {
  switch (command.type) {
    case 'Debit':
      if (!wallet.isActive) return debitDeclined(wallet, command, known, 'WALLET_INACTIVE')
      if (command.amountMinor > wallet.balanceMinor)
        return debitDeclined(wallet, command, known, 'INSUFFICIENT_BALANCE')
      return booked('WalletDebited', wallet, command, known)
    case 'Credit':
      return credit(wallet, command, known)
    case 'TopUp':
      return booked('WalletToppedUp', wallet, command, known)
    case 'ReverseTopUp':
      return booked('TopUpReversed', wallet, command, known)
    case 'ReinstateTopUp':
      return booked('TopUpReinstated', wallet, command, known)
    case 'GrantBonus':
      return booked('BonusGranted', wallet, command, known)
    case 'Void':
      return debitDeclined(wallet, { ...command, amountMinor: 0 }, known, 'VOIDED')
    case 'Deactivate':
      return { type: 'WalletDeactivated', data: statusData(command, known) }
    case 'Reactivate':
      return { type: 'WalletReactivated', data: statusData(command, known) }
    default:
      return unreachable(command)
  }
}

type CreditCommand = Extract<WalletCommand, { type: 'Credit' }>

function credit(wallet: Wallet, command: CreditCommand, known: Circumstances): WalletEvent {
  const { refundOf } = command
  const extra = refundOf === undefined ? {} : { refundOf }
  const declined = (code: DeclineCode): CreditDeclined => ({
    type: 'CreditDeclined',
    data: { ...entryData(wallet.balanceMinor, command, known), ...extra, code },
  })
  if (!wallet.isActive) return declined('WALLET_INACTIVE')
  if (refundOf !== undefined && command.amountMinor > (known.refundableMinor ?? 0))
    return declined('REFUND_EXCEEDS_DEBIT')
  const balanceMinor = wallet.balanceMinor + command.amountMinor
  if (balanceMinor > balanceMaxMinor) return declined('BALANCE_LIMIT_EXCEEDED')
  return {
    type: 'WalletCredited',
    data: { ...entryData(balanceMinor, command, known), ...extra },
  }
}

type BookedType = Exclude<EntryType, 'DebitDeclined' | 'CreditDeclined' | 'WalletCredited'>

function booked(
  type: BookedType,
  wallet: Wallet,
  command: EntryCommand,
  known: Circumstances,
): WalletEvent {
  const balanceMinor = wallet.balanceMinor + signOf[type] * command.amountMinor
  return { type, data: entryData(balanceMinor, command, known) }
}

function debitDeclined(
  wallet: Wallet,
  command: EntryCommand,
  known: Circumstances,
  code: DeclineCode,
): WalletEvent {
  return {
    type: 'DebitDeclined',
    data: { ...entryData(wallet.balanceMinor, command, known), code },
  }
}

function entryData(balanceMinor: number, command: EntryCommand, known: Circumstances) {
  const { amountMinor, entryId, issuer, reference, description } = command
  return {
    amountMinor,
    balanceMinor,
    ...(description === undefined ? {} : { description }),
    entryId,
    issuer,
    referenceId: reference.referenceId,
    referenceType: reference.referenceType,
    time: known.time,
  }
}

function statusData(command: { issuer: Issuer; reason: string }, known: Circumstances) {
  return { issuer: command.issuer, reason: command.reason, time: known.time }
}

function balanceAfter(wallet: Wallet, event: EntryEvent): number {
  const { amountMinor, balanceMinor } = event.data
  invariant(amountMinor >= 0, 'an amount is never negative')
  const balance = wallet.balanceMinor + signOf[event.type] * amountMinor
  invariant(Number.isSafeInteger(balance), 'a balance is a safe integer')
  invariant(balance === balanceMinor, 'the balance in an event is the fold of all before it')
  invariant(event.type !== 'WalletDebited' || balance >= 0, 'a debit never goes below zero')
  invariant(
    wallet.isActive || (event.type !== 'WalletDebited' && event.type !== 'WalletCredited'),
    'an inactive wallet is neither debited nor credited',
  )
  if (event.type === 'DebitDeclined' || event.type === 'CreditDeclined')
    invariant(isFounded(wallet, event), 'a decline has its reason in all before it')
  return balance
}

/** As far as the state tells: what a debit has left to refund and today's limit it does not. */
function isFounded(wallet: Wallet, { data }: DebitDeclined | CreditDeclined): boolean {
  if (data.code === 'WALLET_INACTIVE') return !wallet.isActive
  if (data.code === 'INSUFFICIENT_BALANCE') return data.amountMinor > wallet.balanceMinor
  return true
}
