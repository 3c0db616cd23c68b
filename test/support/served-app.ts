/**
 * The HTTP application on a free port of the loopback, with a log whose lines can be awaited and a
 * few routes to try things on; and raw sockets for what no decent client sends.
 */
import { connect, type AddressInfo, type Socket } from 'node:net'
import { Type } from '@sinclair/typebox'
import type { Test } from 'tap'
import { buildApp, type App, type AppOptions } from '../../src/http/app.js'
import { checked } from '../../src/http/contract.js'
import { registerHealthRoutes, type HealthCheck } from '../../src/http/routes/health.js'
import { systemClock } from '../../src/platform/clock.js'
import { createLog, type Log } from '../../src/platform/log.js'
import { systemRandom } from '../../src/platform/random.js'

export type Line = Record<string, unknown>

/** A log whose lines can be awaited: the line of a request is written just after its answer. */
export class CapturedLog {
  readonly lines: Line[] = []
  readonly log: Log
  text = ''
  #waiting: (() => void)[] = []

  constructor() {
    const write = (line: string): void => {
      this.text += line
      this.lines.push(JSON.parse(line) as Line)
      for (const resume of this.#waiting.splice(0)) resume()
    }
    this.log = createLog({ level: 'trace', destination: { write } })
  }

  async line(matches: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(matches)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  request(status: number): Promise<Line> {
    return this.line((line) => line['msg'] === 'request' && line['status'] === status)
  }
}

export interface Served {
  readonly app: App
  readonly captured: CapturedLog
  readonly origin: string
  readonly port: number
}

/** An app on a free port with one route of each kind; closed when the test ends. */
export async function serve(
  t: Test,
  options: Partial<AppOptions> & { readonly healthChecks?: readonly HealthCheck[] } = {},
  addRoutes: (app: App) => void = () => undefined,
): Promise<Served> {
  const captured = new CapturedLog()
  const app = buildApp({
    log: captured.log,
    clock: systemClock,
    random: systemRandom,
    ...options,
  })
  const { clock = systemClock, healthChecks: checks = [] } = options
  registerHealthRoutes(app, { checks, clock, log: captured.log })
  const amountBody = Type.Object({
    amount: Type.Number(),
    reference: Type.String({ minLength: 1 }),
    inner: Type.Optional(Type.Object({ count: Type.Integer() })),
  })
  app.post('/amounts', { schema: { body: amountBody } }, (request) => checked(request).body)
  app.get(
    '/amounts',
    { schema: { querystring: Type.Object({ of: Type.String() }) } },
    (request) => checked(request).query,
  )
  app.get('/wallets/:walletId/entries', () => ({ entries: [] }))
  addRoutes(app)
  t.teardown(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, captured, origin: `http://127.0.0.1:${port}`, port }
}

export const json = { 'content-type': 'application/json' }

/** Everything that the server sends until it closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('utf8')
  for await (const chunk of socket) received += String(chunk)
  return received
}

export async function rawRequest(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  return readToEnd(socket)
}

/** The body of an answer that came as text. */
export function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
}
