// Which keys are believed, for every kind of list: by whom a key is signed, and who is named.
import t from 'tap'
import type { SignedKey } from '../../src/audit/proofs/checkpoint-format.js'
import { keyFormat } from '../../src/audit/proofs/checkpoint-format.js'
import { believedKeys } from '../../src/audit/proofs/key-trust.js'

/** 'A B* C': B came in place of a lost key and is signed by itself, C is signed by B. */
function list(text: string): SignedKey[] {
  const names = text.split(' ').filter((name) => name !== '')
  return names.map((name, index) => {
    const keyId = name.charAt(0)
    const previous = names[index - 1]?.charAt(0) ?? null
    const signedBy = name.endsWith('*') || previous === null ? keyId : previous
    const key = { format: keyFormat, from: '', keyId, previous, publicKey: '', signedBy }
    return { key, signature: '' }
  })
}

const cases: { keys: string; named: string; believed?: string; fault?: RegExp }[] = [
  { keys: '', named: '', believed: '' },
  { keys: 'A', named: '', believed: 'A' },
  { keys: 'A B C', named: '', believed: 'ABC' },
  { keys: 'A B* C', named: '', fault: /^signing key 2, B: / },
  { keys: 'A B C*', named: '', fault: /^signing key 3, C: / },
  { keys: 'A B', named: 'A', believed: 'AB' },
  { keys: 'A B*', named: 'A', fault: /^signing key 2, B: / },
  { keys: 'A B*', named: 'AB', believed: 'AB' },
  { keys: 'A B* C* D', named: 'AB', fault: /^signing key 3, C: / },
  { keys: 'A B* C', named: 'AC', fault: /^signing key 2, B: / },
  // A named key vouches for those after it, and by its own signature for the one before it.
  { keys: 'A B C', named: 'B', believed: 'BC' },
  { keys: 'A B C* D', named: 'C', believed: 'BCD' },
  { keys: 'A B* C*', named: 'C', believed: 'ABC' },
  { keys: '', named: 'A', fault: /^the list of signing keys: does not hold the trusted key A/ },
  { keys: 'A B', named: 'AX', fault: /^the list of signing keys: does not hold the trusted key X/ },
]

for (const { keys, named, believed, fault } of cases)
  t.test(
    `of ${keys || 'no key'} with ${named || 'none'} named: ${believed ?? 'a fault'}`,
    async (t) => {
      const judge = () => believedKeys(list(keys), named.split(''))
      if (fault === undefined) t.equal([...judge()].sort().join(''), believed)
      else t.throws(judge, { name: 'DivergenceError', message: fault })
    },
  )
