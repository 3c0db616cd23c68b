/**
 * What a command says to the person in front of it: results on stdout, everything else on stderr.
 * Promises: with --json stdout holds exactly one JSON value; long work shows a bar on a terminal
 * and plain lines in a log; when nobody reads the output any more, the command closes what it
 * opened and ends without a word. What is said of an error is in explained-errors.ts.
 */
import { Option } from 'commander'
import { systemClock } from '../platform/clock.js'
import type { Clock } from '../platform/clock.js'

/** The reader of stdout is gone, as with `| head -1`: the rest of the command is for nobody. */
export class OutputLostError extends Error {
  override readonly name = 'OutputLostError'
}

let isOutputLost = false

/** Without a listener a closed pipe would end the process in the middle of its work. */
export function watchOutput(): void {
  process.stdout.on('error', (error: Error) => {
    isOutputLost = true
    if ('code' in error && error.code === 'EPIPE') return
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
