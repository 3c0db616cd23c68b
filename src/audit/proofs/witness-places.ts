/**
 * Where a witness lives: a file, which is exchanged whole (temporary file, fsync, rename, fsync of
 * the folder), or a URL that keeps one document (docs/reference/audit.md gives its protocol).
 * Promises: writes only over what was read; bounded waits and sizes; whatever fails is a
 * WitnessError with the place and the reason. Never: shows a password of an address, or follows a
 * redirect.
 */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolders } from '../../platform/folders.js'
import type { Log } from '../../platform/log.js'
import type { Random } from '../../platform/random.js'
import { witnessBytesMax, witnessTimeoutMs } from '../limits.js'
import type { HeldText, WitnessPlace } from './witness.js'
import { WitnessError, Witnesses } from './witness.js'

/** Each a file, or an address that begins with http:// or https://. */
export function openWitnesses(
  places: readonly string[],
  { random, log }: { readonly random: Random; readonly log: Log },
): Witnesses {
  const opened = places.map((place) =>
    /^https?:\/\//.test(place) ? urlWitness(place) : fileWitness(place, random),
  )
  return new Witnesses({ places: opened, log })
}

export function fileWitness(file: string, random: Random): WitnessPlace {
  return {
    name: file,
    read: () => readHeld(file),
    async write(text, held) {
      const there = await readHeld(file)
      if (there?.version !== held?.version) throw changedMeanwhile(file)
      await replaceFile(file, text, random).catch((error: unknown) => {
        const reason = codeOf(error) ?? reasonOf(error)
        throw new WitnessError(`${file} cannot be written: ${reason}. ${whereToWrite}`)
      })
    },
  }
}

/** A key that is mounted read-only is the usual reason. */
const whereToWrite =
  'The service must be able to write in the folders of SIGNING_KEY_FILE and CHECKPOINT_WITNESS'

export function urlWitness(address: string): WitnessPlace {
  const url = new URL(address)
  const { username, password } = url
  url.username = url.password = ''
  // What stands in the query may be a secret too.
  const name = url.origin + url.pathname
  const plain = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  const login = username === '' ? {} : { authorization: `Basic ${plain.toString('base64')}` }
  const call = (method: string, headers: Record<string, string>, body?: string) =>
    faultsAs(name, () =>
      fetch(url, {
        method,
        headers: { accept: 'application/json', ...login, ...headers },
        redirect: 'error',
        signal: AbortSignal.timeout(witnessTimeoutMs),
        ...(body !== undefined && { body }),
      }),
    )
  return {
    name,
    async read() {
      const answer = await call('GET', {})
      const text = await faultsAs(name, () => boundedText(answer))
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw new WitnessError(`${name} answers ${answer.status} to GET`)
      const version = answer.headers.get('etag')
      if (version === null) throw new WitnessError(`${name} answers without an ETag`)
      return { text, version }
    },
    async write(text, held) {
      const condition = held === undefined ? { 'if-none-match': '*' } : { 'if-match': held.version }
      const answer = await call('PUT', { 'content-type': 'application/json', ...condition }, text)
      await faultsAs(name, () => boundedText(answer))
      if (answer.status === 412) throw changedMeanwhile(name)
      if (!answer.ok) throw new WitnessError(`${name} answers ${answer.status} to PUT`)
    },
  }
}

/** The text is its own version. */
async function readHeld(file: string): Promise<HeldText | undefined> {
  return faultsAs(file, async () => {
    try {
      const text = await readFile(file, 'utf8')
      return { text, version: text }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

/** Whole or not at all, also after a power cut: the checkpoint's row must not be more durable. */
async function replaceFile(file: string, text: string, random: Random): Promise<void> {
  const folder = dirname(file)
  await makeFolders(folder, 0o700)
  const temporary = `${file}.${random.uuid()}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function boundedText(answer: Response): Promise<string> {
  if (answer.body === null) return ''
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > witnessBytesMax) throw new Error(`it answers more than ${witnessBytesMax} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function changedMeanwhile(name: string): WitnessError {
  return new WitnessError(`${name} was changed by somebody else meanwhile`)
}

/** The reason of a fetch is in its cause; neither shows an address with a password. */
async function faultsAs<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WitnessError) throw error
    const { cause } = error instanceof Error ? error : {}
    const reason = codeOf(cause) ?? codeOf(error) ?? reasonOf(error)
    throw new WitnessError(`${name} cannot be reached: ${reason}`, { cause: error })
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  return error.name === 'TimeoutError' ? `no answer within ${witnessTimeoutMs} ms` : error.message
}
