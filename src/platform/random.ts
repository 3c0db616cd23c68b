/**
 * The only place that makes randomness; everything else is given a Random, so that tests can repeat
 * a run. Every value comes from the operating system's cryptographic generator: ids and secrets are
 * made of it, and nothing here is fast enough to be worth a weaker one.
 * Promises: each byte is handed out once.
 */
import { randomBytes, randomUUID } from 'node:crypto'

export interface Random {
  /** A random UUID (version 4), in lower case. */
  uuid(): string
  /** At least 0, below 1. */
  fraction(): number
  bytes(count: number): Buffer
}

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  // 48 bits: more than any pause or sample needs, and exact in a double.
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  bytes: (count) => (count <= nonceBytesMax ? nonces.take(count) : randomBytes(count)),
}

/** A nonce is no secret, and every sealed text needs one; keys and tokens are longer. */
const nonceBytesMax = 12

/** Of 340 nonces: the generator costs the same for one as for all of them, 3 µs. */
const blockBytes = 4096

class RandomBlock {
  #bytes = Buffer.alloc(0)
  #used = 0

  take(count: number): Buffer {
    if (this.#used + count > this.#bytes.length) {
      this.#bytes = randomBytes(blockBytes)
      this.#used = 0
    }
    this.#used += count
    return this.#bytes.subarray(this.#used - count, this.#used)
  }
}

const nonces = new RandomBlock()
