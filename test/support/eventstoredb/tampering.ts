/**
 * What somebody with the server's files in hand could do to the log of the stand-in, behind the
 * back of every client. Promises: touches exactly what is named, and throws when that is not there.
 * Never: keeps a rule of the server, or does anything that a client could ask for (see Faults).
 */
import type { Log, LogEvent, ProposedEvent } from './log.js'

export interface EventName {
  readonly stream: string
  readonly revision: number
}

export class Tampering {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Another content for one event. */
  change(name: EventName, edit: (event: LogEvent) => Partial<ProposedEvent>): void {
    this.#rewrite(
      (event) => isNamed(event, name),
      (event) => ({ ...event, ...edit(event) }),
    )
  }

  /** One event in another stream, at its own revision and position. */
  moveToStream(name: EventName, stream: string): void {
    this.#rewrite(
      (event) => isNamed(event, name),
      (event) => ({ ...event, stream }),
    )
  }

  /** Gone, and a hole in the log where it stood. */
  delete(name: EventName): void {
    this.#rewrite(
      (event) => isNamed(event, name),
      () => undefined,
    )
  }

  /** Two events of a stream in the other order. */
  exchangeRevisions(stream: string, revisions: readonly [number, number]): void {
    const [one, other] = revisions.map(BigInt)
    this.#rewrite(
      (event) => event.stream === stream && (event.revision === one || event.revision === other),
      (event) => ({ ...event, revision: (event.revision === one ? other : one) ?? 0n }),
    )
  }

  /** Each under the name of the other. */
  exchangeStreams([one, other]: readonly [string, string]): void {
    this.#rewrite(
      (event) => event.stream === one || event.stream === other,
      (event) => ({ ...event, stream: event.stream === one ? other : one }),
    )
  }

  #rewrite(
    isMeant: (event: LogEvent) => boolean,
    edit: (event: LogEvent) => LogEvent | undefined,
  ): void {
    let touched = 0
    this.#log.rewrite((event) => {
      if (!isMeant(event)) return event
      touched += 1
      return edit(event)
    })
    if (touched === 0) throw new Error('the tampering touched nothing')
  }
}

/** The bytes with some bits of one of them turned over: the lowest, unless told otherwise. */
export function flipped(bytes: Uint8Array, index: number, bits = 1): Uint8Array {
  const changed = Uint8Array.from(bytes)
  const byte = changed.at(index)
  if (byte === undefined) throw new Error(`there is no byte ${index.toString()}`)
  changed.set([byte ^ bits], index < 0 ? bytes.length + index : index)
  return changed
}

function isNamed(event: LogEvent, { stream, revision }: EventName): boolean {
  return event.stream === stream && event.revision === BigInt(revision)
}
