/**
 * What this process has lately written or folded, so that it can be named should the store ever
 * turn out not to hold it any more (a failover to a replica that was behind, a restored backup).
 * Promises: bounded; adding costs a debit next to nothing, for an event is kept as it was stored
 * and only decoded when it is gone. Never: asked for a decision; the lanes have their own memory.
 */
import type { WalletId } from '../domain/ids.js'
import { recentEventsMax, suspectWalletsMax } from '../limits.js'

/** An event as a lane knew it, and the one that it followed. */
export interface RecentEvent {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
  /** As stored. */
  readonly type: string
  readonly data: string
  /** Undefined: the first of its stream. */
  readonly previousId: string | undefined
}

/** The head of a lane's state that the store does not have. */
export interface KnownHead {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
}

export class RecentHistory {
  readonly #max: number
  /** A ring: the oldest one is at `#next` once it is full. */
  readonly #events: (RecentEvent | undefined)[] = []
  #next = 0
  #suspects = new Map<WalletId, KnownHead>()

  constructor(max = recentEventsMax) {
    this.#max = max
  }

  add(event: RecentEvent): void {
    this.#events[this.#next] = event
    this.#next = (this.#next + 1) % this.#max
  }

  /** A lane has found that the store has another history of this wallet, or none. */
  suspect(head: KnownHead): void {
    // Beyond the bound the wallet is still found by its recent events.
    if (this.#suspects.size < suspectWalletsMax && !this.#suspects.has(head.walletId))
      this.#suspects.set(head.walletId, head)
  }

  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  takeSuspects(): ReadonlyMap<WalletId, KnownHead> {
    const taken = this.#suspects
    this.#suspects = new Map()
    return taken
  }

  /** Of each wallet its events, oldest first. */
  byWallet(): Map<WalletId, RecentEvent[]> {
    const wallets = new Map<WalletId, RecentEvent[]>()
    const ordered = [...this.#events.slice(this.#next), ...this.#events.slice(0, this.#next)]
    for (const event of ordered) {
      if (event === undefined) continue
      const ofWallet = wallets.get(event.walletId)
      if (ofWallet === undefined) wallets.set(event.walletId, [event])
      else ofWallet.push(event)
    }
    return wallets
  }

  /** They were named: nobody needs to hear of them again. */
  forget(events: ReadonlySet<RecentEvent>): void {
    for (const [index, event] of this.#events.entries())
      if (event !== undefined && events.has(event)) this.#events[index] = undefined
  }
}
