/**
 * A way to the database that can be cut: every connection through it breaks at once, and for a
 * while no new one gets through. Loopback only.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

export class CuttingProxy {
  /** Where the database listens; it may move with a restart. */
  targetPort: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  private constructor(targetPort: number) {
    this.targetPort = targetPort
    this.#server = createServer((client) => this.#join(client))
  }

  static async open(targetPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket): void {
    if (this.#isCut) {
      client.destroy()
      return
    }
    const database = connect(this.targetPort, '127.0.0.1')
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
