/**
 * The second half of making a checkpoint: the prepared one is witnessed, then its row is written.
 * In this order, so that no number is ever signed twice: what has a row has a witness, and after a
 * crash between the two the very same checkpoint gets its row.
 * States of a checkpoint: prepared → witnessed → its row committed, the prepared one removed.
 */
import type { EventStore } from '../../event-store/event-store.js'
import type { Clock } from '../../platform/clock.js'
import type { Client, Pool } from '../../platform/postgres.js'
import { diverges } from '../verifying/divergence.js'
import type { SignedCheckpoint } from './checkpoint-format.js'
import { checkpointFault, lossOf, published } from './checkpoint-format.js'
import { locked } from './checkpoint-lock.js'
import { insertCheckpoint, listCheckpoints, readKeys } from './checkpoint-rows.js'
import {
  readPrepared,
  removeLeavesFrom,
  removeOldLeaves,
  removePrepared,
} from './checkpoint-rows.js'
import type { SigningKeys } from './signing-keys.js'
import type { Witnesses } from './witness.js'
import { witnessOf } from './witness.js'
import { standingOf } from './witness-check.js'

/** What making and completing a checkpoint needs. */
export interface CheckpointParts {
  readonly pool: Pool
  readonly store: EventStore
  readonly clock: Clock
  readonly keys: SigningKeys
  readonly witnesses: Witnesses
}

/** Does nothing when none is prepared. */
export async function completePrepared(parts: CheckpointParts): Promise<void> {
  if ((await readPrepared(parts.pool)) === undefined) return
  await locked(parts, (client) => complete(client, parts))
}

/** Under the lock. `isKeyLost`: what nobody has witnessed yet is thrown away then. */
export async function complete(
  client: Client,
  parts: CheckpointParts,
  { isKeyLost = false }: { readonly isKeyLost?: boolean } = {},
): Promise<void> {
  const prepared = await readPrepared(client)
  if (prepared === undefined) return
  const { number } = prepared.checkpoint
  const testimony = await parts.witnesses.read()
  const { word } = testimony
  const isAfterLoss = lossOf(prepared.checkpoint) !== undefined
  const next = witnessOf(prepared, isAfterLoss ? undefined : word?.record)
  if (word?.record.hash !== next.hash) {
    if (isKeyLost) {
      await removeLeavesFrom(client, number)
      await removePrepared(client)
      return
    }
    if (word !== undefined) {
      const standing = await standingOf(client, word)
      if (standing.kind === 'gone') diverges('checkpoint', standing.place, standing.problem)
    }
    await refuseForeign(client, parts, prepared)
  }
  await testimony.write(next)
  await insertCheckpoint(client, prepared)
  await removePrepared(client)
  await removeOldLeaves(client, number)
}

/** Whoever can write the database can put something here: only our own is ever witnessed. */
async function refuseForeign(
  client: Client,
  { keys }: CheckpointParts,
  prepared: SignedCheckpoint,
): Promise<void> {
  const { keyId, time } = prepared.checkpoint
  const own = await keys.current(client, time)
  const [newest] = await listCheckpoints(client, { limit: 1 })
  const known = new Map(published(await readKeys(client)).map((one) => [one.key.keyId, one]))
  const fault =
    own.keyId === keyId
      ? checkpointFault(prepared, newest, known)
      : `is signed by key ${keyId}, which this process does not have`
  if (fault !== undefined) diverges('checkpoint', 'the prepared checkpoint', fault)
}
