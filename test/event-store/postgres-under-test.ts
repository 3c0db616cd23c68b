/** A PostgreSQL store on a database of the test's own, and the ways to disturb it. */
import { once } from 'node:events'
import net from 'node:net'
import pg from 'pg'
import type { Test } from 'tap'
import { appendCall } from '../../src/event-store/postgres-append.js'
import { PostgresEventStore, postgresEventStoreMigrations } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { freshDatabase } from '../support/database.js'

export interface PostgresUnderTest {
  readonly url: string
  readonly store: PostgresEventStore
  /** A store on the same database, closed at teardown. */
  readonly open: (url?: string) => PostgresEventStore
  /** An ordinary connection beside the store's. */
  readonly sql: pg.Client
}

export async function postgresUnderTest(t: Test): Promise<PostgresUnderTest> {
  const { url } = await freshDatabase(t)
  const sql = await connect(t, url)
  for (const migration of postgresEventStoreMigrations) await sql.query(migration.sql)
  const open = (other = url): PostgresEventStore => {
    const store = new PostgresEventStore({ url: other, clock: systemClock })
    t.teardown(() => store.close())
    return store
  }
  return { url, store: open(), open, sql }
}

export async function connect(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // Databases are dropped by force; a test's own connection may be cut before it is closed.
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(() => client.end())
  return client
}

/** Holds the lock of all writers, as a writer between its append and its commit does. */
export async function holdLock(
  t: Test,
  { url }: { url: string },
): Promise<{ release: () => Promise<void> }> {
  const client = await connect(t, url)
  await client.query('begin')
  await client.query(appendCall([], undefined))
  return {
    release: async () => {
      await client.query('rollback')
    },
  }
}

/** Resolves to the process id of the store's backend as soon as it waits for the lock. */
export async function backendThatWaits(sql: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await sql.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() ' +
        "and application_name = 'wallet-append' and wait_event = 'advisory'",
    )
    if (rows[0] !== undefined) return rows[0].pid
  }
}

export interface Proxy {
  readonly url: string
  /** `cut`: the next answer breaks the connection instead. `silence`: answers stay away. */
  mode: 'pass' | 'cut' | 'silence'
}

/** A network between store and server that loses answers, never questions. */
export async function proxy(t: Test, url: string): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => [near, far].forEach((each) => each.destroy()))
    }
    near.on('data', (data) => far.write(data))
    far.on('data', (data) => {
      if (state.mode === 'pass') near.write(data)
      if (state.mode === 'cut') near.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const here = new URL(url)
  here.hostname = '127.0.0.1'
  here.port = String((server.address() as net.AddressInfo).port)
  const state: Proxy = { url: here.href, mode: 'pass' }
  return state
}
