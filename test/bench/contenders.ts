/**
 * The services of the benchmark, each in a process of its own: the empty route, the bare log, the
 * plain service, and ours as `npm start` runs it, of this or of another build, in one process or in
 * two on one PostgreSQL. All but the first have a PostgreSQL of their own, the one that is shipped,
 * durable as shipped; ours writes its request log, as production does, and may have its streams in
 * a stand-in of EventStoreDB.
 * Promises: `stop` ends everything that `start…` began.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { lanesMax } from '../../src/limits.js'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'
import { parentOf, processorMicros } from './processor-time.js'
import type { StandInProcess } from './stand-in-process.js'

export const walletCount = 10_000

/** More than there are lanes: whoever comes round again finds its lane gone. */
export const coldWalletCount = lanesMax + 5_000

/** Which users a load is about. */
export type Wallets = 'spread' | 'hot' | 'cold'

export interface Contender {
  /** One process each: a load is parted among them. */
  readonly origins: readonly string[]
  readonly pids: readonly number[]
  readonly clientId: string
  readonly clientSecret: string
  readonly users: Readonly<Record<Wallets, readonly string[]>>
  /** How many events its database holds; for others than ours, debits. */
  countEvents(): Promise<number>
  /** Processor time so far, of the service itself and of its PostgreSQL. */
  processorMicros(): Promise<{ readonly service: number; readonly database: number }>
  /** What is still to be done after the load: events that the read models do not hold yet. */
  countBacklog(): Promise<number>
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)
/** Of the services that ours is compared with. */
const credentials = { clientId: 'app_bench', clientSecret: 'sk_bench' }

export async function startEmpty(): Promise<Contender> {
  const server = await startServer(typescript('empty-service.ts'))
  return {
    ...reached([server], credentials, userIds()),
    countEvents: () => Promise.resolve(0),
    processorMicros: async () => ({ service: await processorMicros([server.pid]), database: 0 }),
    countBacklog: () => Promise.resolve(0),
    stop: () => server.stop(),
  }
}

export async function startBareLog(folder: string): Promise<Contender> {
  const database = await openDatabase(folder)
  await database.client.query(bareTable)
  const server = await startServer([...typescript('bare-log-service.ts'), database.url])
  return simpleContender(server, database, 'bare.log')
}

export async function startPlain(folder: string): Promise<Contender> {
  const database = await openDatabase(folder)
  try {
    await database.client.query(plainTables)
    await database.client.query(plainWallets, [userIds()])
  } catch (error) {
    await database.close()
    throw error
  }
  const args = [database.url, credentials.clientId, credentials.clientSecret]
  const server = await startServer([...typescript('plain-service.ts'), ...args])
  return simpleContender(server, database, 'plain.entries')
}

/** A service of ours to compare with, which does all its work before it answers. */
function simpleContender(server: Server, database: BenchDatabase, debits: string): Contender {
  return {
    ...reached([server], credentials, userIds()),
    countEvents: () => count(database.client, `select count(*) from ${debits}`),
    processorMicros: () => meter([server], database),
    countBacklog: () => Promise.resolve(0),
    stop: async () => {
      await server.stop()
      await database.close()
    },
  }
}

export interface OursOptions {
  /** For data and log. */
  readonly folder: string
  /** A checkout that is installed; this one when left out. */
  readonly checkout?: string
  readonly processes?: number
  readonly coldWallets?: number
  /** Where its streams are, instead of in PostgreSQL. */
  readonly standIn?: StandInProcess
  /** Loaded by the service before anything else: profile-on-signal.mjs, and where it writes to. */
  readonly preload?: string
  readonly profile?: string
}

/** As `npm start` of that checkout does it: they differ in flags, and in where the launcher is. */
async function startOf(checkout: string): Promise<{ flags: string[]; launcher: string }> {
  const text = await readFile(join(checkout, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { readonly scripts: { readonly start: string } }
  const words = scripts.start.split(' ')
  const place = words.findIndex((word) => word.endsWith('launch.mjs'))
  return { flags: words.slice(1, place), launcher: join(checkout, words[place] ?? '') }
}

export async function startOurs(options: OursOptions): Promise<Contender> {
  const { folder, checkout = root, processes = 1, coldWallets = coldWalletCount } = options
  const start = await startOf(checkout)
  const { launcher } = start
  await mkdir(folder, { recursive: true, mode: 0o755 })
  // A stale build is renewed by a process of its own, so that nothing of it is left in the service.
  await execute(process.execPath, [launcher, '--help'], surroundings({}))
  const database = await openDatabase(folder)
  // One process has its data folder, as `npm start` has it; several share what an address names.
  const place = processes === 1 ? { DATA_DIR: folder } : sharedPlace(folder, database.url)
  const profile = options.profile === undefined ? {} : { PROFILE_FILE: options.profile }
  const ordinary = { PORT: '0', LOG_LEVEL: 'info', AUDIT_EVENTS_PER_SECOND: '0' }
  const { standIn } = options
  const streams = standIn === undefined ? {} : { EVENTSTORE_URL: standIn.url }
  const settings = { ...place, ...ordinary, ...profile, ...streams }
  const preload = options.preload === undefined ? [] : ['--import', options.preload]
  const command = [...start.flags, ...preload, launcher, 'serve', '--json']
  const servers: Server[] = []
  for (let number = 0; number < processes; number += 1) {
    const projecting = number === 0 ? {} : { PROJECTIONS: 'off' }
    const logFile = join(folder, `service-${number}.log`)
    servers.push(await startServer(command, { ...settings, ...projecting }, logFile))
  }
  const run = async (...args: string[]): Promise<Record<string, unknown>> => {
    const how = { ...surroundings(settings), maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await execute(process.execPath, [launcher, ...args, '--json'], how)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const app = (await run('client-apps', 'create', '--name', 'Bench')) as {
    clientId: string
    clientSecret: string
  }
  const wallets = String(walletCount + 1 + coldWallets)
  const amount = ['--wallets', wallets, '--balance', '100000']
  const seeded = await run('seed', ...amount, '--link', app.clientId)
  // Positions have no gaps, and every event of the load is a request's.
  const last = 'select coalesce(max(position), 0) as count from ledger.events'
  const projected = 'select position as count from read.checkpoint'
  return {
    ...reached(servers, app, seeded['serviceUserIds'] as string[]),
    countEvents: async () => (await standIn?.seen())?.events ?? count(database.client, last),
    processorMicros: () => meter(servers, database),
    countBacklog: async () => {
      const reached = await count(database.client, projected)
      if (standIn !== undefined) return (await standIn.seen(BigInt(reached))).behind
      return (await count(database.client, last)) - reached
    },
    stop: async () => {
      for (const server of servers) await server.stop()
      await database.close()
      await standIn?.stop()
    },
  }
}

/** Keys and files of processes that share a database are in a folder too. */
function sharedPlace(folder: string, url: string): Readonly<Record<string, string>> {
  return { DATABASE_URL: url, DATA_DIR: join(folder, 'shared') }
}

/** Arguments for Node that run a file of this folder. */
function typescript(name: string): string[] {
  return ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(name, import.meta.url))]
}

/** First the users of the spread load, then the hot one, and the cold ones. */
function reached(
  servers: readonly Server[],
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  users: readonly string[],
): Pick<Contender, 'origins' | 'pids' | 'clientId' | 'clientSecret' | 'users'> {
  return {
    origins: servers.map(({ origin }) => origin),
    pids: servers.map(({ pid }) => pid),
    clientId,
    clientSecret,
    users: {
      spread: users.slice(0, walletCount),
      hot: users.slice(walletCount, walletCount + 1),
      cold: users.slice(walletCount + 1),
    },
  }
}

/** As long as ours, so that all parse the same number of bytes. */
function userIds(): string[] {
  const tail = '0000-4000-8000-000000000000'
  return Array.from({ length: walletCount + 1 }, (_, index) => {
    return `usr_${String(index).padStart(8, '0')}-${tail}`
  })
}

const bareTable = `
  create schema bare;
  create table bare.log (position bigint generated always as identity, data text not null)`

const plainTables = `
  create schema plain;
  create table plain.wallets (
    service_user_id text primary key,
    balance_minor bigint not null check (balance_minor >= 0)
  );
  create table plain.entries (
    service_user_id text not null references plain.wallets,
    reference_type text not null,
    reference_id text not null,
    amount_minor bigint not null,
    balance_minor bigint not null,
    created_at timestamptz not null default now(),
    primary key (service_user_id, reference_type, reference_id)
  )`

const plainWallets =
  'insert into plain.wallets (service_user_id, balance_minor) ' +
  'select id, 100000000 from unnest($1::text[]) as id'

interface BenchDatabase {
  readonly url: string
  readonly client: pg.Client
  close(): Promise<void>
}

/** Starts the PostgreSQL of the folder, or joins the one that a service has started there. */
async function openDatabase(folder: string): Promise<BenchDatabase> {
  const notice = (line: string): void => console.error(line)
  const postgres = await openEmbeddedPostgres({ dataDir: folder, serve: false, notice })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const close = async (): Promise<void> => {
    await client.end()
    await postgres.close()
  }
  return { url: postgres.url, client, close }
}

async function count(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(query)
  return Number(rows[0]?.count)
}

/** With the server that the backends are children of: the time of one that has ended is there. */
async function meter(servers: readonly Server[], { client }: BenchDatabase) {
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  const backends = rows.map(({ pid }) => pid)
  const parents = await Promise.all(backends.slice(0, 1).map(parentOf))
  return {
    service: await processorMicros(servers.map(({ pid }) => pid)),
    database: await processorMicros([...parents, ...backends]),
  }
}

export interface Server {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/**
 * Resolves when the program says where it listens; fails when it ends before. What it prints goes
 * to a file: a log that this process had to read would cost the machine as much as writing it.
 */
async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  logFile?: string,
): Promise<Server> {
  logs += 1
  const path = logFile ?? join(tmpdir(), `wallet-bench-${process.pid}-${logs}.log`)
  const log = await open(path, 'w')
  const child = spawn(process.execPath, args, {
    ...surroundings(environment),
    stdio: ['pipe', log.fd, 'inherit'],
  })
  await log.close()
  const exited = once(child, 'exit')
  for (;;) {
    const origin = /^\{"origin":"([^"]+)"/m.exec(await readFile(path, 'utf8'))?.[1]
    if (origin !== undefined)
      return { origin, pid: child.pid ?? NaN, stop: () => stop(child, exited, path) }
    if (child.exitCode !== null)
      throw new Error(`a service of the benchmark ended too early, see ${path}`)
    await pause(startLookMs)
  }
}

let logs = 0
const startLookMs = 50

async function stop(child: ChildProcess, exited: Promise<unknown>, logFile: string): Promise<void> {
  child.stdin?.end()
  child.kill('SIGTERM')
  await exited
  await rm(logFile, { force: true })
}

/** Neither a variable of the developer's shell nor their .env decides what is measured. */
function surroundings(environment: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env
  return { cwd: tmpdir(), env: { PATH, HOME, ...environment } }
}
