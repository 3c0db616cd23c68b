/**
 * A row of `wallets`: the columns, their types and the one decoder. In a statement the table is
 * named `w`.
 */
import type { ChainHash } from '../../src/domain/hash-chain.js'
import type { WalletId } from '../../src/domain/ids.js'

export interface WalletRow {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  readonly statusReason: string | null
  readonly hash: ChainHash
  readonly time: string
}

export const walletColumns =
  'w.wallet_id, w.revision, w.balance_minor, w.is_active, w.status_reason, w.hash, w.time'

export interface WalletSqlRow {
  readonly wallet_id: WalletId
  readonly revision: number
  readonly balance_minor: number
  readonly is_active: boolean
  readonly status_reason: string | null
  readonly hash: Buffer
  readonly time: Date
}

export function toWalletRow(row: WalletSqlRow): WalletRow {
  return {
    walletId: row.wallet_id,
    revision: row.revision,
    balanceMinor: row.balance_minor,
    isActive: row.is_active,
    statusReason: row.status_reason,
    hash: row.hash.toString('hex') as ChainHash,
    time: row.time.toISOString(),
  }
}
