/**
 * A row of `wallets`: the columns, their types and the one decoder. In a statement the table is
 * named `w`.
 */
import type { ChainHash } from '../../src/domain/hash-chain.js'
import type { OpenHolds } from '../../src/domain/holds.js'
import { heldMinorOf, noHolds } from '../../src/domain/holds.js'
import type { WalletId } from '../../src/domain/ids.js'

export interface WalletRow {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  readonly statusReason: string | null
  readonly holds: OpenHolds
  /** Their sum. */
  readonly heldMinor: number
  readonly hash: ChainHash
  readonly time: string
}

export const walletColumns =
  'w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash, w.time, w.holds'

export interface WalletSqlRow {
  readonly wallet_id: WalletId
  readonly revision: number
  readonly balance_minor: number
  readonly is_active: boolean
  readonly status_reason: string | null
  readonly hash: Buffer
  readonly time: Date
  readonly holds: OpenHolds | null
}

export function toWalletRow(row: WalletSqlRow): WalletRow {
  const holds = toOpenHolds(row.holds)
  return {
    walletId: row.wallet_id,
    revision: row.revision,
    balanceMinor: row.balance_minor,
    isActive: row.is_active,
    statusReason: row.status_reason,
    holds,
    heldMinor: heldMinorOf(holds),
    hash: row.hash.toString('hex') as ChainHash,
    time: row.time.toISOString(),
  }
}

/** In the order of fields that the domain has; JSON in the database has one of its own. */
export function toOpenHolds(holds: OpenHolds | null): OpenHolds {
  if (holds === null) return noHolds
  return holds.map(({ entryId, leftMinor, expiresAt }) => ({ entryId, leftMinor, expiresAt }))
}
