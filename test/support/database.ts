/**
 * Databases for tests: each test gets an empty one of its own and loses it at teardown.
 * The server is the run's (`WALLET_TEST_DATABASE_URL`, set by test/run.mjs), else one that this
 * process starts at the first call and that ends with this process.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import pg from 'pg'

/** A database of this test's own on the run's PostgreSQL; dropped at teardown. */
export async function freshDatabase(t: {
  teardown(work: () => unknown): void
}): Promise<{ url: string }> {
  const serverUrl = await server()
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(serverUrl, `create database ${name}`)
  t.teardown(async () => execute(serverUrl, `drop database if exists ${name} with (force)`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href }
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

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
