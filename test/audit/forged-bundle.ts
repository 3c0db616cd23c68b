/**
 * Bundles to be forged: made of a signed ledger, read, changed and written again as a forger would,
 * with a digest that fits.
 */
import type { Test } from 'tap'
import { rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { sha256Hex } from '../../src/domain/digest.js'
import { SignedLedger } from '../support/checkpoints.js'

export interface Bundle {
  walletId: string
  currency: string
  shown: { from: string | null; to: string | null }
  events: { revision: number; id: string; type: string; data: string; metadata: string }[]
  head: { revision: number; hash: string }
  proof: { index: number; size: number; path: string[] }
  checkpoints: { checkpoint: Record<string, unknown>; signature: string }[]
  keys: { key: Record<string, unknown>; signature: string; until: string | null }[]
  digest: string
}

/** Two keys, three checkpoints, a wallet with every kind of entry. */
export async function makeBundle(t: Test) {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  await rotateKey(signed.parts, { isLost: false })
  await signed.move('pi_2')
  await signed.sign()
  await signed.move('pi_3')
  return { signed, bytes: await signed.bundle() }
}

export function parse(bytes: Buffer): Bundle {
  return JSON.parse(bytes.toString('utf8')) as Bundle
}

/** As a forger would write it: laid out like ours, with a digest that fits. */
export function forge({ digest: _, ...bundle }: Bundle): Buffer {
  const text = JSON.stringify(bundle).slice(0, -1)
  const digest = sha256Hex(Buffer.from(text, 'utf8'))
  return Buffer.from(`${text},"digest":"${digest}"}\n`, 'utf8')
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new Error(`nothing at ${index}`)
  return found
}
