/**
 * One wallet's stream folded for an audit: every event checked against the chain, its ids derived
 * anew, and the row that it must have left in the read models.
 * Promises: goes on only from an event that is exactly what the rules would have written; anything
 * else is a DivergenceError that names wallet, revision and position.
 */
import { isUnreadable } from '../../event-store/contradiction.js'
import { ledgerStreamPrefix } from '../../event-store/event-store.js'
import type { EventPlace, RecordedEvent } from '../../event-store/event-store.js'
import type { WalletId } from '../../domain/ids.js'
import { entryIdOf } from '../../domain/ids.js'
import type { Outcome, Wallet } from '../../domain/wallet.js'
import { emptyWallet, outcomeOf } from '../../domain/wallet.js'
import type { EntryEvent, WalletEvent } from '../../domain/wallet-events.js'
import { decodeEvent, isEntry } from '../../domain/wallet-events.js'
import { readNext } from '../../domain/wallet-stream.js'
import { diverges } from './divergence.js'

/** An entry of the stream, with all that it is to be held against. */
export interface FoldedEntry {
  /** The wallet before it. */
  readonly before: Wallet
  readonly event: EntryEvent
  readonly outcome: Outcome
  /** Put in words only where a place is needed. */
  readonly place: EventPlace
  /** The transaction row that it must have left: `transactionFields`, in order, as one text. */
  readonly rowText: string
}

export class WalletFold {
  #wallet: Wallet
  #statusReason: string | null = null
  #entries = 0

  constructor(walletId: WalletId) {
    this.#wallet = emptyWallet(walletId)
  }

  /** As it is now, to be folded on by itself. */
  copy(): WalletFold {
    const copy = new WalletFold(this.#wallet.walletId)
    copy.#wallet = this.#wallet
    copy.#statusReason = this.#statusReason
    copy.#entries = this.#entries
    return copy
  }

  get wallet(): Wallet {
    return this.#wallet
  }

  /** Why the wallet was last deactivated or reactivated. */
  get statusReason(): string | null {
    return this.#statusReason
  }

  /** How many outcomes the stream holds. */
  get entries(): number {
    return this.#entries
  }

  /** Takes the next event of the stream. */
  take(recorded: RecordedEvent): { event: WalletEvent; entry: FoldedEntry | undefined } {
    const before = this.#wallet
    const { walletId, revision } = before
    if (recorded.revision !== revision + 1)
      diverges('event', placeOf(recorded), `stands where revision ${revision + 1} must stand`)
    const event = this.#read(recorded)
    if (!isEntry(event)) {
      if (event.type !== 'WalletOpened') this.#statusReason = event.data.reason
      return { event, entry: undefined }
    }
    const { issuer, entryId, referenceType, referenceId } = event.data
    if (entryIdOf({ issuer, walletId, reference: { referenceType, referenceId } }) !== entryId)
      diverges('event', placeOf(recorded), 'carries an entry id not of its reference')
    this.#entries += 1
    const outcome = outcomeOf(walletId, event, recorded.revision)
    const rowText = rowTextOf(walletId, event, outcome)
    return { event, entry: { before, event, outcome, place: recorded, rowText } }
  }

  #read(recorded: RecordedEvent): WalletEvent {
    const { wallet, event } = byTheRules(recorded, () => readNext(this.#wallet, recorded))
    this.#wallet = wallet
    return event
  }
}

/** The event by itself, outside of its stream. */
export function decoded(recorded: RecordedEvent): WalletEvent {
  return byTheRules(recorded, () => decodeEvent(recorded.type, recorded.data))
}

function byTheRules<T>(recorded: RecordedEvent, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error))
      return diverges('event', placeOf(recorded), `breaks a rule: ${error.message}`)
    throw error
  }
}

/** "wallet 1b4e…, revision 7 (position 4711)"; a stream that is no wallet's by its own name. */
export function placeOf({ stream, revision, position }: EventPlace): string {
  const owner = stream.replace(ledgerStreamPrefix, 'wallet ')
  return `${owner}, revision ${revision} (position ${position})`
}

/** What `transactionText` of projections/queries/audit.ts makes of a row. */
export const transactionFields = [
  'entry_id',
  'wallet_id',
  'revision',
  'type',
  'code',
  'amount_minor',
  'balance_minor',
  'length of reference_type',
  'length of reference_id',
  'reference_type',
  'reference_id',
  'issuer',
  'description',
  'refund_of',
  'time',
  'held_minor',
  'expires_at',
  'hold_of',
] as const

/** Between the fields of a row. A text may hold it too: the lengths before tell it apart. */
export const fieldSeparator = '\u001f'

function rowTextOf(walletId: WalletId, event: EntryEvent, outcome: Outcome): string {
  const { data } = event
  // In the order of `transactionFields`.
  const fields = [
    data.entryId,
    walletId,
    outcome.revision,
    event.type,
    outcome.code ?? '',
    data.amountMinor,
    data.balanceMinor,
    Buffer.byteLength(data.referenceType),
    Buffer.byteLength(data.referenceId),
    data.referenceType,
    data.referenceId,
    data.issuer,
    data.description ?? '',
    outcome.refundedEntryId ?? '',
    Date.parse(data.time),
    outcome.heldMinor ?? '',
    outcome.expiresAt === undefined ? '' : Date.parse(outcome.expiresAt),
    outcome.holdEntryId ?? '',
  ]
  return fields.join(fieldSeparator)
}
