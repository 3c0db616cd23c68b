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
      requireSame(row, recorded)
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

function requireSame(row: WalletRow, recorded: RecordedEvent): void {
  const same = recorded.revision === row.revision && decodeHash(recorded.metadata) === row.hash
  if (!same) throw rowWithoutEvent(row)
}

function rowWithoutEvent(row: WalletRow): InvariantError {
  return new InvariantError(
    `the row of wallet ${row.walletId} at revision ${row.revision} is not in the event store: ` +
      'another or a restored store',
  )
}
