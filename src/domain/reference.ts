/**
 * The reference (referenceType + referenceId) and the text rules of the contract's free strings.
 * Promises: what passes here is well-formed Unicode without U+0000, within its bounds, compared
 * byte for byte. Never: trims, folds case or normalises.
 */
import { invariant } from './invariant.js'

export interface Reference {
  readonly referenceType: string
  readonly referenceId: string
}

export const referenceTypeBytesMax = 64
export const referenceIdBytesMax = 200
export const descriptionCharactersMax = 500

/** Parsed at the edge by the same rules; here they are asserted where the value is made. */
export function reference(referenceType: string, referenceId: string): Reference {
  const fault =
    textFault(referenceType, { bytesMax: referenceTypeBytesMax }) ??
    textFault(referenceId, { bytesMax: referenceIdBytesMax })
  invariant(fault === undefined, `a reference ${fault ?? ''}`)
  return { referenceType, referenceId }
}

/** What is wrong with a text of 1 to `bytesMax` bytes of UTF-8, as the end of a sentence. */
export function textFault(text: string, { bytesMax }: { bytesMax: number }): string | undefined {
  if (!isStorable(text)) return 'must be well-formed Unicode without U+0000'
  const bytes = Buffer.byteLength(text, 'utf8')
  if (bytes === 0) return 'must not be empty'
  if (bytes > bytesMax) return `must be at most ${bytesMax} bytes of UTF-8`
  return undefined
}

/** What is wrong with a description, as the end of a sentence. */
export function descriptionFault(text: string): string | undefined {
  if (!isStorable(text)) return 'must be well-formed Unicode without U+0000'
  // The length in UTF-16 units is an upper bound of the characters: most texts end here.
  if (text.length <= descriptionCharactersMax) return undefined
  if (Array.from(text).length <= descriptionCharactersMax) return undefined
  return `must be at most ${descriptionCharactersMax} characters`
}

// NUL is refused by PostgreSQL, and two lone surrogates would become the same bytes.
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
