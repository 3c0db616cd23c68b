/**
 * Databases for tests: each test gets one of its own, empty or with the service's tables, and loses
 * it at teardown.
 * The server is the run's (`WALLET_TEST_DATABASE_URL`, set by test/run.mjs), else one that this
 * process starts at the first call and that ends with this process.
 * A service on such a database keeps its files in a folder of that database: a signing key and its
 * witness belong to one ledger, and in a shared folder they would accuse every other.
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import pg from 'pg'

interface Teardown {
  teardown(work: () => unknown): void
}

/** A database of this test's own on the run's PostgreSQL; dropped at teardown. */
export async function freshDatabase(t: Teardown): Promise<{ url: string }> {
  return newDatabase(t, 'template1')
}

/** The same with all tables of the service and nothing in them: a copy, made in a moment. */
export async function migratedDatabase(t: Teardown): Promise<{ url: string }> {
  await (hasTemplate ??= makeTemplate())
  return newDatabase(t, template)
}

/** A copy of a database that nobody is connected to. */
export async function copiedDatabase(t: Teardown, url: string): Promise<{ url: string }> {
  return newDatabase(t, new URL(url).pathname.slice(1))
}

async function newDatabase(t: Teardown, from: string): Promise<{ url: string }> {
  const serverUrl = await server()
  const name = `test_${randomBytes(8).toString('hex')}`
  // As files: through the log, as is usual, it takes eight times the processor time.
  await execute(`create database ${name} template ${from} strategy file_copy`)
  const url = urlOf(serverUrl, name)
  t.teardown(async () => {
    await execute(`drop database if exists ${name} with (force)`)
    await rm(dataFolderOf(url), { recursive: true, force: true })
  })
  return { url }
}

/** DATA_DIR for a service on this database. */
export function dataFolderOf(url: string): string {
  return path.resolve('.tap', 'data', createHash('sha256').update(url).digest('hex').slice(0, 16))
}

const template = 'wallet_migrated'
let hasTemplate: Promise<void> | undefined

/** By the first process of the run that needs it; the others wait. */
async function makeTemplate(): Promise<void> {
  const serverUrl = await server()
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    const known = 'select from pg_database where datname = $1'
    if ((await client.query(known, [template])).rowCount !== 0) return
    const unfinished = `${template}_unfinished`
    await client.query(`drop database if exists ${unfinished}`)
    await client.query(`create database ${unfinished}`)
    await makeTables(urlOf(serverUrl, unfinished))
    await client.query(`alter database ${unfinished} rename to ${template}`)
  } finally {
    await client.end()
  }
}

async function makeTables(url: string): Promise<void> {
  // Only here: most processes find the template made.
  const { migrations } = await import('../../src/compose/database.js')
  const { migrate } = await import('../../src/platform/migrations.js')
  const { ensureReadSchema } = await import('../../projections/read-schema.js')
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  try {
    await migrate(pool, migrations)
    await ensureReadSchema(pool)
  } finally {
    await pool.end()
  }
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

let started: Promise<string> | undefined

async function server(): Promise<string> {
  return process.env['WALLET_TEST_DATABASE_URL'] ?? (started ??= startServer())
}

async function startServer(): Promise<string> {
  const program = fileURLToPath(new URL('database-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C reaches this process only; the server then sees the end of its input.
    detached: true,
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error('the PostgreSQL for tests did not start')
  })
  const lines = createInterface({ input: child.stdout })
  const [url] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => undefined)
  lines.close()
  // Neither the server nor its pipes keep a finished test process alive.
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref(): void }).unref()
  return url
}

/** Kept for the next database: to connect takes half as long as to make one. */
let administration: pg.Pool | undefined

async function execute(sql: string): Promise<void> {
  const serverUrl = await server()
  administration ??= administrationOf(serverUrl)
  await administration.query(sql)
}

function administrationOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true })
  // The server may end before this process does.
  pool.on('error', () => undefined)
  return pool
}
