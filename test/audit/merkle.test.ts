// The tree of RFC 6962: the known roots, and any tree against the definition itself.
import fc from 'fast-check'
import t from 'tap'
import { sha256 } from '../../src/domain/digest.js'
import { leafHash, MerkleTree, nodeHash, provesInclusion } from '../../src/audit/proofs/merkle.js'
import { runProperty } from '../support/property.js'

/** The inputs and roots of Certificate Transparency's reference implementation. */
const inputs = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

t.test('the known roots', async (t) => {
  const tree = new MerkleTree()
  const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  t.equal(tree.root().toString('hex'), ofNothing)
  for (const [index, input] of inputs.entries()) {
    tree.add(leafHash(Buffer.from(input, 'hex')))
    t.equal(tree.root().toString('hex'), roots[index], `${index + 1} leaves`)
  }
})

/** MTH of RFC 6962, section 2.1. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves
  if (only === undefined) return sha256(Buffer.alloc(0))
  if (leaves.length === 1) return only
  const k = splitOf(leaves.length)
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)))
}

/** PATH of RFC 6962, section 2.1.1. */
function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = splitOf(leaves.length)
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))]
}

function splitOf(count: number): number {
  let k = 1
  while (k * 2 < count) k *= 2
  return k
}

const sizes = fc
  .integer({ min: 1, max: 70 })
  .chain((size) =>
    fc.record({ size: fc.constant(size), index: fc.integer({ min: 0, max: size - 1 }) }),
  )

function build({ size, index }: { size: number; index: number }) {
  const leaves = Array.from({ length: size }, (_, place) => leafHash(Buffer.from([place])))
  const tree = new MerkleTree()
  for (const [place, leaf] of leaves.entries()) tree.add(leaf, { isProven: place === index })
  const leaf = leaves[index]
  const proof = tree.proof()
  if (leaf === undefined || proof === undefined) throw new Error('no proof')
  return { leaves, leaf, proof, root: tree.root() }
}

t.test('root and proof in one pass are those of the definition', async (t) => {
  const holds = fc.property(sizes, (of) => {
    const { leaves, leaf, proof, root } = build(of)
    const path = pathOf(of.index, leaves)
    const isSamePath = Buffer.concat(path).equals(Buffer.concat([...proof.path]))
    return root.equals(rootOf(leaves)) && isSamePath && provesInclusion(proof, { leaf, root })
  })
  runProperty(t, holds)
})

t.test('a proof of another place, size, leaf, root or path proves nothing', async (t) => {
  const fails = fc.property(sizes, fc.nat(), fc.nat(), (of, at, bit) => {
    const { leaf, proof, root } = build(of)
    const flip = (bytes: Buffer): Buffer => {
      const changed = Buffer.from(bytes)
      changed[at % 32] = (changed[at % 32] ?? 0) ^ (1 << (bit % 8))
      return changed
    }
    const { index, size, path } = proof
    const step = at % Math.max(path.length, 1)
    const wrongPath = path.map((hash, place) => (place === step ? flip(hash) : hash))
    const wrong = [
      provesInclusion(proof, { leaf: flip(leaf), root }),
      provesInclusion(proof, { leaf, root: flip(root) }),
      path.length > 0 && provesInclusion({ ...proof, path: wrongPath }, { leaf, root }),
      path.length > 0 && provesInclusion({ ...proof, path: path.slice(1) }, { leaf, root }),
      provesInclusion({ ...proof, path: [...path, leaf] }, { leaf, root }),
      provesInclusion({ ...proof, index: size }, { leaf, root }),
      size > 1 && provesInclusion({ ...proof, index: (index + 1) % size }, { leaf, root }),
    ]
    return wrong.every((isProven) => !isProven)
  })
  runProperty(t, fails)
})
