/**
 * A read or a subscription of the client as something to pull from, at the reader's own pace.
 * States: running → over (at its end, with or without a failure). Promises: what arrived before a
 * failure can still be taken; `changed` resolves whenever there may be news; `close` leaves no
 * call, no listener and no timer. Never: takes the end of a cancelled read for the end of the
 * stream.
 */
import type { Readable } from 'node:stream'
import type { EventStoreDBClient } from '@eventstore/db-client'
import type { ClientEvent } from './eventstoredb-events.js'
import { NoAnswerError } from './eventstoredb-errors.js'
import type { Call, ClientGenerations } from './eventstoredb-generations.js'

/** The client's ReadStream and Subscription: both emit errors without ending or closing. */
export type ClientStream = Readable &
  ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> })

export class PulledStream {
  readonly #stream: ClientStream
  #isOver = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(stream: ClientStream) {
    this.#stream = stream
    stream.on('readable', () => this.nudge())
    stream.on('end', () => this.#finish(undefined))
    // After the end this changes nothing; before it, what was read is not all there was.
    stream.on('close', () => this.#finish(new NoAnswerError('the read was cut off')))
    // Stays for good: an error that nobody listens to would end the process.
    stream.on('error', (error) => this.#finish(error))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  take(): ClientEvent | undefined {
    return (this.#stream.read() as ClientEvent | null) ?? undefined
  }

  /** Take until nothing is left, then wait here; there may be nothing new all the same. */
  changed(): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Wakes whoever waits, so that it looks at what else may have happened. */
  nudge(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  fail(error: Error): void {
    this.#finish(error)
  }

  close(): void {
    this.#finish(undefined)
    const stream = this.#stream
    const cancelled = 'cancel' in stream ? stream.cancel() : stream.unsubscribe()
    // Fails when the call was never made: then there is nothing to cancel.
    cancelled.catch(() => undefined)
    stream.destroy()
  }

  #finish(failure: Error | undefined): void {
    if (!this.#isOver) this.#failure = failure
    this.#isOver = true
    this.nudge()
  }
}

export interface PullOptions {
  /** How long the store may say nothing while we wait; what the reader takes does not count. */
  readonly silenceMs: number
  readonly signal?: AbortSignal | undefined
}

/** All events of one read; throws the client's error, or one of ours after a silence. */
export async function* pullAll(
  generations: ClientGenerations,
  options: PullOptions,
  open: (client: EventStoreDBClient) => ClientStream,
): AsyncGenerator<ClientEvent, void> {
  let pulled: PulledStream | undefined
  const call = await generations.call((error) => pulled?.fail(error))
  const onAbort = (): void => pulled?.fail(new NoAnswerError('aborted'))
  options.signal?.addEventListener('abort', onAbort)
  try {
    pulled = new PulledStream(open(call.client))
    for (;;) {
      const event = pulled.take()
      if (event !== undefined) {
        call.answered()
        yield event
        continue
      }
      if (pulled.isOver) break
      await waitForNews({ pulled, call }, options)
    }
    report(pulled, call)
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    pulled?.close()
    call.over()
  }
}

/** The first event of a read, which is then cancelled. */
export async function firstOf(
  events: AsyncIterable<ClientEvent>,
): Promise<ClientEvent | undefined> {
  for await (const event of events) return event
  return undefined
}

async function waitForNews(
  { pulled, call }: { pulled: PulledStream; call: Call },
  { silenceMs }: PullOptions,
): Promise<void> {
  const endWatch = call.watch(silenceMs, (silence) => pulled.fail(silence))
  try {
    await pulled.changed()
  } finally {
    endWatch()
  }
}

function report(pulled: PulledStream, call: Call): void {
  if (pulled.failure === undefined) {
    call.answered()
    return
  }
  call.failed(pulled.failure)
  throw pulled.failure
}
