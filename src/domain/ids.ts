/**
 * The ids of the ledger, and the one that is derived, not drawn: the entry id of a reference.
 * Promises: the same input gives the same id for ever, in every process
 * (docs/decisions/0002-ids-and-hashes.md).
 * Never: draws randomness; random ids come from platform/random.ts.
 */
import { scratch, sha1Hex } from './digest.js'
import { invariant } from './invariant.js'
import type { Reference } from './reference.js'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type WalletId = Branded<'WalletId'>
export type EntryId = Branded<'EntryId'>
export type EventId = Branded<'EventId'>

/** Who asked for an entry: a client app by its id, or one of the service's own flows. */
export type Issuer = 'service' | `client-app:${string}`

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Drawn once for this service; changing it would give every reference another entry id. */
const entryNamespace = uuidBytes('8f1c5f0e-9b1d-4d53-9f5e-6a3c1b7e2d40')

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

export function walletIdOf(text: string): WalletId {
  invariant(isUuid(text), 'a wallet id is a UUID in lower case')
  return text as WalletId
}

export function isIssuer(text: string): text is Issuer {
  return (
    text === 'service' || (text.startsWith('client-app:') && text.length > 'client-app:'.length)
  )
}

export function streamOf(walletId: WalletId): string {
  return `wallet-${walletId}`
}

export function walletIdOfStream(stream: string): WalletId {
  invariant(stream.startsWith('wallet-'), 'a ledger stream is named wallet-<walletId>')
  return walletIdOf(stream.slice('wallet-'.length))
}

/** The reference pair as an id: public transaction id and key of every look-up. */
export function entryIdOf(owner: {
  issuer: Issuer
  walletId: WalletId
  reference: Reference
}): EntryId {
  const { issuer, walletId, reference } = owner
  const name = [issuer, walletId, reference.referenceType, reference.referenceId]
  const bytesMax = name.reduce((sum, text) => sum + 4 + 3 * text.length, uuidLength)
  const bytes = scratch(bytesMax)
  let end = entryNamespace.copy(bytes)
  // Without the lengths ("ab","c") and ("a","bc") would be one reference.
  for (const text of name) {
    const length = bytes.write(text, end + 4)
    bytes.writeUInt32BE(length, end)
    end += 4 + length
  }
  return uuidV5(bytes.subarray(0, end)) as EntryId
}

const uuidLength = 16

/** UUIDv5 of the bytes of a namespace and a name behind it. */
export function uuidV5(bytes: Uint8Array): string {
  const hex = sha1Hex(bytes)
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  const [first, second, third] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
  return `${first}-${second}-5${third}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
