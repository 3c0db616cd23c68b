/**
 * Webhooks on the ledger of a test, into private networks too, and a receiver on loopback that
 * keeps what it was sent, verified with the package of the convention.
 */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import { systemClock } from '../../src/platform/clock.js'
import type { Clock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { openWebhooks } from '../../src/webhooks/webhook-parts.js'
import type { WebhookParts } from '../../src/webhooks/webhook-parts.js'
import { dataFolderOf } from './database.js'
import { quietLog } from './ledger.js'
import type { TestDatabaseLedger } from './ledger.js'

interface Teardown {
  teardown(work: () => unknown): void
}

export const usd = findCurrency('usd') as Currency

export function testWebhooks(
  ledger: Pick<TestDatabaseLedger, 'pool' | 'store' | 'reader' | 'url'>,
  { clock = systemClock, allowPrivate = true }: { clock?: Clock; allowPrivate?: boolean } = {},
): WebhookParts {
  const { pool, store, reader, url } = ledger
  const config = { allowPrivate, key: undefined, keyFile: join(dataFolderOf(url), 'webhook-key') }
  const findEntry = reader.findEntry.bind(reader)
  const system = { clock, random: systemRandom, log: quietLog, currency: usd }
  return openWebhooks(config, { pool, store, findEntry, ...system })
}

export interface Received {
  readonly id: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly payload: Payload
}

export interface Payload {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export class Receiver {
  readonly all: Received[] = []
  /** What is answered to the next ones. */
  answer: (received: Received) => { status: number; body?: string; headers?: object } = () => ({
    status: 204,
  })
  origin = ''
  #onReceived = (): void => undefined

  static async open(t: Teardown): Promise<Receiver> {
    const receiver = new Receiver()
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { url: path = '', headers } = request
        const payload = JSON.parse(text) as Payload
        const received = { id: String(headers['webhook-id']), path, headers, text, payload }
        receiver.all.push(received)
        const { status, body = '', headers: more = {} } = receiver.answer(received)
        response.writeHead(status, { ...more }).end(body)
        receiver.#onReceived()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    receiver.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return receiver
  }

  /** Resolves when so many have come. */
  async has(count: number): Promise<readonly Received[]> {
    while (this.all.length < count)
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve
      })
    return this.all
  }

  types(): string[] {
    return this.all.map(({ payload }) => payload.type)
  }
}

/** Throws unless the package of the convention takes it. */
export function verified({ text, headers }: Received, secret: string): unknown {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]))
  return new Webhook(secret).verify(text, signed)
}
