/**
 * Notices that the store has lost what this process had acknowledged, and names it: looks, after
 * every lost connection and whenever a lane met another history, whether the recent events of each
 * wallet are still in the store. Promises: an event counts as gone only when two looks, some time
 * apart, do not find it; what is gone is told once, in the log and to `record`, again and again
 * until that worked; a loss whose details nobody remembers is told as such.
 * Never: changes anything in the ledger, or holds a lane up.
 * States: content → looking (once a lost connection) → telling → content.
 */
import type { EventStore } from '../event-store/event-store.js'
import type { LostEvent } from '../event-store/lost-event.js'
import type { WalletId } from '../domain/ids.js'
import { streamOf } from '../domain/ids.js'
import { decodeEvent, isEntry } from '../domain/wallet-events.js'
import {
  historyLooksAtOnce,
  historySecondLookMs,
  historyWatchMs,
  lostEventsLoggedMax,
} from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Counters } from '../platform/counters.js'
import type { Log } from '../platform/log.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { KnownHead, RecentEvent, RecentHistory } from './recent-history.js'

export interface HistoryWatchParts {
  readonly store: EventStore
  readonly recent: RecentHistory
  readonly clock: Clock
  readonly log: Log
  readonly counters: Counters
  /** Keeps them until a person has seen them; knowing one already is no fault. */
  readonly record: (lost: readonly LostEvent[]) => Promise<void>
}

export class HistoryWatch {
  readonly #parts: HistoryWatchParts
  readonly #work: RepeatingWork
  #seenGeneration: number
  /** Told in the log, but not recorded yet. */
  #unrecorded: readonly LostEvent[] = []

  constructor(parts: HistoryWatchParts) {
    this.#parts = parts
    this.#seenGeneration = parts.store.generation
    this.#work = new RepeatingWork({
      clock: parts.clock,
      pauseMs: historyWatchMs,
      round: (signal) => this.look(signal),
      onFault: (err) => parts.log.warn({ err }, 'the recent history could not be looked at yet'),
    })
  }

  start(): void {
    this.#work.start()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** One round; does nothing while nothing gives cause. */
  async look(signal?: AbortSignal): Promise<void> {
    const { store, recent } = this.#parts
    const { generation } = store
    await this.#record()
    const isNew = generation !== this.#seenGeneration
    if (!isNew && !recent.hasSuspects) return
    const suspects = recent.takeSuspects()
    try {
      const wallets = knownOf(recent.byWallet(), suspects)
      if (!isNew) for (const id of wallets.keys()) if (!suspects.has(id)) wallets.delete(id)
      this.#tell(await this.#lost(wallets, signal))
      this.#seenGeneration = generation
    } catch (error) {
      // A look that failed is repeated.
      for (const head of suspects.values()) recent.suspect(head)
      throw error
    }
    await this.#record()
  }

  /** The second look is for a store that just came back and does not show all of its end yet. */
  async #lost(wallets: Wallets, signal: AbortSignal | undefined): Promise<Known[]> {
    const first = await this.#missing(wallets, signal)
    if (first.size === 0) return []
    await this.#parts.clock.sleep(historySecondLookMs, signal)
    const doubtful = new Map([...first.keys()].map((id) => [id, wallets.get(id) ?? []]))
    return [...(await this.#missing(doubtful, signal)).values()].flat()
  }

  /** Of each wallet what the store does not hold; wallets that it holds whole are left out. */
  async #missing(wallets: Wallets, signal: AbortSignal | undefined): Promise<Wallets> {
    const missing = new Map<WalletId, readonly Known[]>()
    const waiting = wallets.entries()
    const lookOn = async (): Promise<void> => {
      for (const [walletId, known] of waiting) {
        signal?.throwIfAborted()
        const gone: Known[] = []
        for (const chain of chainsOf(known)) gone.push(...(await this.#missingOf(chain)))
        if (gone.length > 0) missing.set(walletId, onlyOnce(gone))
      }
    }
    await Promise.all(Array.from({ length: historyLooksAtOnce }, lookOn))
    return missing
  }

  /** An event covers all before it: if the last of a chain is there, all are. */
  async #missingOf(chain: readonly Known[]): Promise<readonly Known[]> {
    const [first, last] = [chain[0], chain.at(-1)]
    if (first === undefined || last === undefined) return []
    const atEnd = await this.#idsOf(last.walletId, { from: last.revision, count: 1 })
    if (atEnd.get(last.revision) === last.eventId) return []
    const from = Math.max(first.revision - 1, 0)
    const ids = await this.#idsOf(first.walletId, { from, count: chain.length + 1 })
    const gone = chain.filter(({ revision, eventId }) => ids.get(revision) !== eventId)
    const { walletId, previousId } = first
    const revision = first.revision - 1
    if (previousId === undefined || ids.get(revision) === previousId) return gone
    // So the one before the first is gone too; it may be in another chain, with its details.
    return [{ walletId, revision, eventId: previousId }, ...gone]
  }

  async #idsOf(
    walletId: WalletId,
    { from, count }: { from: number; count: number },
  ): Promise<ReadonlyMap<number, string>> {
    const ids = new Map<number, string>()
    const options = { fromRevision: from, maxCount: count }
    for await (const event of this.#parts.store.readStream(streamOf(walletId), options))
      ids.set(event.revision, event.id)
    return ids
  }

  #tell(lost: readonly Known[]): void {
    if (lost.length === 0) return
    const { recent, log, counters } = this.#parts
    const events = lost.map(toLostEvent)
    for (const [walletId, ofWallet] of groupedByWallet(events)) {
      counters.increment('lost_events_total', ofWallet.length)
      const named = ofWallet.slice(0, lostEventsLoggedMax).map(inWords)
      log.error(
        { walletId, events: named, more: ofWallet.length - named.length },
        'the event store has lost what was acknowledged: it was set back to an older copy',
      )
    }
    recent.forget(new Set(lost.map(({ eventId }) => eventId)))
    this.#unrecorded = [...this.#unrecorded, ...events]
  }

  async #record(): Promise<void> {
    if (this.#unrecorded.length === 0) return
    await this.#parts.record(this.#unrecorded)
    this.#unrecorded = []
  }
}

/** Something that stood in the store: a remembered event, or only its place and id. */
interface Known {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
  readonly previousId?: string | undefined
  readonly event?: RecentEvent
}

type Wallets = Map<WalletId, readonly Known[]>

/** What is remembered of each wallet, and the heads of lanes that nobody remembers. */
function knownOf(
  recent: ReadonlyMap<WalletId, readonly RecentEvent[]>,
  suspects: ReadonlyMap<WalletId, KnownHead>,
): Wallets {
  const wallets: Wallets = new Map()
  for (const [walletId, events] of recent) wallets.set(walletId, events.map(remembered))
  for (const [walletId, head] of suspects) {
    const known = wallets.get(walletId) ?? []
    if (!known.some(({ eventId }) => eventId === head.eventId))
      wallets.set(walletId, [...known, head])
  }
  return wallets
}

function remembered(event: RecentEvent): Known {
  const { walletId, revision, eventId, previousId } = event
  return { walletId, revision, eventId, previousId, event }
}

/** Runs of events that follow each other: one history each, of which two may be remembered. */
function chainsOf(known: readonly Known[]): Known[][] {
  const chains: Known[][] = []
  for (const one of known) {
    const chain = chains.at(-1)
    if (chain !== undefined && chain.at(-1)?.eventId === one.previousId) chain.push(one)
    else chains.push([one])
  }
  return chains
}

/** Where an event is known with and without its details, with them; in the order of revisions. */
function onlyOnce(gone: readonly Known[]): Known[] {
  const byId = new Map<string, Known>()
  for (const one of gone)
    if (one.event !== undefined || !byId.has(one.eventId)) byId.set(one.eventId, one)
  return [...byId.values()].sort((one, other) => one.revision - other.revision)
}

function toLostEvent({ walletId, revision, eventId, event }: Known): LostEvent {
  if (event === undefined) return { walletId, revision, eventId }
  const decoded = decodeEvent(event.type, event.data)
  const { type, data } = decoded
  if (!isEntry(decoded)) return { walletId, revision, eventId, details: { type, time: data.time } }
  const { entryId, referenceType, referenceId, amountMinor } = decoded.data
  const entry = { entryId, referenceType, referenceId, amountMinor }
  return { walletId, revision, eventId, details: { type, time: data.time, entry } }
}

function groupedByWallet(events: readonly LostEvent[]): Map<WalletId, LostEvent[]> {
  const groups = new Map<WalletId, LostEvent[]>()
  for (const event of events) {
    const group = groups.get(event.walletId)
    if (group === undefined) groups.set(event.walletId, [event])
    else group.push(event)
  }
  return groups
}

/** For a line of the log. */
function inWords({ revision, details }: LostEvent): Record<string, string | number> {
  if (details === undefined) return { revision, note: 'details not known; others before it too' }
  const { type, entry } = details
  if (entry === undefined) return { revision, type }
  const { referenceType, referenceId, amountMinor } = entry
  return { revision, type, referenceType, referenceId, amountMinor }
}
