/**
 * What is wrong with an entry that no command could have made: its command is read back from it and
 * decided again, by the very rules that a lane decides by, in the state before it.
 * For audits, which know every reference before the entry. A live wallet folds by `evolve` alone:
 * it is not stopped by what only an audit can tell. Pure.
 */
import type { EntryOrder } from './entry-order.js'
import type { CaptureHold } from './holds.js'
import { expiryOf, holdSecondsMax, holdSecondsMin, openHold } from './holds.js'
import type { Reference } from './reference.js'
import type { EntryCommand, References, Wallet } from './wallet.js'
import { isGivenBackWhole } from './top-up-references.js'
import { decide, reversedEntryOf } from './wallet.js'
import type {
  EntryEvent,
  EntryType,
  HoldExpired,
  HoldPlaced,
  TopUpReinstated,
} from './wallet-events.js'

/**
 * As the rest of a sentence; undefined when the entry is what the rules make of its command.
 * `wallet` and `references` are as they were before the entry.
 */
export function entryFault(
  wallet: Wallet,
  event: EntryEvent,
  references: References,
): string | undefined {
  const { amountMinor, time } = event.data
  if (event.type === 'HoldExpired') return expiryFault(wallet, event, references)
  const command = commandOf(event)
  // What a card processor tells is booked as it is told, be it nothing; no app may ask for nothing.
  if (amountMinor === 0 && neverOfNothing.has(command.type)) return 'is an entry of nothing'
  if (command.type === 'PlaceHold' && !isLifetime(command.lifetimeSeconds))
    return 'holds for a time that no command may ask for'
  if (event.type === 'TopUpReinstated') {
    const fault = reinstatementFault(wallet, event, references)
    if (fault !== undefined) return fault
  }
  const decision = decide(wallet, command, references, time)
  if (decision.kind === 'replay') return secondOutcome
  const made = nameOf(decision.event)
  if (made !== nameOf(event)) return unlike(event, made)
  return differing(event.data, decision.event.data)
}

const neverOfNothing: ReadonlySet<EntryCommand['type']> = new Set(['Debit', 'Credit', 'PlaceHold'])

function isLifetime(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= holdSecondsMin && seconds <= holdSecondsMax
}

/** No command: the lane writes it once the time of an open hold is over. */
function expiryFault(
  wallet: Wallet,
  { data }: HoldExpired,
  references: References,
): string | undefined {
  if (references.outcome(data.entryId) !== undefined) return secondOutcome
  const hold = openHold(wallet.holds, data.referenceId)
  if (hold === undefined || data.time < hold.expiresAt) return 'is an expiry that is not due'
  return differing(data, expiryOf(wallet, hold, data.time).data)
}

const secondOutcome = 'is a second outcome of a reference that has one'

/** Settling a payment books what is given back only after what was taken (top-ups/top-up.ts). */
function reinstatementFault(
  { walletId }: Wallet,
  event: TopUpReinstated,
  references: References,
): string | undefined {
  const reversed = reversedEntryOf(walletId, event)
  const reversal = reversed && references.outcome(reversed)
  if (reversal?.type !== 'TopUpReversed') return 'reinstates what was never reversed'
  if (isGivenBackWhole(event.data) && reversal.amountMinor !== event.data.amountMinor)
    return 'reinstates another amount than was reversed'
  return undefined
}

// Never spreads the data: that costs as much as the fold, and audits do this millions of times.
function commandOf(event: Exclude<EntryEvent, HoldExpired>): EntryCommand {
  const { type, data } = event
  const { amountMinor, description, entryId, issuer } = data
  // The data of an entry names its reference itself.
  const plain = { entryId, issuer, reference: data, amountMinor }
  const order = description === undefined ? plain : { ...plain, description }
  if (type === 'WalletCredited' || type === 'CreditDeclined')
    return data.refundOf === undefined
      ? { type: 'Credit', ...order }
      : { type: 'Credit', ...order, refundOf: data.refundOf }
  if (type === 'DebitDeclined' && data.code === 'VOIDED') return { type: 'Void', ...order }
  if (type === 'HoldPlaced')
    return { type: 'PlaceHold', ...order, lifetimeSeconds: lifetimeOf(data) }
  // How long it was to last is not kept of what was declined, and decides nothing.
  if (type === 'HoldDeclined')
    return { type: 'PlaceHold', ...order, lifetimeSeconds: holdSecondsMin }
  if (type === 'HoldCaptured')
    return captureOf(order, data.holdOf, data.releasedMinor !== undefined)
  if (type === 'CaptureDeclined') return captureOf(order, data.holdOf, false)
  if (type === 'HoldReleased' || type === 'ReleaseDeclined')
    return { type: 'ReleaseHold', ...order, holdOf: data.holdOf }
  return { type: commandTypes[type], ...order }
}

function lifetimeOf({ time, expiresAt }: HoldPlaced['data']): number {
  return (Date.parse(expiresAt) - Date.parse(time)) / 1_000
}

/** An amount of nothing was never asked for: it was left out, and nothing was left. */
function captureOf(order: EntryOrder, holdOf: Reference, isFinal: boolean): CaptureHold {
  const { amountMinor, ...rest } = order
  const capture = { type: 'CaptureHold', ...rest, holdOf, isFinal } as const
  return amountMinor === 0 ? capture : { ...capture, amountMinor }
}

const commandTypes = {
  WalletDebited: 'Debit',
  DebitDeclined: 'Debit',
  WalletCredited: 'Credit',
  CreditDeclined: 'Credit',
  WalletToppedUp: 'TopUp',
  TopUpReversed: 'ReverseTopUp',
  TopUpReinstated: 'ReinstateTopUp',
  BonusGranted: 'GrantBonus',
} as const satisfies Partial<Record<EntryType, EntryCommand['type']>>

function nameOf({ type, data }: EntryEvent): string {
  return 'code' in data ? `${type} (${data.code})` : type
}

function unlike(event: EntryEvent, made: string): string {
  if (event.type === 'WalletCredited' && made.includes('REFUND_EXCEEDS_DEBIT'))
    return 'refunds more than its debit has left'
  return `is ${nameOf(event)}, where the rules make ${made}`
}

function differing(stored: object, made: object): string | undefined {
  const field = differingField(stored, made)
  return field && `holds another ${field} than the rules make`
}

function differingField(stored: object, made: object): string | undefined {
  const [one, other] = [stored as Fields, made as Fields]
  for (const name in other) if (one[name] !== other[name]) return name
  for (const name in one) if (!(name in other)) return name
  return undefined
}

type Fields = Readonly<Record<string, unknown>>
