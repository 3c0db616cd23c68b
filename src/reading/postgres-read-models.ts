/**
 * The read models of PostgreSQL for lanes: loads and look-ups of many lanes gathered into one
 * statement each. Promises: what one lane gets comes from one snapshot.
 */
import { findDueHolds, loadWallets, lookUpOutcomes } from '../../projections/queries/lanes.js'
import type { EntryId, WalletId } from '../domain/ids.js'
import { gatheredLookupsMax } from '../limits.js'
import { Gatherer } from '../platform/gather.js'
import type { Pool } from '../platform/postgres.js'
import type { DueHolds, DueWallet, Hit } from './read-models.js'
import type { LoadedRow, LookUpRequest, LookUpResult, ReadModels } from './read-models.js'

export class PostgresReadModels implements ReadModels, DueHolds {
  readonly #pool: Pool
  readonly #loads: Gatherer<WalletId, { row: LoadedRow | undefined }>
  readonly #lookUps: Gatherer<LookUpRequest, LookUpResult>

  constructor(pool: Pool) {
    this.#pool = pool
    this.#loads = new Gatherer((walletIds) => loadAll(pool, walletIds), { max: gatheredLookupsMax })
    this.#lookUps = new Gatherer((requests) => lookUpAll(pool, requests), {
      max: gatheredLookupsMax,
    })
  }

  async load(walletId: WalletId): Promise<LoadedRow | undefined> {
    return (await this.#loads.ask(walletId)).row
  }

  lookUp(request: LookUpRequest): Promise<LookUpResult> {
    return this.#lookUps.ask(request)
  }

  dueHolds(page: Parameters<DueHolds['dueHolds']>[0]): Promise<DueWallet[]> {
    return findDueHolds(this.#pool, page)
  }
}

async function loadAll(
  pool: Pool,
  walletIds: readonly WalletId[],
): Promise<{ row: LoadedRow | undefined }[]> {
  const rows = await loadWallets(pool, walletIds)
  const byId = new Map(rows.map((row) => [row.walletId, row]))
  return walletIds.map((walletId) => ({ row: byId.get(walletId) }))
}

async function lookUpAll(pool: Pool, requests: readonly LookUpRequest[]): Promise<LookUpResult[]> {
  const { revisions, outcomes } = await lookUpOutcomes(pool, {
    walletIds: requests.map(({ walletId }) => walletId),
    entryIds: requests.flatMap(({ entryIds }) => entryIds),
  })
  return requests.map(({ walletId, entryIds }) => {
    const hits = new Map<EntryId, Hit>()
    // Mostly there is none at all.
    if (outcomes.size > 0)
      for (const entryId of entryIds) {
        const hit = outcomes.get(entryId)
        if (hit !== undefined) hits.set(entryId, hit)
      }
    return { revision: revisions.get(walletId) ?? -1, hits }
  })
}
