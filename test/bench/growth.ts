/**
 * What grows with the data: the first (cold) and the second (warm) debit and a page of a wallet,
 * with ever more entries in it, with ever more wallets beside it, with a thousand clients waiting,
 * and while the projections are behind. Without HTTP, on a PostgreSQL of its own.
 * `npm run bench -- --growth --entries 10,1000000 --wallets 1000,1000000 --behind 100000`.
 */
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletReader } from '../../src/reading/wallet-reader.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId, quietLog } from '../support/ledger.js'
import { benchCommand, FilledLedger, median } from './filled-ledger.js'
import type { Section } from './report.js'
import { whole } from './report.js'

export interface GrowthOptions {
  readonly entries: readonly number[]
  readonly wallets: readonly number[]
  readonly behind: number
  readonly say: (line: string) => void
}

const samples = 100
const fillsAtOnce = 256
const behindWallets = 1_000
const waitingDebits = 20_000
const fundsMinor = 1_000_000
let references = 0

export async function growthSections(options: GrowthOptions): Promise<Section[]> {
  const ledger = await FilledLedger.open()
  try {
    return [
      section('entries', 'More entries in a wallet', await byEntries(ledger, options)),
      section('wallets', 'More wallets', await byWallets(ledger, options)),
      section('waiting', 'More clients waiting', await byClients(ledger, options)),
      section('behind', 'Projections behind', await whileBehind(ledger, options)),
    ]
  } finally {
    await ledger.close()
  }
}

interface Grown {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function section(name: string, title: string, table: Grown): Section {
  return {
    name: `growth-${name}`,
    title,
    tables: [table],
    notes: [`Medians of ${samples} without HTTP; PostgreSQL durable as shipped.`],
  }
}

const timesHead = ['cold debit ms', 'warm debit ms', 'page ms']

async function byEntries(ledger: FilledLedger, { entries, say }: GrowthOptions): Promise<Grown> {
  const rows: string[][] = []
  for (const count of entries) {
    const walletId = newWalletId()
    say(`filling a wallet with ${whole(count)} entries …`)
    await ledger.fill(walletId, count, samples)
    await ledger.projectAll()
    await ledger.pool.query('analyze')
    rows.push([whole(count), ...(await timesOf(ledger, () => walletId))])
  }
  return { head: ['entries', ...timesHead], rows }
}

async function byWallets(ledger: FilledLedger, { wallets, say }: GrowthOptions): Promise<Grown> {
  const rows: string[][] = []
  const known: WalletId[] = []
  for (const count of wallets) {
    say(`filling ${whole(count)} wallets …`)
    known.push(...(await fillWallets(ledger, count - known.length)))
    await ledger.projectAll()
    await ledger.pool.query('analyze')
    rows.push([whole(count), ...(await timesOf(ledger, (sample) => pick(known, sample)))])
  }
  return { head: ['wallets', ...timesHead], rows }
}

async function byClients(ledger: FilledLedger, { say }: GrowthOptions): Promise<Grown> {
  const wallets = await fillWallets(ledger, behindWallets)
  await ledger.projectAll()
  const rows: string[][] = []
  for (const clients of [64, 1_000]) {
    say(`${whole(clients)} clients …`)
    const writer = writerOn(ledger)
    const times: number[] = []
    const startMs = performance.now()
    await atOnce(clients, waitingDebits, async (place) => {
      times.push(await timed(() => debit(writer, pick(wallets, place))))
    })
    const perSecond = (waitingDebits / (performance.now() - startMs)) * 1_000
    const p99 = times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? NaN
    rows.push([whole(clients), whole(perSecond), median(times).toFixed(1), p99.toFixed(1)])
  }
  await ledger.projectAll()
  return { head: ['clients', 'debits/s', 'p50 ms', 'p99 ms'], rows }
}

async function whileBehind(ledger: FilledLedger, { behind, say }: GrowthOptions): Promise<Grown> {
  const wallets = await fillWallets(ledger, behindWallets)
  await ledger.projectAll()
  const current = await timesOf(ledger, (sample) => pick(wallets, sample))
  say(`writing ${whole(behind)} events that nobody projects …`)
  const writer = writerOn(ledger)
  await atOnce(fillsAtOnce, behind, (place) => debit(writer, pick(wallets, place)))
  const late = await timesOf(ledger, (sample) => pick(wallets, sample))
  const startMs = performance.now()
  await ledger.projectAll()
  const perSecond = (behind / (performance.now() - startMs)) * 1_000
  return {
    head: ['events behind', ...timesHead, 'caught up, events/s'],
    rows: [
      ['0', ...current, ''],
      [whole(behind), ...late, whole(perSecond)],
    ],
  }
}

/** Each sample is a process that has just started: its first debit of a wallet, and its second. */
async function timesOf(
  ledger: FilledLedger,
  walletOf: (sample: number) => WalletId,
): Promise<string[]> {
  const { store, pool } = ledger
  const reader = new WalletReader({ store, pool })
  const times = { cold: [] as number[], warm: [] as number[], page: [] as number[] }
  for (let sample = 0; sample < samples; sample += 1) {
    const walletId = walletOf(sample)
    const writer = writerOn(ledger)
    times.cold.push(await timed(() => debit(writer, walletId)))
    times.warm.push(await timed(() => debit(writer, walletId)))
    times.page.push(await timed(() => reader.read(walletId, { limit: 10 })))
  }
  return [times.cold, times.warm, times.page].map((values) => median(values).toFixed(2))
}

function writerOn({ store, pool }: FilledLedger): WalletWriter {
  const system = { clock: systemClock, random: systemRandom, log: quietLog }
  const readModels = new PostgresReadModels(pool)
  const tables = new PostgresReadTables(pool)
  const verifyRows = () => verifyCheckpoint(store, tables)
  return new WalletWriter({ store, readModels, verifyRows, currency: 'usd', ...system })
}

async function fillWallets(ledger: FilledLedger, count: number): Promise<WalletId[]> {
  const wallets = Array.from({ length: Math.max(0, count) }, newWalletId)
  await atOnce(fillsAtOnce, wallets.length, (place) =>
    ledger.fill(at(wallets, place), 1, fundsMinor),
  )
  return wallets
}

function debit(writer: WalletWriter, walletId: WalletId): Promise<unknown> {
  references += 1
  return writer.execute(walletId, benchCommand('Debit', walletId, `GROWTH-${references}`))
}

async function atOnce(
  clients: number,
  count: number,
  work: (place: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
}

/** One after the other, far from each other. */
function pick(wallets: readonly WalletId[], place: number): WalletId {
  return at(wallets, (place * 7_919) % wallets.length)
}

function at(wallets: readonly WalletId[], place: number): WalletId {
  const walletId = wallets[place]
  if (walletId === undefined) throw new Error('there is no wallet')
  return walletId
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
