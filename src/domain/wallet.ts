/**
 * The rules of a wallet: what a command becomes (`decide`) and what an event changes (`evolve`).
 * Pure: no clock, I/O, randomness or logger; time and ids arrive as values, and what became of
 * other references is asked through `References`.
 * Promises: every answer that depends on the wallet's state is an event or the replay of one; a
 * debit never takes the balance below zero, and is never refunded further than it took; money
 * already received or already gone is always booked.
 */
import type { EntryId, Issuer, WalletId } from './ids.js'
import { entryIdOf, isIssuer } from './ids.js'
import type { ChainHash } from './hash-chain.js'
import { firstHash } from './hash-chain.js'
import { invariant, unreachable } from './invariant.js'
import { balanceMaxMinor } from './money.js'
import type { Reference } from './reference.js'
import { reversalOf } from './top-up-references.js'
import type {
  CreditDeclined,
  DebitDeclined,
  DeclineCode,
  EntryEvent,
  EntryType,
  SealedText,
  Time,
  WalletDeactivated,
  WalletEvent,
  WalletOpened,
  WalletReactivated,
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

interface EntryOrder {
  readonly entryId: EntryId
  readonly issuer: Issuer
  readonly reference: Reference
  readonly amountMinor: number
  readonly description?: SealedText
}

/** A command with a reference: it has an outcome, for ever. */
export type EntryCommand =
  | (EntryOrder & { readonly type: 'Debit' })
  | (EntryOrder & { readonly type: 'Credit'; readonly refundOf?: Reference })
  | (EntryOrder & { readonly type: 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp' | 'GrantBonus' })
  | (Omit<EntryOrder, 'amountMinor'> & { readonly type: 'Void' })

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
  /** On a refund: the debit that it refunds. */
  readonly refundedEntryId?: EntryId
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
  const { entryId, amountMinor, balanceMinor, time } = event.data
  const outcome: Outcome = { entryId, type: event.type, revision, amountMinor, balanceMinor, time }
  if (event.type === 'DebitDeclined' || event.type === 'CreditDeclined')
    return { ...outcome, code: event.data.code }
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
      if (command.amountMinor > wallet.balanceMinor)
        return debitDeclined(wallet, command, time, 'INSUFFICIENT_BALANCE')
      return booked('WalletDebited', wallet, command, time)
    case 'Credit':
      return credit(wallet, command, references, time)
    case 'TopUp':
      return booked('WalletToppedUp', wallet, command, time)
    case 'ReverseTopUp':
      return booked('TopUpReversed', wallet, command, time)
    case 'ReinstateTopUp':
      return booked('TopUpReinstated', wallet, command, time)
    case 'GrantBonus':
      return booked('BonusGranted', wallet, command, time)
    case 'Void':
      return debitDeclined(wallet, { ...command, amountMinor: 0 }, time, 'VOIDED')
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
    data: { ...entryData(wallet.balanceMinor, command, time), ...extra, code },
  })
  if (!wallet.isActive) return declined('WALLET_INACTIVE')
  if (refundOf !== undefined) {
    const debitEntryId = refundedEntryIdOf(wallet.walletId, command, refundOf)
    if (command.amountMinor > refundableMinor(references, debitEntryId))
      return declined('REFUND_EXCEEDS_DEBIT')
  }
  const balanceMinor = wallet.balanceMinor + command.amountMinor
  if (balanceMinor > balanceMaxMinor) return declined('BALANCE_LIMIT_EXCEEDED')
  return {
    type: 'WalletCredited',
    data: { ...entryData(balanceMinor, command, time), ...extra },
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
  if (debit?.type !== 'WalletDebited') return 0
  return debit.amountMinor - references.refundedMinor(debitEntryId)
}

type BookedType = Exclude<EntryType, 'DebitDeclined' | 'CreditDeclined' | 'WalletCredited'>

function booked(type: BookedType, wallet: Wallet, command: EntryOrder, time: Time): EntryEvent {
  const balanceMinor = wallet.balanceMinor + signOf[type] * command.amountMinor
  return { type, data: entryData(balanceMinor, command, time) }
}

function debitDeclined(
  wallet: Wallet,
  command: EntryOrder,
  time: Time,
  code: DeclineCode,
): EntryEvent {
  return {
    type: 'DebitDeclined',
    data: { ...entryData(wallet.balanceMinor, command, time), code },
  }
}

function entryData(balanceMinor: number, command: EntryOrder, time: Time) {
  const { amountMinor, entryId, issuer, reference, description } = command
  return {
    amountMinor,
    balanceMinor,
    ...(description === undefined ? {} : { description }),
    entryId,
    issuer,
    referenceId: reference.referenceId,
    referenceType: reference.referenceType,
    time,
  }
}

function statusChange({ type, issuer, reason }: StatusCommand, time: Time) {
  const data = { issuer, reason, time }
  if (type === 'Deactivate') return { type: 'WalletDeactivated', data } as const
  return { type: 'WalletReactivated', data } as const
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

function isIssuedRightly({ type, data }: Exclude<WalletEvent, WalletOpened>): boolean {
  const isDebit = type === 'WalletDebited' || type === 'DebitDeclined'
  const isCredit = type === 'WalletCredited' || type === 'CreditDeclined'
  if (!isDebit && !isCredit) return data.issuer === 'service'
  return data.issuer !== 'service' && isIssuer(data.issuer)
}

/** As far as the state tells; what needs the references too is entry-fault.ts's to say. */
function isFounded(wallet: Wallet, { data }: DebitDeclined | CreditDeclined): boolean {
  switch (data.code) {
    case 'WALLET_INACTIVE':
      return !wallet.isActive
    case 'INSUFFICIENT_BALANCE':
      return data.amountMinor > wallet.balanceMinor
    case 'REFUND_EXCEEDS_DEBIT':
    case 'BALANCE_LIMIT_EXCEEDED':
    case 'VOIDED':
      return true
    default:
      // Nothing that is stored is trusted to be of its type: a code that no rule gives.
      return false
  }
}
