/**
 * PostgreSQL servers that a test may stop, copy, put back and promote, behind one address that
 * stays: as a service sees a failover or a restored backup. The programs are the embedded ones,
 * which have no pg_basebackup: a copy is made of the files, between pg_backup_start and _stop.
 * Promises: loopback only; servers and folders are gone when the test is over.
 */
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { runCommand } from '../../src/platform/embedded-postgres-command.js'
import type { Place } from '../../src/platform/embedded-postgres-place.js'
import { findPlace, giveTo } from '../../src/platform/embedded-postgres-place.js'

const user = 'wallet'
const startMs = 60_000

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  wal_keep_size: '64MB',
}

export class ReplaceablePostgres {
  readonly #t: Test
  readonly #home: string
  readonly #place: Place
  #front: Front | undefined
  #servers = 0

  private constructor(t: Test, home: string, place: Place) {
    this.#t = t
    this.#home = home
    this.#place = place
  }

  static async open(t: Test): Promise<ReplaceablePostgres> {
    const home = await mkdtemp(path.join(tmpdir(), 'wallet-replaceable-'))
    t.teardown(() => rm(home, { recursive: true, force: true }))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(home, 0o755)
    const place = await findPlace({ dataDir: home, notice: () => undefined })
    return new ReplaceablePostgres(t, home, place)
  }

  /** A new, empty server. */
  async create(): Promise<Server> {
    const server = await this.#newServer()
    const args = [`--pgdata=${server.folder}`, `--username=${user}`, '--auth=trust', '--no-sync']
    await this.#run('initdb', [...args, '--encoding=UTF8', '--locale=C'])
    await server.start()
    return server
  }

  /** A copy of a running server as it is now; it does not run. */
  async copy(of: Server): Promise<Server> {
    const copy = await this.#newServer()
    const client = await connect(of.url)
    try {
      await client.query("select pg_backup_start('copy', fast => true)")
      await cp(of.folder, copy.folder, {
        recursive: true,
        filter: (source) => !/(postmaster\.(pid|opts)|pg_stat_tmp\/.*)$/.test(source),
      })
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(wait_for_archive => false)',
      )
      await writeFile(path.join(copy.folder, 'backup_label'), rows[0]?.labelfile ?? '')
      // Once more: the copy is whole only with what was logged while it was made.
      const wal = 'pg_wal'
      await cp(path.join(of.folder, wal), path.join(copy.folder, wal), { recursive: true })
    } finally {
      await client.end()
    }
    await giveTo(this.#place.account, copy.folder)
    return copy
  }

  /** A streaming replica of a running server. */
  async replica(of: Server): Promise<Server> {
    const replica = await this.copy(of)
    await writeFile(path.join(replica.folder, 'standby.signal'), '')
    const conninfo = `host=127.0.0.1 port=${of.port} user=${user}`
    await writeFile(
      path.join(replica.folder, 'postgresql.auto.conf'),
      `primary_conninfo = '${conninfo}'\n`,
    )
    await giveTo(this.#place.account, replica.folder)
    await replica.start()
    return replica
  }

  /** The address that clients know, leading to this server until `lead` is called again. */
  async address(server: Server): Promise<string> {
    this.#front ??= await Front.open(this.#t)
    this.lead(server)
    return `postgres://${user}@127.0.0.1:${this.#front.port}/postgres`
  }

  lead(server: Server | undefined): void {
    this.#front?.lead(server?.port)
  }

  async #newServer(): Promise<Server> {
    const folder = path.join(this.#home, `server-${(this.#servers += 1)}`)
    await mkdir(folder, { mode: 0o700 })
    await giveTo(this.#place.account, folder)
    const port = await freePort()
    const server = new Server({ folder, port, control: (args) => this.#run('pg_ctl', args) })
    this.#t.teardown(() => server.stop())
    return server
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const { native, account } = this.#place
    const options = { args, account, timeoutMs: startMs }
    const { isOk, output } = await runCommand(path.join(native, 'bin', program), options)
    if (!isOk) throw new Error(`${program} ${args.join(' ')}: ${output}`)
  }
}

export class Server {
  readonly folder: string
  readonly port: number
  readonly #control: (args: readonly string[]) => Promise<void>
  #isRunning = false

  constructor(parts: {
    folder: string
    port: number
    control: (args: readonly string[]) => Promise<void>
  }) {
    this.folder = parts.folder
    this.port = parts.port
    this.#control = parts.control
  }

  get url(): string {
    return `postgres://${user}@127.0.0.1:${this.port}/postgres`
  }

  async start(): Promise<void> {
    const options = Object.entries({ ...settings, port: this.port })
    const text = options.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    const log = path.join(this.folder, 'server.log')
    await this.#control(['start', '-D', this.folder, '-w', '-s', '-l', log, '-o', text])
    this.#isRunning = true
  }

  /** At once, as by a power cut. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return
    this.#isRunning = false
    await this.#control(['stop', '-D', this.folder, '-w', '-s', '-m', 'immediate'])
  }

  /** A replica that hears nothing more of its primary. */
  async cutOff(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''")
    await this.query('select pg_reload_conf()')
    for (;;) {
      const rows = await this.query('select 1 from pg_stat_wal_receiver')
      if (rows.length === 0) return
    }
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true)')
  }

  async query(sql: string): Promise<unknown[]> {
    const client = await connect(this.url)
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
}

/** Passes connections on to one server; whoever was connected to another is cut off. */
class Front {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #target: number | undefined

  private constructor() {
    this.#server = net.createServer((near) => {
      if (this.#target === undefined) {
        near.destroy()
        return
      }
      const far = net.connect(this.#target, '127.0.0.1')
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
      }
      near.pipe(far)
      far.pipe(near)
    })
  }

  static async open(t: Test): Promise<Front> {
    const front = new Front()
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    t.teardown(() => {
      front.lead(undefined)
      front.#server.close()
    })
    return front
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port
  }

  lead(target: number | undefined): void {
    this.#target = target
    for (const socket of this.#sockets) socket.destroy()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
