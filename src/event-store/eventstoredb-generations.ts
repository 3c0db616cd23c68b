/**
 * The client of one purpose (appends and their reads, or subscriptions) through its generations.
 * States: none → current → retiring (calls wait) → none …; closed for good. The first silence, a
 * failure that the client would keep for ever, or several failures in a row retire a generation;
 * its later failures change nothing. Promises: a call of a retired generation fails at once; the
 * next generation opens only after the last one is disposed of; `generation` grows with each, and
 * with each connection that a client loses by itself. Never: has two open at once, or repeats.
 */
import type { EventStoreDBClient } from '@eventstore/db-client'
import { clientFailuresMax } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import { FencedClient } from './eventstoredb-client.js'
import type { OnNotice } from './eventstoredb-client.js'
import { clientHealth, ClientReplacedError, describeError } from './eventstoredb-errors.js'
import { NoAnswerError } from './eventstoredb-errors.js'

export interface GenerationParts {
  readonly connectionString: string
  /** For notices: "appends", "subscriptions". */
  readonly purpose: string
  readonly clock: Clock
  readonly onNotice: OnNotice
}

/** One call on one generation: tells how it went, and is told when the generation ends. */
export interface Call {
  readonly client: EventStoreDBClient
  answered(): void
  /** No answer in time: the client is given up at the first one. */
  silent(): void
  failed(error: unknown): void
  /** The call is over: `onEnd` is not called any more. */
  over(): void
}

export class ClientGenerations {
  readonly #parts: GenerationParts
  #current: Generation | undefined
  #retiring: Promise<void> | undefined
  #isClosed = false
  #generation = 0

  constructor(parts: GenerationParts) {
    this.#parts = parts
    // A wrong URL is told now, not by the first append.
    this.#current = this.#open()
  }

  get generation(): number {
    return this.#generation
  }

  /** `onEnd` hears that the generation was retired under the call. */
  async call(onEnd: (error: Error) => void): Promise<Call> {
    while (this.#retiring !== undefined) await this.#retiring
    if (this.#isClosed) throw new NoAnswerError('the event store was closed')
    const generation = (this.#current ??= this.#open())
    const round = generation.failures
    generation.endings.add(onEnd)
    return {
      client: generation.fenced.client,
      answered: () => {
        generation.failures = 0
      },
      silent: () => this.#retire(generation, 'no answer in time'),
      failed: (error) => this.#failed(generation, { round, error }),
      over: () => generation.endings.delete(onEnd),
    }
  }

  /** One request with one answer, at most `timeoutMs` long. */
  async request<Answer>(
    timeoutMs: number,
    send: (client: EventStoreDBClient) => Promise<Answer>,
  ): Promise<Answer> {
    const { clock } = this.#parts
    let giveUp: (error: Error) => void = ignore
    const call = await this.call((error) => giveUp(error))
    const silence = new NoAnswerError(`no answer within ${timeoutMs} ms`)
    const onLate = (): never => {
      throw silence
    }
    try {
      const sent = new Promise<Answer>((resolve, reject) => {
        giveUp = reject
        send(call.client).then(resolve, reject)
      })
      const answer = await within(sent, { clock, limitMs: timeoutMs, onLate })
      call.answered()
      return answer
    } catch (error) {
      if (error === silence) call.silent()
      call.failed(error)
      throw error
    } finally {
      call.over()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#current !== undefined) this.#retire(this.#current, undefined)
    await this.#retiring
  }

  #open(): Generation {
    const onLost = (): void => {
      this.#generation += 1
    }
    return {
      fenced: new FencedClient(this.#parts.connectionString, { ...this.#parts, onLost }),
      endings: new Set(),
      failures: 0,
    }
  }

  // Many appends fail together when a connection breaks: that is one failure, not many. So only a
  // call that began after the last counted failure counts.
  #failed(generation: Generation, failure: { round: number; error: unknown }): void {
    switch (clientHealth(failure.error)) {
      case 'answered':
        generation.failures = 0
        return
      case 'stuck':
        this.#retire(generation, describeError(failure.error))
        return
      case 'failed':
        if (failure.round !== generation.failures) return
        generation.failures += 1
        if (generation.failures >= clientFailuresMax)
          this.#retire(generation, `${clientFailuresMax} failures in a row`)
    }
  }

  #retire(generation: Generation, reason: string | undefined): void {
    if (generation !== this.#current) return
    this.#current = undefined
    this.#generation += 1
    if (reason !== undefined)
      this.#parts.onNotice(
        `the event store client for ${this.#parts.purpose} is replaced: ${reason}`,
      )
    const error = new ClientReplacedError('the event store client was replaced')
    for (const onEnd of generation.endings) onEnd(error)
    generation.endings.clear()
    this.#retiring = generation.fenced.retire().finally(() => {
      this.#retiring = undefined
    })
  }
}

interface Generation {
  readonly fenced: FencedClient
  readonly endings: Set<(error: Error) => void>
  failures: number
}

function ignore(): void {
  // Nothing to do yet.
}
