/**
 * The lines of the log on their way out: gathered, because a write for each costs more than making
 * it. States: empty, or holding lines for at most `logWaitMs`.
 * Promises: the order in which they came; a warning or an error goes out at once, with everything
 * before it; so does what is left when the process ends, also by an error that nobody caught.
 * Never: holds up whoever logs, however slow the reader of the pipe is.
 */
import { pino, type DestinationStream } from 'pino'
import { logTextLengthMax, logWaitMs } from '../limits.js'
import { systemClock, type Clock } from './clock.js'

export class LogLines implements DestinationStream {
  /** Asks pino for the level of each line. */
  readonly [pino.symbols.needsMetadataGsym] = true
  /** Set by pino before each of its lines; a line of anybody else is an ordinary one. */
  lastLevel = 0
  readonly #out: DestinationStream
  readonly #clock: Clock
  #text = ''
  #cancelWait: (() => void) | undefined

  constructor(out: DestinationStream, clock: Clock) {
    this.#out = out
    this.#clock = clock
  }

  write(line: string): void {
    this.#text += line
    const isUrgent = this.lastLevel >= warningLevel
    this.lastLevel = 0
    if (isUrgent || this.#text.length >= logTextLengthMax) this.flush()
    else this.#cancelWait ??= this.#clock.after(logWaitMs, () => this.flush())
  }

  flush(): void {
    this.#cancelWait?.()
    this.#cancelWait = undefined
    const text = this.#text
    this.#text = ''
    if (text !== '') this.#out.write(text)
  }
}

const warningLevel = pino.levels.values['warn'] ?? 0

/** Of the process, to one of its descriptors. */
export function bufferedLines(fileDescriptor: number): LogLines {
  // Not synchronous: a slow reader of the pipe must not hold up the ledger.
  const lines = new LogLines(pino.destination({ dest: fileDescriptor, sync: false }), systemClock)
  // At the exit before pino, which then writes what it has not begun yet; Node ends only when its
  // threads have written what was begun.
  const flush = (): void => lines.flush()
  process.on('beforeExit', flush)
  process.prependListener('exit', flush)
  return lines
}
