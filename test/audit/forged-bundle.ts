/**
 * Bundles to be forged: made of a signed ledger, read, changed and written again as a forger would,
 * with a digest that fits.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { Test } from 'tap'
import { bundleFormat } from '../../src/audit/proofs/bundle.js'
import type { Checkpoint, KeyStatement } from '../../src/audit/proofs/checkpoint-format.js'
import {
  canonicalText,
  checkpointFormat,
  keyFormat,
  keyIdOf,
  leafOf,
  publicKeyBytes,
} from '../../src/audit/proofs/checkpoint-format.js'
import { rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { sha256Hex } from '../../src/domain/digest.js'
import { decodeHash } from '../../src/domain/hash-chain.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { StoredEvent } from '../../src/domain/wallet-stream.js'
import { SignedLedger } from '../support/checkpoints.js'
import { time } from '../support/given.js'

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

/**
 * A bundle of any stream, signed as its operator would: a key, and one checkpoint of one wallet.
 * Nothing is wrong with it but what is wrong with the stream.
 */
export function signedBundle(walletId: WalletId, events: readonly StoredEvent[]): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const signed = (value: Checkpoint | KeyStatement) =>
    sign(null, Buffer.from(canonicalText(value), 'utf8'), privateKey).toString('hex')
  const bytes = publicKeyBytes(publicKey)
  const keyId = keyIdOf(bytes)
  const key: KeyStatement = {
    ...{ format: keyFormat, from: time, keyId, previous: null },
    ...{ publicKey: bytes.toString('hex'), signedBy: keyId },
  }
  const last = at(events, events.length - 1)
  const head = { revision: events.length - 1, hash: decodeHash(last.metadata) }
  const checkpoint: Checkpoint = {
    ...{ eventId: last.id, format: checkpointFormat, keyId, number: 1, position: '1' },
    ...{ previous: null, root: leafOf({ walletId, ...head }).toString('hex') },
    ...{ storeMarker: 'a store', time, walletCount: 1, lostAfter: null, lostNumber: null },
    ...{ adminLogCount: 0, adminLogHead: noHash, ownerCount: 0, ownersRoot: noHash },
  }
  const bundle = {
    ...{ format: bundleFormat, walletId, currency: 'usd', shown: { from: null, to: null } },
    events: events.map((event, revision) => ({ revision, ...event })),
    ...{ head, proof: { index: 0, size: 1, path: [] } },
    checkpoints: [{ checkpoint: { ...checkpoint }, signature: signed(checkpoint) }],
    keys: [{ key: { ...key }, signature: signed(key), until: null }],
    digest: '',
  }
  return forge(bundle)
}

const noHash = '0'.repeat(64)

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
