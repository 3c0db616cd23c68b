/**
 * The client of one purpose (appends and their reads, or subscriptions) through its generations.
 * States: none → current → retiring (calls wait) → none …; closed for good. The first silence, a
 * failure that the client would keep for ever, or several failures in a row retire a generation;
 * its later failures change nothing. After a silence the next one is on trial until it has an
 * answer: it asks the other nodes who leads, and is given up sooner, because they may still name
 * the silent one. Promises: a call of a retired generation fails at once; the next generation opens
 * only after the last one is disposed of; `generation` grows with each, and with each connection
 * that a client loses by itself. Never: has two open at once, or repeats.
 */
import type { EventStoreDBClient } from '@eventstore/db-client'
import { clientFailuresMax } from '../limits.js'
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { AppendBatch } from './event-store.js'
import { FencedClient } from './eventstoredb-client.js'
import type { OnNotice } from './eventstoredb-client.js'
import { clientHealth, ClientReplacedError, describeError } from './eventstoredb-errors.js'
import { NoAnswerError } from './eventstoredb-errors.js'
import { withoutNode } from './eventstoredb-url.js'
import { clientTrialMaxMs, clientTrialMinMs } from './limits.js'

export interface GenerationParts {
  readonly connectionString: string
  /** For notices: "appends", "subscriptions". */
  readonly purpose: string
  readonly clock: Clock
  readonly random: Random
  readonly onNotice: OnNotice
  /** Hears of a node that gave no answer. */
  readonly onSilence?: (node: string) => void
}

/** One call on one generation: tells how it went, and is told when the generation ends. */
export interface Call {
  readonly client: EventStoreDBClient
  append(batch: AppendBatch): Promise<number>
  answered(): void
  /**
   * Calls `onSilence` when nothing came for so long, sooner on a client that is on trial: the
   * client is given up at the first one. The returned function ends the watch.
   */
  watch(limitMs: number, onSilence: (silence: Error) => void): () => void
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
  /** Clients in a row that were given up for their silence, since the last answer. */
  #silences = 0
  /** The node that the last of them was on, where it had found one. */
  #silentNode: string | undefined

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
      append: (batch) => generation.fenced.append(batch),
      answered: () => this.#answered(generation),
      watch: (limitMs, onSilence) => this.#watch(generation, limitMs, onSilence),
      failed: (error) => this.#failed(generation, { round, error }),
      over: () => generation.endings.delete(onEnd),
    }
  }

  /** The revision of the last event of the batch, at most `timeoutMs` later. */
  async append(batch: AppendBatch, timeoutMs: number): Promise<number> {
    let giveUp: (error: Error) => void = ignore
    const call = await this.call((error) => giveUp(error))
    let endWatch = ignore
    try {
      const revision = await new Promise<number>((resolve, reject) => {
        giveUp = reject
        endWatch = call.watch(timeoutMs, reject)
        call.append(batch).then(resolve, reject)
      })
      call.answered()
      return revision
    } catch (error) {
      call.failed(error)
      throw error
    } finally {
      endWatch()
      call.over()
    }
  }

  /** Another purpose found this node silent; here nobody may be waiting for an answer of it. */
  leave(node: string): void {
    if (this.#current?.fenced.node === node) this.#silent(this.#current)
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
    const { connectionString } = this.#parts
    // It is asked last who leads: it would only cost the time that one question may take.
    const string =
      this.#silentNode === undefined
        ? connectionString
        : withoutNode(connectionString, this.#silentNode)
    return {
      fenced: new FencedClient(string, { ...this.#parts, onLost }),
      endings: new Set(),
      failures: 0,
      isOnTrial: this.#silences > 0,
    }
  }

  #answered(generation: Generation): void {
    generation.failures = 0
    generation.isOnTrial = false
    if (generation !== this.#current) return
    this.#silences = 0
    this.#silentNode = undefined
  }

  #watch(generation: Generation, limitMs: number, onSilence: (silence: Error) => void): () => void {
    const { clock } = this.#parts
    const bounds = { fromMs: clientTrialMinMs, toMs: clientTrialMaxMs }
    const trialMs = doubledMs(this.#silences - 1, bounds)
    const firstMs = generation.isOnTrial ? Math.min(trialMs, limitMs) : limitMs
    const giveUp = (): void => {
      const isTrial = generation.isOnTrial
      const sentence = `no answer within ${isTrial ? firstMs : limitMs} ms`
      // Whoever waited on a client that had worked may ask the next one at once.
      onSilence(isTrial ? new NoAnswerError(sentence) : new ClientReplacedError(sentence))
      this.#silent(generation)
    }
    let cancel = clock.after(firstMs, () => {
      // Another call has had its answer meanwhile: the trial is over, and this one just takes long.
      if (generation.isOnTrial || firstMs === limitMs) giveUp()
      else cancel = clock.after(limitMs - firstMs, giveUp)
    })
    return () => cancel()
  }

  #silent(generation: Generation): void {
    if (generation !== this.#current) return
    this.#silences += 1
    this.#silentNode = generation.fenced.node
    this.#retire(generation, 'no answer in time')
    if (this.#silentNode !== undefined) this.#parts.onSilence?.(this.#silentNode)
  }

  // Many appends fail together when a connection breaks: that is one failure, not many. So only a
  // call that began after the last counted failure counts.
  #failed(generation: Generation, failure: { round: number; error: unknown }): void {
    switch (clientHealth(failure.error)) {
      case 'answered':
        this.#answered(generation)
        return
      // It was sent on to another node, perhaps to the very one that is silent.
      case 'sent on':
        generation.failures = 0
        generation.isOnTrial = this.#silences > 0
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
  /** It follows a silent one and has not answered yet. */
  isOnTrial: boolean
}

function ignore(): void {
  // Nothing to do yet.
}
