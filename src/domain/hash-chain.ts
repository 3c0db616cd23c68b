/**
 * The hash chain of a wallet stream: each event's hash covers the one before it, the wallet, the
 * revision, the type and the stored data, so no two streams can be exchanged and no event moved.
 * The format is for ever; docs/decisions/0002-ids-and-hashes.md gives it with an example.
 */
import { sha256 } from './digest.js'
import { invariant } from './invariant.js'
import type { WalletId } from './ids.js'

export interface Link {
  readonly walletId: WalletId
  readonly revision: number
  readonly type: string
  /** Canonical JSON, exactly as stored. */
  readonly data: string
}

/** What stands before revision 0. */
export function firstHash(walletId: WalletId): Buffer {
  return sha256(Buffer.from(walletId, 'utf8'))
}

/** SHA-256(previous hash ‖ canonical JSON of { walletId, revision, type, data }). */
export function nextHash(previous: Uint8Array, link: Link): Buffer {
  const { walletId, revision, type, data } = link
  // The keys in sorted order, and `data` is canonical already: this text is the canonical JSON.
  const text = `{"data":${data},"revision":${revision},"type":"${type}","walletId":"${walletId}"}`
  return sha256(previous, Buffer.from(text, 'utf8'))
}

/** Metadata holds only the hash. */
export function encodeHash(hash: Uint8Array): string {
  return `{"hash":"${Buffer.from(hash).toString('hex')}"}`
}

const metadataPattern = /^\{"hash":"([0-9a-f]{64})"\}$/

export function decodeHash(metadata: string): Buffer {
  const match = metadataPattern.exec(metadata)
  invariant(match?.[1] !== undefined, 'the metadata of an event holds its hash and nothing else')
  return Buffer.from(match[1], 'hex')
}
