/**
 * Secrets and tokens: drawn from 256 random bits, shown once, and known to us only as SHA-256.
 * A fast hash is enough, because nobody can try out 2^256 values; passwords are another matter
 * (passwords.ts). Promises: comparing takes the same time whatever the digests hold.
 */
import { timingSafeEqual } from 'node:crypto'
import { sha256 } from '../domain/digest.js'
import type { Random } from '../platform/random.js'

const secretBytes = 32

/** What a token is for, readable for whoever finds one: client secret, link proof, reset, email. */
export type TokenPrefix = 'sk_' | 'lp_' | 'rst_' | 'eml_'

export function newToken(prefix: TokenPrefix, random: Random): string {
  return `${prefix}${random.bytes(secretBytes).toString('base64url')}`
}

/** What is kept of a secret or a token. */
export function digestOf(secret: string): Buffer {
  return sha256(Buffer.from(secret, 'utf8'))
}

/**
 * The index of the digest that matches, or -1. Always makes `comparisons` comparisons: neither how
 * many there are nor which one matches can be read off the time.
 */
export function matchingDigest(
  presented: Buffer,
  { digests, comparisons }: { digests: readonly Buffer[]; comparisons: number },
): number {
  let found = -1
  for (let index = 0; index < comparisons; index += 1) {
    const isMatch = timingSafeEqual(presented, digests[index] ?? nobodysDigest)
    found = isMatch && index < digests.length ? index : found
  }
  return found
}

const nobodysDigest = Buffer.alloc(32)
