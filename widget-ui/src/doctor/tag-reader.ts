/**
 * Reads a pasted iframe tag in a document of its own, which loads and runs nothing. Never: puts
 * any of it into this page.
 */
import type { TagAttributes } from './tag-diagnosis.js'

/** Undefined when there is no iframe in the text. */
export function readTag(text: string): TagAttributes | undefined {
  const inert = new DOMParser().parseFromString(text, 'text/html')
  const frame = inert.querySelector('iframe')
  if (frame === null) return undefined
  return Object.fromEntries([...frame.attributes].map(({ name, value }) => [name, value]))
}
