/**
 * How much of one client app may be under way in this process, so that no app is slowed down by
 * another one: commands by their number, reads by the bytes of their answers, searches by twos.
 * Promises: reads beyond the share wait a short while, in order, and are then refused with 429 and
 * `Retry-After`; a command is refused at once, for the lane is its line. A read counts until its
 * answer is out. Never: makes a command wait, or costs it more than a look-up and a count.
 */
import type { FastifyReply } from 'fastify'
import type { ClientApp } from '../identity/client-apps.js'
import type { Clock } from '../platform/clock.js'
import { Turns } from '../platform/turns.js'
import { ApiError } from './errors.js'
import * as limits from './limits.js'

export class FairShares {
  readonly #clock: Clock
  /** No more than there are client apps. */
  readonly #shares = new Map<string, Share>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Of a client app, and of people on its pages. */
  of({ clientId }: Pick<ClientApp, 'clientId'>): Share {
    const known = this.#shares.get(clientId)
    if (known !== undefined) return known
    const share = new Share(this.#clock)
    this.#shares.set(clientId, share)
    return share
  }
}

export class Share {
  readonly #reads: Turns
  readonly #searches: Turns
  #commands = 0

  constructor(clock: Clock) {
    const wait = { clock, maxMs: limits.appReadWaitMs }
    this.#reads = new Turns({
      atOnceMax: limits.appReadBytesMax,
      waitingMax: limits.appReadsWaitingMax,
      wait,
      refusal,
    })
    this.#searches = new Turns({
      atOnceMax: limits.searchesAtOnceMax,
      waitingMax: limits.searchesWaitingMax,
      wait,
      refusal,
    })
  }

  /** All of them or none; what begins here goes to `endCommands`, whatever becomes of it. */
  beginCommands(count: number): void {
    if (this.#commands + count > limits.appCommandsMax) throw refusal()
    this.#commands += count
  }

  endCommands(count: number): void {
    this.#commands -= count
  }

  /** Resolves when a page of so many entries may be read; it counts until its answer is out. */
  async beginRead(reply: FastifyReply, entries: number): Promise<void> {
    // It left while its credentials or its user were looked up: nobody would end this read.
    if (reply.raw.destroyed) throw refusal()
    const bytes = limits.answerBytes + entries * limits.entryBytes
    const state = { isGone: false, isReading: false }
    reply.raw.once('close', () => {
      state.isGone = true
      if (state.isReading) this.#reads.leave(bytes)
    })
    await this.#reads.enter(bytes)
    state.isReading = true
    if (!state.isGone) return
    // The client left while it waited: nobody would end this read.
    this.#reads.leave(bytes)
    throw refusal()
  }

  /**
   * A search may walk along a whole wallet, whatever its page holds: each app has only a few at
   * once, so that the database's connections stay free for everyone.
   */
  search<T>(work: () => Promise<T>): Promise<T> {
    return this.#searches.run(work)
  }
}

function refusal(): ApiError {
  return new ApiError('TOO_MANY_REQUESTS')
}
