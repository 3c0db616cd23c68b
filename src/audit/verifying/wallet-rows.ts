/**
 * Compares the `wallets` rows with folded streams. Promises: a row that has moved on since the fold
 * is compared with its stream as it is now; a row without a stream, a stream without a row, a row
 * beyond the position of the read models, and a row too many among the transactions are found.
 */
import { readCheckpoint } from '../../../projections/checkpoint.js'
import { countTransactions, pageWallets, readWallets } from '../../../projections/queries/audit.js'
import type { WalletRow } from '../../../projections/queries/wallet-rows.js'
import type { EventStore } from '../../event-store/event-store.js'
import type { WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import { auditRowsPerPage } from '../limits.js'
import type { Pool } from '../../platform/postgres.js'
import { diverges } from './divergence.js'
import { WalletFold } from './wallet-fold.js'

interface Parts {
  readonly store: EventStore
  readonly pool: Pool
}

/** All rows of the share against the folds, which hold every wallet of the log in it. */
export async function compareWalletRows(
  parts: Parts,
  folds: ReadonlyMap<WalletId, WalletFold>,
  share: { readonly after: string; readonly through: string },
): Promise<void> {
  let seen = 0
  for (let { after } = share; ;) {
    const limit = auditRowsPerPage
    const rows = await pageWallets(parts.pool, { ...share, after, limit })
    const current: Compared[] = []
    for (const row of rows) {
      const fold = folds.get(row.walletId)
      if (fold !== undefined) seen += 1
      current.push(await compare(parts, row, fold ?? new WalletFold(row.walletId)))
    }
    await comparePositions(parts.pool, current)
    await compareCounts(parts.pool, current)
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) break
    after = last.walletId
  }
  if (seen === folds.size) return
  await findMissingRow(parts.pool, [...folds.keys()])
}

/** One wallet's row, which shows at least the revision that the read models have reached. */
export async function compareWalletRow(
  parts: Parts,
  { walletId, projectedRevision }: { walletId: WalletId; projectedRevision: number },
): Promise<void> {
  const [row] = await readWallets(parts.pool, [walletId])
  if (row === undefined) {
    if (projectedRevision === -1) return
    diverges('wallet-row', `wallet ${walletId}`, 'has no row')
  }
  const compared = await compare(parts, row, new WalletFold(walletId))
  if (row.revision < projectedRevision) {
    const problem = `says revision ${row.revision}, but the stream says ${projectedRevision}`
    diverges('wallet-row', `the row of wallet ${walletId}`, problem)
  }
  await comparePositions(parts.pool, [compared])
  await compareCounts(parts.pool, [compared])
}

interface Compared {
  readonly fold: WalletFold
  /** Of the last event that was folded here; undefined when the fold stood there already. */
  readonly position: bigint | undefined
}

/** Brings the fold to the row's revision and compares them there. */
async function compare({ store }: Parts, row: WalletRow, fold: WalletFold): Promise<Compared> {
  const { walletId } = row
  let position: bigint | undefined
  const behind = row.revision - fold.wallet.revision
  if (behind > 0) {
    const range = { fromRevision: fold.wallet.revision + 1, maxCount: behind }
    for await (const recorded of store.readStream(streamOf(walletId), range)) {
      fold.take(recorded)
      position = recorded.position
    }
  }
  const { wallet, statusReason } = fold
  const place = `the row of wallet ${walletId}`
  if (wallet.revision === -1) diverges('wallet-row', place, 'has no stream')
  const pairs = {
    revision: [row.revision, wallet.revision],
    'a balance of': [row.balanceMinor, wallet.balanceMinor, ' (minor units)'],
    'that it is': [statusOf(row), statusOf(wallet)],
    'the reason': [row.statusReason, statusReason],
    'the open holds': [JSON.stringify(row.holds), JSON.stringify(wallet.holds)],
    'the hash': [row.hash, wallet.hash],
    'the time': [row.time, wallet.time],
  }
  for (const [name, [stored, folded, unit = '']] of Object.entries(pairs)) {
    if (stored === folded) continue
    const problem = `says ${name} ${stored ?? 'none'}, but the stream says ${folded ?? 'none'}`
    diverges('wallet-row', place, `${problem}${unit}`)
  }
  return { fold, position }
}

function statusOf({ isActive }: { readonly isActive: boolean }): string {
  return isActive ? 'active' : 'inactive'
}

/** Rows and position move together: a row beyond it means that the position was set back. */
async function comparePositions(pool: Pool, rows: readonly Compared[]): Promise<void> {
  if (rows.every(({ position }) => position === undefined)) return
  // Read after the rows, so they may only have moved on since.
  const projected = (await readCheckpoint(pool)).position
  for (const { fold, position } of rows) {
    if (position === undefined || position <= projected) continue
    const place = `the row of wallet ${fold.wallet.walletId}`
    const problem = `holds the event at ${position}, but the read models are at ${projected}`
    diverges('wallet-row', place, problem)
  }
}

/** More rows than outcomes: what the log does not know. (Fewer were found by their entry ids.) */
async function compareCounts(pool: Pool, compared: readonly Compared[]): Promise<void> {
  const folds = compared.map(({ fold }) => fold)
  const counts = await countTransactions(pool, {
    walletIds: folds.map(({ wallet }) => wallet.walletId),
    revisions: folds.map(({ wallet }) => wallet.revision),
  })
  for (const { wallet, entries } of folds) {
    const count = counts.get(wallet.walletId) ?? 0
    const place = `the transaction rows of wallet ${wallet.walletId}`
    if (count !== entries)
      diverges('transaction-row', place, `are ${count}, but the stream has ${entries} outcomes`)
  }
}

async function findMissingRow(pool: Pool, walletIds: readonly WalletId[]): Promise<void> {
  for (let start = 0; start < walletIds.length; start += auditRowsPerPage) {
    const asked = walletIds.slice(start, start + auditRowsPerPage)
    const rows = new Set((await readWallets(pool, asked)).map((row) => row.walletId))
    const missing = asked.find((walletId) => !rows.has(walletId))
    if (missing !== undefined) diverges('wallet-row', `wallet ${missing}`, 'has no row')
  }
}
