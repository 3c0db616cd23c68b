import t from 'tap'
import { digestOf, matchingDigest, newToken } from '../../src/identity/secrets.js'
import { systemRandom } from '../../src/platform/random.js'

t.test('a token holds 256 random bits behind its prefix', (t) => {
  const drawn: number[] = []
  const random = {
    ...systemRandom,
    bytes: (count: number) => {
      drawn.push(count)
      return Buffer.alloc(count, 255)
    },
  }
  t.equal(newToken('sk_', random), `sk_${Buffer.alloc(32, 255).toString('base64url')}`)
  t.strictSame(drawn, [32])
  t.equal(newToken('sk_', systemRandom).length, 46)
  t.not(newToken('sk_', systemRandom), newToken('sk_', systemRandom))
  t.end()
})

t.test('the matching digest is found wherever it stands', (t) => {
  const digests = ['one', 'two'].map(digestOf)
  const comparisons = 2
  t.equal(matchingDigest(digestOf('one'), { digests, comparisons }), 0)
  t.equal(matchingDigest(digestOf('two'), { digests, comparisons }), 1)
  t.equal(matchingDigest(digestOf('three'), { digests, comparisons }), -1)
  t.equal(matchingDigest(digestOf('one'), { digests: [], comparisons }), -1)
  t.end()
})

t.test('the filler that keeps the time the same matches nobody', (t) => {
  t.equal(matchingDigest(Buffer.alloc(32), { digests: [], comparisons: 2 }), -1)
  t.equal(matchingDigest(Buffer.alloc(32), { digests: [digestOf('one')], comparisons: 2 }), -1)
  t.end()
})

t.test('as many digests are compared for nobody as for an app with two secrets', (t) => {
  const looks: string[] = []
  const watched = (digests: Buffer[]): readonly Buffer[] =>
    new Proxy(digests, {
      get(target, name, receiver) {
        if (name === '0' || name === '1') looks.push(name)
        return Reflect.get(target, name, receiver) as unknown
      },
    })
  const both = ['one', 'two'].map(digestOf)
  for (const digests of [[], both.slice(0, 1), both]) {
    looks.length = 0
    matchingDigest(digestOf('one'), { digests: watched(digests), comparisons: 2 })
    t.strictSame(looks, ['0', '1'])
  }
  t.end()
})
