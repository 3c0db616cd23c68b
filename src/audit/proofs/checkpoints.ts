/**
 * Makes checkpoints: the heads of all wallets, as the read models hold them at one position of the
 * log, in a Merkle tree whose root is signed and chained to the checkpoint before.
 * Promises: one snapshot for heads and position; one maker at a time over all processes; memory for
 * a page of rows; all or nothing. A head that went back since the last checkpoint is never signed:
 * that is a DivergenceError. Never: reads a stream; that signed heads are true is checked by
 * checkpoint-check.ts.
 */
import type { Heads } from '../../../projections/queries/audit.js'
import { openHeads } from '../../../projections/queries/audit.js'
import type { Clock } from '../../platform/clock.js'
import type { Client, Pool } from '../../platform/postgres.js'
import { transaction } from '../../platform/postgres.js'
import type { Checkpoint, SignedCheckpoint, SignedKey } from './checkpoint-format.js'
import { canonicalText, checkpointFormat, hashOf, leafOf } from './checkpoint-format.js'
import {
  findLostHead,
  highestId,
  insertCheckpoint,
  insertLeaves,
  listCheckpoints,
  lowestId,
  removeOldLeaves,
} from './checkpoint-rows.js'
import { diverges } from '../verifying/divergence.js'
import { checkpointPageRows, checkpointRetryMs, checkpointWaitMs } from '../limits.js'
import { MerkleTree } from './merkle.js'
import type { SigningKeys } from './signing-keys.js'

export interface CheckpointParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly keys: SigningKeys
}

/** `empty`: no event is projected yet. `unchanged`: the newest one says it all already. */
export type MakeResult =
  | { readonly kind: 'made' | 'unchanged' | 'too-early'; readonly newest: SignedCheckpoint }
  | { readonly kind: 'empty' }

/** Another process is making a checkpoint, and takes longer than anybody waits. */
export class CheckpointRunningError extends Error {
  override readonly name = 'CheckpointRunningError'
}

/** Makes one when the log has moved since the last, and that one is old enough. */
export async function makeCheckpoint(
  parts: CheckpointParts,
  { ageMinMs = 0 }: { readonly ageMinMs?: number } = {},
): Promise<MakeResult> {
  return locked(parts, async (client) => {
    const [newest] = await listCheckpoints(client, { limit: 1 })
    if (newest !== undefined && ageMsOf(newest, parts.clock) < ageMinMs)
      return { kind: 'too-early', newest }
    const heads = await openHeads(client, checkpointPageRows)
    if (heads.place === undefined) return { kind: 'empty' }
    const time = timeOf(parts.clock, newest)
    const key = await parts.keys.current(client, time)
    const { position, storeMarker } = heads.place
    if (newest !== undefined) {
      const { checkpoint } = newest
      // Positions of two stores cannot be compared: without this, another marker would hide that
      // the read models went back.
      refuseOtherStore(checkpoint, storeMarker)
      if (checkpoint.position === position && checkpoint.keyId === key.keyId)
        return { kind: 'unchanged', newest }
      if (BigInt(position) < BigInt(checkpoint.position))
        diverges('checkpoint', placeOf(checkpoint), `is beyond the read models (${position})`)
    }
    const number = (newest?.checkpoint.number ?? 0) + 1
    const { root, walletCount } = await storeLeaves(client, { heads, number })
    const checkpoint: Checkpoint = {
      ...heads.place,
      format: checkpointFormat,
      keyId: key.keyId,
      number,
      previous: newest === undefined ? null : hashOf(newest),
      root,
      time: time < key.from ? key.from : time,
      walletCount,
    }
    const made = { checkpoint, signature: key.sign(canonicalText(checkpoint)) }
    await insertCheckpoint(client, made)
    await removeOldLeaves(client, number)
    return { kind: 'made', newest: made }
  })
}

/** A new key from now on; see SigningKeys. */
export async function rotateKey(
  parts: CheckpointParts,
  { isLost }: { readonly isLost: boolean },
): Promise<SignedKey> {
  const rotated = await locked(parts, async (client) => {
    const [newest] = await listCheckpoints(client, { limit: 1 })
    const time = timeOf(parts.clock, newest)
    return parts.keys.rotate(client, { time, isLost })
  })
  await rotated.finish()
  return rotated.key
}

export function refuseOtherStore(checkpoint: Checkpoint, storeMarker: string | undefined): void {
  if (checkpoint.storeMarker !== storeMarker)
    diverges('checkpoint', placeOf(checkpoint), 'was made from another event store than this')
}

export function placeOf({ number }: { readonly number: number }): string {
  return `checkpoint ${number}`
}

/**
 * One transaction that sees one snapshot, taken after the lock is held. A lock on the table and not
 * an advisory one: taking that is a query, and would freeze the snapshot before the wait.
 */
async function locked<T>(
  { pool, clock }: CheckpointParts,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const giveUpMs = clock.now() + checkpointWaitMs
  for (;;) {
    try {
      return await transaction(pool, async (client) => {
        await client.query('set transaction isolation level repeatable read')
        await client.query('lock table audit.checkpoints in exclusive mode nowait')
        return work(client)
      })
    } catch (error) {
      if (!isLockTaken(error)) throw error
      if (clock.now() >= giveUpMs)
        throw new CheckpointRunningError('another process is making a checkpoint')
      await clock.sleep(checkpointRetryMs)
    }
  }
}

/** Not before the checkpoint before it, also when the clock was set back. */
function timeOf(clock: Clock, newest: SignedCheckpoint | undefined): string {
  const time = new Date(clock.now()).toISOString()
  const last = newest?.checkpoint.time ?? ''
  return time < last ? last : time
}

/** A clock that was set back must not stop checkpoints until it has caught up. */
function ageMsOf({ checkpoint }: SignedCheckpoint, clock: Clock): number {
  return Math.abs(clock.now() - Date.parse(checkpoint.time))
}

/** Writes the leaves and compares them with those of the checkpoint before. */
async function storeLeaves(
  client: Client,
  { heads, number }: { readonly heads: Heads; readonly number: number },
): Promise<{ root: string; walletCount: number }> {
  const tree = new MerkleTree()
  let after = lowestId
  for await (const page of heads.pages) {
    for (const head of page) tree.add(leafOf(head))
    await insertLeaves(client, number, page)
    const through = page.at(-1)?.walletId ?? after
    await refuseLostHead(client, { number, after, through })
    after = through
  }
  await refuseLostHead(client, { number, after, through: highestId })
  return { root: tree.root().toString('hex'), walletCount: tree.size }
}

async function refuseLostHead(
  client: Client,
  range: { readonly number: number; readonly after: string; readonly through: string },
): Promise<void> {
  const lost = await findLostHead(client, range)
  if (lost === undefined) return
  const { walletId, revision, hash } = lost
  const problem = `was at hash ${hash} in checkpoint ${range.number - 1}, and is not any more`
  diverges('checkpoint', `wallet ${walletId}, revision ${revision}`, problem)
}

function isLockTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
