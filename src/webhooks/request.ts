/**
 * One request to an endpoint. Promises: the connection is made first and the address at its other
 * end checked, and only then is a byte sent, so no name and no change of it leads into a private
 * network; ten seconds in all; of the answer the status and at most 4 kB are read.
 * Never: follows a redirect, sends a credential of ours, or reuses a connection.
 */
import { lookup } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import { isPublicAddress } from './addresses.js'
import { answerBytesMax, faultCharactersMax, requestTimeoutMs } from './limits.js'

export interface OutgoingWebhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `fault`: why it did not arrive, in one line; null when it did. */
export interface RequestOutcome {
  readonly status: number | null
  readonly answer: string | null
  readonly fault: string | null
}

export interface RequestRules {
  readonly allowPrivate: boolean
  readonly clock: Clock
}

/** Never throws: whatever happens is an outcome. */
export async function sendWebhook(
  webhook: OutgoingWebhook,
  rules: RequestRules,
): Promise<RequestOutcome> {
  const exchange = new Exchange(webhook, rules)
  const onLate = (): RequestOutcome => exchange.outcome('took longer than 10 s')
  try {
    const work = exchange.run()
    // What fails after the time is over is nobody's fault any more.
    work.catch(() => undefined)
    return await within(work, { clock: rules.clock, limitMs: requestTimeoutMs, onLate })
  } catch (error) {
    return exchange.outcome(faultOf(error))
  } finally {
    exchange.end()
  }
}

/** Of our own making; its message is for whoever looks at deliveries. */
class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError'
}

class Exchange {
  readonly #webhook: OutgoingWebhook
  readonly #rules: RequestRules
  #socket: Socket | undefined
  #isOver = false
  #status: number | null = null
  #answer = Buffer.alloc(0)

  constructor(webhook: OutgoingWebhook, rules: RequestRules) {
    this.#webhook = webhook
    this.#rules = rules
  }

  async run(): Promise<RequestOutcome> {
    const url = new URL(this.#webhook.url)
    if (url.protocol !== 'https:' && !this.#rules.allowPrivate)
      throw new RefusedAddressError('only https is allowed')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const address = await this.#addressOf(host)
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    const socket = await this.#connect(address, port)
    const channel = url.protocol === 'https:' ? await this.#secure(socket, host) : socket
    const answer = await this.#exchange(url, channel)
    await this.#read(answer)
    return this.outcome(null)
  }

  /** A status that has come is the answer, whatever becomes of the rest. */
  outcome(fault: string | null): RequestOutcome {
    const status = this.#status
    if (status === null) return { status: null, answer: null, fault: fault ?? 'no answer came' }
    const isTaken = status >= 200 && status < 300
    const isMoved = status >= 300 && status < 400
    const refusal = isMoved
      ? `answered ${status}; redirects are not followed`
      : `answered ${status}`
    // Unprintable bytes, and those that a text column refuses, are nothing to look at.
    const answer = this.#answer
      .toString('utf8')
      .replaceAll(/[\p{Cc}\ufffd]/gu, ' ')
      .trim()
    return { status, answer, fault: isTaken ? null : refusal }
  }

  end(): void {
    this.#isOver = true
    this.#socket?.destroy()
  }

  /** The first one that is allowed. */
  async #addressOf(host: string): Promise<string> {
    const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }]
    const allowed = found.find(({ address }) => this.#isAllowed(address))
    if (allowed === undefined) throw privateNetwork()
    return allowed.address
  }

  #isAllowed(address: string): boolean {
    return this.#rules.allowPrivate || isPublicAddress(address)
  }

  async #connect(host: string, port: number): Promise<Socket> {
    if (this.#isOver) throw new Error('the time is over')
    const socket = connectTcp({ host, port })
    this.#socket = socket
    await eventOf(socket, 'connect')
    if (this.#isAllowed(socket.remoteAddress ?? '')) return socket
    throw privateNetwork()
  }

  async #secure(socket: Socket, host: string): Promise<Socket> {
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const channel = connectTls({ socket, ALPNProtocols: ['http/1.1'], ...servername, host })
    this.#socket = channel
    await eventOf(channel, 'secureConnect')
    return channel
  }

  async #exchange(url: URL, socket: Socket): Promise<IncomingMessage> {
    const { headers, body } = this.#webhook
    const bytes = Buffer.from(body, 'utf8')
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        createConnection: () => socket,
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, host: url.host, 'content-length': bytes.length },
      })
      outgoing.on('response', resolve)
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }

  async #read(answer: IncomingMessage): Promise<void> {
    this.#status = answer.statusCode ?? null
    for await (const chunk of answer) {
      const room = answerBytesMax - this.#answer.length
      this.#answer = Buffer.concat([this.#answer, (chunk as Buffer).subarray(0, room)])
      if (this.#answer.length >= answerBytesMax) return
    }
  }
}

function eventOf(socket: Socket, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(name, resolve)
    // Stays: what breaks later, when nobody waits for it any more, must not end the process.
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

function privateNetwork(): RefusedAddressError {
  return new RefusedAddressError(
    'leads into a private network, which WEBHOOKS_ALLOW_PRIVATE allows',
  )
}

function faultOf(error: unknown): string {
  if (error instanceof RefusedAddressError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = code === '' && error instanceof Error ? error.message : code
  const fault = `no connection: ${text === '' ? 'unknown' : text}`
  return fault.replaceAll(/\p{Cc}/gu, ' ').slice(0, faultCharactersMax)
}
