/**
 * The key that signing secrets are sealed with: of WEBHOOKS_KEY, else of a file (mode 0600) that is
 * made at the first use. It is never in the database, so a copy of that signs nothing.
 * Promises: a sealed secret is bound to its endpoint and its own id; one that was sealed with
 * another key is a SecretKeyError that says what to do. Never: guesses, or shows a secret.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sha256Hex } from '../domain/digest.js'
import { makeFolders } from '../platform/folders.js'
import type { Random } from '../platform/random.js'

/** This process cannot open or seal secrets; says why, and what to do. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

export interface SealedSecret {
  readonly secretId: string
  readonly endpointId: string
  readonly keyId: string
  readonly sealed: Buffer
}

export interface SecretKeyConfig {
  /** 64 hexadecimal digits; undefined: the file. */
  readonly key: string | undefined
  readonly keyFile: string
}

export class SecretKey {
  readonly #config: SecretKeyConfig
  readonly #random: Random
  #loaded: Buffer | undefined

  constructor(parts: { readonly config: SecretKeyConfig; readonly random: Random }) {
    this.#config = parts.config
    this.#random = parts.random
  }

  /** Makes the key file where there is none yet. */
  async seal(
    secret: string,
    of: { readonly secretId: string; readonly endpointId: string },
  ): Promise<SealedSecret> {
    const key = (await this.#load()) ?? (await this.#make())
    const nonce = this.#random.bytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(boundTo(of))
    const text = cipher.update(Buffer.from(secret, 'utf8'))
    const sealed = Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()])
    return { ...of, keyId: keyIdOf(key), sealed }
  }

  async open(secret: SealedSecret): Promise<string> {
    const key = await this.#load()
    if (key === undefined || keyIdOf(key) !== secret.keyId)
      throw new SecretKeyError(
        'The signing secrets of webhooks are sealed with another key than this process has.',
        `Give every process the same WEBHOOKS_KEY, or the same ${this.#config.keyFile}.`,
      )
    const { sealed } = secret
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
    decipher.setAAD(boundTo(secret))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  }

  async #load(): Promise<Buffer | undefined> {
    const { key, keyFile } = this.#config
    this.#loaded ??= key === undefined ? await readKey(keyFile) : Buffer.from(key, 'hex')
    return this.#loaded
  }

  /** Whole or not at all, and of two processes only one is first. */
  async #make(): Promise<Buffer> {
    const { keyFile } = this.#config
    await makeFolders(dirname(keyFile), 0o700)
    const temporary = `${keyFile}.${this.#random.uuid()}`
    const made = this.#random.bytes(keyBytes)
    try {
      await writeKey(temporary, made)
      await link(temporary, keyFile)
      this.#loaded = made
    } catch (error) {
      this.#loaded = await readKey(keyFile)
      if (this.#loaded === undefined) throw error
    } finally {
      await rm(temporary, { force: true })
    }
    return this.#loaded
  }
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const keyText = /^[0-9a-f]{64}\s*$/

function boundTo(of: { readonly secretId: string; readonly endpointId: string }): Buffer {
  return Buffer.from(`${of.endpointId} ${of.secretId}`, 'utf8')
}

/** Tells one key from another, and nothing of the key. */
function keyIdOf(key: Buffer): string {
  return sha256Hex(Buffer.concat([Buffer.from('webhook key '), key])).slice(0, 16)
}

/** Undefined when there is no such file. */
async function readKey(file: string): Promise<Buffer | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  if (keyText.test(text)) return Buffer.from(text.trim(), 'hex')
  throw new SecretKeyError(
    `${file} holds no key.`,
    'It must hold 64 hexadecimal digits; put the copy back that you kept of it.',
  )
}

async function writeKey(file: string, key: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(`${key.toString('hex')}\n`)
    // No secret may be more durable than the key that opens it.
    await handle.sync()
  } finally {
    await handle.close()
  }
}
