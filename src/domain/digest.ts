/**
 * The two hash functions of the ledger: SHA-256 for the chain, SHA-1 for UUIDv5.
 * Pure; the only file of the domain that touches `node:crypto`.
 */
import * as crypto from 'node:crypto'

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return digest('sha256', parts)
}

export function sha1(...parts: readonly Uint8Array[]): Buffer {
  return digest('sha1', parts)
}

// The one-shot function is twice as fast but came with Node 20.12; the types say it is always
// there.
const oneShot = (crypto as Partial<typeof crypto>).hash

function digest(algorithm: 'sha256' | 'sha1', parts: readonly Uint8Array[]): Buffer {
  const input = Buffer.concat(parts)
  return oneShot === undefined
    ? crypto.createHash(algorithm).update(input).digest()
    : oneShot(algorithm, input, 'buffer')
}
