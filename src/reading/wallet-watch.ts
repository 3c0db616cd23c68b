/**
 * Tells open pages that a wallet has moved, whichever process wrote: one poller asks the read
 * models for the revisions of all watched wallets in one statement. Promises: each watcher hears
 * of a revision at most once, and only of growing ones, but for the first round after the store
 * lost a connection: then everyone is told to look anew, for the wallet may have gone back; a
 * bounded number of watchers; a failed round is logged once and followed by the next.
 * Never: reads a stream, or runs two rounds at once.
 * States: idle (nobody watches, no timer) ⇄ waiting → asking → waiting; closed is the end.
 */
import { readRevisions } from '../../projections/queries/reads.js'
import type { WalletId } from '../domain/ids.js'
import type { EventStore } from '../event-store/event-store.js'
import { walletStreamsMax, walletStreamsPerWalletMax, walletWatchPollMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { Poll } from '../platform/poll.js'
import type { Pool } from '../platform/postgres.js'

/** No further watcher now; nothing is wrong with the wallet. */
export class WatchFullError extends Error {
  override readonly name = 'WatchFullError'
}

export interface WalletWatchParts {
  readonly pool: Pool
  readonly store: Pick<EventStore, 'generation'>
  readonly clock: Clock
  readonly log: Log
  /** Fewer in tests. */
  readonly watchersMax?: number
}

export interface Watching {
  readonly walletId: WalletId
  /** What the watcher knows already. */
  readonly revision: number
  readonly onGrown: OnGrown
}

/** `anew`: what the watcher knows may not be there any more, whatever the revision says. */
type OnGrown = (revision: number, anew?: boolean) => void

interface Watcher {
  knownRevision: number
  readonly onGrown: OnGrown
}

export class WalletWatch {
  readonly #watchersMax: number
  readonly #wallets = new Map<WalletId, Set<Watcher>>()
  readonly #poll: Poll
  #watchers = 0
  #isClosed = false
  #generation: number

  constructor(parts: WalletWatchParts) {
    const { pool, store, clock, log } = parts
    this.#generation = store.generation
    this.#watchersMax = parts.watchersMax ?? walletStreamsMax
    this.#poll = new Poll({
      clock,
      pauseMs: walletWatchPollMs,
      isWanted: () => this.#watchers > 0,
      round: async () => {
        const { generation } = store
        // Whoever leaves during a round is not told any more.
        this.#tell(await readRevisions(pool, [...this.#wallets.keys()]))
        if (generation !== this.#generation) this.#tellAnew()
        this.#generation = generation
      },
      onFault: (err) => log.warn({ err }, 'open wallets are not told of changes for a while'),
    })
  }

  /** The returned function ends it. Throws WatchFullError. */
  watch({ walletId, revision, onGrown }: Watching): () => void {
    const ofWallet = this.#wallets.get(walletId) ?? new Set<Watcher>()
    const isFull = this.#watchers >= this.#watchersMax || ofWallet.size >= walletStreamsPerWalletMax
    if (isFull || this.#isClosed) throw new WatchFullError('too many pages watch wallets')
    const watcher: Watcher = { knownRevision: revision, onGrown }
    ofWallet.add(watcher)
    this.#wallets.set(walletId, ofWallet)
    this.#watchers += 1
    this.#poll.begin()
    return () => this.#forget(walletId, watcher)
  }

  close(): void {
    this.#isClosed = true
    this.#wallets.clear()
    this.#watchers = 0
    this.#poll.rest()
  }

  #forget(walletId: WalletId, watcher: Watcher): void {
    const ofWallet = this.#wallets.get(walletId)
    if (ofWallet?.delete(watcher) !== true) return
    this.#watchers -= 1
    if (ofWallet.size === 0) this.#wallets.delete(walletId)
    if (this.#watchers === 0) this.#poll.rest()
  }

  #tellAnew(): void {
    for (const watchers of this.#wallets.values())
      for (const watcher of watchers) {
        const { knownRevision } = watcher
        // From the start: the wallet may pass the same revisions again.
        watcher.knownRevision = -1
        watcher.onGrown(knownRevision, true)
      }
  }

  #tell(revisions: ReadonlyMap<WalletId, number>): void {
    for (const [walletId, revision] of revisions)
      for (const watcher of this.#wallets.get(walletId) ?? [])
        if (revision > watcher.knownRevision) {
          watcher.knownRevision = revision
          watcher.onGrown(revision)
        }
  }
}
