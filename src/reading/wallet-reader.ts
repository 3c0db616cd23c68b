/**
 * Authoritative reads: the rows plus whatever the stream holds beyond them, so that a read after an
 * acknowledged write always sees it, on every instance, whatever the projections' lag.
 * Promises: balance, status and entries are of one and the same revision; rows and head are asked
 * for beside each other, so a read of current rows takes one round trip, and ordinary pages of many
 * readers share a statement.
 * Never: answers from rows alone, or opens a sealed text; that needs the person's key.
 */
import { passes, readEntry, readPage, readPages } from '../../projections/queries/reads.js'
import type { EntryFilter, EntryRow } from '../../projections/queries/reads.js'
import type { PageRequest, PageRows } from '../../projections/queries/reads.js'
import type { EntryId, WalletId } from '../domain/ids.js'
import { streamOf } from '../domain/ids.js'
import { outcomeOf } from '../domain/wallet.js'
import type { EntryEvent } from '../domain/wallet-events.js'
import { isEntry } from '../domain/wallet-events.js'
import type { EventStore } from '../event-store/event-store.js'
import { gatheredPagesMax, gatheredReadsAtOnce, pageEntriesStandard } from '../limits.js'
import { Gatherer } from '../platform/gather.js'
import type { Pool } from '../platform/postgres.js'
import { foldBeyond } from './wallet-tail.js'

export type Entry = EntryRow

export interface WalletView {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  /** What open holds set aside of it. */
  readonly heldMinor: number
  readonly isActive: boolean
  /** The reason of the last deactivation or reactivation. */
  readonly statusReason: string | undefined
  /** Newest first, declined ones too. */
  readonly entries: readonly Entry[]
  /** Pass it as `before` for the next page; missing on the last one. */
  readonly nextBefore?: number
}

export interface Page {
  readonly limit: number
  /** The `nextBefore` of the page before. */
  readonly before?: number | undefined
  readonly filter?: EntryFilter
}

export class WalletReader {
  readonly #store: EventStore
  readonly #pool: Pool
  readonly #pages: Gatherer<PageRequest, PageRows>

  constructor({ store, pool }: { store: EventStore; pool: Pool }) {
    this.#store = store
    this.#pool = pool
    const ask = (requests: readonly PageRequest[]) => readPages(pool, requests)
    this.#pages = new Gatherer(ask, { max: gatheredPagesMax, atOnce: gatheredReadsAtOnce })
  }

  async read(walletId: WalletId, page: Page): Promise<WalletView> {
    const { limit, before = Infinity, filter = {} } = page
    const [{ row, entries }, head] = await Promise.all([
      // One more than asked for tells whether there is a next page.
      this.#page({ walletId, ...page, limit: limit === 0 ? 0 : limit + 1 }),
      this.#store.readHead(streamOf(walletId)),
    ])
    const newer: Entry[] = []
    let statusReason = row?.statusReason ?? undefined
    const { wallet } = await foldBeyond(this.#store, { walletId, row, head }, (event, revision) => {
      const entry = isEntry(event) ? entryOf(walletId, event, revision) : undefined
      if (entry !== undefined && revision < before && passes(entry, filter)) newer.push(entry)
      if ('reason' in event.data) statusReason = event.data.reason
    })
    const all = [...newer.reverse(), ...entries]
    const shown = all.slice(0, limit)
    const last = shown.at(-1)
    return {
      walletId,
      revision: wallet.revision,
      balanceMinor: wallet.balanceMinor,
      heldMinor: wallet.heldMinor,
      isActive: wallet.isActive,
      statusReason,
      entries: shown,
      ...(all.length > limit && last !== undefined ? { nextBefore: last.revision } : {}),
    }
  }

  /** The entry of one reference, if it has an outcome. */
  async findEntry(walletId: WalletId, entryId: EntryId): Promise<Entry | undefined> {
    const [{ row, entry }, head] = await Promise.all([
      readEntry(this.#pool, { walletId, entryId }),
      this.#store.readHead(streamOf(walletId)),
    ])
    let found: Entry | undefined = entry
    await foldBeyond(this.#store, { walletId, row, head }, (event, revision) => {
      if (isEntry(event) && event.data.entryId === entryId)
        found = entryOf(walletId, event, revision)
    })
    return found
  }

  /** A search or a long page has a statement of its own: nobody else should wait for it. */
  #page(request: PageRequest): Promise<PageRows> {
    const isOrdinary = request.limit <= pageEntriesStandard + 1 && !isSearch(request.filter)
    return isOrdinary ? this.#pages.ask(request) : readPage(this.#pool, request)
  }
}

function isSearch({ appliedOnly: _, ...rest }: EntryFilter = {}): boolean {
  return Object.keys(rest).length > 0
}

function entryOf(walletId: WalletId, event: EntryEvent, revision: number): Entry {
  const { referenceType, referenceId, issuer, description } = event.data
  const outcome = outcomeOf(walletId, event, revision)
  const sealed = description === undefined ? {} : { description }
  return { ...outcome, referenceType, referenceId, issuer, ...sealed }
}
