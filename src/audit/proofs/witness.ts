/**
 * The witness: the newest checkpoint's number, hash and root, and the last event of the log that
 * was seen, kept outside of the database in one or more places (witness-places.ts). Whoever
 * rewrites the database cannot make it forget what was signed. Promises: a place that cannot be
 * read or written is a WitnessError; two that contradict each other are a divergence; the newest
 * word of all places counts, and those behind are brought up by the next write. Never: decides what
 * a contradiction with the database means; witness-check.ts does.
 */
import type { Log } from '../../platform/log.js'
import { diverges } from '../verifying/divergence.js'
import type { SignedCheckpoint } from './checkpoint-format.js'
import { canonicalText, hashOf } from './checkpoint-format.js'

export const witnessFormat = 'wallet-checkpoint-witness-v1'

/** What a place holds, as canonical JSON with a line feed. */
export interface Witnessed {
  readonly eventId: string
  readonly format: typeof witnessFormat
  /** Of the signed checkpoint: what the next one names as its previous. */
  readonly hash: string
  readonly number: number
  readonly position: string
  readonly root: string
  /** The last event of the log that somebody saw, at or after the checkpoint's. */
  readonly seenEventId: string
  readonly seenPosition: string
  readonly storeMarker: string
}

/** A place outside of the database that keeps one text. */
export interface WitnessPlace {
  /** For people, without a password. */
  readonly name: string
  /** Undefined when nothing was ever written there. */
  read(): Promise<HeldText | undefined>
  /** Only over what was read: `held` is that. */
  write(text: string, held: HeldText | undefined): Promise<void>
}

export interface HeldText {
  readonly text: string
  /** What the place tells one writing from another by. */
  readonly version: string
}

/** A witness cannot be asked or told: nothing is signed until it can. */
export class WitnessError extends Error {
  override readonly name = 'WitnessError'
}

export class Witnesses {
  readonly #places: readonly WitnessPlace[]
  readonly #log: Log

  constructor(parts: { readonly places: readonly WitnessPlace[]; readonly log: Log }) {
    this.#places = parts.places
    this.#log = parts.log
  }

  /** Throws WitnessError when any of the places does not answer. */
  async read(): Promise<Testimony> {
    const held = await Promise.all(
      this.#places.map(async (place) => {
        const found = await place.read()
        return { place, found, record: found && parse(place, found.text) }
      }),
    )
    return new Testimony(held, this.#log)
  }
}

/** The newest word of all witnesses, and where it is kept, for people. */
export interface Word {
  readonly record: Witnessed
  readonly place: string
}

interface Held {
  readonly place: WitnessPlace
  readonly found: HeldText | undefined
  readonly record: Witnessed | undefined
}

/** What all places hold at one moment. */
export class Testimony {
  readonly #held: readonly Held[]
  readonly #log: Log
  /** Undefined when nobody has witnessed anything. */
  readonly word: Word | undefined

  constructor(held: readonly Held[], log: Log) {
    this.#held = held
    this.#log = log
    let newest: Held | undefined
    for (const one of held) if (isNewer(one, newest)) newest = one
    const { record, place } = newest ?? {}
    if (record !== undefined && place !== undefined) this.word = { record, place: place.name }
  }

  /** Whether a place does not know of this checkpoint or a later one. */
  isBehind(number: number): boolean {
    return this.#held.some(({ record }) => (record?.number ?? 0) < number)
  }

  /** To every place; those that hold these very words already are left alone. */
  async write(next: Witnessed): Promise<void> {
    const text = `${canonicalText(next)}\n`
    for (const { place, found } of this.#held) {
      if (found?.text === text) continue
      await place.write(text, found)
      if (found === undefined && next.number > 1)
        this.#log.warn(
          { witness: place.name, number: next.number },
          'a witness knew of no checkpoint and takes this one as it stands in the database',
        )
    }
  }
}

/** The record of a checkpoint; what was seen of the log beyond it stays witnessed. */
export function witnessOf(signed: SignedCheckpoint, before: Witnessed | undefined): Witnessed {
  const { number, position, eventId, root, storeMarker } = signed.checkpoint
  const isBeyond = before !== undefined && BigInt(before.seenPosition) > BigInt(position)
  return {
    eventId,
    format: witnessFormat,
    hash: hashOf(signed),
    number,
    position,
    root,
    seenEventId: isBeyond ? before.seenEventId : eventId,
    seenPosition: isBeyond ? before.seenPosition : position,
    storeMarker,
  }
}

function isNewer({ record, place }: Held, than: Held | undefined): boolean {
  if (record === undefined) return false
  if (than?.record === undefined) return true
  if (record.number !== than.record.number) return record.number > than.record.number
  if (record.hash !== than.record.hash)
    diverges(
      'checkpoint',
      `checkpoint ${record.number}`,
      `is witnessed twice: with hash ${record.hash} in ${place.name}, ` +
        `with ${than.record.hash} in ${than.place.name}`,
    )
  return BigInt(record.seenPosition) > BigInt(than.record.seenPosition)
}

function parse({ name }: WitnessPlace, text: string): Witnessed {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Told below.
  }
  if (isWitnessed(value)) return value
  throw new WitnessError(`${name} holds something else than a witness of checkpoints`)
}

function isWitnessed(value: unknown): value is Witnessed {
  if (typeof value !== 'object' || value === null) return false
  const fields: Readonly<Record<string, unknown>> = { ...value }
  const { number } = fields
  if (fields['format'] !== witnessFormat) return false
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) return false
  return Object.entries(patterns).every(([name, pattern]) => {
    const field = fields[name]
    return typeof field === 'string' && pattern.test(field)
  })
}

const [hash, position, anyText] = [/^[0-9a-f]{64}$/, /^[0-9]{1,20}$/, /^[^\0]{1,200}$/]
const patterns: Readonly<Record<string, RegExp>> = {
  eventId: anyText,
  hash,
  position,
  root: hash,
  seenEventId: anyText,
  seenPosition: position,
  storeMarker: anyText,
}
