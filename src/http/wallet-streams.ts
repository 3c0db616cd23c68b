/**
 * The open server-sent event streams of wallets. Promises: the revision at once and whenever it
 * grows, and `anew` when what was shown may be gone; a comment every 15 s; `expired` and the end
 * when the session expires, is ended, or loses its app or link; a client that does not read is cut
 * off; closing ends all of them at once.
 * Never: sends anything but a revision; what changed is asked for with the session.
 * States of a stream: open → ending (told, waiting for the wire) → gone.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { WalletId } from '../domain/ids.js'
import type { WidgetSessions } from '../identity/widget-sessions.js'
import * as limits from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { Poll } from '../platform/poll.js'
import { WatchFullError } from '../reading/wallet-watch.js'
import type { WalletWatch } from '../reading/wallet-watch.js'
import { ApiError } from './errors.js'

export interface WalletStreamsParts {
  readonly watch: WalletWatch
  readonly widgetSessions: WidgetSessions
  readonly clock: Clock
  readonly log: Log
}

export interface WalletStreamOf {
  readonly sessionToken: string
  readonly expiresAt: string
  readonly walletId: WalletId
  readonly revision: number
}

export class WalletStreams {
  readonly #parts: WalletStreamsParts
  readonly #streams = new Set<WalletStream>()
  readonly #checks: Poll

  constructor(parts: WalletStreamsParts) {
    const { clock, log } = parts
    this.#parts = parts
    this.#checks = new Poll({
      clock,
      pauseMs: limits.walletStreamCheckMs,
      isWanted: () => this.#streams.size > 0,
      round: () => this.#check(),
      onFault: (err) => log.warn({ err }, 'the sessions of open wallets could not be checked'),
    })
  }

  /** Takes the answer over; before that it throws UNAVAILABLE when there are too many. */
  open(reply: FastifyReply, of: WalletStreamOf): void {
    const { watch, clock } = this.#parts
    // Left already: its end was told to nobody.
    if (reply.raw.destroyed) {
      reply.hijack()
      return
    }
    const stream = new WalletStream({ raw: reply.raw, clock, of })
    const unwatch = watching(() =>
      watch.watch({ ...of, onGrown: (revision, anew) => stream.tell(revision, anew) }),
    )
    reply.hijack()
    this.#streams.add(stream)
    reply.raw.once('close', () => {
      unwatch()
      this.#streams.delete(stream)
      if (this.#streams.size === 0) this.#checks.rest()
    })
    stream.begin(reply.getHeaders())
    this.#checks.begin()
  }

  close(): void {
    this.#checks.rest()
    for (const stream of this.#streams) stream.end()
  }

  /** All sessions in one statement. While the database is away the streams stay as they are. */
  async #check(): Promise<void> {
    const asked = [...this.#streams]
    const tokens = new Set(asked.map(({ sessionToken }) => sessionToken))
    const live = await this.#parts.widgetSessions.liveAmong([...tokens])
    for (const stream of asked) if (!live.has(stream.sessionToken)) stream.expire()
  }
}

export interface WalletStreamParts {
  readonly raw: ServerResponse
  readonly clock: Clock
  readonly of: WalletStreamOf
}

export class WalletStream {
  readonly sessionToken: string
  readonly #parts: WalletStreamParts
  #isEnding = false
  #cancelHeartbeat = (): void => undefined

  constructor(parts: WalletStreamParts) {
    this.#parts = parts
    this.sessionToken = parts.of.sessionToken
  }

  begin(headers: ReturnType<FastifyReply['getHeaders']>): void {
    const { raw, clock, of } = this.#parts
    const cancelExpiry = clock.after(Date.parse(of.expiresAt) - clock.now(), () => this.expire())
    raw.once('close', () => {
      cancelExpiry()
      this.#cancelHeartbeat()
    })
    // The connection's own handlers know of it too; without a listener it would end the process.
    raw.on('error', () => raw.destroy())
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) raw.setHeader(name, value)
    // A proxy that gathers what it passes on would keep every event to itself.
    raw.setHeader('x-accel-buffering', 'no')
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    this.#write(`retry: ${limits.walletStreamRetryMs}\n\n`)
    this.tell(of.revision)
    this.#beat()
  }

  tell(revision: number, anew = false): void {
    const data = anew ? { revision, anew } : { revision }
    this.#write(`event: wallet\ndata: ${JSON.stringify(data)}\n\n`)
  }

  expire(): void {
    this.#write('event: expired\ndata: {}\n\n')
    this.end()
  }

  end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const { raw, clock } = this.#parts
    raw.end()
    const cancelCut = clock.after(limits.walletStreamEndMs, () => raw.destroy())
    raw.once('close', cancelCut)
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#parts.clock.after(limits.walletStreamHeartbeatMs, () => {
      this.#write(':\n\n')
      this.#beat()
    })
  }

  #write(text: string): void {
    const { raw } = this.#parts
    if (this.#isEnding || raw.destroyed) return
    if (raw.writableLength > limits.walletStreamBufferBytesMax) raw.destroy()
    else raw.write(text)
  }
}

function watching(watch: () => () => void): () => void {
  try {
    return watch()
  } catch (error) {
    if (!(error instanceof WatchFullError)) throw error
    const message = 'Too many wallets are open now. Ask for the wallet itself instead.'
    throw new ApiError('UNAVAILABLE', { message })
  }
}
