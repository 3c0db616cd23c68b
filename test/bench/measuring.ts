/**
 * Rounds of load on the services of the benchmark, one after the other and checked: throughput of
 * errors, or of writes that are not in the database, is worth nothing.
 * Promises: what a load leaves to be done is done before the next one begins; medians of rounds.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Contender, Wallets } from './contenders.js'
import type { Load, LoadResult, Pattern } from './load.js'
import { whole } from './report.js'

export interface Case {
  readonly label: string
  readonly contender: Contender
  readonly wallets: Wallets
  readonly pattern: Pattern
  readonly connections: number
}

export interface Round extends LoadResult {
  /** Events that waited for the projections when the load ended. */
  readonly backlog: number
  /** Processor time a request, until the projections have caught up too. */
  readonly serviceMicros: number
  readonly databaseMicros: number
}

export interface Measurement extends Case {
  readonly rounds: Round[]
}

const warmUpSecondsMax = 3
const warmUpRequestsOfAWallet = 3
const warmUpRunsMax = 5
const settleMs = 500
const settleLimitMs = 60_000

let interrupted = false
process.once('SIGINT', () => (interrupted = true))

/** Alternating: whatever the machine does beside, it does to all of them. */
export async function measure(
  load: Load,
  cases: readonly Case[],
  { rounds, seconds, say }: { rounds: number; seconds: number; say: (line: string) => void },
): Promise<Measurement[]> {
  const measurements = cases.map((one): Measurement => ({ ...one, rounds: [] }))
  for (const measurement of measurements) await warmUp(load, measurement, seconds)
  for (let round = 1; round <= rounds; round += 1)
    for (const measurement of measurements) {
      const result = await runChecked(load, measurement, seconds)
      measurement.rounds.push(result)
      const rate = Math.round(result.perSecond).toLocaleString('en')
      say(`round ${round}  ${measurement.label.padEnd(24)} ${rate.padStart(8)}/s`)
    }
  return measurements
}

/** Until code is compiled and nearly every wallet was touched: the first debit of each is cold. */
async function warmUp(load: Load, one: Case, seconds: number): Promise<void> {
  const { pattern, wallets, contender } = one
  const users = wallets === 'cold' ? 0 : contender.users[wallets].length
  const enough = pattern === 'replays' ? 1_000 : users * warmUpRequestsOfAWallet
  let requests = 0
  // Every replay must have been a debit before, however slow the machine is.
  const runsMax = pattern === 'replays' ? Infinity : warmUpRunsMax
  for (let runs = 0; runs === 0 || (requests < enough && runs < runsMax); runs += 1)
    requests += (await run(load, one, Math.min(seconds, warmUpSecondsMax))).acknowledged
  await untilSettled(contender)
}

/** All processes of a contender at once, each with its share of the connections. */
async function run(load: Load, one: Case, seconds: number): Promise<LoadResult> {
  if (interrupted) throw new Error('Interrupted.')
  const { contender, wallets, pattern } = one
  const { origins, clientId, clientSecret, users } = contender
  const connections = Math.ceil(one.connections / origins.length)
  const results = await Promise.all(
    origins.map((origin) =>
      load.run(
        { origin, clientId, clientSecret, serviceUserIds: users[wallets] },
        { pattern, connections, seconds },
      ),
    ),
  )
  const sum = (key: keyof LoadResult): number => results.reduce((all, each) => all + each[key], 0)
  return {
    acknowledged: sum('acknowledged'),
    failures: sum('failures'),
    writes: sum('writes'),
    perSecond: sum('perSecond'),
    medianMs: sum('medianMs') / results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  }
}

export async function runChecked(load: Load, one: Case, seconds: number): Promise<Round> {
  const { contender, label } = one
  const before = await contender.countEvents()
  const started = await contender.processorMicros()
  const result = await run(load, one, seconds)
  const backlog = await contender.countBacklog()
  if (result.failures > 0)
    throw new Error(`${label}: ${result.failures} answers were wrong, or connections broke.`)
  // What is left to do would otherwise be done during the next one's round.
  await untilSettled(contender)
  requireWritten(one, result, (await contender.countEvents()) - before)
  const ended = await contender.processorMicros()
  return {
    ...result,
    backlog,
    serviceMicros: (ended.service - started.service) / result.acknowledged,
    databaseMicros: (ended.database - started.database) / result.acknowledged,
  }
}

/** The load ends with a request under way on each connection: it may be written. */
function requireWritten(one: Case, { writes }: LoadResult, written: number): void {
  const { contender, connections, label, pattern } = one
  // The empty route writes nothing, and a replay wrote its event during the warm-up.
  const isEmpty = contender.users.cold.length === 0 && written === 0 && label.startsWith('empty')
  const expected = pattern === 'replays' || isEmpty ? 0 : writes
  const missing = expected - written
  if (missing < 0 || missing > connections)
    throw new Error(`${label}: ${expected} writes were sent, but ${written} are written.`)
}

/** Also what was under way when the load ended is then written and counted. */
async function untilSettled(contender: Contender): Promise<void> {
  const giveUpMs = performance.now() + settleLimitMs
  for (let seen = -1; performance.now() < giveUpMs;) {
    const events = await contender.countEvents()
    if (events === seen && (await contender.countBacklog()) <= 0) return
    seen = events
    await pause(settleMs)
  }
  throw new Error('A service is still busy long after its load; or the projections are stuck.')
}

export function medianOf({ rounds }: Measurement, key: keyof Round): number {
  return median(rounds.map((round) => round[key]))
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? NaN
  return (low + (sorted[Math.floor(middle)] ?? NaN)) / 2
}

export const figureNames = ['requests/s', 'p50 ms', 'p99 ms', 'Node µs', 'PG µs']

export function figuresOf(measurement: Measurement): string[] {
  return [
    whole(medianOf(measurement, 'perSecond')),
    medianOf(measurement, 'medianMs').toFixed(1),
    medianOf(measurement, 'p99Ms').toFixed(1),
    whole(medianOf(measurement, 'serviceMicros')),
    whole(medianOf(measurement, 'databaseMicros')),
  ]
}
