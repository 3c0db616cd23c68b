/**
 * All chance of a simulation: one generator (sfc32), seeded by one number. Nothing in a simulated
 * world may take its chance from anywhere else, so that a seed repeats every byte.
 */
import type { Random } from '../../src/platform/random.js'

export class Chance implements Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / 2 ** 32) >>> 0
    this.#c = 0x9e3779b9
    // The state of a small seed is nearly all zeros: mix it well.
    for (let round = 0; round < 16; round += 1) this.#next()
  }

  /** At least 0, below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32
  }

  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** Asks for no number where the answer is known: most faults are off in most worlds. */
  happens(probability: number): boolean {
    return probability > 0 && this.fraction() < probability
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(0, values.length - 1)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }

  uuid(): string {
    const hex = [0, 1, 2, 3].map(() => this.#next().toString(16).padStart(8, '0')).join('')
    const variant = '89ab'.charAt(this.integer(0, 3))
    const [first, second, third] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
    return `${first}-${second}-4${third}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.integer(0, 255)))
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}
