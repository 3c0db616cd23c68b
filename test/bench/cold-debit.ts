/**
 * Prints how long a cold debit takes on a wallet with 10 entries and on one with 1,000,000 (or the
 * number given as the first argument): the medians of alternating rounds, and their ratio.
 * Run: node --import tsx test/bench/cold-debit.ts [entries]
 * It uses an embedded PostgreSQL of its own, durable settings as shipped, in a temporary folder.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../../projections/projector.js'
import { ensureReadSchema } from '../../projections/read-schema.js'
import { entryIdOf, streamOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { decide, emptyWallet, open } from '../../src/domain/wallet.js'
import type { Wallet, WalletCommand } from '../../src/domain/wallet.js'
import type { StoredEvent } from '../../src/domain/wallet-stream.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import { PostgresEventStore, postgresEventStoreSql } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.js'
import { migrate } from '../../src/platform/migrations.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId, quietLog } from '../support/ledger.js'

const largeEntries = Number(process.argv[2] ?? 1_000_000)
const smallEntries = 10
const warmUps = 20
const rounds = 200
const batchEvents = 1_000
const issuer = 'client-app:bench'

const folder = await mkdtemp(join(tmpdir(), 'wallet-bench-'))
// As root PostgreSQL runs as another user, who must be able to enter.
await chmod(folder, 0o755)
const postgres = await openEmbeddedPostgres({
  dataDir: folder,
  serve: false,
  notice: (line) => console.log(line),
})
const { url } = postgres
const pool = createPool({ url, max: 4, applicationName: 'bench', onIdleError: console.error })
const store = new PostgresEventStore({ url, clock: systemClock })
try {
  await migrate(pool, [{ name: '0002-event-store', sql: postgresEventStoreSql() }])
  await ensureReadSchema(pool)
  // A wallet of its own for each round: a debit adds an entry, and ten shall stay ten.
  const small = Array.from({ length: warmUps + rounds }, newWalletId)
  const large = newWalletId()
  for (const walletId of small) await fill(walletId, smallEntries)
  const startMs = performance.now()
  await fill(large, largeEntries)
  console.log(`filled ${largeEntries} entries in ${seconds(performance.now() - startMs)}`)
  await projectAll()
  console.log(`projected them in ${seconds(performance.now() - startMs)} in all`)
  await pool.query('analyze')
  await measure({ small, large })
} finally {
  await store.close()
  await pool.end()
  await postgres.close()
  await rm(folder, { recursive: true, force: true })
}

async function measure(wallets: { small: WalletId[]; large: WalletId }): Promise<void> {
  const times = { small: [] as number[], large: [] as number[] }
  for (const [round, small] of wallets.small.entries()) {
    const smallMs = await coldDebitMs(small, round)
    const largeMs = await coldDebitMs(wallets.large, round)
    if (round % 20 === 0) await projectAll()
    if (round < warmUps) continue
    times.small.push(smallMs)
    times.large.push(largeMs)
  }
  const [smallMs, largeMs] = [median(times.small), median(times.large)]
  console.log(`cold debit, ${smallEntries} entries: ${smallMs.toFixed(2)} ms (median of ${rounds})`)
  console.log(`cold debit, ${largeEntries} entries: ${largeMs.toFixed(2)} ms (median of ${rounds})`)
  console.log(`ratio: ${(largeMs / smallMs).toFixed(2)}`)
}

/** A new writer has no lanes: this is what the first debit after a start or an eviction costs. */
async function coldDebitMs(walletId: WalletId, round: number): Promise<number> {
  const system = { clock: systemClock, random: systemRandom, log: quietLog }
  const readModels = new PostgresReadModels(pool)
  const writer = new WalletWriter({ store, readModels, currency: 'usd', ...system })
  const startMs = performance.now()
  await writer.execute(walletId, command('Debit', walletId, `COLD-${round}`))
  return performance.now() - startMs
}

async function fill(walletId: WalletId, entries: number): Promise<void> {
  let wallet: Wallet = emptyWallet(walletId)
  let batch: StoredEvent[] = []
  let expectedRevision = -1
  const flush = async (): Promise<void> => {
    await store.append({ stream: streamOf(walletId), expectedRevision, events: batch })
    expectedRevision += batch.length
    batch = []
  }
  const time = new Date().toISOString()
  const opened = writeNext(wallet, open(wallet, { currency: 'usd', time }))
  wallet = opened.wallet
  batch.push(opened.stored)
  for (let index = 0; index < entries; index += 1) {
    const decision = decide(wallet, command('Credit', walletId, `FILL-${index}`), { time })
    if (decision.kind === 'replay') throw new Error('a reference was used twice')
    const next = writeNext(wallet, decision.event)
    wallet = next.wallet
    batch.push(next.stored)
    if (batch.length === batchEvents) await flush()
  }
  if (batch.length > 0) await flush()
}

function command(type: 'Credit' | 'Debit', walletId: WalletId, id: string): WalletCommand {
  const pair = reference('BENCH', id)
  const entryId = entryIdOf({ issuer, walletId, reference: pair })
  return { type, entryId, issuer, reference: pair, amountMinor: 1 }
}

async function projectAll(): Promise<void> {
  const last = await store.lastEvent()
  const { rows } = await pool.query<{ position: string }>('select position from read.checkpoint')
  const after = BigInt(rows[0]?.position ?? 0)
  if (last === undefined || after >= last.position) return
  const done = new AbortController()
  const options = { maxCount: batchEvents, maxWaitMs: 0, signal: done.signal }
  for await (const events of store.tail({ after, ...options }))
    if ((await project(pool, events)) >= last.position) break
  done.abort()
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
