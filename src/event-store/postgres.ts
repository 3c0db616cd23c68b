/**
 * The event store inside PostgreSQL: the embedded default. It owns schema `ledger`
 * (postgres-columns.sql) and its connections: one for appends, a few for reads.
 * Promises: positions without gaps; every read is answered within its time-outs, also at close.
 * Never: a transaction held open from here (a frozen process would hold the lock of all writers).
 */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { invariant } from '../domain/invariant.js'
import {
  appendLockMs,
  appendStatementMs,
  appendWatchdogMs,
  conflictEventsMax,
  gatheredLookupsMax,
  gatheredReadsAtOnce,
  groupMissingEventsMax,
  readPageEvents,
  readTimeoutMs,
  storeConnectMs,
  storeReadConnections,
  storeReadsWaitingMax,
} from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { Gatherer } from '../platform/gather.js'
import type {
  AppendBatch,
  AppendVerdict,
  EventStore,
  RecordedEvent,
  TailOptions,
} from './event-store.js'
import { HistoryChangedError, NotWritableError, startOfLog } from './event-store.js'
import { StoreCorruptError, StoreUnavailableError } from './event-store.js'
import { HandedEvents } from './handed-events.js'
import { walletOf } from './postgres-append.js'
import { GroupCommit } from './postgres-group-commit.js'
import type { MissingEvents } from './postgres-group-commit.js'
import { WriteGate } from './write-gate.js'

export interface PostgresEventStoreOptions {
  readonly url: string
  readonly clock: Clock
}

/** Tables and functions of the store, by the migrations that make them once. */
export const postgresEventStoreMigrations = [
  { name: '0002-event-store', sql: sqlOf('postgres') },
  { name: '0018-append-proves-its-history', sql: sqlOf('postgres-history') },
  { name: '0023-events-of-wallets', sql: sqlOf('postgres-columns') },
]

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}

export class PostgresEventStore implements EventStore {
  readonly #clock: Clock
  readonly #reader: Reader
  readonly #writer: GroupCommit
  readonly #followers = new Set<HandedEvents>()
  #generation = 0
  readonly #gate: WriteGate
  /** Of many readers at once, one statement for all of them. */
  readonly #heads: Gatherer<string, { readonly event: RecordedEvent | undefined }>
  #closing: Promise<void> | undefined

  constructor({ url, clock }: PostgresEventStoreOptions) {
    this.#clock = clock
    const onLost = (): void => {
      this.#generation += 1
      for (const handed of this.#followers) handed.clear()
    }
    const onWritten = (events: readonly RecordedEvent[]): void => {
      for (const handed of this.#followers) handed.add(events)
    }
    this.#gate = new WriteGate(clock)
    this.#reader = new Reader(url, onLost)
    const bounds = { max: gatheredLookupsMax, atOnce: gatheredReadsAtOnce }
    this.#heads = new Gatherer((streams) => this.#readHeads(streams), bounds)
    const pool = openPool(url, onLost, {
      max: 1,
      application_name: 'wallet-append',
      query_timeout: appendWatchdogMs,
      statement_timeout: appendStatementMs,
      lock_timeout: appendLockMs,
    })
    const missing: MissingEvents = (batches) => this.#reader.missing(batches)
    this.#writer = new GroupCommit(pool, { missing, onLost, onWritten, gate: this.#gate })
  }

  get generation(): number {
    return this.#generation
  }

  append(batch: AppendBatch): Promise<AppendVerdict> {
    return this.#writer.append(batch)
  }

  async *readStream(
    stream: string,
    { fromRevision, maxCount }: { fromRevision: number; maxCount: number },
  ): AsyncIterable<RecordedEvent> {
    const walletId = walletOf(stream)
    // A stream that is no wallet's is empty.
    if (walletId === undefined) return
    let next = Math.max(fromRevision, 0)
    const end = next + maxCount
    while (next < end) {
      const limit = Math.min(end - next, readPageEvents)
      const page = await this.#reader.events('stream', [walletId, next, limit])
      for (const event of page) {
        if (event.revision !== next)
          throw new StoreCorruptError(`${stream} has no event ${next}`, event)
        next += 1
        yield event
      }
      if (page.length < limit) return
    }
  }

  async readHead(stream: string): Promise<RecordedEvent | undefined> {
    return (await this.#heads.ask(stream)).event
  }

  async #readHeads(
    streams: readonly string[],
  ): Promise<{ readonly event: RecordedEvent | undefined }[]> {
    // A stream that is no wallet's has no head.
    const wallets = streams.map(walletOf).filter((walletId) => walletId !== undefined)
    const events = await this.#reader.events('heads', [[...new Set(wallets)]])
    const byStream = new Map(events.map((event) => [event.stream, event]))
    return streams.map((stream) => ({ event: byStream.get(stream) }))
  }

  async *tail(options: TailOptions): AsyncIterable<readonly RecordedEvent[]> {
    const handed = new HandedEvents()
    this.#followers.add(handed)
    try {
      yield* this.#follow(options, handed)
    } finally {
      this.#followers.delete(handed)
    }
  }

  async *#follow(
    options: TailOptions,
    handed: HandedEvents,
  ): AsyncIterable<readonly RecordedEvent[]> {
    const { maxCount, maxWaitMs, signal } = options
    let last = options.after
    let lastId: string | undefined
    while (!signal.aborted) {
      // With the last one seen: a log that was set back would otherwise grow past it unnoticed.
      const from = last === startOfLog ? 1n : last
      const fresh = lastId === undefined ? [] : handed.after(last, maxCount)
      const read =
        fresh.length > 0
          ? this.#reader.stillThere(last, fresh)
          : this.#reader.events('tail', [from, maxCount + 1])
      const found = await unlessAborted(read, signal)
      if (found === undefined) return
      const seen = last === startOfLog ? undefined : found[0]
      if (last !== startOfLog && (seen?.position !== last || (lastId ?? seen.id) !== seen.id))
        throw new HistoryChangedError(`the event at position ${last} is not there any more`)
      lastId = seen?.id
      const events = found.slice(seen === undefined ? 0 : 1).slice(0, maxCount)
      for (const { position, id } of events) {
        if (position !== last + 1n) throw new StoreCorruptError(`no event at ${last + 1n}`)
        last = position
        lastId = id
      }
      if (events.length > 0) yield events
      if (events.length < maxCount) await this.#clock.sleep(maxWaitMs, signal)
    }
  }

  async lastEvent(): Promise<RecordedEvent | undefined> {
    const [event] = await this.#reader.events('last', [])
    return event
  }

  async eventAt(position: bigint): Promise<RecordedEvent | undefined> {
    const [event] = await this.#reader.events('at', [position])
    return event
  }

  async readMarker(): Promise<string | undefined> {
    const [row] = await this.#reader.query<{ id: string }>({ text: 'select id from ledger.marker' })
    return row?.id
  }

  async createMarker(): Promise<string> {
    await this.#reader.query({
      text: 'insert into ledger.marker (id) values (gen_random_uuid()) on conflict do nothing',
    })
    const marker = await this.readMarker()
    invariant(marker !== undefined, 'a marker that was made can be read')
    return marker
  }

  async check(): Promise<void> {
    await this.lastEvent()
    this.#gate.requireWell()
    // A full disk shows when something is written; the other two can be asked for.
    const [row] = await this.#reader.query<{ setting: string }>({ text: readOnlyStatement })
    if (row?.setting === 'on') {
      this.#gate.shut()
      throw new NotWritableError('the database is read-only')
    }
    if (this.#gate.isShut) await this.#tryWriting()
  }

  async #tryWriting(): Promise<void> {
    try {
      await this.#writer.tryWriting()
    } catch (cause) {
      if (cause instanceof NotWritableError) throw cause
      throw new StoreUnavailableError('a try to write got no answer', { cause })
    }
  }

  close(): Promise<void> {
    // The writer first: its losers still read what they miss.
    this.#closing ??= this.#writer.close().then(() => this.#reader.close())
    return this.#closing
  }

  /** How many appends went in how many calls: the worth of the group commit. */
  get counts(): { readonly appends: number; readonly groups: number } {
    return this.#writer.counts
  }
}

// As the port shows them, whatever the columns of the table are.
const columns =
  "'wallet-' || wallet_id as stream, revision, position, id, type, data, " +
  `coalesce(metadata, '{"hash":"' || encode(hash, 'hex') || '"}') as metadata`

const statements = {
  stream:
    `select ${columns} from ledger.events ` +
    'where wallet_id = $1 and revision >= $2 order by revision limit $3',
  heads:
    'select event.* from unnest($1::uuid[]) as asked (wallet_id) cross join lateral (' +
    `select ${columns} from ledger.events stored where stored.wallet_id = asked.wallet_id ` +
    'order by stored.revision desc limit 1) event',
  tail: `select ${columns} from ledger.events where position >= $1 order by position limit $2`,
  last: `select ${columns} from ledger.events order by position desc limit 1`,
  at: `select ${columns} from ledger.events where position = $1`,
  both: `select ${columns} from ledger.events where position in ($1, $2) order by position`,
  missing:
    'select loser.number, event.* from unnest($1::uuid[], $2::bigint[]) ' +
    'with ordinality as loser (wallet_id, expected, number) cross join lateral (' +
    `select ${columns} from ledger.events stored where stored.wallet_id = loser.wallet_id ` +
    'and stored.revision > loser.expected order by stored.revision limit $3) event ' +
    'order by loser.number, event.revision',
} as const

// Also `on` in a standby, whatever its settings are.
const readOnlyStatement = "select current_setting('transaction_read_only') as setting"

interface EventRow {
  readonly stream: string
  readonly revision: string
  readonly position: string
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

class Reader {
  readonly #pool: pg.Pool
  readonly #running = new Set<Promise<unknown>>()
  readonly #onLost: () => void
  #isClosed = false

  constructor(url: string, onLost: () => void) {
    this.#onLost = onLost
    this.#pool = openPool(url, onLost, {
      max: storeReadConnections,
      application_name: 'wallet-read',
      query_timeout: readTimeoutMs,
      statement_timeout: readTimeoutMs,
    })
  }

  async events(
    name: Exclude<keyof typeof statements, 'missing'>,
    values: readonly unknown[],
  ): Promise<RecordedEvent[]> {
    const rows = await this.query<EventRow>({ name, text: statements[name], values: [...values] })
    return rows.map(recorded)
  }

  /** Handed events behind the last one seen, as a read would give them: the log still has both. */
  async stillThere(last: bigint, handed: readonly RecordedEvent[]): Promise<RecordedEvent[]> {
    const end = handed.at(-1)
    const found = await this.events('both', [last, end?.position])
    if (found.at(-1)?.id !== end?.id)
      throw new HistoryChangedError('what was written is not in the log any more')
    return [...found.slice(0, -1), ...handed]
  }

  /** For each lost batch the first events after its expected revision, in one statement. */
  async missing(batches: readonly AppendBatch[]): Promise<RecordedEvent[][]> {
    const share = Math.ceil(groupMissingEventsMax / batches.length)
    const rows = await this.query<EventRow & { number: string }>({
      name: 'missing',
      text: statements.missing,
      values: [
        batches.map((batch) => walletOf(batch.stream)),
        batches.map((batch) => batch.expectedRevision),
        Math.min(share, conflictEventsMax),
      ],
    })
    const missing = batches.map((): RecordedEvent[] => [])
    for (const row of rows) missing[Number(row.number) - 1]?.push(recorded(row))
    return missing
  }

  async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed')
    if (this.#pool.waitingCount >= storeReadsWaitingMax)
      throw new StoreUnavailableError('too many reads are in line')
    const running = this.#pool.query<Row>(query)
    this.#running.add(running)
    try {
      return (await running).rows
    } catch (cause) {
      // The pool drops a connection with any error of its query.
      this.#onLost()
      throw new StoreUnavailableError('a read got no answer', { cause })
    } finally {
      this.#running.delete(running)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // A pool that is told to end forgets who still waits for a connection.
    await Promise.allSettled(this.#running)
    await this.#pool.end()
  }
}

// The plans: a prepared statement on a fresh database would be planned for a small table and stay
// so. The isolation: what ledger.append relies on, whatever the database's default is.
const sessionOptions =
  '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off ' +
  '-c default_transaction_isolation=read\\ committed'

function openPool(url: string, onLost: () => void, settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: storeConnectMs,
    idleTimeoutMillis: 0,
    keepAlive: true,
    options: sessionOptions,
    verify: refuseStandby,
    ...settings,
  })
  // A connection that breaks is dropped by the pool, and its query rejects. Without listeners the
  // event alone would end the process. Idle ones may break unasked, so each tells it by itself.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', onLost))
  return pool
}

// A standby that is not promoted yet may still lack what it has received: nothing may be read from
// it that somebody would take for the end of a stream, or for an event that is gone.
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby').then(
    ({ rows }) => done(rows[0]?.standby === false ? undefined : new Error('this is a standby')),
    (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
  )
}

function recorded(row: EventRow): RecordedEvent {
  const { stream, id, type, data, metadata } = row
  const [revision, position] = [Number(row.revision), BigInt(row.position)]
  return { stream, revision, position, id, type, data, metadata }
}

/** What the promise gives, or undefined as soon as the signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let stop = (): void => undefined
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
