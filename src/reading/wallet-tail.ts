/**
 * A wallet's state from its row and what the stream holds beyond it: the one way from rows to
 * truth, used by cold lanes and by every authoritative read.
 * Promises: the event at the row's revision carries the row's hash, else the row belongs to another
 * or a restored store; every event beyond it continues the chain. Never: treats a missing stream as
 * a new wallet when a row says otherwise, or folds more than `tailEventsMax` events.
 */
import type { RecordedEvent } from '../event-store/event-store.js'
import type { EventStore } from '../event-store/event-store.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { decodeHash } from '../domain/hash-chain.js'
import type { WalletId } from '../domain/ids.js'
import { streamOf } from '../domain/ids.js'
import { InvariantError } from '../domain/invariant.js'
import type { Wallet } from '../domain/wallet.js'
import { emptyWallet } from '../domain/wallet.js'
import type { WalletEvent } from '../domain/wallet-events.js'
import { readNext } from '../domain/wallet-stream.js'
import { tailEventsMax } from '../limits.js'
import type { WalletRow } from './read-models.js'

export interface Folded {
  readonly wallet: Wallet
  /** The id of the event at the wallet's revision; undefined before the first. */
  readonly headId: string | undefined
}

/**
 * As `foldTail`, for who has also read the stream's last event after the question came: where the
 * row is that event's, or both are missing, there is nothing beyond the row, and nothing is read.
 */
export async function foldBeyond(
  store: EventStore,
  start: { walletId: WalletId; row: WalletRow | undefined; head: RecordedEvent | undefined },
  onEvent: (event: WalletEvent, revision: number) => void,
): Promise<Folded> {
  const { walletId, row, head } = start
  if (row === undefined && head === undefined)
    return { wallet: emptyWallet(walletId), headId: undefined }
  if (row !== undefined && head !== undefined && isSame(row, head))
    return { wallet: row, headId: head.id }
  return foldTail(store, start, onEvent)
}

/**
 * Calls `onEvent` for each event beyond the row, with its revision, and returns the state at the
 * end.
 */
export async function foldTail(
  store: EventStore,
  start: { walletId: WalletId; row: WalletRow | undefined },
  onEvent: (event: WalletEvent, revision: number) => void,
): Promise<Folded> {
  const { walletId, row } = start
  let wallet: Wallet = row ?? emptyWallet(walletId)
  let headId: string | undefined
  let seen = 0
  // From the row's revision inclusive: that event proves that row and stream belong together.
  const fromRevision = Math.max(wallet.revision, 0)
  const maxCount = tailEventsMax + 2
  for await (const recorded of store.readStream(streamOf(walletId), { fromRevision, maxCount })) {
    seen += 1
    headId = recorded.id
    if (seen === 1 && row !== undefined) {
      if (!isSame(row, recorded)) throw rowWithoutEvent(row)
      continue
    }
    if (seen > tailEventsMax + 1)
      throw new StoreUnavailableError('the projections lag too far behind this wallet')
    const next = readNext(wallet, recorded)
    wallet = next.wallet
    onEvent(next.event, wallet.revision)
  }
  if (seen === 0 && row !== undefined) throw rowWithoutEvent(row)
  return { wallet, headId }
}

function isSame(row: WalletRow, recorded: RecordedEvent): boolean {
  return recorded.revision === row.revision && decodeHash(recorded.metadata) === row.hash
}

function rowWithoutEvent(row: WalletRow): InvariantError {
  return new InvariantError(
    `the row of wallet ${row.walletId} at revision ${row.revision} is not in the event store: ` +
      'another or a restored store',
  )
}
