/**
 * The only place that makes randomness; everything else is given a Random, so that tests can repeat
 * a run. Every value comes from the operating system's cryptographic generator: ids and secrets are
 * made of it, and nothing here is fast enough to be worth a weaker one.
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
  bytes: (count) => randomBytes(count),
}
