/**
 * The tables of the read models in memory, for simulations: the real projector writes them, lanes
 * and reads ask them. They pass the contract of the PostgreSQL ones (test/projections/
 * read-tables.test.ts), and so do the read models and the reader made of them.
 * Promises: one transaction at a time; nobody sees what is not committed.
 */
import type { Checkpoint, OpenTables, ReadTables, Written } from '../../projections/read-tables.js'
import { rowsOf } from '../../projections/rows.js'
import type { Rows, TransactionRow, WalletChange } from '../../projections/rows.js'
import { eventIdOf } from '../../src/domain/hash-chain.js'
import type { ChainHash } from '../../src/domain/hash-chain.js'
import type { OpenHolds } from '../../src/domain/holds.js'
import { heldMinorOf } from '../../src/domain/holds.js'
import type { EntryId, Issuer, WalletId } from '../../src/domain/ids.js'
import { outcomeOf } from '../../src/domain/wallet.js'
import type { Outcome } from '../../src/domain/wallet.js'
import type { DeclineCode, EntryType, SealedText } from '../../src/domain/wallet-events.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import type { EventStore, RecordedEvent } from '../../src/event-store/event-store.js'
import type {
  Hit,
  LoadedRow,
  LookUpRequest,
  LookUpResult,
  ReadModels,
} from '../../src/reading/read-models.js'
import type { Entry } from '../../src/reading/wallet-reader.js'
import { foldTail } from '../../src/reading/wallet-tail.js'

export interface WalletTableRow {
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  readonly statusReason: string | null
  readonly holds: OpenHolds
  readonly hash: ChainHash
  readonly time: string
}

export interface TotalRow {
  readonly amountMinor: bigint
  readonly postings: number
}

export class MemoryReadTables implements ReadTables {
  readonly wallets = new Map<WalletId, WalletTableRow>()
  readonly transactions = new Map<EntryId, TransactionRow>()
  readonly byWallet = new Map<WalletId, TransactionRow[]>()
  readonly totals = new Map<string, TotalRow>()
  checkpoint: Checkpoint = { marker: null, position: 0n, eventId: null }
  #last: Promise<unknown> = Promise.resolve()

  async readCheckpoint(): Promise<Checkpoint> {
    return this.checkpoint
  }

  async noteMarker(marker: string): Promise<void> {
    if (this.checkpoint.marker === null) this.checkpoint = { ...this.checkpoint, marker }
  }

  async transaction<T>(work: (tables: OpenTables) => Promise<T>): Promise<T> {
    const before = this.#last
    let leave: () => void = () => undefined
    this.#last = new Promise<void>((resolve) => (leave = resolve))
    await before
    try {
      const open = new OpenMemoryTables(this)
      const result = await work(open)
      open.commit()
      return result
    } finally {
      leave()
    }
  }

  /** As they were when they held exactly these events, the first ones of a log. */
  restore(events: readonly RecordedEvent[]): void {
    for (const table of [this.wallets, this.transactions, this.byWallet, this.totals]) table.clear()
    this.checkpoint = { marker: this.checkpoint.marker, position: 0n, eventId: null }
    const last = events.at(-1)
    if (last !== undefined) stage(this, rowsOf(events, new Map()), last).commit()
  }
}

/** Inside a transaction of the shared tables. */
class OpenMemoryTables implements OpenTables {
  readonly #tables: MemoryReadTables
  #staged: Staged | undefined

  constructor(tables: MemoryReadTables) {
    this.#tables = tables
  }

  async readCheckpoint(): Promise<Checkpoint> {
    return this.#tables.checkpoint
  }

  async readStates(walletIds: readonly WalletId[]): Promise<ReadonlyMap<WalletId, WalletTableRow>> {
    const states = new Map<WalletId, WalletTableRow>()
    for (const walletId of walletIds) {
      const row = this.#tables.wallets.get(walletId)
      if (row !== undefined) states.set(walletId, row)
    }
    return states
  }

  async write(rows: Rows, last: RecordedEvent): Promise<Written> {
    if (this.#staged !== undefined) throw new Error('one statement a transaction')
    this.#staged = stage(this.#tables, rows, last)
    return this.#staged.written
  }

  commit(): void {
    this.#staged?.commit()
  }
}

interface Staged {
  readonly written: Written
  readonly commit: () => void
}

/** A broken primary key, as PostgreSQL tells it. */
class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError'
  readonly code = '23505'
}

function stage(tables: MemoryReadTables, rows: Rows, last: RecordedEvent): Staged {
  const placed = rows.wallets.filter((change) => {
    const row = tables.wallets.get(change.wallet_id)
    if (change.first_revision === 0 && row !== undefined)
      throw new DuplicateKeyError('duplicate key: a wallet opens twice')
    if (row === undefined) return change.first_revision === 0
    const isSame =
      row.hash === change.hash_before && row.balanceMinor === change.balance_minor_before
    return isSame && row.revision === change.first_revision - 1
  })
  for (const { entry_id, wallet_id, revision } of rows.transactions) {
    const isTaken = tables.byWallet.get(wallet_id)?.some((row) => row.revision === revision)
    if (tables.transactions.has(entry_id) || isTaken === true)
      throw new DuplicateKeyError(`duplicate key: a second outcome of ${entry_id}`)
  }
  const refunds = rows.refunds.filter(({ entry_id }) => tables.transactions.has(entry_id))
  return {
    written: { wallets: placed.length, refunds: refunds.length },
    commit: () => {
      for (const change of placed) changeWallet(tables, change)
      for (const row of rows.transactions) addTransaction(tables, { ...row })
      for (const { entry_id, amount_minor } of refunds) {
        const debit = tables.transactions.get(entry_id)
        if (debit !== undefined) debit.refunded_minor += amount_minor
      }
      for (const { account, amount_minor, postings } of rows.totals) {
        const total = tables.totals.get(account) ?? { amountMinor: 0n, postings: 0 }
        tables.totals.set(account, {
          amountMinor: total.amountMinor + BigInt(amount_minor),
          postings: total.postings + postings,
        })
      }
      const { marker } = tables.checkpoint
      tables.checkpoint = { marker, position: last.position, eventId: last.id }
    },
  }
}

function changeWallet(tables: MemoryReadTables, change: WalletChange): void {
  const row = tables.wallets.get(change.wallet_id)
  tables.wallets.set(change.wallet_id, {
    revision: change.revision,
    balanceMinor: change.balance_minor,
    isActive: change.is_active ?? row?.isActive ?? true,
    statusReason: change.is_active === null ? (row?.statusReason ?? null) : change.status_reason,
    holds: change.holds,
    hash: change.hash,
    time: change.time,
  })
}

function addTransaction(tables: MemoryReadTables, row: TransactionRow): void {
  tables.transactions.set(row.entry_id, row)
  const rows = tables.byWallet.get(row.wallet_id)
  if (rows === undefined) tables.byWallet.set(row.wallet_id, [row])
  else rows.push(row)
}

/** The questions of lanes, each answered from one moment of the tables. */
export class TableReadModels implements ReadModels {
  readonly #tables: MemoryReadTables
  readonly #smallWalletEventsMax: number

  constructor(tables: MemoryReadTables, bounds: { readonly smallWalletEventsMax: number }) {
    this.#tables = tables
    this.#smallWalletEventsMax = bounds.smallWalletEventsMax
  }

  async load(walletId: WalletId): Promise<LoadedRow | undefined> {
    const row = loadedRow(this.#tables, walletId)
    if (row === undefined || row.revision >= this.#smallWalletEventsMax) return row
    return { ...row, allOutcomes: (this.#tables.byWallet.get(walletId) ?? []).map(outcomeOfRow) }
  }

  async lookUp({ walletId, entryIds }: LookUpRequest): Promise<LookUpResult> {
    const hits = new Map<EntryId, Hit>()
    for (const entryId of entryIds) {
      const row = this.#tables.transactions.get(entryId)
      if (row !== undefined)
        hits.set(entryId, { outcome: outcomeOfRow(row), refundedMinor: row.refunded_minor })
    }
    return { revision: this.#tables.wallets.get(walletId)?.revision ?? -1, hits }
  }
}

/** What settlement asks of a WalletReader. */
export class TableReader {
  readonly #tables: MemoryReadTables
  readonly #store: EventStore

  constructor(parts: { readonly store: EventStore; readonly tables: MemoryReadTables }) {
    this.#tables = parts.tables
    this.#store = parts.store
  }

  async findEntry(walletId: WalletId, entryId: EntryId): Promise<Entry | undefined> {
    const row = loadedRow(this.#tables, walletId)
    const known = this.#tables.transactions.get(entryId)
    let found = known?.wallet_id === walletId ? entryOfRow(known) : undefined
    await foldTail(this.#store, { walletId, row }, (event, revision) => {
      if (!isEntry(event) || event.data.entryId !== entryId) return
      const { referenceType, referenceId, issuer } = event.data
      found = { ...outcomeOf(walletId, event, revision), referenceType, referenceId, issuer }
    })
    return found
  }
}

function loadedRow(tables: MemoryReadTables, walletId: WalletId): LoadedRow | undefined {
  const row = tables.wallets.get(walletId)
  if (row === undefined) return undefined
  const { revision, balanceMinor, isActive, holds, hash, time } = row
  const heldMinor = heldMinorOf(holds)
  const last = tables.byWallet.get(walletId)?.at(-1)
  const headId = eventIdOf(last?.revision === revision ? last.entry_id : walletId, hash)
  return { walletId, revision, balanceMinor, isActive, holds, heldMinor, hash, time, headId }
}

export function outcomeOfRow(row: TransactionRow): Outcome {
  return {
    entryId: row.entry_id,
    type: row.type as EntryType,
    revision: row.revision,
    amountMinor: row.amount_minor,
    balanceMinor: row.balance_minor,
    time: row.time,
    ...(row.code === null ? {} : { code: row.code as DeclineCode }),
    ...(row.refund_of === null ? {} : { refundedEntryId: row.refund_of }),
    ...(row.held_minor === null ? {} : { heldMinor: row.held_minor }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.hold_of === null ? {} : { holdEntryId: row.hold_of }),
  }
}

function entryOfRow(row: TransactionRow): Entry {
  return {
    ...outcomeOfRow(row),
    referenceType: row.reference_type,
    referenceId: row.reference_id,
    issuer: row.issuer as Issuer,
    ...(row.description === null ? {} : { description: row.description as SealedText }),
  }
}
