/**
 * Password hashes: scrypt, with the parameters stored beside each hash, so that they can be raised.
 * Promises: a check does the same work whether or not there is a hash to check against; in the
 * whole process only a few run at once and only so many wait, because each takes 32 MB and a
 * quarter of a second. Never: keeps a password, or answers "no" when it is merely busy.
 * States of a request: waiting → running → answered, or refused at once (OverloadedError).
 */
import { scrypt, timingSafeEqual } from 'node:crypto'
import {
  passwordCharactersMax,
  passwordHashesAtOnceMax,
  passwordHashesWaitingMax,
} from '../limits.js'
import type { Random } from '../platform/random.js'
import { Turns } from '../platform/turns.js'
import { isStorable } from './user-rules.js'

export interface Cost {
  /** Memory and time: N is 2 to this power. */
  readonly logN: number
  readonly r: number
  /** Time, no memory. */
  readonly p: number
}

/** OWASP's advice for scrypt within 32 MB. */
const currentCost: Cost = { logN: 15, r: 8, p: 3 }
const saltBytes = 16
const hashBytes = 32

export interface PasswordsParts {
  readonly random: Random
  /** Left out: the turns that all of the process share. */
  readonly turns?: Turns
  /** Left out: what new hashes cost today. */
  readonly cost?: Cost
}

export class Passwords {
  readonly #random: Random
  readonly #turns: Turns
  readonly #cost: Cost
  /** As expensive as anybody's, and of no password: nothing hashes to zeros. */
  readonly #nobodysHash: string

  constructor({ random, turns = turnsOfProcess, cost = currentCost }: PasswordsParts) {
    this.#random = random
    this.#turns = turns
    this.#cost = cost
    this.#nobodysHash = format(cost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes))
  }

  /** `scrypt$15$8$3$<salt>$<hash>`: log2 N, r, p, and both in base64url. */
  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(saltBytes)
    const hash = await this.#turns.run(() => derive(password, { ...this.#cost, salt }))
    return format(this.#cost, salt, hash)
  }

  /** Without a stored hash the same work is done, and the answer is no. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const { hash, ...parameters } = parse(stored ?? this.#nobodysHash)
    // Longer than any that was accepted, or not text at all: no match, after the same work.
    const canMatch = password.length <= 2 * passwordCharactersMax && isStorable(password)
    const derived = await this.#turns.run(() => derive(canMatch ? password : '', parameters))
    const isEqual = timingSafeEqual(derived, hash)
    return isEqual && canMatch && stored !== undefined
  }
}

const turnsOfProcess = new Turns({
  atOnceMax: passwordHashesAtOnceMax,
  waitingMax: passwordHashesWaitingMax,
})

interface Parameters extends Cost {
  readonly salt: Buffer
}

function derive(password: string, { logN, r, p, salt }: Parameters): Promise<Buffer> {
  const cost = 2 ** logN
  // Node refuses what needs more than 32 MB unless it is told how much more.
  const options = { N: cost, r, p, maxmem: 256 * cost * r }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

function format({ logN, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function parse(stored: string): Parameters & { readonly hash: Buffer } {
  const [, logN, r, p, salt = '', hash = ''] = stored.split('$')
  return {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}
