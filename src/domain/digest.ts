/**
 * The two hash functions of the ledger: SHA-256 for the chain, SHA-1 for UUIDv5.
 * Pure; the only file of the domain that touches `node:crypto`.
 */
import * as crypto from 'node:crypto'

export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(sha256Hex(bytes), 'hex')
}

/** Hexadecimal, because Node makes a text of a digest in half the time of a buffer. */
export function sha256Hex(bytes: Uint8Array): string {
  return digest('sha256', bytes)
}

export function sha1Hex(bytes: Uint8Array): string {
  return digest('sha1', bytes)
}

/** Bytes to put together what is digested next: they are the next caller's when that one asks. */
export function scratch(length: number): Buffer {
  if (bytes.length < length) bytes = Buffer.allocUnsafeSlow(length)
  return bytes
}

/** Room for an ordinary event, whose bytes are written into it before they are digested. */
let bytes = Buffer.allocUnsafeSlow(4096)

// The one-shot function is twice as fast but came with Node 20.12; the types say it is always
// there.
const oneShot = (crypto as Partial<typeof crypto>).hash

function digest(algorithm: 'sha256' | 'sha1', bytes: Uint8Array): string {
  return oneShot === undefined
    ? crypto.createHash(algorithm).update(bytes).digest('hex')
    : oneShot(algorithm, bytes, 'hex')
}
