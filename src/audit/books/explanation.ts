/**
 * Explains a balance: a page of a wallet's stream, each event with the balance before and after it
 * and the rule that applied, in words. Promises: read from the stream itself and never from a
 * projection; each event is checked against the one before it, and the first that breaks a rule
 * ends the page with what is wrong there. A page costs its own events, wherever it begins.
 * Never: shows a text whose key is destroyed ("erased").
 */
import { isUnreadable } from '../../event-store/contradiction.js'
import type { EventStore, RecordedEvent } from '../../event-store/event-store.js'
import { decodeHash } from '../../domain/hash-chain.js'
import { refusedWhileInactive } from '../../domain/entry-invariants.js'
import { holdsAfter, noHolds } from '../../domain/holds.js'
import type { EntryId, Issuer, WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import { unreachable } from '../../domain/invariant.js'
import type { Currency } from '../../domain/money.js'
import type { Wallet } from '../../domain/wallet.js'
import { emptyWallet } from '../../domain/wallet.js'
import type { DeclineCode, EntryEvent, WalletEvent } from '../../domain/wallet-events.js'
import { decodeEvent, isDecline, isEntry, signOf } from '../../domain/wallet-events.js'
import { readNext } from '../../domain/wallet-stream.js'
import { unseal } from '../../platform/sealing.js'
import { decimalText } from './decimal-text.js'
import type { Divergence } from '../verifying/divergence.js'
import { explainStartEventsMax } from '../limits.js'
import { placeOf } from '../verifying/wallet-fold.js'

export interface Step {
  readonly revision: number
  readonly eventId: string
  readonly hash: string
  readonly time: string
  readonly event: WalletEvent['type']
  readonly outcome: 'applied' | 'declined' | 'recorded'
  readonly code: DeclineCode | null
  readonly entryId: EntryId | null
  readonly issuer: Issuer | null
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly amountMinor: number | null
  readonly balanceBeforeMinor: number
  readonly balanceAfterMinor: number
  /** Such as "declined: 12.00 was asked for, 5.00 was there". */
  readonly rule: string
  /** The text of an entry, or the reason of a change of status. */
  readonly description: string | null
}

export interface Explanation {
  /** The newest last. */
  readonly steps: readonly Step[]
  /** The first event that breaks a rule: nothing after it is explained. */
  readonly divergence: Divergence | undefined
}

export interface ExplainParts {
  readonly store: EventStore
  readonly currency: Currency
  readonly sealingKey: Buffer | undefined
}

/** The last `limit` events before a revision, or of the whole stream. */
export async function explain(
  parts: ExplainParts,
  walletId: WalletId,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<Explanation> {
  const { store } = parts
  const head = await store.readHead(streamOf(walletId))
  const end = Math.min(page.before ?? Infinity, (head?.revision ?? -1) + 1)
  const first = Math.max(0, end - page.limit)
  const steps: Step[] = []
  let wallet = emptyWallet(walletId)
  let at: RecordedEvent | undefined
  try {
    wallet = await stateBefore(store, walletId, first)
    const range = { fromRevision: wallet.revision + 1, maxCount: end - wallet.revision - 1 }
    if (range.maxCount === 0) return { steps, divergence: undefined }
    for await (const recorded of store.readStream(streamOf(walletId), range)) {
      at = recorded
      const { wallet: next, event } = readNext(wallet, recorded)
      if (recorded.revision >= first) steps.push(stepOf(parts, recorded, { wallet, event, next }))
      wallet = next
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const place = at === undefined ? `wallet ${walletId}` : placeOf(at)
    const problem = `breaks a rule: ${error.message}`
    return { steps, divergence: { kind: 'event', place, problem } }
  }
  return { steps, divergence: undefined }
}

/**
 * The wallet as it was before an event, from the few events before that: every entry carries the
 * sums after it, every event its hash, and most tell whether it was active.
 */
async function stateBefore(
  store: EventStore,
  walletId: WalletId,
  revision: number,
): Promise<Wallet> {
  // From further back where all are changes of status, a hold was open before the first, or none
  // of them would have been refused while it was inactive.
  for (let count = explainStartEventsMax; ; count *= 8) {
    const fromRevision = Math.max(0, revision - count)
    const range = { fromRevision, maxCount: revision - fromRevision }
    let state = fromRevision === 0 ? emptyWallet(walletId) : undefined
    let isActive = state?.isActive
    if (range.maxCount > 0)
      for await (const recorded of store.readStream(streamOf(walletId), range)) {
        const event = decodeEvent(recorded.type, recorded.data)
        state = stateAfter(walletId, state, { recorded, event })
        isActive = activityAfter(event) ?? isActive
      }
    if (state !== undefined && isActive !== undefined) return { ...state, isActive }
  }
}

/** Undefined as long as nothing before it tells which holds are open. */
function stateAfter(
  walletId: WalletId,
  before: Wallet | undefined,
  { recorded, event }: { readonly recorded: RecordedEvent; readonly event: WalletEvent },
): Wallet | undefined {
  const { time } = event.data
  const hash = decodeHash(recorded.metadata)
  const known = { walletId, revision: recorded.revision, isActive: true, hash, time }
  if (!isEntry(event)) return before && { ...before, ...known }
  const { balanceMinor, heldMinor = 0 } = event.data
  if (heldMinor === 0) return { ...known, balanceMinor, heldMinor, holds: noHolds }
  return before && { ...known, balanceMinor, heldMinor, holds: holdsAfter(before, event) }
}

/** Whether the wallet is active, as far as an event tells. */
function activityAfter(event: WalletEvent): boolean | undefined {
  if (event.type === 'WalletDeactivated') return false
  if (!isEntry(event) || refusedWhileInactive.has(event.type)) return true
  return isDecline(event) && event.data.code === 'WALLET_INACTIVE' ? false : undefined
}

interface Change {
  readonly wallet: Wallet
  readonly event: WalletEvent
  readonly next: Wallet
}

function stepOf(parts: ExplainParts, recorded: RecordedEvent, change: Change): Step {
  const { wallet, event, next } = change
  const common = {
    revision: recorded.revision,
    eventId: recorded.id,
    hash: next.hash,
    time: event.data.time,
    event: event.type,
    balanceBeforeMinor: wallet.balanceMinor,
    balanceAfterMinor: next.balanceMinor,
  }
  if (!isEntry(event))
    return {
      ...common,
      outcome: 'recorded',
      code: null,
      entryId: null,
      issuer: event.type === 'WalletOpened' ? null : event.data.issuer,
      referenceType: null,
      referenceId: null,
      amountMinor: null,
      rule: statusRule(event),
      description: event.type === 'WalletOpened' ? null : event.data.reason,
    }
  const { data } = event
  const { entryId, issuer, referenceType, referenceId, amountMinor, description: text } = data
  const opened = text && unseal(text, { key: parts.sealingKey, entryId })
  const code = 'code' in data ? data.code : null
  return {
    ...common,
    outcome: code === null ? 'applied' : 'declined',
    code,
    entryId,
    issuer,
    referenceType,
    referenceId,
    amountMinor,
    rule: entryRule(event, wallet, parts.currency),
    description: text === undefined ? null : (opened ?? 'erased'),
  }
}

function statusRule(event: Exclude<WalletEvent, EntryEvent>): string {
  switch (event.type) {
    case 'WalletOpened':
      return `opened: a wallet begins empty, in ${event.data.currency.toUpperCase()}`
    case 'WalletDeactivated':
      return 'deactivated: from here on debits and credits are declined; the balance stays'
    case 'WalletReactivated':
      return 'reactivated: from here on debits and credits are decided again; the balance stays'
    default:
      return unreachable(event)
  }
}

function entryRule(event: EntryEvent, before: Wallet, currency: Currency): string {
  const { data } = event
  const money = (minor: number): string => decimalText(minor, currency).replace('-', '−')
  if ('code' in data) {
    const [asked, there] = [money(data.amountMinor), money(before.balanceMinor)]
    // What is held is there for its own capture.
    const heldMinor = event.type === 'CaptureDeclined' ? 0 : before.heldMinor
    const held = heldMinor === 0 ? '' : `, of which ${money(heldMinor)} was held`
    return `declined: ${declineRule(data.code, { asked, there, held })}`
  }
  if (signOf[event.type] === 0) {
    const sums = [before.heldMinor, data.heldMinor ?? 0].map(money)
    return `${appliedRules[event.type]}: held ${sums[0]}, then ${sums[1]}`
  }
  const sign = signOf[event.type] === 1 ? '+' : '−'
  const amounts = [before.balanceMinor, data.amountMinor, data.balanceMinor].map(money)
  const sum = `${amounts[0]} ${sign} ${amounts[1]} = ${amounts[2]}`
  return `${appliedRules[event.type]}: ${sum}`
}

const appliedRules: Readonly<Record<EntryEvent['type'], string>> = {
  WalletDebited: 'applied, because at least that much was there',
  WalletCredited: 'applied to an active wallet',
  WalletToppedUp: 'a payment that was received is always booked',
  TopUpReversed: 'money that is gone is always booked, also below zero',
  TopUpReinstated: 'money that came back is always booked',
  BonusGranted: 'granted by the service',
  DebitDeclined: 'declined',
  CreditDeclined: 'declined',
  HoldPlaced: 'set aside, because at least that much was available; the balance stays',
  HoldDeclined: 'declined',
  HoldCaptured: 'taken out of what was held for it',
  CaptureDeclined: 'declined',
  HoldReleased: 'what was left of the hold is available again; the balance stays',
  ReleaseDeclined: 'declined',
  HoldExpired: 'the time of the hold is over, so what was left is available again',
}

function declineRule(
  code: DeclineCode,
  { asked, there, held }: Record<'asked' | 'there' | 'held', string>,
): string {
  switch (code) {
    case 'INSUFFICIENT_BALANCE':
      return `${asked} was asked for, ${there} was there${held}`
    case 'WALLET_INACTIVE':
      return `${asked} was asked for, but the wallet was inactive`
    case 'REFUND_EXCEEDS_DEBIT':
      return `${asked} is more than was left of the debit to refund`
    case 'BALANCE_LIMIT_EXCEEDED':
      return `${there} and ${asked} would be more than a wallet may hold`
    case 'CAPTURE_EXCEEDS_HOLD':
      return `${asked} is more than was left of the hold`
    case 'HOLD_CLOSED':
      return 'the hold was used up, released or expired, or never was'
    case 'TOO_MANY_HOLDS':
      return 'as many holds as a wallet may have were open'
    case 'VOIDED':
      return 'the client app gave this reference up before it was used'
    default:
      return unreachable(code)
  }
}
