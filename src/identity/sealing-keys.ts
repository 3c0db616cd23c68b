/**
 * The keys of many people at once, for whoever opens the texts of many wallets.
 * Never: hands out a key that was destroyed; who is erased is not in the answer.
 */
import type { WalletId } from '../domain/ids.js'
import type { Pool } from '../platform/postgres.js'

export async function sealingKeysOf(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<ReadonlyMap<WalletId, Buffer>> {
  const { rows } = await pool.query<{ wallet_id: WalletId; sealing_key: Buffer }>(
    `select wallet_id, sealing_key from identity.users
     where wallet_id = any($1::uuid[]) and sealing_key is not null`,
    [walletIds],
  )
  return new Map(rows.map((row) => [row.wallet_id, row.sealing_key]))
}
