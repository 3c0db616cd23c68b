/**
 * The hash chain of a wallet stream: each event's hash covers the one before it, the wallet, the
 * revision, the type and the stored data, so no two streams can be exchanged and no event moved.
 * The id under which the store keeps an event follows from that hash.
 * The format is for ever; docs/decisions/0002-ids-and-hashes.md gives it with an example.
 */
import { scratch, sha256Hex } from './digest.js'
import { invariant } from './invariant.js'
import type { EntryId, EventId, WalletId } from './ids.js'
import { uuidV5 } from './ids.js'

export interface Link {
  readonly walletId: WalletId
  readonly revision: number
  readonly type: string
  /** Canonical JSON, exactly as stored. */
  readonly data: string
}

/** 64 hexadecimal digits in lower case. */
export type ChainHash = string & { readonly [brand]: 'ChainHash' }
declare const brand: unique symbol

/** What stands before revision 0. */
export function firstHash(walletId: WalletId): ChainHash {
  return sha256Hex(Buffer.from(walletId, 'utf8')) as ChainHash
}

/** SHA-256(previous hash as 32 bytes ‖ canonical JSON of { walletId, revision, type, data }). */
export function nextHash(previous: ChainHash, link: Link): ChainHash {
  const { walletId, revision, type, data } = link
  // The keys in sorted order, and `data` is canonical already: this text is the canonical JSON.
  const text = `{"data":${data},"revision":${revision},"type":"${type}","walletId":"${walletId}"}`
  const bytes = scratch(hashBytes + 3 * text.length)
  bytes.write(previous, 'hex')
  const end = hashBytes + bytes.write(text, hashBytes)
  return sha256Hex(bytes.subarray(0, end)) as ChainHash
}

/**
 * EventStoreDB compares ids and never content. With the chain hash as the name, "already written"
 * means exactly these bytes at exactly this place.
 */
export function eventIdOf(namespace: EntryId | WalletId, hash: ChainHash): EventId {
  const digits = namespace.replaceAll('-', '') + hash
  const bytes = scratch(digits.length / 2)
  const end = bytes.write(digits, 'hex')
  return uuidV5(bytes.subarray(0, end)) as EventId
}

/** Metadata holds only the hash. */
export function encodeHash(hash: ChainHash): string {
  return `{"hash":"${hash}"}`
}

export function decodeHash(metadata: string): ChainHash {
  const hash = hashIn(metadata)
  invariant(hash !== undefined, 'the metadata of an event holds its hash and nothing else')
  return hash
}

/** Undefined when the metadata is not exactly what `encodeHash` makes. */
export function hashIn(metadata: string): ChainHash | undefined {
  if (!metadataPattern.test(metadata)) return undefined
  return metadata.slice(hashStart, hashStart + 2 * hashBytes) as ChainHash
}

const hashBytes = 32
const hashStart = '{"hash":"'.length
const metadataPattern = /^\{"hash":"[0-9a-f]{64}"\}$/
