/**
 * Checks stored checkpoints: keys, signatures, the store, the chain from the first to the newest,
 * the roots of the leaves that are kept, and that every signed head is the stream's at that
 * revision. So an end of a stream that was deleted together with all its rows is still found, and
 * read models that were set back are too. What the witnesses know beyond that is compared as well.
 * Promises: memory for a page of rows, and for the heads of the wallets that are being folded.
 */
import { readCheckpoint } from '../../../projections/checkpoint.js'
import type { WalletId } from '../../domain/ids.js'
import type { Wallet } from '../../domain/wallet.js'
import type { EventStore } from '../../event-store/event-store.js'
import type { Client, Pool } from '../../platform/postgres.js'
import { transaction } from '../../platform/postgres.js'
import type { PublishedKey, SignedCheckpoint } from './checkpoint-format.js'
import { checkpointFault, keyFault, leafOf, lossOf, published } from './checkpoint-format.js'
import type { LeafRange } from './checkpoint-rows.js'
import { followCheckpoints, listKept, readHeads } from './checkpoint-rows.js'
import { readKeys, readLeaves, readPrepared } from './checkpoint-rows.js'
import { placeOf, refuseOtherStore } from './checkpoints.js'
import { DivergenceError, diverges } from '../verifying/divergence.js'
import { believedKeys } from './key-trust.js'
import { MerkleTree } from './merkle.js'
import { verifyAdminLog, verifyUnchained } from './signed-admin-log.js'
import { verifyOwners } from './signed-owners.js'
import type { Witnesses, Word } from './witness.js'
import { WitnessError } from './witness.js'
import { findCut, standingOf } from './witness-check.js'

/** Everything but the heads, which are checked while streams are folded. */
export async function verifyCheckpoints({
  store,
  pool,
  trustedKeys = [],
  witnesses,
}: {
  readonly store: EventStore
  readonly pool: Pool
  readonly trustedKeys?: readonly string[]
  readonly witnesses?: Witnesses
}): Promise<WitnessReport> {
  const marker = await store.readMarker()
  // Before the snapshot: what is witnessed now is in the database, or prepared there, ever after.
  const { word, report } = await askWitnesses(witnesses)
  const {
    newest: kept,
    beginning,
    live,
  } = await transaction(pool, async (client) => {
    // One snapshot: the next checkpoint removes leaves that are being read here.
    await client.query('set transaction isolation level repeatable read read only')
    const keys = await verifyKeys(client)
    const last = await verifyChain(client, keys, marker)
    const standing = word && (await standingOf(client, word))
    if (standing?.kind === 'gone') diverges('checkpoint', standing.place, standing.problem)
    await verifyPrepared(client, keys, last)
    await verifyBeginning(client, keys)
    const believed = believedKeys([...keys.values()], trustedKeys)
    const newest = await listKept(client)
    verifySigner(newest[0], believed)
    for (const { checkpoint } of newest) await verifyRoot(client, checkpoint)
    await verifyOwners(client, newest[0]?.checkpoint)
    const beginning = await verifyAdminLog(client, newest[0]?.checkpoint)
    // What a person gave up takes along what was seen of the log with it.
    return { newest, beginning, live: standing?.kind === 'stands' ? word : undefined }
  })
  await verifyUnchained(pool, beginning)
  const cut = live && (await findCut(store, live))
  if (cut !== undefined) throw new DivergenceError(cut)
  for (const { checkpoint } of kept) {
    const { position, eventId } = checkpoint
    const place = placeOf(checkpoint)
    const event = await store.eventAt(BigInt(position))
    if (event === undefined)
      diverges('checkpoint', place, `was made at position ${position}, which the log has not`)
    if (event.id !== eventId)
      diverges('checkpoint', place, `knows event ${eventId} at ${position}, the log ${event.id}`)
  }
  await refuseSetBack(pool, kept[0])
  return { newest: kept[0]?.checkpoint.number ?? null, ...report }
}

/** What was compared with what is kept outside of the database. */
export interface WitnessReport {
  /** The newest checkpoint in the database; null when there is none. */
  readonly newest: number | null
  /** The newest checkpoint that is witnessed; null when no witness knows of any. */
  readonly witnessed: number | null
  /** Why a witness was not asked; null when all were, or there is none. */
  readonly unreachable: string | null
}

/** One that does not answer must not keep the rest from being checked. */
async function askWitnesses(
  witnesses: Witnesses | undefined,
): Promise<{ readonly word: Word | undefined; readonly report: Omit<WitnessReport, 'newest'> }> {
  try {
    const word = (await witnesses?.read())?.word
    return { word, report: { witnessed: word?.record.number ?? null, unreachable: null } }
  } catch (error) {
    if (!(error instanceof WitnessError)) throw error
    return { word: undefined, report: { witnessed: null, unreachable: error.message } }
  }
}

/**
 * Checkpoints are made from the read models, which never go back: a rebuild exchanges them for new
 * ones at the same position. Reads the position after the checkpoint, so it may only have moved on;
 * in a statement of its own, because an older snapshot shows rebuilt tables as they were.
 */
export async function refuseSetBack(
  pool: Pool,
  newest: SignedCheckpoint | undefined,
): Promise<void> {
  if (newest === undefined) return
  const { position } = await readCheckpoint(pool)
  if (position >= BigInt(newest.checkpoint.position)) return
  diverges('checkpoint', placeOf(newest.checkpoint), `is beyond the read models (${position})`)
}

/** The signed heads of some wallets, each to be met while its stream is folded. */
export class HeadCheck {
  readonly #expected: Map<WalletId, Expected[]>

  private constructor(expected: Map<WalletId, Expected[]>) {
    this.#expected = expected
  }

  /**
   * Of the checkpoints up to a number, which were there before the end of the log was looked up,
   * and of those up to that end: newer ones hold heads that are not folded.
   */
  static async load(pool: Pool, range: LeafRange, folded?: Folded): Promise<HeadCheck> {
    const kept = await listKept(pool)
    const numbers = kept
      .map(({ checkpoint }) => checkpoint)
      .filter(({ number, position }) => {
        if (folded === undefined || number <= folded.signed) return true
        return BigInt(position) <= folded.until
      })
      .map(({ number }) => number)
    const expected = new Map<WalletId, Expected[]>()
    if (numbers.length === 0) return new HeadCheck(expected)
    for (const { walletId, revision, hash, number } of await readHeads(pool, numbers, range)) {
      const heads = expected.get(walletId)
      if (heads === undefined) expected.set(walletId, [{ revision, hash, number }])
      else heads.push({ revision, hash, number })
    }
    return new HeadCheck(expected)
  }

  /** After each event. */
  see({ walletId, revision, hash }: Wallet): void {
    const heads = this.#expected.get(walletId)
    const [next] = heads ?? []
    if (heads === undefined || next === undefined || next.revision > revision) return
    if (next.revision < revision || next.hash !== hash) {
      const problem = `has another hash than the one that checkpoint ${next.number} was signed with`
      diverges('checkpoint', `wallet ${walletId}, revision ${next.revision}`, problem)
    }
    heads.shift()
    if (heads.length === 0) this.#expected.delete(walletId)
  }

  /** After the last event: whatever was not met is missing. */
  end(): void {
    for (const [walletId, [head]] of this.#expected) {
      if (head === undefined) continue
      const problem = `is missing, but checkpoint ${head.number} was signed with it`
      diverges('checkpoint', `wallet ${walletId}, revision ${head.revision}`, problem)
    }
  }
}

interface Folded {
  readonly until: bigint
  readonly signed: number
}

interface Expected {
  readonly revision: number
  readonly hash: string
  readonly number: number
}

type Keys = ReadonlyMap<string, PublishedKey>

async function verifyKeys(client: Client): Promise<Keys> {
  const keys = await readKeys(client)
  for (const [index, key] of keys.entries()) {
    const fault = keyFault(key, keys[index - 1])
    if (fault !== undefined) diverges('checkpoint', `signing key ${index + 1}`, fault)
  }
  return new Map(published(keys).map((one) => [one.key.keyId, one]))
}

/** Signed, and perhaps witnessed, by a process that is about to write its row or was cut off. */
async function verifyPrepared(
  client: Client,
  keys: Keys,
  last: SignedCheckpoint | undefined,
): Promise<void> {
  const prepared = await readPrepared(client)
  if (prepared === undefined) return
  const fault = checkpointFault(prepared, last, keys)
  if (fault !== undefined) diverges('checkpoint', 'the prepared checkpoint', fault)
}

/** The first key and the first checkpoint are made together: without it, all were removed. */
async function verifyBeginning(client: Client, keys: Keys): Promise<void> {
  const [firstKey] = keys.values()
  if (firstKey === undefined) return
  const first = (await followCheckpoints(client, 0))[0] ?? (await readPrepared(client))
  if (first === undefined)
    diverges('checkpoint', 'signing key 1', 'has signed no checkpoint: they were removed')
  const { keyId, number, time } = first.checkpoint
  if (number === 1 && (keyId !== firstKey.key.keyId || time !== firstKey.key.from))
    diverges('checkpoint', placeOf(first.checkpoint), 'is not the one that key 1 was made with')
}

/** The newest vouches for those before it: it names the hash of the last, and that one its own. */
function verifySigner(newest: SignedCheckpoint | undefined, believed: ReadonlySet<string>): void {
  if (newest === undefined || believed.has(newest.checkpoint.keyId)) return
  const problem = `is signed by key ${newest.checkpoint.keyId}, which comes from no trusted key`
  diverges('checkpoint', placeOf(newest.checkpoint), problem)
}

/** Answers the newest. */
async function verifyChain(
  client: Client,
  keys: Keys,
  marker: string | undefined,
): Promise<SignedCheckpoint | undefined> {
  let previous: SignedCheckpoint | undefined
  let foreign: SignedCheckpoint | undefined
  for (;;) {
    const before = previous?.checkpoint.number ?? 0
    for (const signed of await followCheckpoints(client, before)) {
      const { number, storeMarker } = signed.checkpoint
      const loss = lossOf(signed.checkpoint)
      const last: number = Math.max(previous?.checkpoint.number ?? 0, loss?.number ?? 0)
      if (number !== last + 1) diverges('checkpoint', placeOf({ number: last + 1 }), 'is missing')
      const fault = checkpointFault(signed, previous, keys)
      if (fault !== undefined) diverges('checkpoint', placeOf({ number }), fault)
      // What was lost may have been another store: what was signed of it counts no more.
      if (loss !== undefined) foreign = undefined
      if (storeMarker !== marker) foreign ??= signed
      previous = signed
    }
    if ((previous?.checkpoint.number ?? 0) === before) break
  }
  if (foreign !== undefined) refuseOtherStore(foreign.checkpoint, marker)
  return previous
}

async function verifyRoot(
  client: Client,
  checkpoint: SignedCheckpoint['checkpoint'],
): Promise<void> {
  const { number, root, walletCount } = checkpoint
  const tree = new MerkleTree()
  for await (const page of readLeaves(client, number))
    for (const head of page) tree.add(leafOf(head))
  const place = `the leaves of checkpoint ${number}`
  if (tree.size !== walletCount)
    diverges('checkpoint', place, `are ${tree.size}, but ${walletCount} were signed`)
  if (tree.root().toString('hex') !== root)
    diverges('checkpoint', place, 'are not those that were signed: they have another root')
}
