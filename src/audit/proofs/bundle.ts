/**
 * An audit bundle: one wallet's whole stream with the proof that its head is in a signed
 * checkpoint, so that anybody can check it offline (docs/reference/audit.md, src/verify-bundle).
 * Promises: written piece by piece, so memory is small; every event is checked on the way, so a
 * bundle that would fail is never finished. Never: opens a sealed text.
 */
import { createHash } from 'node:crypto'
import { entryFault } from '../../domain/entry-fault.js'
import type { WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import { OutcomeMemory } from '../../domain/outcome-memory.js'
import type { EventStore } from '../../event-store/event-store.js'
import type { Pool } from '../../platform/postgres.js'
import { transaction } from '../../platform/postgres.js'
import type { Head, PublishedKey, SignedCheckpoint } from './checkpoint-format.js'
import { leafOf, published } from './checkpoint-format.js'
import { findLeaf, listCheckpoints, readKeys, readLeaves } from './checkpoint-rows.js'
import type { CheckpointParts } from './checkpoint-completion.js'
import { makeCheckpoint } from './checkpoints.js'
import { diverges } from '../verifying/divergence.js'
import { bundleCheckpointsMax, bundleEventsMax } from '../limits.js'
import { MerkleTree } from './merkle.js'
import { SigningKeyError } from './signing-keys.js'
import { WitnessError } from './witness.js'
import { placeOf, WalletFold } from '../verifying/wallet-fold.js'

export const bundleFormat = 'wallet-audit-bundle-v1'

/** There is nothing to prove, or more than a bundle holds; says which. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
}

export interface BundleProof {
  readonly head: Head
  /** How many events the stream has beyond the head. */
  readonly newerEvents: number
  readonly proof: { readonly index: number; readonly size: number; readonly path: string[] }
  /** From the oldest to the one that holds the head. */
  readonly checkpoints: readonly SignedCheckpoint[]
  readonly keys: readonly PublishedKey[]
}

/** Whether the newest checkpoint, if there is one, may be followed by another for a proof. */
export type MayMake = (newest: SignedCheckpoint | undefined) => boolean

/** The proof of a wallet's head, with a new checkpoint when the newest does not hold it. */
export async function proveHead(
  parts: CheckpointParts & { readonly store: EventStore },
  walletId: WalletId,
  mayMake: MayMake = () => true,
): Promise<BundleProof> {
  const last = await parts.store.readHead(streamOf(walletId))
  if (last === undefined) throw new BundleError(`wallet ${walletId} has no events`)
  const [newestYet] = await listCheckpoints(parts.pool, { limit: 1 })
  const isSigned = (await signedRevision(parts.pool, walletId)) >= last.revision
  if (!isSigned && mayMake(newestYet)) await refresh(parts, walletId)
  const found = await transaction(parts.pool, async (client) => {
    await client.query('set transaction isolation level repeatable read read only')
    const checkpoints = await listCheckpoints(client, { limit: bundleCheckpointsMax })
    const [newest] = checkpoints
    const number = newest?.checkpoint.number ?? 0
    const head = await findLeaf(client, { number, walletId })
    if (newest === undefined || head === undefined) return undefined
    const tree = new MerkleTree()
    for await (const page of readLeaves(client, number))
      for (const leaf of page) tree.add(leafOf(leaf), { isProven: leaf.walletId === walletId })
    if (tree.root().toString('hex') !== newest.checkpoint.root)
      diverges('checkpoint', `the leaves of checkpoint ${number}`, 'have another root than signed')
    return { head, tree, checkpoints: checkpoints.reverse(), keys: await readKeys(client) }
  })
  const proof = found?.tree.proof()
  if (found === undefined || proof === undefined)
    throw new BundleError(`wallet ${walletId} is not in the read models yet`)
  const { head, checkpoints, keys } = found
  const newerEvents = Math.max(last.revision - head.revision, 0)
  const path = proof.path.map((hash) => hash.toString('hex'))
  return { head, newerEvents, proof: { ...proof, path }, checkpoints, keys: published(keys) }
}

/** Which entries a checker shows; the chain needs all events in any case. */
export interface Shown {
  /** Inclusive. */
  readonly from: string | null
  /** Exclusive. */
  readonly to: string | null
}

/** The bundle's text, in pieces. */
export async function* bundlePieces(
  store: EventStore,
  { head, proof, checkpoints, keys }: BundleProof,
  shown: Shown,
): AsyncGenerator<string, void> {
  const { walletId, revision, hash } = head
  if (revision >= bundleEventsMax)
    throw new BundleError(`wallet ${walletId} has more than ${bundleEventsMax} events`)
  const digest = createHash('sha256')
  const piece = (text: string): string => {
    digest.update(text)
    return text
  }
  const fold = new WalletFold(walletId)
  const references = new OutcomeMemory()
  const range = { fromRevision: 0, maxCount: revision + 1 }
  for await (const recorded of store.readStream(streamOf(walletId), range)) {
    const { event, entry } = fold.take(recorded)
    if (entry !== undefined) {
      const fault = entryFault(entry.before, entry.event, references)
      if (fault !== undefined) diverges('event', placeOf(recorded), fault)
      references.add(entry.outcome)
    }
    if (event.type === 'WalletOpened')
      yield piece(opening({ walletId, currency: event.data.currency, shown }))
    const { id, type, data, metadata } = recorded
    const text = JSON.stringify({ revision: recorded.revision, id, type, data, metadata })
    yield piece(recorded.revision === 0 ? text : `,${text}`)
  }
  if (fold.wallet.revision !== revision || fold.wallet.hash !== hash)
    diverges('checkpoint', `wallet ${walletId}, revision ${revision}`, 'is not as it was signed')
  yield piece(
    `],${JSON.stringify({ head: { revision, hash }, proof, checkpoints, keys }).slice(1, -1)}`,
  )
  yield `,"digest":"${digest.digest('hex')}"}\n`
}

function opening(of: { walletId: WalletId; currency: string; shown: Shown }): string {
  const { walletId, currency, shown } = of
  const { from, to } = shown
  const fields = { format: bundleFormat, walletId, currency, shown: { from, to } }
  return `${JSON.stringify(fields).slice(0, -1)},"events":[`
}

/** −1 when the newest checkpoint does not know the wallet. */
async function signedRevision(pool: Pool, walletId: WalletId): Promise<number> {
  const [newest] = await listCheckpoints(pool, { limit: 1 })
  if (newest === undefined) return -1
  const { number } = newest.checkpoint
  return (await findLeaf(pool, { number, walletId }))?.revision ?? -1
}

/** Who has no private key, or whose witness is away, bundles what was signed before. */
async function refresh(parts: CheckpointParts, walletId: WalletId): Promise<void> {
  try {
    await makeCheckpoint(parts)
  } catch (error) {
    const mayWait = error instanceof SigningKeyError || error instanceof WitnessError
    if (!mayWait || (await signedRevision(parts.pool, walletId)) === -1) throw error
  }
}
