/**
 * What grows with the data: the first (cold) and the second (warm) debit and a page of a wallet,
 * with ever more entries in it, with ever more wallets beside it, with a thousand clients waiting,
 * and while the projections are behind; and how long a start takes with so many wallets. Without
 * HTTP, on a PostgreSQL of its own.
 * `npm run bench -- --growth`; smaller: `--entries 10,1000 --wallets 1000,10000 --behind 1000`; one
 * alone: `--parts wallets`.
 */
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import * as limits from '../../src/limits.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletReader } from '../../src/reading/wallet-reader.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId, quietLog } from '../support/ledger.js'
import { benchCommand, FilledLedger, median } from './filled-ledger.js'
import { readyAfterMs, readyGoalMs } from './ready.js'
import type { Section } from './report.js'
import { whole } from './report.js'

export const growthParts = ['entries', 'wallets', 'waiting', 'behind'] as const
type GrowthPart = (typeof growthParts)[number]

export interface GrowthOptions {
  readonly parts: readonly string[]
  readonly entries: readonly number[]
  readonly wallets: readonly number[]
  readonly behind: number
  readonly say: (line: string) => void
}

const samples = 100
const fillsAtOnce = 256
const behindWallets = 1_000
const waitingDebits = 10_000
const waitingRounds = 5
const fundsMinor = 1_000_000
let references = 0

export async function growthSections(options: GrowthOptions): Promise<Section[]> {
  const ledger = await FilledLedger.open()
  try {
    const sections: Section[] = []
    for (const part of growthParts)
      if (options.parts.includes(part))
        sections.push(section(part, await measures[part](ledger, options)))
    return sections
  } finally {
    await ledger.close()
  }
}

interface Grown {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const measures: Readonly<
  Record<GrowthPart, (ledger: FilledLedger, options: GrowthOptions) => Promise<Grown>>
> = { entries: byEntries, wallets: byWallets, waiting: byClients, behind: whileBehind }

/** Titles, and what there is that grows, or why nothing does. */
const told = {
  entries: {
    title: 'More entries in a wallet',
    why:
      'A debit reads the one row of its wallet and looks its reference up in an index, and a ' +
      'page is ten rows of another: none of them walks along the entries.',
  },
  wallets: {
    title: 'More wallets',
    why:
      'Nothing walks along the wallets. What grows is the depth of the indexes, and how much of ' +
      'them PostgreSQL finds in its memory: a wallet that nobody has touched for long comes from ' +
      'the disk. A start reads no wallet: ready is from the start of the process, which starts ' +
      'its PostgreSQL too; the quickest of five.',
  },
  waiting: {
    title: 'More clients waiting',
    why:
      'A time is the wait of a queue: as many clients as wait, divided by the debits a second. ' +
      'What must not fall is the latter.',
  },
  behind: {
    title: 'Projections behind',
    why:
      'The first debit of a wallet reads what its stream holds beyond its row, which is a ' +
      'thousandth of what is behind, and so does a page, to be exact; the debits after it read ' +
      'nothing.',
  },
}

function section(name: GrowthPart, table: Grown): Section {
  const { title, why } = told[name]
  const how =
    name === 'waiting'
      ? `${whole(waitingDebits)} debits, ${waitingRounds} rounds in turns, median rate`
      : `First quartile of ${samples}`
  return {
    name: `growth-${name}`,
    title,
    tables: [table],
    notes: [
      `${how}; without HTTP, PostgreSQL durable as shipped.`,
      '',
      `${fromFirstToLast(table)} ${why}`,
    ],
  }
}

/** Flat is × 1. */
function fromFirstToLast({ head, rows }: Grown): string {
  const [first = [], last = []] = [rows[0], rows.at(-1)]
  const numberAt = (row: readonly string[], column: number): number =>
    Number((row[column] || 'none').replaceAll(',', ''))
  const ratios = head.slice(1).flatMap((name, index) => {
    const ratio = numberAt(last, index + 1) / numberAt(first, index + 1)
    return Number.isFinite(ratio)
      ? [`${name.replace(/ m?s( \(.*\))?$/, '')} × ${ratio.toFixed(2)}`]
      : []
  })
  return `From ${first[0] ?? ''} to ${last[0] ?? ''}: ${ratios.join(', ')}.`
}

const timesHead = ['cold debit ms', 'warm debit ms', 'page ms']

async function byEntries(ledger: FilledLedger, { entries, say }: GrowthOptions): Promise<Grown> {
  const wallets: WalletId[] = []
  for (const count of entries) {
    const walletId = newWalletId()
    wallets.push(walletId)
    say(`filling a wallet with ${whole(count)} entries …`)
    await ledger.fill(walletId, count, samples)
    await ledger.projectAll()
  }
  await ledger.analyze()
  // In turns: whatever the machine does beside, it does to all of them.
  const sampled = wallets.map(() => new Times())
  for (let sample = 0; sample < samples; sample += 1) {
    await ledger.projectAll()
    for (const [place, times] of sampled.entries())
      await takeSample(ledger, at(wallets, place), times)
  }
  const rows = entries.map((count, place) => [whole(count), ...(sampled[place]?.figures() ?? [])])
  return { head: ['entries', ...timesHead], rows }
}

async function byWallets(ledger: FilledLedger, { wallets, say }: GrowthOptions): Promise<Grown> {
  const rows: string[][] = []
  const known: WalletId[] = []
  for (const count of wallets) {
    say(`filling ${whole(count)} wallets …`)
    for (const walletId of await fillWallets(ledger, count - known.length)) known.push(walletId)
    await ledger.projectAll()
    await ledger.analyze()
    const times = await timesOf(ledger, (sample) => pick(known, sample))
    await ledger.projectAll()
    say('starting the service on them …')
    const readyMs = await ledger.whileClosed(readyAfterMs)
    rows.push([whole(count), ...times, (readyMs / 1_000).toFixed(2)])
  }
  return { head: ['wallets', ...timesHead, `ready s (goal ${readyGoalMs / 1_000})`], rows }
}

interface Crowd {
  readonly clients: number
  readonly rates: number[]
  readonly times: number[]
}

async function byClients(ledger: FilledLedger, { say }: GrowthOptions): Promise<Grown> {
  const wallets = await fillWallets(ledger, behindWallets)
  await ledger.projectAll()
  const crowds = [64, 1_000].map((clients): Crowd => ({ clients, rates: [], times: [] }))
  for (let round = 0; round < waitingRounds; round += 1)
    for (const { clients, rates, times } of crowds) {
      say(`${whole(clients)} clients …`)
      const writer = writerOn(ledger)
      const startMs = performance.now()
      await atOnce(clients, waitingDebits, async (place) => {
        times.push(await timed(() => debit(writer, pick(wallets, place))))
      })
      rates.push((waitingDebits / (performance.now() - startMs)) * 1_000)
      await ledger.projectAll()
    }
  const rows = crowds.map(({ clients, rates, times }) => [
    whole(clients),
    whole(median(rates)),
    ...[0.5, 0.99].map((part) => placed(times, part).toFixed(1)),
  ])
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

async function timesOf(
  ledger: FilledLedger,
  walletOf: (sample: number) => WalletId,
): Promise<string[]> {
  const times = new Times()
  for (let sample = 0; sample < samples; sample += 1)
    await takeSample(ledger, walletOf(sample), times)
  return times.figures()
}

class Times {
  readonly cold: number[] = []
  readonly warm: number[] = []
  readonly page: number[] = []

  /** Of quiet moments: what others do on the machine shows less than in a median. */
  figures(): string[] {
    return [this.cold, this.warm, this.page].map((values) => placed(values, 0.25).toFixed(2))
  }
}

/** A writer without lanes: its first debit of the wallet, and its second; and a page. */
async function takeSample(ledger: FilledLedger, walletId: WalletId, times: Times): Promise<void> {
  const reader = new WalletReader({ store: ledger.store, pool: ledger.pool })
  const writer = writerOn(ledger)
  // The very first debit of a process also has the rows proven, once for all wallets.
  await debit(writer, newWalletId())
  times.cold.push(await timed(() => debit(writer, walletId)))
  times.warm.push(await timed(() => debit(writer, walletId)))
  times.page.push(await timed(() => reader.read(walletId, { limit: 10 })))
}

/** The value below which such a part of them is. */
export function placed(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(values.length * part)] ?? NaN
}

/** As many lanes as it may have, unless told. */
export function writerOn(
  { store, pool }: FilledLedger,
  lanesMax: number = limits.lanesMax,
): WalletWriter {
  const system = { clock: systemClock, random: systemRandom, log: quietLog }
  const readModels = new PostgresReadModels(pool)
  const tables = new PostgresReadTables(pool)
  const verifyRows = () => verifyCheckpoint(store, tables)
  const parts = { store, readModels, verifyRows, currency: 'usd' }
  return new WalletWriter({ ...parts, ...system }, { ...limits, lanesMax })
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

export async function atOnce(
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
