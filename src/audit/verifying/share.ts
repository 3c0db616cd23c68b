/**
 * The shares of the wallets that the passes of an audit work on, cut by their ids.
 * Promises: every stream, also one that is no wallet's, is in exactly one share.
 */
import { highestId, lowestId } from '../proofs/checkpoint-rows.js'

/** Wallets whose ids lie above `after` and up to `through`, as UUIDs. */
export interface Share {
  readonly after: string
  readonly through: string
}

/** By the first four digits of an id. */
export const sharesMax = 0x1_0000

export function shareOf(pass: number, passes: number): Share {
  const bound = (index: number): string => {
    if (index === passes) return highestId
    const start = Math.floor((index * sharesMax) / passes)
    // Never the id of a wallet: those carry the version of a random UUID.
    return `${start.toString(16).padStart(4, '0')}0000-0000-0000-0000-000000000000`
  }
  return { after: bound(pass), through: bound(pass + 1) }
}

/** What is no wallet's id, below or above all of them, is in the first share or the last. */
export function isInShare(stream: string, { after, through }: Share): boolean {
  const id = stream.slice('wallet-'.length)
  return (id > after || after === lowestId) && (id <= through || through === highestId)
}
