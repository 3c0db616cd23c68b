/**
 * The services of the benchmark, each in a process of its own: the empty route, the bare log, the
 * plain service and ours as `npm start` runs it. All but the first have a PostgreSQL of their own,
 * the one that is shipped, durable as shipped.
 * Promises: `stop` ends everything that `start…` began.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'
import type { Target } from './load.js'
import { processorMicros } from './processor-time.js'

export const walletCount = 10_000

export interface Contender {
  readonly spread: Target
  readonly hot: Target
  /** How many debits its database holds. */
  countDebits(): Promise<number>
  /** Processor time so far, of the service itself and of its PostgreSQL. */
  processorMicros(): Promise<{ readonly service: number; readonly database: number }>
  /** What is still to be done after the load: events that the read models do not hold yet. */
  countBacklog(): Promise<number>
  stop(): Promise<void>
}

const launcher = fileURLToPath(new URL('../../src/launch/launch.mjs', import.meta.url))
const execute = promisify(execFile)
/** Of the services that ours is compared with. */
const credentials = { clientId: 'app_bench', clientSecret: 'sk_bench' }

export async function startEmpty(): Promise<Contender> {
  const server = await startServer(typescript('empty-service.ts'))
  return {
    ...targets({ origin: server.origin, ...credentials }, userIds()),
    countDebits: () => Promise.resolve(0),
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
    ...targets({ origin: server.origin, ...credentials }, userIds()),
    countDebits: () => count(database.client, `select count(*) from ${debits}`),
    processorMicros: () => meter(server, database),
    countBacklog: () => Promise.resolve(0),
    stop: async () => {
      await server.stop()
      await database.close()
    },
  }
}

/** With `profileFolder` Node writes a CPU profile of the service there when it ends. */
export async function startOurs(folder: string, profileFolder?: string): Promise<Contender> {
  const environment = { DATA_DIR: folder, PORT: '0' }
  const profiling =
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  // A stale build is renewed by a process of its own, so that nothing of it is left in the service.
  await execute(process.execPath, [launcher, '--help'], surroundings({}))
  const server = await startServer([...profiling, launcher, 'serve', '--json'], environment)
  const run = async (...args: string[]): Promise<Record<string, unknown>> => {
    const options = { ...surroundings(environment), maxBuffer: 16 * 1024 * 1024 }
    const { stdout } = await execute(process.execPath, [launcher, ...args, '--json'], options)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const app = (await run('client-apps', 'create', '--name', 'Bench')) as {
    clientId: string
    clientSecret: string
  }
  const amount = ['--wallets', String(walletCount + 1), '--balance', '1000000']
  const seeded = await run('seed', ...amount, '--link', app.clientId)
  const { clientId, clientSecret } = app
  const target = { origin: server.origin, clientId, clientSecret }
  const database = await openDatabase(folder)
  // Positions have no gaps, and every event of the load is a debit: a decline is no 200.
  const last = 'select coalesce(max(position), 0) as count from ledger.events'
  const projected = 'select position as count from read.checkpoint'
  return {
    ...targets(target, seeded['serviceUserIds'] as string[]),
    countDebits: () => count(database.client, last),
    processorMicros: () => meter(server, database),
    countBacklog: async () =>
      (await count(database.client, last)) - (await count(database.client, projected)),
    stop: async () => {
      await database.close()
      await server.stop()
    },
  }
}

/** Arguments for Node that run a file of this folder. */
function typescript(name: string): string[] {
  return ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(name, import.meta.url))]
}

/** The last user is the hot one, the others share the spread load. */
function targets(
  target: Omit<Target, 'serviceUserIds'>,
  users: readonly string[],
): Pick<Contender, 'spread' | 'hot'> {
  return {
    spread: { ...target, serviceUserIds: users.slice(0, walletCount) },
    hot: { ...target, serviceUserIds: users.slice(walletCount) },
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

/** Connections come and go between the loads only: the sums before and after can be compared. */
async function meter(server: Server, { client }: BenchDatabase) {
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  return {
    service: await processorMicros([server.pid]),
    database: await processorMicros(rows.map((row) => row.pid)),
  }
}

interface Server {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Resolves when the program says where it listens; fails when it ends before. */
async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const child = spawn(process.execPath, args, {
    ...surroundings(environment),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const origin = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const found = /^\{"origin":"([^"]+)"/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
      // Its log: whoever reads the figures wants to know of warnings.
      else console.error(line)
    })
    void exited.then(() => reject(new Error('a service of the benchmark ended too early')))
  })
  return { origin, pid: child.pid ?? NaN, stop: () => stop(child, exited) }
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.stdin?.end()
  child.kill('SIGTERM')
  await exited
}

/** Neither a variable of the developer's shell nor their .env decides what is measured. */
function surroundings(environment: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env
  return { cwd: tmpdir(), env: { PATH, HOME, ...environment } }
}
