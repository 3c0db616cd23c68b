/**
 * Checks a file with the script that auditors also run offline (docs/verify-bundle), in this
 * browser. Never: sends anything anywhere; the page's policy would not let it.
 */
import {
  UnableError,
  verifyBundle,
  webCrypto,
  type InvalidBundle,
  type ValidBundle,
} from '../../../docs/verify-bundle/verify-bundle.mjs'

export type Checked =
  | { readonly kind: 'holds'; readonly name: string; readonly bundle: ValidBundle }
  | { readonly kind: 'fails'; readonly name: string; readonly fault: InvalidBundle }
  | { readonly kind: 'unable'; readonly name: string; readonly reason: string }

/** What a browser can hold as one text; the largest bundle is far below it. */
const fileBytesMax = 400 * 1024 * 1024

export async function checkFile(file: File): Promise<Checked> {
  const { name } = file
  if (file.size > fileBytesMax)
    return { kind: 'unable', name, reason: 'The file is too large to be an audit bundle.' }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const result = await verifyBundle(bytes, await webCrypto())
    return result.isValid
      ? { kind: 'holds', name, bundle: result }
      : { kind: 'fails', name, fault: result }
  } catch (error) {
    if (error instanceof UnableError) return { kind: 'unable', name, reason: error.message }
    return { kind: 'unable', name, reason: 'The file could not be read.' }
  }
}
