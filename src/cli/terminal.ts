/**
 * What a command says to the person in front of it: results on stdout, everything else on stderr.
 * Promises: with --json stdout holds exactly one JSON value; an error is one line what and one line
 * how to mend it; long work shows a bar on a terminal and plain lines in a log.
 */
import { ConfigError } from '../config.js'
import { OtherStoreError } from '../../projections/checkpoint.js'
import { ReadModelsVersionError } from '../../projections/read-schema.js'
import { RebuildRunningError } from '../../projections/rebuild.js'
import { InvariantError } from '../domain/invariant.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { systemClock } from '../platform/clock.js'
import type { Clock } from '../platform/clock.js'
import { EmbeddedPostgresError } from '../platform/embedded-postgres-error.js'
import { isDatabaseAway } from '../platform/postgres.js'
import { SettingChangedError } from '../platform/settings.js'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value))
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
    return [error.message, error.remedy, ...(error.detail === '' ? [] : [error.detail])]
  const remedy = remedyFor(error)
  return remedy === undefined ? undefined : [`${error.message}.`, remedy]
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
  if (isPortTaken(error)) return 'Stop the other program, or choose another PORT.'
  if (isDatabaseAway(error)) return 'Is the database running and reachable?'
  return undefined
}

function isPortTaken(error: Error): boolean {
  return 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
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
