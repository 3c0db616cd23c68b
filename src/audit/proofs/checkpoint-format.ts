/**
 * What a checkpoint and its keys look like, byte for byte, and what makes them valid
 * (docs/reference/audit.md; src/verify-bundle checks the same with code of its own).
 * Promises: the formats are for ever; a new one gets a new name. Pure.
 */
import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { sha256Hex } from '../../domain/digest.js'
import type { ChainHash } from '../../domain/hash-chain.js'
import type { WalletId } from '../../domain/ids.js'
import { leafHash } from './merkle.js'

export const firstFormat = 'wallet-checkpoint-v1'
/** What is made today; those of the first format stay valid for ever. */
export const checkpointFormat = 'wallet-checkpoint-v2'
export const keyFormat = 'wallet-checkpoint-key-v1'

/** The head of a wallet's stream: what a leaf of the tree says. */
export interface Head {
  readonly walletId: WalletId
  readonly revision: number
  readonly hash: ChainHash
}

/** What is signed. */
export type Checkpoint = FirstCheckpoint | SecondCheckpoint

interface FirstCheckpoint extends SignedHeads {
  readonly format: typeof firstFormat
}

/** Beside the heads: who owns the wallets, what admins did, and what was lost. */
export interface SecondCheckpoint extends SignedHeads {
  readonly format: typeof checkpointFormat
  /** How many entries of the admin log are chained, and the hash of the last of them. */
  readonly adminLogCount: number
  readonly adminLogHead: string
  /** After a loss: the hash of the newest checkpoint that was still there; null when none was. */
  readonly lostAfter: string | null
  /** After a loss: the number of the witnessed checkpoint that `previous` is the hash of. */
  readonly lostNumber: number | null
  /** How many owners of wallets the tree of `ownersRoot` has. */
  readonly ownerCount: number
  readonly ownersRoot: string
}

interface SignedHeads {
  readonly eventId: string
  readonly keyId: string
  readonly number: number
  /** A text: the positions of some stores are larger than JSON's exact numbers. */
  readonly position: string
  /** The hash of the signed checkpoint before it; null for the first. */
  readonly previous: string | null
  readonly root: string
  readonly storeMarker: string
  readonly time: string
  readonly walletCount: number
}

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint
  /** Ed25519 over the canonical JSON of `checkpoint`, as hexadecimal digits. */
  readonly signature: string
}

/** What is signed of a public key: by the key before it, or by itself. */
export interface KeyStatement {
  readonly format: string
  readonly from: string
  readonly keyId: string
  /** The keyId before it; null for the first. */
  readonly previous: string | null
  /** The 32 bytes of the public key, as hexadecimal digits. */
  readonly publicKey: string
  readonly signedBy: string
}

export interface SignedKey {
  readonly key: KeyStatement
  readonly signature: string
}

/** As it is published: with the end of its time, which the next key's beginning is. */
export interface PublishedKey extends SignedKey {
  readonly until: string | null
}

export function leafOf({ walletId, revision, hash }: Head): Buffer {
  const text = `{"hash":"${hash}","revision":${revision},"walletId":"${walletId}"}`
  return leafHash(Buffer.from(text, 'utf8'))
}

/** RFC 8785 for a flat object of texts, integers and nulls: keys in order, no spaces. */
export function canonicalText(value: object): string {
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(Object.fromEntries(fields))
}

/** What the next checkpoint names as its previous: covers text and signature. */
export function hashOf({ checkpoint, signature }: SignedCheckpoint): string {
  const text = Buffer.from(canonicalText(checkpoint), 'utf8')
  return sha256Hex(Buffer.concat([text, Buffer.from(signature, 'hex')]))
}

export function keyIdOf(publicKey: Buffer): string {
  return sha256Hex(publicKey)
}

export function isKeyId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/** Keys from the first to the newest. */
export function published(keys: readonly SignedKey[]): PublishedKey[] {
  return keys.map((signed, index) => ({ ...signed, until: keys[index + 1]?.key.from ?? null }))
}

/** What is wrong with a key that follows another, as the rest of a sentence. */
export function keyFault(
  { key, signature }: SignedKey,
  previous: SignedKey | undefined,
): string | undefined {
  if (key.format !== keyFormat) return 'has an unknown format'
  if (keyIdOf(Buffer.from(key.publicKey, 'hex')) !== key.keyId)
    return 'has an id that is not the hash of its public key'
  if (key.previous !== (previous?.key.keyId ?? null)) return 'does not follow the key before it'
  if (previous !== undefined && key.from < previous.key.from) return 'begins before the key before'
  const signer = [key, previous?.key].find((one) => one?.keyId === key.signedBy)
  if (signer === undefined) return 'is signed by a key that may not sign it'
  return isSigned(canonicalText(key), signature, signer.publicKey)
    ? undefined
    : 'has a signature that does not fit'
}

/** What a person went on after; undefined for nearly every checkpoint. */
export function lossOf(
  checkpoint: Checkpoint,
): { readonly number: number; readonly after: string | null } | undefined {
  if (checkpoint.format !== checkpointFormat || checkpoint.lostNumber === null) return undefined
  return { number: checkpoint.lostNumber, after: checkpoint.lostAfter }
}

/** What is wrong with a checkpoint that follows another, as the rest of a sentence. */
export function checkpointFault(
  signed: SignedCheckpoint,
  previous: SignedCheckpoint | undefined,
  keys: ReadonlyMap<string, PublishedKey>,
): string | undefined {
  const { checkpoint } = signed
  const fault = signatureFault(signed, keys)
  if (fault !== undefined) return fault
  // After a loss `previous` is the witnessed hash of a checkpoint that is nowhere any more.
  const loss = lossOf(checkpoint)
  const named = loss === undefined ? checkpoint.previous : loss.after
  if (named !== (previous === undefined ? null : hashOf(previous)))
    return 'does not follow the checkpoint before it'
  if (previous !== undefined && checkpoint.time < previous.checkpoint.time)
    return 'is older than the checkpoint before it'
  return undefined
}

/** As far as one checkpoint alone can tell. */
export function signatureFault(
  { checkpoint, signature }: SignedCheckpoint,
  keys: ReadonlyMap<string, PublishedKey>,
): string | undefined {
  const formats: readonly string[] = [firstFormat, checkpointFormat]
  if (!formats.includes(checkpoint.format)) return 'has an unknown format'
  const published = keys.get(checkpoint.keyId)
  if (published === undefined) return `is signed by the unknown key ${checkpoint.keyId}`
  const { key, until } = published
  if (!isSigned(canonicalText(checkpoint), signature, key.publicKey))
    return 'has a signature that does not fit'
  if (checkpoint.time < key.from || (until !== null && checkpoint.time > until))
    return 'was not made in the time of its key'
  return undefined
}

/** The 32 bytes of an Ed25519 key as Node's kind of key. */
export function publicKeyObject(publicKey: Buffer): KeyObject {
  const key = Buffer.concat([publicKeyPrefix, publicKey])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

/** The 32 bytes of a public key. */
export function publicKeyBytes(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(publicKeyPrefix.length)
}

function isSigned(text: string, signature: string, publicKey: string): boolean {
  const key = Buffer.from(publicKey, 'hex')
  if (key.length !== publicKeyLength) return false
  const bytes = Buffer.from(text, 'utf8')
  return verify(null, bytes, publicKeyObject(key), Buffer.from(signature, 'hex'))
}

const publicKeyLength = 32
/** RFC 8410: what stands before the 32 bytes in the DER form of an Ed25519 public key. */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex')
