/**
 * A ledger for the benchmarks: an embedded PostgreSQL of its own in a temporary folder, durable as
 * shipped, filled past the writer at full speed with events that the rules would have written.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCheckpoint, verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import { project } from '../../projections/projector.js'
import type { LogPlace } from '../../projections/projector.js'
import { ensureReadSchema } from '../../projections/read-schema.js'
import { entryIdOf, streamOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { OutcomeMemory } from '../../src/domain/outcome-memory.js'
import { reference } from '../../src/domain/reference.js'
import { decide, emptyWallet, open } from '../../src/domain/wallet.js'
import type { Wallet, WalletCommand } from '../../src/domain/wallet.js'
import type { StoredEvent } from '../../src/domain/wallet-stream.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import { PostgresEventStore, postgresEventStoreMigrations } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'
import { migrate } from '../../src/platform/migrations.js'
import type { Migration } from '../../src/platform/migrations.js'
import { connect, createPool } from '../../src/platform/postgres.js'
import type { Pool } from '../../src/platform/postgres.js'

const batchEvents = 1_000
const issuer = 'client-app:bench'

interface Opened {
  readonly url: string
  readonly pool: Pool
  readonly store: PostgresEventStore
  close(): Promise<void>
}

export class FilledLedger {
  readonly #folder: string
  #opened: Opened

  private constructor(folder: string, opened: Opened) {
    this.#folder = folder
    this.#opened = opened
  }

  static async open(
    migrations: readonly Migration[] = postgresEventStoreMigrations,
  ): Promise<FilledLedger> {
    const folder = await mkdtemp(join(tmpdir(), 'wallet-bench-'))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const ledger = new FilledLedger(folder, await opened(folder))
    const { pool, store } = ledger
    try {
      await migrate(pool, migrations)
      await ensureReadSchema(pool)
      await verifyCheckpoint(store, new PostgresReadTables(pool))
      return ledger
    } catch (error) {
      await ledger.close()
      throw error
    }
  }

  get pool(): Pool {
    return this.#opened.pool
  }

  get store(): PostgresEventStore {
    return this.#opened.store
  }

  /** So that PostgreSQL plans by what is there; of millions it takes longer than a query may. */
  async analyze(): Promise<void> {
    const client = await connect(this.#opened.url, 'bench')
    await client.query('analyze')
    await client.end()
  }

  /** For a service that has this folder as its own: PostgreSQL is stopped before, and after. */
  async whileClosed<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.#opened.close()
    const result = await work(this.#folder)
    this.#opened = await opened(this.#folder)
    return result
  }

  /** With so many credits, each of this amount. */
  async fill(walletId: WalletId, entries: number, amountMinor = 1): Promise<void> {
    let wallet: Wallet = emptyWallet(walletId)
    let batch: StoredEvent[] = []
    let expectedRevision = -1
    let expectedId: string | undefined
    const flush = async (): Promise<void> => {
      const place = { stream: streamOf(walletId), expectedRevision, expectedId }
      await this.store.append({ ...place, events: batch })
      expectedRevision += batch.length
      expectedId = batch.at(-1)?.id
      batch = []
    }
    const time = new Date().toISOString()
    const opened = writeNext(wallet, open(wallet, { currency: 'usd', time }))
    wallet = opened.wallet
    batch.push(opened.stored)
    for (let index = 0; index < entries; index += 1) {
      const command = benchCommand('Credit', walletId, `FILL-${index}`, amountMinor)
      const decision = decide(wallet, command, new OutcomeMemory(), time)
      if (decision.kind === 'replay') throw new Error('a reference was used twice')
      const next = writeNext(wallet, decision.event)
      wallet = next.wallet
      batch.push(next.stored)
      if (batch.length === batchEvents) await flush()
    }
    if (batch.length > 0) await flush()
  }

  async projectAll(): Promise<void> {
    const last = await this.store.lastEvent()
    let after: LogPlace = await readCheckpoint(this.pool)
    if (last === undefined || after.position >= last.position) return
    const tables = new PostgresReadTables(this.pool)
    const done = new AbortController()
    const options = { maxCount: batchEvents, maxWaitMs: 0, signal: done.signal }
    for await (const events of this.store.tail({ after: after.position, ...options })) {
      after = await project(tables, { after, events })
      if (after.position >= last.position) break
    }
    done.abort()
  }

  async close(): Promise<void> {
    await this.#opened.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

async function opened(folder: string): Promise<Opened> {
  const notice = (line: string): void => console.log(line)
  const postgres = await openEmbeddedPostgres({ dataDir: folder, serve: false, notice })
  const { url } = postgres
  const pool = createPool({ url, max: 4, applicationName: 'bench', onIdleError: console.error })
  const store = new PostgresEventStore({ url, clock: systemClock })
  const close = async (): Promise<void> => {
    await store.close()
    await pool.end()
    await postgres.close()
  }
  return { url, pool, store, close }
}

export function benchCommand(
  type: 'Credit' | 'Debit',
  walletId: WalletId,
  id: string,
  amountMinor = 1,
): WalletCommand {
  const pair = reference('BENCH', id)
  const entryId = entryIdOf({ issuer, walletId, reference: pair })
  return { type, entryId, issuer, reference: pair, amountMinor }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
