/**
 * `npm run bench`: debits a second of an empty route, a bare log, a plain service and ours, in one
 * run on loopback; medians of alternating rounds, one table, about four minutes
 * (docs/guides/benchmark.md).
 * Options: --rounds 4 --seconds 5 --profile <folder for a CPU profile of ours>.
 * Fails when an answer is no 200, or when a database does not hold every acknowledged debit. A
 * missed goal is printed and is no failure: machines differ.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Contender } from './contenders.js'
import { startBareLog, startEmpty, startOurs, startPlain, walletCount } from './contenders.js'
import type { Load, LoadResult } from './load.js'
import { connections, findLoad } from './load.js'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '5' },
    profile: { type: 'string' },
  },
})
const rounds = wholeNumber('--rounds', options.rounds)
const roundSeconds = wholeNumber('--seconds', options.seconds)
const warmUpSeconds = 3
const warmUpDebitsOfAWallet = 3
const warmUpRunsMax = 8
const settleMs = 500
const settleLimitMs = 60_000

type Pattern = 'spread' | 'hot'

interface Round extends LoadResult {
  /** Events that waited for the projections when the load ended. */
  readonly backlog: number
  /** Processor time a debit, until the projections have caught up too. */
  readonly serviceMicros: number
  readonly databaseMicros: number
}

interface Measurement {
  readonly label: string
  readonly contender: Contender
  readonly pattern: Pattern
  readonly rounds: Round[]
}

const folder = await mkdtemp(join(tmpdir(), 'wallet-bench-'))
const contenders: Contender[] = []
let interrupted = false
process.once('SIGINT', () => (interrupted = true))
try {
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  await compare(await findLoad(folder))
} catch (error) {
  process.exitCode = 1
  console.error(error instanceof Error ? error.message : error)
} finally {
  for (const contender of contenders.reverse()) await contender.stop()
  await rm(folder, { recursive: true, force: true })
}

async function compare(load: Load): Promise<void> {
  say(`Starting an empty route, a bare log, a plain service and ours; load from ${load.name} …`)
  const empty = await started(startEmpty())
  const bareLog = await started(startBareLog(join(folder, 'bare-log')))
  const plain = await started(startPlain(join(folder, 'plain')))
  const profileFolder = options.profile === undefined ? undefined : resolve(options.profile)
  const ours = await started(startOurs(join(folder, 'ours'), profileFolder))
  const measurements = [
    newMeasurement('empty route', empty, 'spread'),
    newMeasurement('bare log', bareLog, 'spread'),
    newMeasurement('plain, spread', plain, 'spread'),
    newMeasurement('ours, spread', ours, 'spread'),
    newMeasurement('plain, hot', plain, 'hot'),
    newMeasurement('ours, hot', ours, 'hot'),
  ]
  for (const measurement of measurements) await warmUp(load, measurement)
  for (let round = 1; round <= rounds; round += 1)
    for (const measurement of measurements) {
      const { contender, pattern } = measurement
      const result = await runChecked(load, contender, pattern, roundSeconds)
      measurement.rounds.push(result)
      const { label } = measurement
      say(`round ${round}  ${label.padEnd(14)} ${whole(result.perSecond).padStart(8)}/s`)
    }
  printTable(load, measurements)
}

async function started(starting: Promise<Contender>): Promise<Contender> {
  const contender = await starting
  contenders.push(contender)
  return contender
}

function newMeasurement(label: string, contender: Contender, pattern: Pattern): Measurement {
  return { label, contender, pattern, rounds: [] }
}

/** Until code is compiled and nearly every wallet was touched: the first debit of each is cold. */
async function warmUp(load: Load, { contender, pattern }: Measurement): Promise<void> {
  const enough = contender[pattern].serviceUserIds.length * warmUpDebitsOfAWallet
  let debits = 0
  for (let runs = 0; runs === 0 || (debits < enough && runs < warmUpRunsMax); runs += 1)
    debits += (await runChecked(load, contender, pattern, warmUpSeconds)).acknowledged
}

/** One load. Throughput of errors, or of debits that are not in the database, is worth nothing. */
async function runChecked(
  load: Load,
  contender: Contender,
  pattern: Pattern,
  seconds: number,
): Promise<Round> {
  if (interrupted) throw new Error('Interrupted.')
  const before = await contender.countDebits()
  const started = await contender.processorMicros()
  const result = await load.run(contender[pattern], seconds)
  const backlog = await contender.countBacklog()
  if (result.failures > 0)
    throw new Error(`${result.failures} answers were no 200, or connections broke (${pattern}).`)
  // What is left to do would otherwise be done during the next one's round.
  await untilSettled(contender)
  const written = (await contender.countDebits()) - before
  // The load ends with a request under way on each connection: written, and its answer unread.
  const unread = written - result.acknowledged
  if (contender !== contenders[0] && (unread < 0 || unread > connections))
    throw new Error(`${result.acknowledged} debits acknowledged, but ${written} are written.`)
  const ended = await contender.processorMicros()
  return {
    ...result,
    backlog,
    serviceMicros: (ended.service - started.service) / result.acknowledged,
    databaseMicros: (ended.database - started.database) / result.acknowledged,
  }
}

/** Also what was under way when the load ended is then written and counted. */
async function untilSettled(contender: Contender): Promise<void> {
  const giveUpMs = performance.now() + settleLimitMs
  for (let seen = -1; performance.now() < giveUpMs;) {
    const debits = await contender.countDebits()
    if (debits === seen && (await contender.countBacklog()) <= 0) return
    seen = debits
    await pause(settleMs)
  }
  throw new Error('A service is still busy long after its load; or the projections are stuck.')
}

function printTable(load: Load, measurements: readonly Measurement[]): void {
  const speeds = measurements.map((measurement) => medianOf(measurement, 'perSecond'))
  const [empty = NaN, , plainSpread = NaN, oursSpread = NaN, plainHot = NaN, oursHot = NaN] = speeds
  const plainOf = { spread: plainSpread, hot: plainHot }
  const where = `Node ${process.versions.node}, ${availableParallelism()} processors`
  const rule = `${rounds} rounds of ${roundSeconds} s, medians`
  const lines = measurements.map((measurement, index) => {
    const speed = speeds[index] ?? NaN
    const timesPlain = index === 0 ? '' : (speed / plainOf[measurement.pattern]).toFixed(1)
    return row([
      measurement.label,
      whole(speed),
      `${whole((speed / empty) * 100)} %`,
      timesPlain,
      medianOf(measurement, 'medianMs').toFixed(1),
      medianOf(measurement, 'p99Ms').toFixed(1),
      whole(medianOf(measurement, 'serviceMicros')),
      whole(medianOf(measurement, 'databaseMicros')),
      whole(medianOf(measurement, 'backlog')),
    ])
  })
  const speed = ['debits/s', 'of empty', '× plain', 'p50 ms', 'p99 ms']
  const head = ['', ...speed, 'Node µs', 'PG µs', 'backlog']
  const goals = [
    goal('spread, of the empty route', (oursSpread / empty) * 100, { atLeast: 35, unit: ' %' }),
    goal('spread, of the plain service', oursSpread / plainSpread, { atLeast: 5, unit: ' ×' }),
    goal('hot, of the plain service', oursHot / plainHot, { atLeast: 8, unit: ' ×' }),
  ]
  const scope = `${connections} connections; spread over ${walletCount} wallets, or one hot wallet`
  const units =
    'µs: processor time a debit, projections included; backlog: events not yet projected.'
  const title = [`${load.name}, ${rule}; ${where}`, scope]
  say(['', ...title, '', row(head), ...lines, '', units, ''].join('\n'))
  say([...goals, 'Every answer was a 200, and every acknowledged debit is written.'].join('\n'))
}

function row([label = '', ...columns]: readonly string[]): string {
  return label.padEnd(14) + columns.map((column) => column.padStart(9)).join('')
}

function goal(
  name: string,
  value: number,
  { atLeast, unit }: { atLeast: number; unit: string },
): string {
  const verdict = value >= atLeast ? 'met   ' : 'MISSED'
  return `${verdict}  ${name}: ${value.toFixed(1)}${unit} (goal ${atLeast}${unit})`
}

function medianOf({ rounds: done }: Measurement, key: keyof Round): number {
  return median(done.map((round) => round[key]))
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? NaN
  return (low + (sorted[Math.floor(middle)] ?? NaN)) / 2
}

function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en')
}

function wholeNumber(name: string, given: string): number {
  if (!/^[1-9][0-9]{0,2}$/.test(given)) throw new Error(`${name} must be from 1 to 999.`)
  return Number(given)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
