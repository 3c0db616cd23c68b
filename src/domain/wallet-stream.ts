/**
 * How a wallet's events become stored events and back: canonical data, chain hash, event id.
 * Promises: what is read was written by these rules for exactly this wallet at exactly this
 * revision; anything else is a broken invariant. Pure.
 */
import type { ChainHash } from './hash-chain.js'
import { encodeHash, eventIdOf, nextHash } from './hash-chain.js'
import { invariant } from './invariant.js'
import type { Wallet } from './wallet.js'
import { evolve } from './wallet.js'
import type { WalletEvent } from './wallet-events.js'
import { decodeEvent, encodeData, isEntry } from './wallet-events.js'

/** An event as any store keeps it. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

/** What a stored event says, as whoever wrote or read it has folded it. */
export interface FoldedEvent {
  readonly before: Wallet
  readonly event: WalletEvent
  readonly after: Wallet
}

/** An event in the hands of its writer, who need not read it again. */
export interface WrittenEvent extends StoredEvent {
  readonly folded: FoldedEvent
}

/** The next event of the wallet as it will be stored, and the wallet after it. */
export function writeNext(
  before: Wallet,
  event: WalletEvent,
): { readonly wallet: Wallet; readonly stored: WrittenEvent } {
  const next = evolve(before, event)
  const { type } = event
  const data = encodeData(event)
  const { walletId, revision } = next
  const hash = nextHash(before.hash, { walletId, revision, type, data })
  const after = at(next, hash)
  const folded = { before, event, after }
  const id = idOf(before, event, hash)
  return { wallet: after, stored: { id, type, data, metadata: encodeHash(hash), folded } }
}

/** The next event of the stream, checked against the chain, and the wallet after it. */
export function readNext(
  wallet: Wallet,
  stored: StoredEvent & { readonly revision: number },
): { readonly wallet: Wallet; readonly event: WalletEvent } {
  invariant(stored.revision === wallet.revision + 1, 'revisions follow each other')
  const event = decodeEvent(stored.type, stored.data)
  const next = evolve(wallet, event)
  const { walletId, revision } = next
  const { type, data } = stored
  const hash = nextHash(wallet.hash, { walletId, revision, type, data })
  invariant(stored.metadata === encodeHash(hash), 'the hash of an event continues the chain')
  invariant(stored.id === idOf(wallet, event, hash), 'the id of an event is derived from its hash')
  return { wallet: at(next, hash), event }
}

// Field by field: spreading costs more than the rest of the fold, and audits do this millions of
// times.
function at(next: Omit<Wallet, 'hash'>, hash: ChainHash): Wallet {
  const { walletId, revision, balanceMinor, isActive, holds, heldMinor, time } = next
  return { walletId, revision, balanceMinor, isActive, holds, heldMinor, hash, time }
}

function idOf(wallet: Wallet, event: WalletEvent, hash: ChainHash): string {
  return eventIdOf(isEntry(event) ? event.data.entryId : wallet.walletId, hash)
}
