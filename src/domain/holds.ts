/**
 * Holds: money of a wallet that is set aside for a client app until it captures or releases it, or
 * until its time is over. What the three commands become, what the events do to the open holds, and
 * which hold is due. Pure, as all rules.
 * Promises: an open hold counts against what is available, not against the balance; never more is
 * captured than is held; a hold that is used up, released or expired is closed for ever; none
 * expires before its time, and nothing later is decided before it has.
 */
import type { EntryOrder, Sums } from './entry-order.js'
import { entryData } from './entry-order.js'
import type { EntryId, Issuer, WalletId } from './ids.js'
import { entryIdOf } from './ids.js'
import { invariant } from './invariant.js'
import type { Reference } from './reference.js'
import type {
  CaptureDeclined,
  DeclineCode,
  EntryEvent,
  HoldCaptured,
  HoldDeclined,
  HoldExpired,
  HoldPlaced,
  HoldReleased,
  ReleaseDeclined,
  Time,
  WalletEvent,
} from './wallet-events.js'

/** A hold that is neither used up, nor released, nor expired. */
export interface OpenHold {
  /** Of the entry that placed it. */
  readonly entryId: EntryId
  /** What of it is not captured yet: never 0. */
  readonly leftMinor: number
  readonly expiresAt: Time
}

/** The next to expire first; of the same time the one that was placed first. */
export type OpenHolds = readonly OpenHold[]

/** One value for all wallets without a hold: what has none costs nothing. */
export const noHolds: OpenHolds = Object.freeze([])

/** A person has a handful of purchases under way; each is looked through at every entry. */
export const openHoldsMax = 100

/** How long a hold lasts: longer than a checkout, not longer than a delivery. */
export const holdSecondsMin = 60
export const holdSecondsMax = 31 * 86_400
export const holdSecondsStandard = 7 * 86_400

/** A command without a reference: what is due is written, and nothing else. */
export interface ExpireHolds {
  readonly type: 'ExpireHolds'
}

export interface PlaceHold extends EntryOrder {
  readonly type: 'PlaceHold'
  readonly lifetimeSeconds: number
}

export interface CaptureHold extends Omit<EntryOrder, 'amountMinor'> {
  readonly type: 'CaptureHold'
  /** The pair of the hold. */
  readonly holdOf: Reference
  /** All that is left when left out. */
  readonly amountMinor?: number
  /** Releases what is left after it. */
  readonly isFinal: boolean
}

export interface ReleaseHold extends Omit<EntryOrder, 'amountMinor'> {
  readonly type: 'ReleaseHold'
  readonly holdOf: Reference
}

/** What of a wallet the rules of holds look at. */
export interface Holder extends Sums {
  readonly walletId: WalletId
  readonly isActive: boolean
  readonly holds: OpenHolds
}

/** What may be spent or set aside: below zero when money that was held is gone. */
export function availableMinor({ balanceMinor, heldMinor }: Sums): number {
  return balanceMinor - heldMinor
}

export function heldMinorOf(holds: OpenHolds): number {
  return holds.reduce((sum, { leftMinor }) => sum + leftMinor, 0)
}

/** An app finds its own holds only: another's has another entry id. */
export function holdEntryIdOf(
  walletId: WalletId,
  { issuer }: { readonly issuer: Issuer },
  holdOf: Reference,
): EntryId {
  return entryIdOf({ issuer, walletId, reference: holdOf })
}

/** The hold that an applied entry used, released or let expire. */
export function settledHoldOf(walletId: WalletId, event: EntryEvent): EntryId | undefined {
  if (event.type === 'HoldExpired') return event.data.referenceId as EntryId
  if (event.type !== 'HoldCaptured' && event.type !== 'HoldReleased') return undefined
  return holdEntryIdOf(walletId, event.data, event.data.holdOf)
}

export function placeHold(
  wallet: Holder,
  command: PlaceHold,
  time: Time,
): HoldPlaced | HoldDeclined {
  const code = placingDeclined(wallet, command)
  if (code !== undefined)
    return { type: 'HoldDeclined', data: { ...entryData(wallet, command, time), code } }
  const { balanceMinor } = wallet
  const heldMinor = wallet.heldMinor + command.amountMinor
  const expiresAt = new Date(Date.parse(time) + command.lifetimeSeconds * 1_000).toISOString()
  const data = entryData({ balanceMinor, heldMinor }, command, time)
  return { type: 'HoldPlaced', data: { ...data, expiresAt } }
}

function placingDeclined(wallet: Holder, { amountMinor }: PlaceHold): DeclineCode | undefined {
  if (!wallet.isActive) return 'WALLET_INACTIVE'
  if (amountMinor > availableMinor(wallet)) return 'INSUFFICIENT_BALANCE'
  return wallet.holds.length >= openHoldsMax ? 'TOO_MANY_HOLDS' : undefined
}

export function captureHold(
  wallet: Holder,
  command: CaptureHold,
  time: Time,
): HoldCaptured | CaptureDeclined {
  const { holdOf, isFinal } = command
  const hold = holdNamedBy(wallet, command)
  const leftMinor = hold?.leftMinor ?? 0
  const order = { ...command, amountMinor: command.amountMinor ?? leftMinor }
  const { amountMinor } = order
  const code = capturingDeclined(wallet, hold, amountMinor)
  if (code !== undefined)
    return { type: 'CaptureDeclined', data: { ...entryData(wallet, order, time), holdOf, code } }
  const restMinor = leftMinor - amountMinor
  const releasedMinor = isFinal ? restMinor : 0
  const after = {
    balanceMinor: wallet.balanceMinor - amountMinor,
    heldMinor: wallet.heldMinor - amountMinor - releasedMinor,
  }
  const data = { ...entryData(after, order, time), holdOf }
  return { type: 'HoldCaptured', data: releasedMinor === 0 ? data : { ...data, releasedMinor } }
}

// What is held is there, unless a payment was reversed since.
function capturingDeclined(
  wallet: Holder,
  hold: OpenHold | undefined,
  amountMinor: number,
): DeclineCode | undefined {
  if (!wallet.isActive) return 'WALLET_INACTIVE'
  if (hold === undefined) return 'HOLD_CLOSED'
  if (amountMinor > hold.leftMinor) return 'CAPTURE_EXCEEDS_HOLD'
  return amountMinor > wallet.balanceMinor ? 'INSUFFICIENT_BALANCE' : undefined
}

/** Of an inactive wallet too: nothing is taken from anybody. */
export function releaseHold(
  wallet: Holder,
  command: ReleaseHold,
  time: Time,
): HoldReleased | ReleaseDeclined {
  const { holdOf } = command
  const hold = holdNamedBy(wallet, command)
  if (hold === undefined) {
    const data = { ...entryData(wallet, { ...command, amountMinor: 0 }, time), holdOf }
    return { type: 'ReleaseDeclined', data: { ...data, code: 'HOLD_CLOSED' } }
  }
  const order = { ...command, amountMinor: hold.leftMinor }
  return {
    type: 'HoldReleased',
    data: { ...entryData(without(wallet, hold), order, time), holdOf },
  }
}

/** The next hold whose time is over, as the event that releases it; undefined when none is. */
export function expiryDue(wallet: Holder, time: Time): HoldExpired | undefined {
  const [next] = wallet.holds
  return next === undefined || time < next.expiresAt ? undefined : expiryOf(wallet, next, time)
}

export function expiryOf(wallet: Holder, hold: OpenHold, time: Time): HoldExpired {
  const { walletId } = wallet
  const issuer = 'service'
  const reference = { referenceType: expiredLabel, referenceId: hold.entryId }
  const entryId = entryIdOf({ issuer, walletId, reference })
  const order = { entryId, issuer, reference, amountMinor: hold.leftMinor } as const
  return { type: 'HoldExpired', data: entryData(without(wallet, hold), order, time) }
}

/** An expiry is written before anything later, so whatever else comes finds nothing due. */
export function requireNothingDue([next]: OpenHolds, { type, data }: WalletEvent): void {
  invariant(
    type === 'HoldExpired' || next === undefined || data.time < next.expiresAt,
    'a hold that has expired is released before anything later',
  )
}

export function openHold(holds: OpenHolds, entryId: string): OpenHold | undefined {
  return holds.find((hold) => hold.entryId === entryId)
}

/** The open holds after an entry; those before it where it changes none. */
export function holdsAfter(
  { walletId, holds }: Pick<Holder, 'walletId' | 'holds'>,
  event: EntryEvent,
): OpenHolds {
  const { type } = event
  if (type === 'HoldPlaced') return withPlaced(holds, event)
  if (type === 'HoldCaptured')
    return withCaptured(holds, holdEntryIdOf(walletId, event.data, event.data.holdOf), event)
  if (type === 'HoldReleased')
    return withReleased(holds, holdEntryIdOf(walletId, event.data, event.data.holdOf), event)
  return type === 'HoldExpired' ? withExpired(holds, event) : holds
}

function withPlaced(holds: OpenHolds, { data }: HoldPlaced): OpenHolds {
  const { entryId, amountMinor, expiresAt, time } = data
  invariant(amountMinor > 0, 'a hold sets something aside')
  invariant(expiresAt > time, 'a hold expires after it was placed')
  invariant(holds.length < openHoldsMax, 'the open holds of a wallet are bounded')
  invariant(openHold(holds, entryId) === undefined, 'a hold is placed once')
  const later = holds.findIndex((hold) => hold.expiresAt > expiresAt)
  const place = later === -1 ? holds.length : later
  return holds.toSpliced(place, 0, { entryId, leftMinor: amountMinor, expiresAt })
}

function withCaptured(holds: OpenHolds, entryId: EntryId, { data }: HoldCaptured): OpenHolds {
  const { amountMinor, releasedMinor } = data
  const hold = requireOpen(holds, entryId)
  invariant(amountMinor > 0, 'a capture takes something')
  invariant(amountMinor <= hold.leftMinor, 'no more is captured than is held')
  const leftMinor = hold.leftMinor - amountMinor
  if (releasedMinor === undefined && leftMinor > 0)
    return holds.with(holds.indexOf(hold), { ...hold, leftMinor })
  if (releasedMinor !== undefined)
    invariant(
      releasedMinor > 0 && releasedMinor === leftMinor,
      'a final capture releases all that is left',
    )
  return closed(holds, hold)
}

function withReleased(holds: OpenHolds, entryId: EntryId, { data }: HoldReleased): OpenHolds {
  const hold = requireOpen(holds, entryId)
  invariant(data.amountMinor === hold.leftMinor, 'a release gives back all that is left')
  return closed(holds, hold)
}

function withExpired(holds: OpenHolds, { data }: HoldExpired): OpenHolds {
  invariant(data.referenceType === expiredLabel, 'an expiry is named by the hold that expires')
  const hold = requireOpen(holds, data.referenceId)
  invariant(data.time >= hold.expiresAt, 'a hold never expires before its time')
  invariant(data.amountMinor === hold.leftMinor, 'a release gives back all that is left')
  return closed(holds, hold)
}

function requireOpen(holds: OpenHolds, entryId: string): OpenHold {
  const hold = openHold(holds, entryId)
  invariant(hold !== undefined, 'only an open hold is captured, released or expires')
  return hold
}

function closed(holds: OpenHolds, hold: OpenHold): OpenHolds {
  return holds.length === 1 ? noHolds : holds.filter((other) => other !== hold)
}

function without({ balanceMinor, heldMinor }: Sums, { leftMinor }: OpenHold): Sums {
  return { balanceMinor, heldMinor: heldMinor - leftMinor }
}

function holdNamedBy(
  { walletId, holds }: Holder,
  command: CaptureHold | ReleaseHold,
): OpenHold | undefined {
  if (holds.length === 0) return undefined
  return openHold(holds, holdEntryIdOf(walletId, command, command.holdOf))
}

/** Of the reference of an expiry: for ever, its entry id is made of it. */
const expiredLabel = 'HOLD_EXPIRED'
