/**
 * From a batch of events to the rows of all read models: pure, so that what a projection holds can
 * be read here at once. Promises: one row a wallet, one an outcome, one a total, however many
 * events the batch has; every event continues the chain of its wallet, and its balance is the one
 * before it and its amount, by a look at its text or by the fold of whoever wrote it in this very
 * process. Never: looks at a table, or believes a balance that does not add up.
 */
import type { RecordedEvent } from '../src/event-store/event-store.js'
import { walletIdOfStream } from '../src/domain/ids.js'
import type { EntryId, WalletId } from '../src/domain/ids.js'
import { decodeHash, firstHash, nextHash } from '../src/domain/hash-chain.js'
import type { ChainHash } from '../src/domain/hash-chain.js'
import type { OpenHolds } from '../src/domain/holds.js'
import { heldMinorOf, holdsAfter, noHolds } from '../src/domain/holds.js'
import { JournalTotals } from '../src/domain/journal.js'
import { outcomeOf } from '../src/domain/wallet.js'
import type { EntryEvent, WalletEvent } from '../src/domain/wallet-events.js'
import { decodeEvent, isEntry, signOf } from '../src/domain/wallet-events.js'
import type { FoldedEvent } from '../src/domain/wallet-stream.js'
import { InvariantError } from '../src/domain/invariant.js'

/** What a wallet's row holds before the batch. */
export interface WalletState {
  readonly revision: number
  readonly balanceMinor: number
  readonly holds: OpenHolds
  readonly hash: ChainHash
}

export interface WalletChange {
  readonly wallet_id: WalletId
  /** The row must stand one before it, with this hash and this balance. */
  readonly first_revision: number
  readonly hash_before: ChainHash
  readonly balance_minor_before: number
  revision: number
  balance_minor: number
  is_active: boolean | null
  status_reason: string | null
  holds: OpenHolds
  hash: ChainHash
  time: string
}

export interface TransactionRow {
  readonly entry_id: EntryId
  readonly wallet_id: WalletId
  readonly revision: number
  readonly type: string
  readonly code: string | null
  readonly amount_minor: number
  readonly balance_minor: number
  readonly reference_type: string
  readonly reference_id: string
  readonly issuer: string
  readonly description: string | null
  readonly refund_of: EntryId | null
  refunded_minor: number
  readonly time: string
  readonly held_minor: number | null
  readonly expires_at: string | null
  readonly hold_of: EntryId | null
}

export interface Rows {
  readonly wallets: readonly WalletChange[]
  readonly transactions: readonly TransactionRow[]
  /** Refunds of debits that are not in this batch. */
  readonly refunds: readonly { readonly entry_id: EntryId; readonly amount_minor: number }[]
  readonly totals: readonly {
    readonly account: string
    /** A decimal text: a sum over a batch may exceed the safe integers. */
    readonly amount_minor: string
    readonly postings: number
  }[]
}

/**
 * The wallets whose rows `rowsOf` needs: not those whose events were handed on by their writer, who
 * knows what stood before. Whether the row says the same is required by the row's update.
 */
export function walletsToRead(events: readonly RecordedEvent[]): WalletId[] {
  const wallets = new Set<WalletId>()
  for (const { folded, stream } of events)
    if (folded === undefined) wallets.add(walletIdOfStream(stream))
  return [...wallets]
}

/** `before` has the state of every wallet of `walletsToRead` that has a row. */
export function rowsOf(
  events: readonly RecordedEvent[],
  before: ReadonlyMap<WalletId, WalletState>,
): Rows {
  const wallets = new Map<WalletId, WalletChange>()
  const transactions = new Map<EntryId, TransactionRow>()
  const refunds = new Map<EntryId, number>()
  const totals = new JournalTotals()

  for (const recorded of events) {
    const { folded } = recorded
    const walletId = folded?.before.walletId ?? walletIdOfStream(recorded.stream)
    let change = wallets.get(walletId)
    if (change === undefined) {
      change = unchanged(walletId, before.get(walletId) ?? folded?.before)
      wallets.set(walletId, change)
    }
    const event = folded === undefined ? readOn(change, recorded) : goOn(change, recorded, folded)
    if (!isEntry(event)) continue
    const row = transactionRow(walletId, recorded.revision, event)
    if (transactions.has(row.entry_id))
      throw new InvariantError(`the reference of entry ${row.entry_id} has a second outcome`)
    transactions.set(row.entry_id, row)
    if (row.refund_of !== null) {
      const debit = transactions.get(row.refund_of)
      if (debit === undefined) add(refunds, row.refund_of, row.amount_minor)
      else debit.refunded_minor += row.amount_minor
    }
    totals.add(event)
  }
  return {
    wallets: [...wallets.values()],
    transactions: [...transactions.values()],
    refunds: [...refunds].map(([entry_id, amount_minor]) => ({ entry_id, amount_minor })),
    totals: [...totals.accounts].map(([account, { amountMinor, postings }]) => {
      return { account, amount_minor: String(amountMinor), postings }
    }),
  }
}

function unchanged(walletId: WalletId, state: WalletState | undefined): WalletChange {
  const revision = state?.revision ?? -1
  const hash = state?.hash ?? firstHash(walletId)
  const balanceMinor = state?.balanceMinor ?? 0
  return {
    wallet_id: walletId,
    first_revision: revision + 1,
    hash_before: hash,
    balance_minor_before: balanceMinor,
    revision,
    balance_minor: balanceMinor,
    is_active: null,
    status_reason: null,
    holds: state?.holds ?? noHolds,
    hash,
    time: '',
  }
}

/** What this process has written was folded then: it only has to continue what came before. */
function goOn(change: WalletChange, recorded: RecordedEvent, folded: FoldedEvent): WalletEvent {
  const { before, event, after } = folded
  requireNext(change, recorded)
  if (before.hash !== change.hash || before.balanceMinor !== change.balance_minor)
    throw new InvariantError(
      `revision ${recorded.revision} of ${recorded.stream} does not continue the one before`,
    )
  change.balance_minor = after.balanceMinor
  change.holds = after.holds
  changeWallet(change, { revision: after.revision, hash: after.hash, event })
  return event
}

function readOn(change: WalletChange, recorded: RecordedEvent): WalletEvent {
  const { stream, revision, type, data } = recorded
  const event = decodeEvent(type, data)
  requireNext(change, recorded)
  const hash = nextHash(change.hash, { walletId: change.wallet_id, revision, type, data })
  if (decodeHash(recorded.metadata) !== hash)
    throw new InvariantError(`revision ${revision} of ${stream} does not continue the hash chain`)
  if (isEntry(event)) {
    const balanceMinor = change.balance_minor + signOf[event.type] * event.data.amountMinor
    if (event.data.balanceMinor !== balanceMinor)
      throw new InvariantError(`the balance of revision ${revision} of ${stream} does not add up`)
    change.balance_minor = balanceMinor
    change.holds = holdsAfter({ walletId: change.wallet_id, holds: change.holds }, event)
    if ((event.data.heldMinor ?? 0) !== heldMinorOf(change.holds))
      throw new InvariantError(`the holds of revision ${revision} of ${stream} do not add up`)
  }
  changeWallet(change, { revision, hash, event })
  return event
}

function requireNext(change: WalletChange, { revision, stream }: RecordedEvent): void {
  if (revision === change.revision + 1) return
  throw new InvariantError(
    `revision ${revision} of ${stream} does not follow revision ${change.revision}`,
  )
}

function changeWallet(
  change: WalletChange,
  { revision, hash, event }: { revision: number; hash: ChainHash; event: WalletEvent },
): void {
  change.revision = revision
  change.hash = hash
  change.time = event.data.time
  if (event.type === 'WalletDeactivated' || event.type === 'WalletReactivated') {
    change.is_active = event.type === 'WalletReactivated'
    change.status_reason = event.data.reason
  }
}

function transactionRow(walletId: WalletId, revision: number, event: EntryEvent): TransactionRow {
  const outcome = outcomeOf(walletId, event, revision)
  return {
    entry_id: outcome.entryId,
    wallet_id: walletId,
    revision,
    type: event.type,
    code: outcome.code ?? null,
    amount_minor: outcome.amountMinor,
    balance_minor: outcome.balanceMinor,
    reference_type: event.data.referenceType,
    reference_id: event.data.referenceId,
    issuer: event.data.issuer,
    description: event.data.description ?? null,
    refund_of: outcome.refundedEntryId ?? null,
    refunded_minor: 0,
    time: outcome.time,
    held_minor: outcome.heldMinor ?? null,
    expires_at: outcome.expiresAt ?? null,
    hold_of: outcome.holdEntryId ?? null,
  }
}

function add<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}
