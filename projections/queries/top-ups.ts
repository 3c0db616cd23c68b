/**
 * What automatic top-ups ask the read models: which wallets have less available than they should.
 * Promises: one statement for many wallets; a wallet without a row is an empty one. The rows may be
 * behind: who charges a card asks the authoritative read first.
 */
import type { WalletId } from '../../src/domain/ids.js'
import type { Pool } from '../../src/platform/postgres.js'

export interface WalletFloor {
  readonly walletId: WalletId
  readonly thresholdMinor: number
}

/** Of these wallets, those that are active and below their threshold. */
export async function findBelow(pool: Pool, floors: readonly WalletFloor[]): Promise<WalletId[]> {
  const { rows } = await pool.query<{ walletId: WalletId }>({
    name: 'wallets-below',
    text: belowStatement,
    values: [
      floors.map(({ walletId }) => walletId),
      floors.map(({ thresholdMinor }) => thresholdMinor),
    ],
  })
  return rows.map(({ walletId }) => walletId)
}

const belowStatement = `
  select f.wallet_id as "walletId"
  from unnest($1::uuid[], $2::bigint[]) as f (wallet_id, threshold_minor)
  left join read.wallets w on w.wallet_id = f.wallet_id
  cross join lateral (
    select coalesce(sum((h ->> 'leftMinor')::bigint), 0) as minor
    from jsonb_array_elements(w.holds) h
  ) held
  where coalesce(w.is_active, true)
    and coalesce(w.balance_minor, 0) - held.minor < f.threshold_minor`
