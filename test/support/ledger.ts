/**
 * A whole ledger on a database of the test's own: PostgreSQL store, writer, reader, projector.
 * Projections run when the test says so, unless it starts a runner.
 */
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { readCheckpoint, verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import { placeAfter, project } from '../../projections/projector.js'
import type { LogPlace } from '../../projections/projector.js'
import { ProjectionRunner } from '../../projections/runner.js'
import { walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { EntryCommand, WalletCommand } from '../../src/domain/wallet.js'
import type { EventStore, RecordedEvent } from '../../src/event-store/event-store.js'
import { PostgresEventStore } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { connect, createPool } from '../../src/platform/postgres.js'
import type { Pool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletReader } from '../../src/reading/wallet-reader.js'
import type { Answer, EntryAnswer } from '../../src/writing/waiting-command.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { migratedDatabase } from './database.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

export const quietLog = pino({ level: 'silent' })

export class TestDatabaseLedger {
  readonly url: string
  readonly pool: Pool
  readonly tables: PostgresReadTables
  readonly store: EventStore
  readonly writer: WalletWriter
  readonly reader: WalletReader

  private constructor(url: string, pool: Pool, store: EventStore) {
    const system = { clock: systemClock, random: systemRandom, log: quietLog }
    this.url = url
    this.pool = pool
    this.tables = new PostgresReadTables(pool)
    this.store = store
    const readModels = new PostgresReadModels(pool)
    const verifyRows = () => verifyCheckpoint(store, this.tables)
    const parts = { store, readModels, verifyRows, currency: 'usd' }
    this.writer = new WalletWriter({ ...parts, ...system })
    this.reader = new WalletReader({ store, pool })
  }

  /** On a new database, or on another store than the database's own. */
  static async open(t: Teardown, given?: { store: EventStore }): Promise<TestDatabaseLedger> {
    const { url } = await migratedDatabase(t)
    return TestDatabaseLedger.#start(t, url, poolOf(url), given?.store)
  }

  /** The same with the apps that tests issue entries as: an audit asks identity for them. */
  static async audited(t: Teardown, given?: { store: EventStore }): Promise<TestDatabaseLedger> {
    const ledger = await TestDatabaseLedger.open(t, given)
    await ledger.pool.query(registerIssuers)
    return ledger
  }

  /** Another process on the same database. */
  static async join(t: Teardown, url: string): Promise<TestDatabaseLedger> {
    return TestDatabaseLedger.#start(t, url, poolOf(url), undefined)
  }

  static async #start(t: Teardown, url: string, pool: Pool, given: EventStore | undefined) {
    const store = given ?? new PostgresEventStore({ url, clock: systemClock })
    const ledger = new TestDatabaseLedger(url, pool, store)
    await verifyCheckpoint(store, ledger.tables)
    t.teardown(async () => {
      await ledger.writer.close()
      if (given === undefined) await store.close()
      await pool.end()
    })
    return ledger
  }

  send(walletId: WalletId, command: EntryCommand): Promise<EntryAnswer>
  send(walletId: WalletId, command: WalletCommand): Promise<Answer>
  send(walletId: WalletId, command: WalletCommand): Promise<Answer> {
    return this.writer.execute(walletId, command)
  }

  runner(t: Teardown): ProjectionRunner {
    const { store, tables } = this
    const system = { clock: systemClock, random: systemRandom, log: quietLog }
    const runner = new ProjectionRunner({ store, tables, ...system })
    t.teardown(() => runner.stop())
    return runner
  }

  /** Every event of the log beyond a position. */
  async events(after = 0n): Promise<RecordedEvent[]> {
    const last = await this.store.lastEvent()
    if (last === undefined || last.position <= after) return []
    const found: RecordedEvent[] = []
    const done = new AbortController()
    const options = { maxCount: 1_000, maxWaitMs: 0, signal: done.signal }
    for await (const batch of this.store.tail({ after, ...options })) {
      found.push(...batch.filter((event) => event.position <= last.position))
      if (batch.some((event) => event.position >= last.position)) break
    }
    done.abort()
    return found
  }

  /** Brings the read models to the end of the log, as a runner would. */
  async project(batchSize = 100): Promise<void> {
    let after: LogPlace = await readCheckpoint(this.pool)
    const all = await this.events(after.position)
    for (let start = 0; start < all.length; start += batchSize) {
      const events = all.slice(start, start + batchSize)
      await project(this.tables, { after, events })
      after = placeAfter(after, events)
    }
  }

  /** Everything that the read models hold, for comparing two of them. */
  async rows(schema = 'read'): Promise<Record<string, unknown[]>> {
    const tables = { wallets: 1, transactions: 1, journal_totals: 1, checkpoint: 1 }
    const rows: Record<string, unknown[]> = {}
    for (const [table, key] of Object.entries(tables))
      rows[table] = (await this.pool.query(`select * from ${schema}.${table} order by ${key}`)).rows
    return rows
  }

  /** A connection as a rebuild takes it. */
  connect = () => connect(this.url, 'test')
}

/** They can do nothing, having no secrets. */
const registerIssuers = `
  insert into identity.client_apps (client_id, name, allowed_origins, allowed_iframe_parents,
    scopes, is_active, created_at)
  select id, id, '{}', '{}', '{}', false, now() from unnest(array['shop', 'market']) id`

export function newWalletId(): WalletId {
  return walletIdOf(randomUUID())
}

function poolOf(url: string): Pool {
  return createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
}
