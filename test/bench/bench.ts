/**
 * `npm run bench`: an empty route, a bare log, a plain service and ours in one run on loopback,
 * with the patterns of load that a service meets; medians of alternating rounds, about eight
 * minutes (docs/guides/benchmark.md).
 * Options: --rounds 3 --seconds 4 --write (into docs/benchmarks.md). Instead of it all:
 * --against <commit> compares with another build (--store eventstore: both on a stand-in of it);
 * --growth, --overload and --memory measure what their files say. Fails when an answer is wrong, or
 * when a database does not hold every acknowledged write. A missed goal is printed and is no
 * failure: machines differ.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { compare, type Store } from './against.js'
import type { Contender } from './contenders.js'
import { coldWalletCount, startBareLog, startEmpty, startOurs } from './contenders.js'
import { startPlain, walletCount } from './contenders.js'
import { growthParts, growthSections } from './growth.js'
import { memorySection } from './lane-memory.js'
import type { Load } from './load.js'
import { findLoad } from './load.js'
import type { Case, Measurement } from './measuring.js'
import { figureNames, figuresOf, measure, medianOf, runChecked } from './measuring.js'
import { overloadSection } from './overload.js'
import type { Section } from './report.js'
import { goal, printSection, warnWhenBusy, whole, writePage } from './report.js'
import { whereTimeGoes } from './where-time-goes.js'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    against: { type: 'string' },
    store: { type: 'string', default: 'postgres' },
    cold: { type: 'string', default: String(coldWalletCount) },
    growth: { type: 'boolean', default: false },
    overload: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    lanes: { type: 'string', default: '10000' },
    entries: { type: 'string', default: '10,1000,100000,1000000' },
    wallets: { type: 'string', default: '1000,10000,100000,1000000' },
    behind: { type: 'string', default: '100000' },
    parts: { type: 'string', default: growthParts.join() },
    write: { type: 'boolean', default: false },
  },
})
const rounds = wholeNumber('--rounds', options.rounds)
const seconds = wholeNumber('--seconds', options.seconds)
const run = { rounds, seconds, say }
const rule = `${rounds} rounds of ${seconds} s, medians`

const folder = await mkdtemp(join(tmpdir(), 'wallet-bench-'))
const contenders: Contender[] = []
try {
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  await warnWhenBusy()
  const load = await findLoad(folder)
  const sections = await sectionsOf(load)
  sections.forEach(printSection)
  if (options.write) await writePage(sections, { loadName: load.name })
} catch (error) {
  process.exitCode = 1
  console.error(error instanceof Error ? error.message : error)
} finally {
  for (const contender of contenders.reverse()) await contender.stop()
  await rm(folder, { recursive: true, force: true })
}

async function sectionsOf(load: Load): Promise<Section[]> {
  if (options.against !== undefined) {
    const how = { store: storeOf(options.store), coldWallets: wholeNumber('--cold', options.cold) }
    const { against } = options
    return [await compare(load, { ...run, ...how, rule, against, folder, started })]
  }
  if (options.growth) {
    const sizes = { entries: sizesOf(options.entries), wallets: sizesOf(options.wallets) }
    const behind = wholeNumber('--behind', options.behind)
    return growthSections({ ...sizes, behind, parts: options.parts.split(','), say })
  }
  if (options.memory)
    return [await memorySection({ lanes: wholeNumber('--lanes', options.lanes), say })]
  if (options.overload) return [await overloadSection({ seconds })]
  return allOfIt(load)
}

async function allOfIt(load: Load): Promise<Section[]> {
  say(`Starting an empty route, a bare log, a plain service and ours; load from ${load.name} …`)
  const empty = await started(startEmpty())
  const bareLog = await started(startBareLog(join(folder, 'bare-log')))
  const plain = await started(startPlain(join(folder, 'plain')))
  const profile = join(folder, 'service.cpuprofile')
  const preload = import.meta.resolve('./profile-on-signal.mjs')
  const ours = await started(startOurs({ folder: join(folder, 'ours'), preload, profile }))
  const shared = { folder: join(folder, 'shared'), processes: 2, coldWallets: 0 }
  const pair = await started(startOurs(shared))
  const debits = { pattern: 'debits', wallets: 'spread', connections: 64 } as const
  const measurements = await measure(
    load,
    [
      { ...debits, label: 'empty route', contender: empty },
      { ...debits, label: 'bare log', contender: bareLog },
      { ...debits, label: 'plain, spread', contender: plain },
      { ...debits, label: 'ours, spread', contender: ours },
      { ...debits, label: 'plain, hot', contender: plain, wallets: 'hot' },
      { ...debits, label: 'ours, hot', contender: ours, wallets: 'hot' },
      { ...debits, label: 'ours, spread, 256', contender: ours, connections: 256 },
      { ...debits, label: 'ours, hot, 256', contender: ours, wallets: 'hot', connections: 256 },
      { ...debits, label: 'ours, two processes', contender: pair },
      { ...debits, label: 'ours, cold', contender: ours, wallets: 'cold', pattern: 'cold' },
      { ...debits, label: 'ours, replays', contender: ours, pattern: 'replays' },
      { ...debits, label: 'ours, GET wallet', contender: ours, pattern: 'reads' },
      { ...debits, label: 'ours, mix', contender: ours, pattern: 'mix' },
    ],
    run,
  )
  const profiled = { ...debits, label: 'profile', contender: ours }
  return [tableOf(load, measurements), await timeOf(load, profiled, profile)]
}

async function started(starting: Promise<Contender>): Promise<Contender> {
  const contender = await starting
  contenders.push(contender)
  return contender
}

function tableOf(load: Load, measurements: readonly Measurement[]): Section {
  const rateOf = (label: string): number => {
    const found = measurements.find((measurement) => measurement.label === label)
    return found === undefined ? NaN : medianOf(found, 'perSecond')
  }
  const empty = rateOf('empty route')
  const rows = measurements.map((one) => [
    one.label,
    ...figuresOf(one),
    `${whole((medianOf(one, 'perSecond') / empty) * 100)} %`,
    whole(medianOf(one, 'backlog')),
  ])
  const [spread, hot] = [rateOf('ours, spread'), rateOf('ours, hot')]
  const ofPlain = { spread: spread / rateOf('plain, spread'), hot: hot / rateOf('plain, hot') }
  return {
    name: 'requests',
    title: 'Requests a second, and what one costs',
    tables: [{ head: ['', ...figureNames, 'of empty', 'backlog'], rows }],
    notes: [
      `${load.name}, ${rule}; 64 connections, or 256; request log and descriptions on. Spread: ` +
        `over ${whole(walletCount)} wallets; cold: one after the other of ` +
        `${whole(coldWalletCount)}; mix: 70 % GET wallet, 20 % debits, 8 % credits, 2 % ` +
        'declines. µs: processor time a request, projections included; backlog: events not yet ' +
        'projected when the load ended.',
      '',
      goal('spread, of the empty route', (spread / empty) * 100, { atLeast: 25, unit: ' %' }),
      goal('spread, of the plain service', ofPlain.spread, { atLeast: 3, unit: ' ×' }),
      goal('hot, of the plain service', ofPlain.hot, { atLeast: 6, unit: ' ×' }),
      goal('replays, of debits', rateOf('ours, replays') / spread, { atLeast: 1, unit: ' ×' }),
      '',
      'Every answer was right, and every acknowledged write is in its database.',
    ],
    charts: [ratesChart(measurements), costsChart(measurements)],
  }
}

function ratesChart(measurements: readonly Measurement[]) {
  const bars = measurements.map((one) => {
    const rate = medianOf(one, 'perSecond')
    return { label: one.label, values: [rate], text: `${whole(rate)}/s` }
  })
  return { title: 'Requests a second', legend: [], bars }
}

function costsChart(measurements: readonly Measurement[]) {
  const bars = measurements.map((one) => {
    const values = [medianOf(one, 'serviceMicros'), medianOf(one, 'databaseMicros')]
    return { label: one.label, values, text: `${values.map(whole).join(' + ')} µs` }
  })
  return { title: 'Processor time a request', legend: ['Node', 'PostgreSQL'], bars }
}

/** One more load, with a profile of it. */
async function timeOf(load: Load, one: Case, file: string): Promise<Section> {
  for (const pid of one.contender.pids) process.kill(pid, 'SIGUSR2')
  const { acknowledged } = await runChecked(load, one, seconds)
  for (const pid of one.contender.pids) process.kill(pid, 'SIGUSR2')
  await pause(3_000)
  const parts = await whereTimeGoes(file, acknowledged)
  const bars = parts.map(({ name, micros }) => {
    return { label: name, values: [micros], text: `${micros.toFixed(1)} µs` }
  })
  const rows = parts.map(({ name, micros }) => [name, micros.toFixed(1)])
  return {
    name: 'time',
    title: 'Where the time of a debit goes',
    tables: [{ head: ["the main thread's", 'µs a debit'], rows }],
    notes: [
      'Spread debits over 64 connections, by a profile of the main thread that costs itself.',
    ],
    charts: [{ title: 'Main thread, µs a debit', legend: [], bars }],
  }
}

function sizesOf(text: string): number[] {
  return text.split(',').map((size) => wholeNumber('a size', size))
}

function storeOf(given: string): Store {
  if (given === 'postgres' || given === 'eventstore') return given
  throw new Error('--store must be postgres or eventstore.')
}

function wholeNumber(name: string, given: string): number {
  if (!/^[1-9][0-9]{0,7}$/.test(given)) throw new Error(`${name} must be a whole number above 0.`)
  return Number(given)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
