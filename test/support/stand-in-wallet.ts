/**
 * A wallet service that behaves, call by call, as a test tells it, and remembers every debit and
 * credit it was asked for. A link proof is good for whoever it names. Without orders it is a 503.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type Behaviour =
  | 'book'
  | 'decline'
  | 'refuse'
  | 'say nothing'
  | 'cut'
  | 'answer half'
  | 'answer 500'
  | 'answer 503'

export class StandInWallet {
  /** The bodies of all debits and credits, with their path. */
  readonly commands: Record<string, unknown>[] = []
  url = ''
  readonly #behaviours: Behaviour[] = []
  readonly #waiting: (() => void)[] = []

  static async start(t: Test): Promise<StandInWallet> {
    const standIn = new StandInWallet()
    const server = createServer((request, reply) => void standIn.#answer(request, reply))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return standIn
  }

  get wallet() {
    return { url: this.url, clientId: 'app', clientSecret: 'secret' }
  }

  will(...behaviours: readonly Behaviour[]): void {
    this.#behaviours.push(...behaviours)
  }

  /** Resolves when so many commands have arrived. */
  async asked(count: number): Promise<void> {
    while (this.commands.length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
    if (request.url === '/api/server/links/verify') {
      send(reply, 200, { serviceUserId: `usr of ${String(body['linkProof'])}` })
      return
    }
    this.commands.push({ path: request.url, ...body })
    for (const resume of this.#waiting.splice(0)) resume()
    this.#behave(this.#behaviours.shift() ?? 'answer 503', reply)
  }

  #behave(behaviour: Behaviour, reply: ServerResponse): void {
    switch (behaviour) {
      case 'book':
        send(reply, 200, { balance: 1, message: 'Debit booked.' })
        return
      case 'decline':
        send(reply, 400, { error: 'no', code: 'INSUFFICIENT_BALANCE', shortfall: 1 })
        return
      case 'refuse':
        send(reply, 401, { error: 'no', code: 'INVALID_CLIENT' })
        return
      case 'answer 500':
        send(reply, 500, { error: 'no', code: 'INTERNAL' })
        return
      case 'answer 503':
        send(reply, 503, { error: 'no', code: 'UNAVAILABLE' })
        return
      case 'cut':
        reply.destroy()
        return
      case 'answer half':
        reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        reply.write('{"balance":', () => reply.destroy())
        return
      case 'say nothing':
    }
  }
}

function send(reply: ServerResponse, status: number, body: object): void {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
