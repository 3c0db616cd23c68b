/**
 * Which signing keys are believed. A key that is signed only by itself proves nothing: whoever can
 * write the database can make one. So the operator names keys outside of it (AUDIT_TRUSTED_KEYS,
 * --trust-key), and each later key must be signed by the one before or be named too.
 * Promises: without any name the very first key is believed, as on first use, and a key that came
 * in place of a lost one never is. Never: judges a signature; checkpoint-format.ts did. Pure.
 */
import type { KeyStatement, SignedKey } from './checkpoint-format.js'
import { diverges } from '../verifying/divergence.js'

/**
 * The ids of the keys whose word counts for the newest checkpoint, and so for all that it follows.
 * `keys`: from the first to the newest, each found to be what it says. Throws DivergenceError.
 */
export function believedKeys(
  keys: readonly SignedKey[],
  trustedKeys: readonly string[],
): ReadonlySet<string> {
  const named = new Set(trustedKeys)
  for (const keyId of named)
    if (!keys.some(({ key }) => key.keyId === keyId))
      diverges('checkpoint', 'the list of signing keys', `does not hold the trusted key ${keyId}`)
  const [first] = keys
  if (named.size === 0 && first !== undefined) named.add(first.key.keyId)
  const believed = new Set<string>()
  for (const [index, { key }] of keys.entries()) {
    const isVouchedFor = believed.size > 0 && !isSignedByItself(key)
    if (named.has(key.keyId) || isVouchedFor) believed.add(key.keyId)
    else if (believed.size > 0)
      diverges('checkpoint', `signing key ${index + 1}, ${key.keyId}`, unvouched)
  }
  // Such a key says itself which one it came after. What another key has signed of a trusted one is
  // not its word: anybody can put a key of their own before it.
  for (const { key } of keys.toReversed())
    if (key.previous !== null && believed.has(key.keyId) && isSignedByItself(key))
      believed.add(key.previous)
  return believed
}

const unvouched =
  'came in place of a lost key and is signed by itself alone; whoever made it names it ' +
  'outside of the database (AUDIT_TRUSTED_KEYS, --trust-key), nobody else should'

function isSignedByItself({ keyId, signedBy }: KeyStatement): boolean {
  return signedBy === keyId
}
