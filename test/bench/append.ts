/**
 * What an append costs: events a second and microseconds an event, for one and four writers (each a
 * store with its own connection) with 64 lanes, on the PostgreSQL that is shipped, durable as it is
 * shipped. Run by `node --import tsx test/bench/append.ts`; DATABASE_URL names another server.
 * Prints medians and asserts nothing about time.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { PostgresEventStore, postgresEventStoreMigrations } from '../../src/event-store/postgres.js'
import type { AppendBatch, EventStore, NewEvent } from '../../src/event-store/event-store.js'
import { systemClock } from '../../src/platform/clock.js'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'

const lanes = 64
const rounds = 7
const appendsOfALane = 400
const streamsOfALane = 50

interface Round {
  readonly eventsPerSecond: number
  readonly wallMicros: number
  readonly postgresMicros: number
  readonly nodeMicros: number
  readonly batchesOfAGroup: number
}

await withServer(async (serverUrl) => {
  for (const writers of [1, 4]) {
    for (const eventsOfABatch of [1, 8]) {
      const results = await withDatabase(serverUrl, (url) => bench(url, writers, eventsOfABatch))
      print(writers, eventsOfABatch, results)
    }
  }
})

async function bench(url: string, writers: number, eventsOfABatch: number): Promise<Round[]> {
  const stores = Array.from({ length: writers }, () => {
    return new PostgresEventStore({ url, clock: systemClock })
  })
  const results: Round[] = []
  try {
    // The first round makes connections, plans and pages, and does not count.
    for (let round = 0; round <= rounds; round += 1)
      results.push(await measure(url, stores, eventsOfABatch))
  } finally {
    await Promise.all(stores.map((store) => store.close()))
  }
  return results.slice(1)
}

async function measure(
  url: string,
  stores: readonly PostgresEventStore[],
  eventsOfABatch: number,
): Promise<Round> {
  // What the lanes will write is made before: only the store's work is measured.
  const count = Math.ceil(appendsOfALane / stores.length / eventsOfABatch)
  const work = stores.flatMap((store) =>
    Array.from({ length: lanes }, () => ({ store, batches: newBatches(count, eventsOfABatch) })),
  )
  const before = await meters(url, stores)
  await Promise.all(work.map(({ store, batches }) => runLane(store, batches)))
  const after = await meters(url, stores)
  const events = work.length * count * eventsOfABatch
  const wallMicros = after.wall - before.wall
  return {
    eventsPerSecond: (events / wallMicros) * 1e6,
    wallMicros: wallMicros / events,
    postgresMicros: (after.postgres - before.postgres) / events,
    nodeMicros: (after.node - before.node) / events,
    batchesOfAGroup: (after.appends - before.appends) / (after.groups - before.groups),
  }
}

async function runLane(store: EventStore, batches: readonly AppendBatch[]): Promise<void> {
  for (const batch of batches) {
    const verdict = await store.append(batch)
    if (verdict.kind !== 'written') throw new Error('nobody else writes these streams')
  }
}

/** The batches of one lane, over several streams in turn. */
function newBatches(count: number, eventsOfABatch: number): AppendBatch[] {
  const streams = Array.from({ length: streamsOfALane }, () => `wallet-${randomUUID()}`)
  const batches: AppendBatch[] = []
  for (let index = 0; index < count; index += 1)
    batches.push({
      stream: streams[index % streamsOfALane] ?? '',
      expectedRevision: Math.floor(index / streamsOfALane) * eventsOfABatch - 1,
      expectedId: batches[index - streamsOfALane]?.events.at(-1)?.id,
      events: Array.from({ length: eventsOfABatch }, newEvent),
    })
  return batches
}

/** A debit of ordinary size: about 330 bytes of data. */
function newEvent(): NewEvent {
  const data = JSON.stringify({
    amountMinor: 1250,
    balanceMinor: 998_750,
    description: `v1.${randomBytes(45).toString('base64url')}`,
    entryId: randomUUID(),
    issuer: 'client-app:shop-one',
    referenceId: `ORDER-${randomBytes(6).toString('hex')}`,
    referenceType: 'ORDER',
    time: '2025-01-01T00:00:00.000Z',
  })
  const metadata = `{"hash":"${randomBytes(32).toString('hex')}"}`
  return { id: randomUUID(), type: 'WalletDebited', data, metadata }
}

interface Meters {
  readonly wall: number
  readonly node: number
  readonly postgres: number
  readonly appends: number
  readonly groups: number
}

async function meters(url: string, stores: readonly PostgresEventStore[]): Promise<Meters> {
  const pids = await query<{ pid: number }>(
    url,
    "select pid from pg_stat_activity where application_name = 'wallet-append'",
  )
  const { user, system } = process.cpuUsage()
  return {
    wall: performance.now() * 1e3,
    node: user + system,
    postgres: pids.reduce((sum, { pid }) => sum + processorMicros(pid), 0),
    appends: stores.reduce((sum, store) => sum + store.counts.appends, 0),
    groups: stores.reduce((sum, store) => sum + store.counts.groups, 0),
  }
}

/** User and system time of a backend here; NaN where Linux does not tell (or it runs elsewhere). */
function processorMicros(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    // Counted in ticks of 10 ms, hence rounds of tens of thousands of events.
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}

function print(writers: number, eventsOfABatch: number, results: readonly Round[]): void {
  const median = (key: keyof Round): number =>
    results.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(results.length / 2)] ??
    Number.NaN
  const speeds = results.map((round) => Math.round(round.eventsPerSecond))
  console.log(
    `${writers} writer(s), ${lanes} lanes each, ${eventsOfABatch} event(s) a batch: ` +
      `${Math.round(median('eventsPerSecond'))} events/s ` +
      `(${Math.min(...speeds)} to ${Math.max(...speeds)}); µs an event: ` +
      `${median('wallMicros').toFixed(1)} wall, ` +
      `${median('postgresMicros').toFixed(1)} PostgreSQL, ` +
      `${median('nodeMicros').toFixed(1)} Node; ` +
      `${median('batchesOfAGroup').toFixed(1)} batches a group`,
  )
}

async function withServer(work: (serverUrl: string) => Promise<void>): Promise<void> {
  const given = process.env['DATABASE_URL']
  if (given !== undefined) return work(given)
  const folder = await mkdtemp(path.join(tmpdir(), 'wallet-bench-'))
  try {
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const notice = (line: string): void => console.error(line)
    const server = await openEmbeddedPostgres({ dataDir: folder, serve: false, notice })
    await work(server.url)
    await server.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withDatabase<T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  await query(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  try {
    for (const migration of postgresEventStoreMigrations) await query(url.href, migration.sql)
    return await work(url.href)
  } finally {
    await query(serverUrl, `drop database ${name} with (force)`)
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
