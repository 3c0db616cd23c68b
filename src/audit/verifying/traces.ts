/**
 * Whether anything of a wallet is left: its stream, its row, an entry, or its signed head.
 * Promises: a wallet of which somebody removed all but one of them can still be audited.
 */
import { countTransactions, readWallets } from '../../../projections/queries/audit.js'
import { schemaExists } from '../../../projections/read-schema.js'
import type { WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import type { EventStore } from '../../event-store/event-store.js'
import { StoreCorruptError } from '../../event-store/event-store.js'
import type { Pool } from '../../platform/postgres.js'
import { transaction } from '../../platform/postgres.js'
import { listCheckpoints, readHeads } from '../proofs/checkpoint-rows.js'
import { checkpointLeavesKept } from '../limits.js'

export async function hasTraces(
  { pool, store }: { readonly pool: Pool; readonly store: EventStore },
  walletId: WalletId,
): Promise<boolean> {
  if (await hasStream(store, walletId)) return true
  if (await hasRows(pool, walletId)) return true
  const kept = await listCheckpoints(pool, { limit: checkpointLeavesKept })
  const numbers = kept.map(({ checkpoint }) => checkpoint.number)
  return (await readHeads(pool, numbers, walletId)).length > 0
}

/** A stream that cannot be read as one was there, and is for the audit to name. */
async function hasStream(store: EventStore, walletId: WalletId): Promise<boolean> {
  try {
    return (await store.readHead(streamOf(walletId))) !== undefined
  } catch (error) {
    if (error instanceof StoreCorruptError) return true
    throw error
  }
}

async function hasRows(pool: Pool, walletId: WalletId): Promise<boolean> {
  // Before its first start a service has no read models.
  if (!(await transaction(pool, (client) => schemaExists(client, 'read')))) return false
  if ((await readWallets(pool, [walletId])).length > 0) return true
  const all = { walletIds: [walletId], revisions: [Number.MAX_SAFE_INTEGER] }
  return ((await countTransactions(pool, all)).get(walletId) ?? 0) > 0
}
