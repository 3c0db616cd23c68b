/**
 * What is broken on purpose: two services as `npm start` runs them, on one PostgreSQL of their own,
 * durable as shipped, in a temporary folder. Promises: `close` ends everything that was started and
 * removes the folder, whatever state it is in. Only processes started here are ever signalled.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/platform/embedded-postgres.js'
import { CuttingProxy } from './cutting-proxy.js'

const launcher = fileURLToPath(new URL('../../src/launch/launch.mjs', import.meta.url))
const execute = promisify(execFile)

/** A start after a crash on a busy machine; beyond it something is wrong. */
const readyMs = 60_000

export class Cluster {
  readonly services: Service[] = []
  readonly #folder: string
  readonly proxy: CuttingProxy
  #database: EmbeddedPostgres

  private constructor(folder: string, database: EmbeddedPostgres, proxy: CuttingProxy) {
    this.#folder = folder
    this.#database = database
    this.proxy = proxy
  }

  static async open(services: number): Promise<Cluster> {
    // A stale build is renewed by a process of its own, before several would do it at once.
    await execute(process.execPath, [launcher, '--help'])
    const folder = await mkdtemp(join(tmpdir(), 'wallet-chaos-'))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const database = await openDatabase(folder)
    const proxy = await CuttingProxy.open(portOf(database))
    const cluster = new Cluster(folder, database, proxy)
    try {
      for (let number = 0; number < services; number += 1) {
        const service = new Service(await freePort(), cluster.#environment(cluster.proxy.port))
        cluster.services.push(service)
        // One after the other: the first one makes the tables.
        service.start()
        await service.ready()
      }
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  /** Not through the proxy. */
  get databaseUrl(): string {
    return this.#database.url
  }

  /** A command of the command line; its output as JSON. */
  async command(...args: string[]): Promise<Record<string, unknown>> {
    const env = { ...process.env, ...this.#environment(portOf(this.#database)) }
    const options = { env, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await execute(process.execPath, [launcher, ...args, '--json'], options)
    return JSON.parse(stdout) as Record<string, unknown>
  }

  async killDatabase(): Promise<void> {
    process.kill(await this.#postmaster(), 'SIGKILL')
    // Its own connection is broken with all others.
    await this.#database.close().catch(() => undefined)
    const giveUpMs = Date.now() + readyMs
    for (let isOpen = false; !isOpen;) {
      try {
        this.#database = await openDatabase(this.#folder)
        isOpen = true
      } catch (error) {
        // Backends of before may live a moment longer than their server.
        if (Date.now() > giveUpMs) throw error
        await pause(200)
      }
    }
    this.proxy.targetPort = portOf(this.#database)
  }

  async freezeDatabase(forMs: number): Promise<void> {
    const server = await this.#postmaster()
    const { stdout } = await execute('ps', ['-o', 'pid=', '--ppid', String(server)])
    const all = [server, ...stdout.split('\n').map(Number).filter(Boolean)]
    for (const pid of all) signal(pid, 'SIGSTOP')
    await pause(forMs)
    for (const pid of all) signal(pid, 'SIGCONT')
  }

  async close(): Promise<void> {
    this.proxy.mend()
    await Promise.all(this.services.map((service) => service.stop()))
    await this.proxy.close()
    await this.#database.close().catch(() => undefined)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #postmaster(): Promise<number> {
    const client = new pg.Client({ connectionString: this.#database.url })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    await client.end()
    const file = join(rows[0]?.data_directory ?? '', 'postmaster.pid')
    return Number((await readFile(file, 'utf8')).split('\n')[0])
  }

  #environment(databasePort: number): Record<string, string> {
    const url = new URL(this.#database.url)
    url.port = String(databasePort)
    return {
      DATABASE_URL: url.href,
      DATA_DIR: this.#folder,
      LOG_LEVEL: 'silent',
      HOST: '127.0.0.1',
    }
  }
}

/** One service: a process that comes again at the same address. */
export class Service {
  readonly origin: string
  readonly #environment: Record<string, string>
  #child: ChildProcess | undefined

  constructor(port: number, environment: Record<string, string>) {
    this.origin = `http://127.0.0.1:${port}`
    this.#environment = { ...environment, PORT: String(port) }
  }

  start(): void {
    const env = { ...process.env, ...this.#environment }
    const stdio = ['ignore', 'ignore', 'inherit'] as const
    this.#child = spawn(process.execPath, [launcher, 'serve', '--json'], { env, stdio: [...stdio] })
  }

  async ready(): Promise<void> {
    const giveUpMs = Date.now() + readyMs
    while (Date.now() < giveUpMs) {
      // A start is refused while the database is away for longer than it waits.
      if (this.#child?.exitCode !== null) this.start()
      const answer = await fetch(`${this.origin}/health/ready`).catch(() => undefined)
      await answer?.text().catch(() => undefined)
      if (answer?.status === 200) return
      await pause(100)
    }
    throw new Error(`${this.origin} was not ready within ${readyMs / 1_000} s`)
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    this.start()
  }

  async freeze(forMs: number): Promise<void> {
    this.#child?.kill('SIGSTOP')
    await pause(forMs)
    this.#child?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const impatient = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(impatient)
  }
}

function openDatabase(folder: string): Promise<EmbeddedPostgres> {
  const notice = (line: string): void => console.log(line)
  return openEmbeddedPostgres({
    dataDir: join(folder, 'database'),
    serve: false,
    notice,
    onLockLost: () => undefined,
  })
}

function portOf({ url }: EmbeddedPostgres): number {
  return Number(new URL(url).port)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // A backend that has ended meanwhile.
  }
}
