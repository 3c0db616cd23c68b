/**
 * The Merkle tree of RFC 6962 (section 2.1) over any number of leaves that arrive in order.
 * Promises: root and the proof of one leaf in one pass, with memory for one hash a level.
 * Never: keeps a leaf. Pure.
 */
import { sha256 } from '../../domain/digest.js'

export function leafHash(content: Uint8Array): Buffer {
  return sha256(Buffer.concat([leafPrefix, content]))
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([nodePrefix, left, right]))
}

export interface InclusionProof {
  /** The leaf's place, counted from 0. */
  readonly index: number
  /** How many leaves the tree has. */
  readonly size: number
  /** The hashes beside the way from the leaf to the root, the leaf's neighbour first. */
  readonly path: readonly Buffer[]
}

/** Takes the leaves one by one, then gives the root and the proof of the one that was marked. */
export class MerkleTree {
  /** Perfect subtrees from left to right, each at least twice as large as the next. */
  readonly #subtrees: Subtree[] = []
  readonly #path: Buffer[] = []
  #size = 0
  #provenIndex: number | undefined

  get size(): number {
    return this.#size
  }

  /** `isProven` on at most one leaf: that one's proof is gathered on the way. */
  add(leaf: Buffer, { isProven = false } = {}): void {
    if (isProven) this.#provenIndex = this.#size
    this.#size += 1
    let last: Subtree = { leaves: 1, hash: leaf, hasProven: isProven }
    for (;;) {
      const left = this.#subtrees.at(-1)
      if (left === undefined || left.leaves !== last.leaves) break
      this.#subtrees.pop()
      last = join(left, last, this.#path)
    }
    this.#subtrees.push(last)
  }

  /** Of no leaves: the hash of nothing. */
  root(): Buffer {
    return this.#joined([])
  }

  /** Undefined when no leaf was marked. */
  proof(): InclusionProof | undefined {
    if (this.#provenIndex === undefined) return undefined
    const path = [...this.#path]
    this.#joined(path)
    return { index: this.#provenIndex, size: this.#size, path }
  }

  /** The root; what joining the remaining subtrees adds to the proof goes to `path`. */
  #joined(path: Buffer[]): Buffer {
    const [last, ...others] = this.#subtrees.toReversed()
    if (last === undefined) return sha256(Buffer.alloc(0))
    return others.reduce((right, left) => join(left, right, path), last).hash
  }
}

/** Whether the leaf stands at its place in the tree of this root (RFC 9162, section 2.1.3.2). */
export function provesInclusion(
  { index, size, path }: InclusionProof,
  { leaf, root }: { readonly leaf: Buffer; readonly root: Buffer },
): boolean {
  if (index < 0 || index >= size) return false
  let [place, last] = [index, size - 1]
  let hash = leaf
  for (const beside of path) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(beside, hash)
      // The right edge of a tree that is not full: levels without a neighbour are skipped.
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)]
    } else hash = nodeHash(hash, beside)
    ;[place, last] = [half(place), half(last)]
  }
  return last === 0 && hash.equals(root)
}

interface Subtree {
  readonly leaves: number
  readonly hash: Buffer
  readonly hasProven: boolean
}

function join(left: Subtree, right: Subtree, path: Buffer[]): Subtree {
  if (left.hasProven) path.push(right.hash)
  if (right.hasProven) path.push(left.hash)
  return {
    leaves: left.leaves + right.leaves,
    hash: nodeHash(left.hash, right.hash),
    hasProven: left.hasProven || right.hasProven,
  }
}

function half(value: number): number {
  return Math.floor(value / 2)
}

const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])
