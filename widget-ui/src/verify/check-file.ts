/**
 * Checks a file with the script that auditors also run offline (src/verify-bundle), in this
 * browser. Never: sends anything anywhere; the page's policy would not let it.
 */
import {
  UnableError,
  verifyBundle,
  webCrypto,
  type BundleCrypto,
  type InvalidBundle,
  type ValidBundle,
} from '../../../src/verify-bundle/verify-bundle.mjs'

export type Checked =
  | { readonly kind: 'holds'; readonly name: string; readonly bundle: ValidBundle }
  | { readonly kind: 'fails'; readonly name: string; readonly fault: InvalidBundle }
  | Unable

/** Neither green nor red: why, and what to do instead. */
interface Unable {
  readonly kind: 'unable'
  readonly name: string
  readonly reason: string
  readonly nextStep: string
}

/** What a browser can hold as one text; the largest bundle is far below it. */
const fileBytesMax = 400 * 1024 * 1024

export async function checkFile(file: File): Promise<Checked> {
  const { name } = file
  try {
    if (file.size > fileBytesMax)
      throw new UnableError('The file is too large to be an audit bundle.')
    const bytes = await file.arrayBuffer().catch(() => {
      throw new UnableError('The file could not be read.')
    })
    const result = await verifyBundle(new Uint8Array(bytes), await browserCrypto())
    return result.isValid
      ? { kind: 'holds', name, bundle: result }
      : { kind: 'fails', name, fault: result }
  } catch (error) {
    const isKnown = error instanceof UnableError
    const reason = isKnown ? error.message : 'This page made a mistake while it looked.'
    const isOfFile = isKnown && !(error instanceof BrowserError)
    return { kind: 'unable', name, reason, nextStep: isOfFile ? takeBundle : runScript }
  }
}

const takeBundle = 'Choose the file that you were given as a bundle.'
const runScript = 'Nothing is said about the bundle. Run the script below instead.'

/** It is the browser that cannot, whatever the file is. */
class BrowserError extends UnableError {}

async function browserCrypto(): Promise<BundleCrypto> {
  try {
    return await webCrypto()
  } catch (error) {
    throw new BrowserError(error instanceof Error ? error.message : String(error))
  }
}
