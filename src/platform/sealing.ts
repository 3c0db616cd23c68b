/**
 * Sealed text: AES-256-GCM under a person's key, bound to the entry it belongs to.
 * Promises: without the key the text is gone, and the sealed form still stands in events, hashes
 * and read models unchanged. Never: opens a text of another entry, or guesses when the key is
 * missing.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { EntryId } from '../domain/ids.js'
import type { SealedText } from '../domain/wallet-events.js'
import type { Random } from './random.js'

export const sealingKeyBytes = 32
const nonceBytes = 12
const tagBytes = 16

export interface SealingContext {
  readonly key: Buffer
  readonly entryId: EntryId
}

/** `v1.` and the base64url of nonce ‖ ciphertext ‖ tag. */
export function seal(text: string, context: SealingContext, random: Random): SealedText {
  const nonce = random.bytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', context.key, nonce)
  cipher.setAAD(Buffer.from(context.entryId, 'utf8'))
  // As bytes: the cipher takes a buffer in half the time of a text.
  const ciphertext = cipher.update(Buffer.from(text, 'utf8'))
  // Of GCM nothing but the tag is left at the end.
  cipher.final()
  const length = nonceBytes + ciphertext.length + tagBytes
  if (together.length < length) together = Buffer.allocUnsafeSlow(length)
  together.set(nonce)
  together.set(ciphertext, nonceBytes)
  together.set(cipher.getAuthTag(), nonceBytes + ciphertext.length)
  return `v1.${together.toString('base64url', 0, length)}`
}

/** Where the three are put together: to allocate for each text costs a tenth of sealing it. */
let together = Buffer.allocUnsafeSlow(4096)

/** The text, or undefined when the key is destroyed or this is not what it sealed. */
export function unseal(
  sealed: SealedText,
  context: { readonly key: Buffer | undefined; readonly entryId: EntryId },
): string | undefined {
  if (context.key === undefined) return undefined
  const bytes = Buffer.from(sealed.slice('v1.'.length), 'base64url')
  if (!sealed.startsWith('v1.') || bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', context.key, bytes.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(context.entryId, 'utf8'))
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
  try {
    const opened = decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch {
    // GCM tells only that it does not fit: another key, another entry, or a changed byte.
    return undefined
  }
}
