/**
 * The network in front of one node: a loopback port whose bytes pass through to the gRPC server, so
 * that a test can do to them what a cable, a kill -9 or a SIGSTOP does.
 * Promises: the port stays the same over close and open; nothing is left open after close.
 * States: closed, open, open and frozen (bytes wait in the kernel and pass after the thaw).
 */
import * as net from 'node:net'

interface Connection {
  readonly client: net.Socket
  readonly server: net.Socket
}

export class Front {
  #listener: net.Server | undefined
  #port = 0
  #isFrozen = false
  readonly #connections = new Set<Connection>()
  readonly #serverPort: number

  constructor(serverPort: number) {
    this.#serverPort = serverPort
  }

  get port(): number {
    return this.#port
  }

  get isOpen(): boolean {
    return this.#listener !== undefined
  }

  get isFrozen(): boolean {
    return this.#isFrozen
  }

  async open(): Promise<void> {
    const listener = net.createServer((client) => this.#accept(client))
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(this.#port, '127.0.0.1', resolve)
    })
    const address = listener.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP port was asked for')
    this.#port = address.port
    this.#listener = listener
    this.#isFrozen = false
  }

  async close(): Promise<void> {
    const listener = this.#listener
    if (listener === undefined) return
    this.#listener = undefined
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
    this.cutAll()
    await closed
  }

  /** Cuts the connection of one call, found by the port from which the gRPC server sees it come. */
  cut(peer: string): void {
    for (const connection of this.#connections)
      if (peer.endsWith(`:${String(connection.server.localPort)}`)) cutOff(connection)
  }

  cutAll(): void {
    for (const connection of this.#connections) cutOff(connection)
  }

  freeze(): void {
    this.#isFrozen = true
    for (const { client, server } of this.#connections) {
      client.unpipe(server).pause()
      server.unpipe(client).pause()
    }
  }

  thaw(): void {
    if (!this.#isFrozen) return
    this.#isFrozen = false
    for (const connection of this.#connections) join(connection)
  }

  #accept(client: net.Socket): void {
    const server = net.connect(this.#serverPort, '127.0.0.1')
    const connection = { client, server }
    this.#connections.add(connection)
    client.setNoDelay(true)
    server.setNoDelay(true)
    // An error is always followed by a close. After a clean one the other side gets its last bytes.
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', (hadError) => {
        if (hadError) other.destroy()
        else other.end()
        if (other.destroyed) this.#connections.delete(connection)
      })
    }
    if (this.#isFrozen) client.pause()
    else join(connection)
  }
}

function join({ client, server }: Connection): void {
  client.pipe(server)
  server.pipe(client)
}

function cutOff({ client, server }: Connection): void {
  client.resetAndDestroy()
  server.destroy()
}
