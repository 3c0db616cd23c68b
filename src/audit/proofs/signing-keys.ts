/**
 * The Ed25519 keys that checkpoints are signed with. The private key lives in one file (mode 0600)
 * and never in the database; public keys are rows that only grow, each signed by the key before it.
 * Promises: the first key is made at the first use; a rotation that was interrupted is finished by
 * the next use; a process whose file holds another key than the newest signs nothing.
 * States of a rotation: the new key beside the old one → its row committed → the old file replaced.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolders } from '../../platform/folders.js'
import type { Client } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import type { KeyStatement, SignedKey } from './checkpoint-format.js'
import { canonicalText, keyFormat, keyIdOf, publicKeyBytes } from './checkpoint-format.js'
import { insertKey, readKeys } from './checkpoint-rows.js'
import { signingKeysMax } from '../limits.js'

/** This process cannot sign; says why, and what to do. */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError'
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

export interface SigningKey {
  readonly keyId: string
  readonly from: string
  /** Ed25519 over the text's UTF-8, as hexadecimal digits. */
  sign(text: string): string
}

export class SigningKeys {
  readonly #file: string
  readonly #random: Random

  constructor(parts: { readonly file: string; readonly random: Random }) {
    this.#file = parts.file
    this.#random = parts.random
  }

  /** The newest key. Call it under the lock of checkpoints.ts: it may make the first one. */
  async current(client: Client, time: string): Promise<SigningKey> {
    const newest = (await readKeys(client)).at(-1)
    if (newest === undefined) return this.#makeFirst(client, time)
    const found = await this.#find(newest.key.keyId)
    if (found !== undefined) return signingKey(found, newest.key)
    throw new SigningKeyError(
      `The private key of ${newest.key.keyId} is not in ${this.#file}.`,
      'Put it there (SIGNING_KEY_FILE), or if it is lost: audit keys rotate --lost',
    )
  }

  /**
   * A new key, signed by the one before; when that one is lost, by itself. Under the same lock.
   * Call `finish` once the transaction has committed.
   */
  async rotate(
    client: Client,
    { time, isLost }: { readonly time: string; readonly isLost: boolean },
  ): Promise<{ readonly key: SignedKey; finish(): Promise<void> }> {
    const keys = await readKeys(client)
    const previous = keys.at(-1)
    if (previous === undefined)
      throw new SigningKeyError('There is no key yet.', 'The first checkpoint makes one.')
    if (keys.length >= signingKeysMax)
      throw new SigningKeyError(`There are ${keys.length} keys already.`, 'Keep the newest.')
    const old = isLost ? undefined : await this.current(client, time)
    const made = newPrivateKey(this.#random)
    await rm(this.#nextFile, { force: true })
    await writePrivateKey(this.#nextFile, made)
    // Not before the key before it, also when the clock was set back since.
    const from = time < previous.key.from ? previous.key.from : time
    const key = signedKey(made, { from, previous: previous.key.keyId, signer: old })
    await insertKey(client, key, keys.length + 1)
    return { key, finish: () => rename(this.#nextFile, this.#file) }
  }

  async #makeFirst(client: Client, time: string): Promise<SigningKey> {
    const made = (await readPrivateKey(this.#file)) ?? (await this.#makeFile())
    const key = signedKey(made, { from: time, previous: null, signer: undefined })
    await insertKey(client, key, 1)
    return signingKey(made, key.key)
  }

  /** Whole or not at all, and of two processes only one is first. */
  async #makeFile(): Promise<KeyObject> {
    await makeFolders(dirname(this.#file), 0o700)
    const temporary = `${this.#file}.${this.#random.uuid()}`
    const made = newPrivateKey(this.#random)
    await writePrivateKey(temporary, made)
    try {
      await link(temporary, this.#file)
      return made
    } catch (error) {
      const there = await readPrivateKey(this.#file)
      if (there === undefined) throw error
      return there
    } finally {
      await rm(temporary, { force: true })
    }
  }

  async #find(keyId: string): Promise<KeyObject | undefined> {
    const here = await readPrivateKey(this.#file)
    if (here !== undefined && idOf(here) === keyId) return here
    const next = await readPrivateKey(this.#nextFile)
    if (next === undefined || idOf(next) !== keyId) return undefined
    await rename(this.#nextFile, this.#file)
    return next
  }

  get #nextFile(): string {
    return `${this.#file}.next`
  }
}

function signingKey(privateKey: KeyObject, { keyId, from }: KeyStatement): SigningKey {
  return { keyId, from, sign: (text) => signText(privateKey, text) }
}

function signedKey(
  made: KeyObject,
  of: {
    readonly from: string
    readonly previous: string | null
    readonly signer: SigningKey | undefined
  },
): SignedKey {
  const publicKey = publicKeyBytes(createPublicKey(made))
  const keyId = keyIdOf(publicKey)
  const key: KeyStatement = {
    format: keyFormat,
    from: of.from,
    keyId,
    previous: of.previous,
    publicKey: publicKey.toString('hex'),
    signedBy: of.signer?.keyId ?? keyId,
  }
  const text = canonicalText(key)
  return { key, signature: of.signer?.sign(text) ?? signText(made, text) }
}

function signText(privateKey: KeyObject, text: string): string {
  return sign(null, Buffer.from(text, 'utf8'), privateKey).toString('hex')
}

function idOf(privateKey: KeyObject): string {
  return keyIdOf(publicKeyBytes(createPublicKey(privateKey)))
}

function newPrivateKey(random: Random): KeyObject {
  const key = Buffer.concat([privateKeyPrefix, random.bytes(privateKeyLength)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** Undefined when there is no such file. */
async function readPrivateKey(file: string): Promise<KeyObject | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw unreadable(file)
  }
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // What Node says of it may quote it; the sentence below does not.
  }
  throw unreadable(file)
}

function unreadable(file: string): SigningKeyError {
  return new SigningKeyError(
    `${file} cannot be read as an Ed25519 private key.`,
    'It must be a PEM file (PKCS #8) that only the service may read.',
  )
}

async function writePrivateKey(file: string, key: KeyObject): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(key.export({ format: 'pem', type: 'pkcs8' }))
    // The row that names this key must never be more durable than the key.
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const privateKeyLength = 32
/** RFC 8410: what stands before the 32 bytes in the DER form of an Ed25519 private key. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
