/**
 * Makes checkpoints: the heads of all wallets, as the read models hold them at one position of the
 * log, in a Merkle tree whose root is signed and chained to the checkpoint before.
 * Promises: one snapshot for heads and position; one maker at a time over all processes; memory for
 * a page of rows; all or nothing. A head that went back since the last checkpoint is never signed:
 * that is a DivergenceError. Never: reads a stream; that signed heads are true is checked by
 * checkpoint-check.ts.
 */
import type { Heads, HeadsPlace } from '../../../projections/queries/audit.js'
import { openHeads } from '../../../projections/queries/audit.js'
import type { Clock } from '../../platform/clock.js'
import type { Client } from '../../platform/postgres.js'
import type { Checkpoint, SignedCheckpoint, SignedKey } from './checkpoint-format.js'
import { canonicalText, checkpointFormat, hashOf, leafOf } from './checkpoint-format.js'
import { complete, completePrepared, type CheckpointParts } from './checkpoint-completion.js'
import {
  findLostHead,
  highestId,
  insertLeaves,
  insertPrepared,
  listCheckpoints,
  lowestId,
  readPrepared,
  removeLeavesFrom,
  removePrepared,
} from './checkpoint-rows.js'
import type { Divergence } from '../verifying/divergence.js'
import { DivergenceError, diverges } from '../verifying/divergence.js'
import { checkpointPageRows, checkpointRounds } from '../limits.js'
import { CheckpointRunningError, locked } from './checkpoint-lock.js'
import { MerkleTree } from './merkle.js'
import { signAdminLog } from './signed-admin-log.js'
import { signOwners } from './signed-owners.js'
import type { SigningKey } from './signing-keys.js'
import type { Witnessed } from './witness.js'
import { witnessOf } from './witness.js'
import { findCut, standingOf } from './witness-check.js'

/** `empty`: no event is projected yet. `unchanged`: the newest one says it all already. */
export type MakeResult =
  | { readonly kind: 'made' | 'unchanged' | 'too-early'; readonly newest: SignedCheckpoint }
  | { readonly kind: 'empty' }

/** Makes one when the log has moved since the last, and that one is old enough. */
export async function makeCheckpoint(
  parts: CheckpointParts,
  { ageMinMs = 0 }: { readonly ageMinMs?: number } = {},
): Promise<MakeResult> {
  for (let round = 0; round < checkpointRounds; round += 1) {
    // Of a process that was cut off between witness and row, or is between the two just now.
    await completePrepared(parts)
    const result = await locked(parts, async (client) => {
      if ((await readPrepared(client)) !== undefined) return undefined
      return prepareNext(client, parts, ageMinMs)
    })
    if (result === undefined) continue
    if (result.kind === 'made') await completePrepared(parts)
    return result
  }
  throw new CheckpointRunningError('other processes make one checkpoint after the other')
}

async function prepareNext(
  client: Client,
  parts: CheckpointParts,
  ageMinMs: number,
): Promise<MakeResult> {
  const [newest] = await listCheckpoints(client, { limit: 1 })
  if (newest !== undefined && ageMsOf(newest, parts.clock) < ageMinMs)
    return { kind: 'too-early', newest }
  const heads = await openHeads(client, checkpointPageRows)
  if (heads.place === undefined) return { kind: 'empty' }
  const time = timeOf(parts.clock, newest)
  // First of all: who has no key leaves the witnesses to who has it.
  const key = await parts.keys.current(client, time)
  await askWitnesses(client, parts, { newest, position: heads.place.position })
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
  const made = await prepare(client, { heads, place: heads.place, key, time, newest })
  return { kind: 'made', newest: made }
}

/** Refuses to go on from what the witnesses contradict; those that are behind are brought up. */
async function askWitnesses(
  client: Client,
  { witnesses, store }: CheckpointParts,
  { newest, position }: { newest: SignedCheckpoint | undefined; position: string },
): Promise<void> {
  const testimony = await witnesses.read()
  const { word } = testimony
  if (word !== undefined) {
    const standing = await standingOf(client, word)
    if (standing.kind === 'gone') diverges('checkpoint', standing.place, standing.problem)
    // Rows that have not got there yet cannot hide what is gone: it stays witnessed meanwhile.
    const isReached = BigInt(position) >= BigInt(word.record.seenPosition)
    const cut = standing.kind === 'stands' && isReached ? await findCut(store, word) : undefined
    if (cut !== undefined) throw new DivergenceError(cut)
  }
  if (newest !== undefined && testimony.isBehind(newest.checkpoint.number))
    await testimony.write(witnessOf(newest, word?.record))
}

/** The leaves and the signed text, but not its row: that follows once it is witnessed. */
async function prepare(
  client: Client,
  of: {
    readonly heads: Heads
    readonly place: HeadsPlace
    readonly key: SigningKey
    readonly time: string
    readonly newest: SignedCheckpoint | undefined
    readonly lost?: Witnessed
  },
): Promise<SignedCheckpoint> {
  const { heads, place, key, time, newest, lost } = of
  const last = Math.max(newest?.checkpoint.number ?? 0, lost?.number ?? 0)
  const number = last + 1
  await removeLeavesFrom(client, number)
  const { root, walletCount } = await storeLeaves(client, { heads, number, isAfterLoss: !!lost })
  const hash = newest === undefined ? null : hashOf(newest)
  // What a person goes on after may have taken these along.
  const before = lost === undefined ? newest?.checkpoint : undefined
  const checkpoint: Checkpoint = {
    ...place,
    ...(await signOwners(client, before)),
    ...(await signAdminLog(client, before)),
    format: checkpointFormat,
    keyId: key.keyId,
    lostAfter: lost === undefined ? null : hash,
    lostNumber: lost?.number ?? null,
    number,
    previous: lost?.hash ?? hash,
    root,
    time: time < key.from ? key.from : time,
    walletCount,
  }
  const made = { checkpoint, signature: key.sign(canonicalText(checkpoint)) }
  await insertPrepared(client, made)
  return made
}

/** What is gone, as far as the witness knows it. */
export interface Loss {
  readonly newest: SignedCheckpoint
  readonly lost: Witnessed
  /** Why nothing was signed any more. */
  readonly divergence: Divergence
  /** The newest one of those that are still in the database; 0 when there is none. */
  readonly lastKept: number
}

/** There is nothing to continue after, or not what the person named. */
export class NoLossError extends Error {
  override readonly name = 'NoLossError'
}

/**
 * Signs the next number over the witnessed hash, although what was signed before is gone. Only a
 * person may want this, and names the number that is lost.
 */
export async function continueAfterLoss(
  parts: CheckpointParts,
  { number }: { readonly number: number },
): Promise<Loss> {
  // What only a crash has left behind is no loss.
  await divergenceIn(() => completePrepared(parts))
  const loss = await locked(parts, async (client) => {
    const { word } = await parts.witnesses.read()
    if (word === undefined) throw new NoLossError('no checkpoint was ever witnessed')
    const lost = word.record
    if (lost.number !== number)
      throw new NoLossError(`the newest witnessed checkpoint is ${lost.number}, not ${number}`)
    await client.query('savepoint as_ever')
    const reason = await divergenceIn(() => prepareNext(client, parts, 0))
    await client.query('rollback to savepoint as_ever')
    const divergence = reason ?? (await findCut(parts.store, word))
    if (divergence === undefined)
      throw new NoLossError(`checkpoint ${number} and all that it was signed with are there`)
    await removePrepared(client)
    const [newest] = await listCheckpoints(client, { limit: 1 })
    const heads = await openHeads(client, checkpointPageRows)
    if (heads.place === undefined) throw new NoLossError('the read models hold no event yet')
    const time = timeOf(parts.clock, newest)
    const key = await parts.keys.current(client, time)
    const made = await prepare(client, { heads, place: heads.place, key, time, newest, lost })
    return { newest: made, lost, divergence, lastKept: newest?.checkpoint.number ?? 0 }
  })
  await completePrepared(parts)
  return loss
}

async function divergenceIn(work: () => Promise<unknown>): Promise<Divergence | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof DivergenceError) return error.divergence
    throw error
  }
}

/** A new key from now on; see SigningKeys. */
export async function rotateKey(
  parts: CheckpointParts,
  { isLost }: { readonly isLost: boolean },
): Promise<SignedKey> {
  const rotated = await locked(parts, async (client) => {
    await complete(client, parts, { isKeyLost: isLost })
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
  {
    heads,
    number,
    isAfterLoss,
  }: { readonly heads: Heads; readonly number: number; readonly isAfterLoss: boolean },
): Promise<{ root: string; walletCount: number }> {
  const tree = new MerkleTree()
  let after = lowestId
  for await (const page of heads.pages) {
    for (const head of page) tree.add(leafOf(head))
    await insertLeaves(client, number, page)
    const through = page.at(-1)?.walletId ?? after
    if (!isAfterLoss) await refuseLostHead(client, { number, after, through })
    after = through
  }
  if (!isAfterLoss) await refuseLostHead(client, { number, after, through: highestId })
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
