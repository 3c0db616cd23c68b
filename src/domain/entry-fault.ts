/**
 * What is wrong with an entry that no command could have made: its command is read back from it and
 * decided again, by the very rules that a lane decides by, in the state before it.
 * For audits, which know every reference before the entry. A live wallet folds by `evolve` alone:
 * it is not stopped by what only an audit can tell. Pure.
 */
import type { EntryCommand, References, Wallet } from './wallet.js'
import { isGivenBackWhole } from './top-up-references.js'
import { decide, reversedEntryOf } from './wallet.js'
import type { EntryEvent, EntryType, TopUpReinstated } from './wallet-events.js'

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
  const command = commandOf(event)
  // What a card processor tells is booked as it is told, be it nothing; no app may ask for nothing.
  if (amountMinor === 0 && (command.type === 'Debit' || command.type === 'Credit'))
    return 'is an entry of nothing'
  if (event.type === 'TopUpReinstated') {
    const fault = reinstatementFault(wallet, event, references)
    if (fault !== undefined) return fault
  }
  const decision = decide(wallet, command, references, time)
  if (decision.kind === 'replay') return 'is a second outcome of a reference that has one'
  const made = nameOf(decision.event)
  if (made !== nameOf(event)) return unlike(event, made)
  const field = differingField(event.data, decision.event.data)
  return field && `holds another ${field} than the rules make`
}

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
function commandOf({ type, data }: EntryEvent): EntryCommand {
  const { amountMinor, description, entryId, issuer } = data
  // The data of an entry names its reference itself.
  const plain = { entryId, issuer, reference: data, amountMinor }
  const order = description === undefined ? plain : { ...plain, description }
  if (type === 'WalletCredited' || type === 'CreditDeclined')
    return data.refundOf === undefined
      ? { type: 'Credit', ...order }
      : { type: 'Credit', ...order, refundOf: data.refundOf }
  if (type === 'DebitDeclined' && data.code === 'VOIDED') return { type: 'Void', ...order }
  return { type: commandTypes[type], ...order }
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
} as const satisfies Record<EntryType, EntryCommand['type']>

function nameOf({ type, data }: EntryEvent): string {
  return 'code' in data ? `${type} (${data.code})` : type
}

function unlike(event: EntryEvent, made: string): string {
  if (event.type === 'WalletCredited' && made.includes('REFUND_EXCEEDS_DEBIT'))
    return 'refunds more than its debit has left'
  return `is ${nameOf(event)}, where the rules make ${made}`
}

function differingField(stored: object, made: object): string | undefined {
  const [one, other] = [stored as Fields, made as Fields]
  for (const name in other) if (one[name] !== other[name]) return name
  for (const name in one) if (!(name in other)) return name
  return undefined
}

type Fields = Readonly<Record<string, unknown>>
