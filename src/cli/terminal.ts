/**
 * What a command says to the person in front of it: results on stdout, everything else on stderr.
 * Promises: with --json stdout holds exactly one JSON value; an error is one line what and one line
 * how to mend it; long work shows a bar on a terminal and plain lines in a log; when nobody reads
 * the output any more, the command closes what it opened and ends without a word.
 */
import { Option } from 'commander'
import { DivergenceError } from '../audit/verifying/divergence.js'
import { ConfigError } from '../config.js'
import { OtherStoreError } from '../../projections/checkpoint.js'
import { ReadModelsVersionError } from '../../projections/read-schema.js'
import { RebuildRunningError } from '../../projections/rebuild.js'
import { InvariantError } from '../domain/invariant.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { systemClock } from '../platform/clock.js'
import type { Clock } from '../platform/clock.js'
import { ListenError, reasonOf } from '../platform/connection-faults.js'
import { EmbeddedPostgresError } from '../platform/embedded-postgres-error.js'
import { isDatabaseAway } from '../platform/postgres.js'
import { NoServiceError, SettingChangedError } from '../platform/settings.js'

/** The reader of stdout is gone, as with `| head -1`: the rest of the command is for nobody. */
export class OutputLostError extends Error {
  override readonly name = 'OutputLostError'
}

let isOutputLost = false

/** Without a listener a closed pipe would end the process in the middle of its work. */
export function watchOutput(): void {
  process.stdout.on('error', (error: Error) => {
    isOutputLost = true
    if (codeOf(error) === 'EPIPE') return
    notice(`The output could not be written: ${error.message}.`)
    process.exitCode = 1
  })
  // There is no other place to say it.
  process.stderr.on('error', () => undefined)
}

export function print(text: string): void {
  if (isOutputLost) throw new OutputLostError('nobody reads the output any more')
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

/** For a file of variables, which a shell and `node --env-file` read; nothing here needs quotes. */
export function printEnvironment(variables: Readonly<Record<string, string>>): void {
  print(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  )
}

export function environmentOption(names: string): Option {
  return new Option('--env', `print ${names} as lines for an .env file`).conflicts('json')
}

/** "1 wallet", "2,000 wallets". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

export function notice(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A mistake of the person, said in a sentence: no stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/** What happened and how to mend it, one line each; undefined for a mistake of ours. */
export function explain(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof ConfigError) return error.faults
  if (error instanceof CommandError) return [error.message, error.remedy]
  if (error instanceof EmbeddedPostgresError)
    return [sentence(error.message), error.remedy, ...(error.detail === '' ? [] : [error.detail])]
  if (error instanceof DivergenceError) return [`${error.message}.`]
  if (error instanceof ListenError) return explainListening(error)
  const remedy = remedyFor(error)
  return remedy === undefined ? explainFile(error) : [sentence(reasonOf(error)), remedy]
}

/** Messages of errors begin in lower case and have no full stop, ours and others'. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function remedyFor(error: Error): string | undefined {
  if (error instanceof OtherStoreError)
    return 'Point EVENTSTORE_URL or DATABASE_URL to the store that belongs to these read models.'
  if (error instanceof ReadModelsVersionError)
    return 'Run: npm run -s wallet -- rebuild (the ledger itself is not touched).'
  if (error instanceof RebuildRunningError) return 'Wait until it has finished.'
  if (error instanceof SettingChangedError) return 'Set the variable back, or use another database.'
  if (error instanceof InvariantError)
    return 'Nothing was written. Keep the data as it is and look into it.'
  if (error instanceof StoreUnavailableError) return 'Is the event store running and reachable?'
  if (error instanceof NoServiceError)
    return 'Check DATABASE_URL or DATA_DIR. The first start of the service makes what it needs.'
  if (isDatabaseAway(error)) return 'Is the database running and reachable?'
  return databaseRemedies[codeOf(error)]
}

function explainListening(error: ListenError): readonly string[] {
  const { port, address, hostname } = error.cause as ListenFault
  const code = codeOf(error)
  if (code === 'EADDRINUSE' && port !== undefined)
    return [
      `The port ${port} of the service is taken.`,
      'Stop what runs there (perhaps npm start or npm run demo), or choose another PORT.',
    ]
  if (code === 'EACCES' && port !== undefined)
    return [`This user may not have the port ${port}.`, 'Choose another PORT, such as 3000.']
  const host = hostname ?? address
  const isUnknown = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  return [
    isUnknown && host !== undefined
      ? `HOST is ${host}, which is no address of this machine.`
      : sentence(error.message),
    'Set HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them.',
  ]
}

/** What Node says beside the message: of listening the first two, of looking a name up the last. */
interface ListenFault {
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

/** By SQLSTATE: what PostgreSQL refuses because of how it or we were set up. */
const databaseRemedies: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or the password in DATABASE_URL.',
  '28000': 'Correct DATABASE_URL, or let this user in (pg_hba.conf of that server).',
  '3D000': 'Make that database first, or name another one in DATABASE_URL.',
  '42501': 'Give the user of DATABASE_URL this right, or make it the owner of the database.',
  '42P01': 'Run: npm run -s wallet -- migrate (it makes the tables that are missing).',
}

/** A file or folder that was named by an option or a variable. */
function explainFile(error: Error): readonly string[] | undefined {
  const reason = fileReasons[codeOf(error)]
  if (reason === undefined || !('path' in error) || !('syscall' in error)) return undefined
  // A missing program is no missing file of the person's.
  if (String(error.syscall).startsWith('spawn')) return undefined
  const path = 'dest' in error ? error.dest : error.path
  // A file that appears whole is written beside its place first, with a UUID behind its name.
  const named = String(path).replace(/\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')
  return [`${named}: ${reason}.`, 'Name another place, or mend this one.']
}

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write there',
  EISDIR: 'that is a folder, not a file',
  ENOENT: 'there is no such file, or its folder is missing',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EPERM: 'this user may not read or write there',
  EROFS: 'nothing can be written there (read-only)',
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** A progress bar on a terminal, a plain line every few seconds elsewhere; all on stderr. */
export class Progress {
  readonly #label: string
  readonly #clock: Clock
  readonly #startMs: number
  readonly #stream: NodeJS.WriteStream
  #shownMs = 0

  constructor(label: string, clock: Clock = systemClock, stream = process.stderr) {
    this.#label = label
    this.#clock = clock
    this.#startMs = clock.now()
    this.#stream = stream
  }

  /** `done` is between 0 and 1; `count` is what the rate is told in. */
  show({ done, count }: { done: number; count: number }): void {
    const nowMs = this.#clock.now()
    const everyMs = this.#stream.isTTY ? 100 : 5_000
    if (nowMs - this.#shownMs < everyMs && done < 1) return
    this.#shownMs = nowMs
    const seconds = Math.max((nowMs - this.#startMs) / 1000, 0.001)
    const rate = Math.round(count / seconds).toLocaleString('en')
    const left = done > 0 ? `${Math.ceil((seconds * (1 - done)) / done)} s left` : ''
    const facts = `${count.toLocaleString('en')} events, ${rate}/s, ${left}`
    if (this.#stream.isTTY) this.#stream.write(`\r\x1b[K${this.#label} ${bar(done)} ${facts}`)
    else this.#stream.write(`${this.#label}: ${Math.floor(done * 100)} %, ${facts}\n`)
  }

  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
  }
}

function bar(done: number): string {
  const width = 24
  const filled = Math.min(width, Math.round(done * width))
  const percent = String(Math.floor(done * 100)).padStart(3)
  return `[${'█'.repeat(filled)}${'░'.repeat(width - filled)}] ${percent} %`
}
