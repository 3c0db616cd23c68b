/**
 * Tells every process that identity data changed: LISTEN/NOTIFY on a connection of its own.
 * Promises: while `isListening` is true every announced change has run the listeners, or is about
 * to; they also run before it becomes true, because changes may have been missed until then.
 * Never: relied upon alone; whoever caches also lets answers expire (a NOTIFY can be lost).
 * States: stopped → connecting → listening → (lost) pausing → connecting …, closed from any.
 */
import type pg from 'pg'
import * as limits from '../limits.js'
import { backOffMs } from './back-off.js'
import type { BackOffBounds } from './back-off.js'
import type { Clock } from './clock.js'
import { endedWithin, within } from './deadline.js'
import type { Log } from './log.js'
import type { Client, Pool } from './postgres.js'
import { connect } from './postgres.js'
import { systemRandom } from './random.js'
import type { Random } from './random.js'

const channel = 'wallet_service_changes'

export interface ChangeFeedBounds extends BackOffBounds {
  readonly changeFeedHeartbeatMs: number
  /** Beyond it an answer does not come any more. */
  readonly changeFeedAnswerMs: number
}

export class ChangeFeed {
  readonly #url: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: Log
  readonly #bounds: ChangeFeedBounds
  readonly #listeners: (() => void)[] = []
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined
  #isListening = false

  constructor(
    parts: { url: string; clock: Clock; log: Log; random?: Random },
    bounds: Partial<ChangeFeedBounds> = {},
  ) {
    this.#url = parts.url
    this.#clock = parts.clock
    this.#random = parts.random ?? systemRandom
    this.#log = parts.log
    this.#bounds = { ...limits, ...bounds }
  }

  get isListening(): boolean {
    return this.#isListening
  }

  /** Resolves after the first try to listen; after a failed one others follow by themselves. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#running ??= this.#run(resolve)
    })
  }

  /** Runs at every change, of whichever process, and after every time that one may be missed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Inside a transaction it is told at its commit, and never when that fails. */
  async announce(database: Pool | Client): Promise<void> {
    await database.query('select pg_notify($1, $2)', [channel, ''])
  }

  /** Runs the listeners of this process now: whoever made a change sees it at once. */
  flush(): void {
    for (const listener of this.#listeners) listener()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #run(onFirstTry: () => void): Promise<void> {
    const { signal } = this.#closing
    let losses = 0
    for (;;) {
      try {
        await this.#listen(() => {
          losses = 0
          onFirstTry()
        })
      } catch (err) {
        if (signal.aborted) break
        this.#log.warn({ err }, 'changes of other processes are not heard, caches are off')
      }
      onFirstTry()
      losses += 1
      await this.#clock.sleep(backOffMs(losses, this.#random, this.#bounds), signal)
      if (signal.aborted) break
    }
    onFirstTry()
  }

  /** One connection from its beginning to its end; throws why it ended. */
  async #listen(onListening: () => void): Promise<void> {
    const client = await connect(this.#url, 'wallet-service changes')
    const lost = new AbortController()
    const closing = (): void => lost.abort(new Error('the change feed is closing'))
    this.#closing.signal.addEventListener('abort', closing)
    if (this.#closing.signal.aborted) closing()
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('the connection was closed')))
    client.on('notification', () => this.flush())
    try {
      await this.#within(client.query(`listen ${channel}`), lost.signal)
      this.flush()
      this.#isListening = true
      this.#log.debug('changes of other processes are heard')
      onListening()
      for (;;) {
        await this.#clock.sleep(this.#bounds.changeFeedHeartbeatMs, lost.signal)
        await this.#checkListening(client, lost.signal)
      }
    } finally {
      this.#isListening = false
      this.#closing.signal.removeEventListener('abort', closing)
      await this.#end(client)
    }
  }

  /**
   * Not `select 1`: behind a pooler that gives each statement another connection an answer comes
   * all the same, while nobody listens.
   */
  async #checkListening(client: pg.Client, lost: AbortSignal): Promise<void> {
    lost.throwIfAborted()
    const question = client.query<{ count: number }>(
      'select count(*)::int as count from pg_listening_channels() as name where name = $1',
      [channel],
    )
    const { rows } = await this.#within(question, lost)
    if (rows[0]?.count !== 1) throw new Error('the connection does not listen any more')
  }

  /** The answer, or a fault when it does not come: a dead connection says nothing at all. */
  #within<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    const onLate = (): never => {
      throw new Error('the database did not answer in time')
    }
    const { changeFeedAnswerMs: limitMs } = this.#bounds
    return within(answer, { clock: this.#clock, limitMs, onLate, signal })
  }

  async #end(client: pg.Client): Promise<void> {
    // A dead peer acknowledges nothing; after the bound the connection is left to itself.
    const { changeFeedAnswerMs: limitMs } = this.#bounds
    await endedWithin(client.end(), { clock: this.#clock, limitMs })
  }
}
