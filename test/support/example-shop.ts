/**
 * The example shop as a process of its own, with a data file of the test's own, and `Shopper`: a
 * person's browser, as far as the shop's API needs one (its cookie and the shop's Origin).
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const program = fileURLToPath(new URL('../../docs/example-shop/server.mjs', import.meta.url))

export interface ShopAnswer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

export interface ShopData {
  readonly users: readonly Record<string, unknown>[]
  readonly orders: readonly {
    readonly id: string
    readonly status: string
    readonly payments: readonly Attempt[]
    readonly refunds: readonly Attempt[]
  }[]
}

interface Attempt {
  readonly referenceId: string
  readonly state: string
}

export interface ShopWallet {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

export class ExampleShop {
  readonly origin: string
  /** Everything that it printed. */
  output = ''
  readonly #port: number
  readonly #dataFile: string
  #child: ReturnType<typeof spawn> | undefined

  private constructor(port: number, dataFile: string) {
    this.#port = port
    this.origin = `http://localhost:${port}`
    this.#dataFile = dataFile
  }

  /** Not started yet: the client app must know its origin first. */
  static async prepare(t: Test): Promise<ExampleShop> {
    const shop = new ExampleShop(await freePort(), join(t.testdir({}), 'shop.json'))
    t.teardown(() => shop.stop())
    return shop
  }

  async start(wallet: ShopWallet): Promise<void> {
    const child = spawn(process.execPath, [program], {
      env: {
        WALLET_URL: wallet.url,
        WALLET_CLIENT_ID: wallet.clientId,
        WALLET_CLIENT_SECRET: wallet.clientSecret,
        SHOP_PORT: String(this.#port),
        SHOP_DATA: this.#dataFile,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const { stdout, stderr } = child
    const collect = (chunk: Buffer): void => void (this.output += chunk.toString('utf8'))
    stdout.on('data', collect)
    stderr.on('data', collect)
    const early = once(child, 'exit').then(() => Promise.reject(new Error(this.output)))
    while (!this.output.includes(this.origin)) await Promise.race([once(stdout, 'data'), early])
    early.catch(() => undefined)
  }

  /** Kill: without a chance to write anything more. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    this.output = this.output.replaceAll(this.origin, '')
  }

  async data(): Promise<ShopData> {
    return JSON.parse(await readFile(this.#dataFile, 'utf8')) as ShopData
  }

  /** A new person with an account of the shop. */
  async shopper(email: string): Promise<Shopper> {
    const shopper = new Shopper(this.origin)
    await shopper.post('/api/register', { email, password: 'a long password' })
    return shopper
  }
}

export class Shopper {
  readonly #origin: string
  #cookie = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  get(path: string): Promise<ShopAnswer> {
    return this.#send(path, {})
  }

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<ShopAnswer> {
    const own = { origin: this.#origin, 'content-type': 'application/json' }
    return this.#send(path, {
      method: 'POST',
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    })
  }

  /** Orders one piece and answers the order's id. */
  async order(productId: string): Promise<string> {
    const { body } = await this.post('/api/orders', { productId })
    return String(body['id'])
  }

  pay(orderId: string): Promise<ShopAnswer> {
    return this.post(`/api/orders/${orderId}/pay`)
  }

  refund(orderId: string): Promise<ShopAnswer> {
    return this.post(`/api/orders/${orderId}/refund`)
  }

  async #send(path: string, options: RequestInit): Promise<ShopAnswer> {
    const headers = new Headers(options.headers)
    if (this.#cookie !== '') headers.set('cookie', this.#cookie)
    const answer = await fetch(this.#origin + path, { ...options, headers, redirect: 'manual' })
    const [cookie = this.#cookie] = answer.headers.getSetCookie().map((text) => text.split(';')[0])
    this.#cookie = cookie
    const body = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, body, headers: answer.headers }
  }
}

/**
 * Free now and used a moment later: below the ports that the system hands out by itself, so that no
 * other test gets it in between.
 */
async function freePort(): Promise<number> {
  const port = 20_000 + randomInt(12_000)
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return freePort()
  }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
