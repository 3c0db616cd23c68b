/**
 * Authoritative reads: the rows plus whatever the stream holds beyond them, so that a read after an
 * acknowledged write always sees it, on every instance, whatever the projections' lag.
 * Promises: balance, status and entries are of one and the same revision.
 * Never: answers from rows alone, or opens a sealed text; that needs the person's key.
 */
import { passes, readEntry, readPage } from '../../projections/queries/reads.js'
import type { EntryFilter, EntryRow } from '../../projections/queries/reads.js'
import type { EntryId, WalletId } from '../domain/ids.js'
import { outcomeOf } from '../domain/wallet.js'
import type { EntryEvent } from '../domain/wallet-events.js'
import { isEntry } from '../domain/wallet-events.js'
import type { EventStore } from '../event-store/event-store.js'
import type { Pool } from '../platform/postgres.js'
import { foldTail } from './wallet-tail.js'

export type Entry = EntryRow

export interface WalletView {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
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

  constructor(parts: { store: EventStore; pool: Pool }) {
    this.#store = parts.store
    this.#pool = parts.pool
  }

  async read(walletId: WalletId, page: Page): Promise<WalletView> {
    const { limit, before = Infinity, filter = {} } = page
    // One more than asked for tells whether there is a next page.
    const { row, entries } = await readPage(this.#pool, { walletId, ...page, limit: limit + 1 })
    const newer: Entry[] = []
    let statusReason = row?.statusReason ?? undefined
    const { wallet } = await foldTail(this.#store, { walletId, row }, (event, revision) => {
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
      isActive: wallet.isActive,
      statusReason,
      entries: shown,
      ...(all.length > limit && last !== undefined ? { nextBefore: last.revision } : {}),
    }
  }

  /** The entry of one reference, if it has an outcome. */
  async findEntry(walletId: WalletId, entryId: EntryId): Promise<Entry | undefined> {
    const { row, entry } = await readEntry(this.#pool, { walletId, entryId })
    let found: Entry | undefined = entry
    await foldTail(this.#store, { walletId, row }, (event, revision) => {
      if (isEntry(event) && event.data.entryId === entryId)
        found = entryOf(walletId, event, revision)
    })
    return found
  }
}

function entryOf(walletId: WalletId, event: EntryEvent, revision: number): Entry {
  const { referenceType, referenceId, issuer, description } = event.data
  const outcome = outcomeOf(walletId, event, revision)
  const sealed = description === undefined ? {} : { description }
  return { ...outcome, referenceType, referenceId, issuer, ...sealed }
}
