/**
 * The events of a wallet stream: their names, their data and the canonical JSON they are stored as.
 * Names and payloads are for ever: a change is a new version with an upcast (docs/decisions/0003).
 * Promises: what encodes decodes to the same value, and only canonical JSON decodes. Never: skips
 * an event it does not know.
 */
import { InvariantError, invariant } from './invariant.js'
import type { EntryId, Issuer, WalletId } from './ids.js'
import type { Reference } from './reference.js'

/** Text sealed with the person's key: the event never holds it in plain (platform/sealing.ts). */
export type SealedText = `v1.${string}`

/** ISO 8601 in UTC with milliseconds: sorts as text. */
export type Time = string

export type DeclineCode =
  | 'INSUFFICIENT_BALANCE'
  | 'WALLET_INACTIVE'
  | 'REFUND_EXCEEDS_DEBIT'
  | 'BALANCE_LIMIT_EXCEEDED'
  | 'VOIDED'
  | 'CAPTURE_EXCEEDS_HOLD'
  | 'HOLD_CLOSED'
  | 'TOO_MANY_HOLDS'

/** What every entry carries. `balanceMinor` is the balance after it. */
interface EntryData extends Reference {
  readonly amountMinor: number
  readonly balanceMinor: number
  readonly description?: SealedText
  readonly entryId: EntryId
  /** What open holds set aside after it; left out when it is nothing. */
  readonly heldMinor?: number
  readonly issuer: Issuer
  readonly time: Time
}

interface CreditData extends EntryData {
  /** The pair of the debit that this credit refunds. */
  readonly refundOf?: Reference
}

interface OfHoldData extends EntryData {
  /** The pair of the hold that it is about. */
  readonly holdOf: Reference
}

interface Declined {
  readonly code: DeclineCode
}

interface StatusData {
  readonly issuer: Issuer
  readonly reason: string
  readonly time: Time
}

interface Event<Type extends string, Data> {
  readonly type: Type
  readonly data: Data
}

export type WalletOpened = Event<
  'WalletOpened',
  { readonly currency: string; readonly time: Time; readonly walletId: WalletId }
>
export type WalletCredited = Event<'WalletCredited', CreditData>
export type WalletDebited = Event<'WalletDebited', EntryData>
export type DebitDeclined = Event<'DebitDeclined', EntryData & Declined>
export type CreditDeclined = Event<'CreditDeclined', CreditData & Declined>
export type WalletToppedUp = Event<'WalletToppedUp', EntryData>
export type TopUpReversed = Event<'TopUpReversed', EntryData>
export type TopUpReinstated = Event<'TopUpReinstated', EntryData>
export type BonusGranted = Event<'BonusGranted', EntryData>
export type HoldPlaced = Event<'HoldPlaced', EntryData & { readonly expiresAt: Time }>
export type HoldDeclined = Event<'HoldDeclined', EntryData & Declined>
/** `releasedMinor`: what the hold had left after a final capture. */
export type HoldCaptured = Event<'HoldCaptured', OfHoldData & { readonly releasedMinor?: number }>
export type CaptureDeclined = Event<'CaptureDeclined', OfHoldData & Declined>
export type HoldReleased = Event<'HoldReleased', OfHoldData>
export type ReleaseDeclined = Event<'ReleaseDeclined', OfHoldData & Declined>
export type HoldExpired = Event<'HoldExpired', EntryData>
export type WalletDeactivated = Event<'WalletDeactivated', StatusData>
export type WalletReactivated = Event<'WalletReactivated', StatusData>

/** The events that are an outcome of a reference. */
export type EntryEvent =
  | WalletCredited
  | WalletDebited
  | DebitDeclined
  | CreditDeclined
  | WalletToppedUp
  | TopUpReversed
  | TopUpReinstated
  | BonusGranted
  | HoldPlaced
  | HoldDeclined
  | HoldCaptured
  | CaptureDeclined
  | HoldReleased
  | ReleaseDeclined
  | HoldExpired

export type WalletEvent = WalletOpened | EntryEvent | WalletDeactivated | WalletReactivated
export type EntryType = EntryEvent['type']

/** What an entry does to the balance: +1, −1, or 0 for a decline, and for holds until captured. */
export const signOf: Readonly<Record<EntryType, 1 | -1 | 0>> = {
  WalletCredited: 1,
  WalletDebited: -1,
  DebitDeclined: 0,
  CreditDeclined: 0,
  WalletToppedUp: 1,
  TopUpReversed: -1,
  TopUpReinstated: 1,
  BonusGranted: 1,
  HoldPlaced: 0,
  HoldDeclined: 0,
  HoldCaptured: -1,
  CaptureDeclined: 0,
  HoldReleased: 0,
  ReleaseDeclined: 0,
  HoldExpired: 0,
}

/** The outcomes that refuse what was asked for, each with its code. */
export type Decline =
  | DebitDeclined
  | CreditDeclined
  | HoldDeclined
  | CaptureDeclined
  | ReleaseDeclined

export function isDecline(event: EntryEvent): event is Decline {
  return declines.has(event.type)
}

const declines: ReadonlySet<EntryType> = new Set<Decline['type']>([
  'DebitDeclined',
  'CreditDeclined',
  'HoldDeclined',
  'CaptureDeclined',
  'ReleaseDeclined',
])

export function isEntry(event: WalletEvent): event is EntryEvent {
  return event.type in signOf
}

/** The data as it is stored and hashed: the canonical JSON of it. */
export function encodeData(event: WalletEvent): string {
  return isEntry(event) ? encodeEntry(event.data) : canonicalJson(event.data)
}

/** The same text as `canonicalJson`, by the names that an entry has: every debit is one. */
function encodeEntry(data: AnyEntryData): string {
  const { code, description, expiresAt, heldMinor, holdOf, refundOf, releasedMinor } = data
  return (
    `{"amountMinor":${integer(data.amountMinor)},"balanceMinor":${integer(data.balanceMinor)}` +
    (code === undefined ? '' : `,"code":${quoted(code)}`) +
    (description === undefined ? '' : `,"description":${quoted(description)}`) +
    `,"entryId":${quoted(data.entryId)}` +
    (expiresAt === undefined ? '' : `,"expiresAt":${quoted(expiresAt)}`) +
    (heldMinor === undefined ? '' : `,"heldMinor":${integer(heldMinor)}`) +
    (holdOf === undefined ? '' : `,"holdOf":${canonicalJson(holdOf)}`) +
    `,"issuer":${quoted(data.issuer)}` +
    `,"referenceId":${quoted(data.referenceId)},"referenceType":${quoted(data.referenceType)}` +
    (refundOf === undefined ? '' : `,"refundOf":${canonicalJson(refundOf)}`) +
    (releasedMinor === undefined ? '' : `,"releasedMinor":${integer(releasedMinor)}`) +
    `,"time":${quoted(data.time)}}`
  )
}

/** Every field that an entry may have. */
interface AnyEntryData extends CreditData, Partial<Declined> {
  readonly expiresAt?: Time
  readonly holdOf?: Reference
  readonly releasedMinor?: number
}

function integer(value: number): number {
  invariant(Number.isSafeInteger(value), 'a stored number is a safe integer')
  return value
}

/** ASCII without quote, backslash and control characters stands in JSON as it is. */
const plainText = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  return plainText.test(text) ? `"${text}"` : canonicalJson(text)
}

/** Unknown types and texts that are not canonical are loud, never skipped. */
export function decodeEvent(type: string, data: string): WalletEvent {
  const required = requiredKeys.get(type)
  if (required === undefined) throw new InvariantError(`unknown event type ${type}`)
  const value: unknown = JSON.parse(data)
  invariant(isRecord(value), 'the data of an event is an object')
  for (const key of required) {
    const kind = numbers.has(key) ? 'number' : 'string'
    if (typeof value[key] !== kind)
      throw new InvariantError(`the data of ${type} holds ${key} as a ${kind}`)
  }
  invariant(isTime(value['time']), 'the time of an event is ISO 8601 in UTC with milliseconds')
  if (type === 'HoldPlaced')
    invariant(isTime(value['expiresAt']), 'a hold expires at a time of the same form')
  if (ofHolds.has(type)) invariant(isReference(value['holdOf']), 'a hold is named by its pair')
  invariant(canonicalJson(value) === data, 'the data of an event is canonical JSON')
  return { type, data: value } as unknown as WalletEvent
}

/** RFC 8785 for what events hold: objects, integers and well-formed strings. */
export function canonicalJson(value: unknown): string {
  // Events are built with their keys in order, so nearly always there is nothing to sort.
  return JSON.stringify(isInOrder(value) ? value : inOrder(value))
}

/** Whether all keys stand in sorted order, at every depth; throws on what no event may hold. */
function isInOrder(value: unknown): boolean {
  if (typeof value === 'string') {
    invariant(value.isWellFormed(), 'a stored string is well-formed Unicode')
    return true
  }
  if (typeof value === 'number') {
    invariant(Number.isSafeInteger(value), 'a stored number is a safe integer')
    return true
  }
  invariant(isRecord(value), 'a stored value is an object, an integer or a string')
  let isSorted = true
  let previous = ''
  for (const key in value) {
    isSorted = isSorted && previous < key
    previous = key
    const member = value[key]
    if (member !== undefined) isSorted = isInOrder(member) && isSorted
  }
  return isSorted
}

function inOrder(value: unknown): unknown {
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, inOrder(value[key])]))
}

/** Every other required field is a text. */
const numbers: ReadonlySet<string> = new Set(['amountMinor', 'balanceMinor'])

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function isTime(value: unknown): value is Time {
  return typeof value === 'string' && timePattern.test(value)
}

function isReference(value: unknown): value is Reference {
  if (!isRecord(value)) return false
  const { referenceType, referenceId } = value
  return typeof referenceType === 'string' && typeof referenceId === 'string'
}

/** What captures or releases a hold names it. */
const ofHolds: ReadonlySet<string> = new Set<EntryType>([
  'HoldCaptured',
  'CaptureDeclined',
  'HoldReleased',
  'ReleaseDeclined',
])

const entryKeys = [
  'amountMinor',
  'balanceMinor',
  'entryId',
  'issuer',
  'referenceId',
  'referenceType',
  'time',
]

const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['WalletOpened', ['currency', 'time', 'walletId']],
  ['WalletCredited', entryKeys],
  ['WalletDebited', entryKeys],
  ['DebitDeclined', [...entryKeys, 'code']],
  ['CreditDeclined', [...entryKeys, 'code']],
  ['WalletToppedUp', entryKeys],
  ['TopUpReversed', entryKeys],
  ['TopUpReinstated', entryKeys],
  ['BonusGranted', entryKeys],
  ['HoldPlaced', [...entryKeys, 'expiresAt']],
  ['HoldDeclined', [...entryKeys, 'code']],
  ['HoldCaptured', entryKeys],
  ['CaptureDeclined', [...entryKeys, 'code']],
  ['HoldReleased', entryKeys],
  ['ReleaseDeclined', [...entryKeys, 'code']],
  ['HoldExpired', entryKeys],
  ['WalletDeactivated', ['issuer', 'reason', 'time']],
  ['WalletReactivated', ['issuer', 'reason', 'time']],
])

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
