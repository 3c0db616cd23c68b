/**
 * A way to the service on which answers get lost, come late or half, connections are reset before
 * or after the service has heard, and something in between says 429 or 503. Which, is drawn by
 * chance of a seed for each request. It knows no HTTP but this: a request and its answer are one
 * chunk each, as the small ones of this API are. Loopback only.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export const faults = [
  'lose the answer',
  'answer late',
  'answer half',
  'reset before',
  'say 429',
  'say 503',
] as const

type Fault = (typeof faults)[number]

export interface FaultyProxyOptions {
  /** Whole numbers from 0 up to a bound, exclusive. */
  readonly draw: (below: number) => number
  /** Of a hundred requests so many meet a fault. */
  readonly faultsPercent: number
  readonly lateMs: number
}

export class FaultyProxy {
  targetPort = 0
  /** How often each happened. */
  readonly counts = new Map<Fault, number>()
  readonly #options: FaultyProxyOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(options: FaultyProxyOptions) {
    this.#options = options
    this.#server = createServer((client) => this.#join(client))
  }

  static async open(options: FaultyProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket): void {
    const service = connect(this.targetPort, '127.0.0.1')
    let fault: Fault | undefined
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
    client.on('data', (chunk) => {
      fault = this.#drawFault()
      if (fault === 'reset before') client.resetAndDestroy()
      else if (fault === 'say 429') client.write(refusal('429 Too Many Requests'))
      else if (fault === 'say 503') client.write(refusal('503 Service Unavailable'))
      else service.write(chunk)
    })
    service.on('data', (chunk) => this.#answer(client, chunk, fault))
  }

  #drawFault(): Fault | undefined {
    const { draw, faultsPercent } = this.#options
    if (draw(100) >= faultsPercent) return undefined
    const fault = faults[draw(faults.length)]
    if (fault !== undefined) this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
    return fault
  }

  #answer(client: Socket, chunk: Buffer, fault: Fault | undefined): void {
    if (fault === 'lose the answer') client.resetAndDestroy()
    else if (fault === 'answer late') {
      const send = (): void => {
        if (!client.destroyed) client.write(chunk)
      }
      setTimeout(send, this.#options.lateMs).unref()
    } else if (fault === 'answer half')
      client.write(chunk.subarray(0, chunk.length - 10), () => client.destroy())
    else client.write(chunk)
  }
}

function refusal(status: string): string {
  const body = '{"error":"no","code":"BUSY"}'
  const lines = [`HTTP/1.1 ${status}`, 'content-type: application/json', 'retry-after: 1']
  return [...lines, `content-length: ${body.length}`, '', body].join('\r\n')
}
