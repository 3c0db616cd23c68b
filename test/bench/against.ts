/**
 * This build beside another one, round by round: ratios of requests a second and of processor time,
 * with the streams in PostgreSQL or in a stand-in of EventStoreDB, each in a process of its own.
 * `npm run bench -- --against <commit>`, and `--store eventstore` with it.
 */
import { join } from 'node:path'
import type { Contender } from './contenders.js'
import { startOurs } from './contenders.js'
import type { Load } from './load.js'
import type { Case, Measurement, Round } from './measuring.js'
import { figureNames, figuresOf, measure, median, runChecked } from './measuring.js'
import { buildOf, commitOf } from './other-build.js'
import type { Section, Table } from './report.js'
import { goal } from './report.js'
import { startStandIn } from './stand-in-process.js'
import type { StandInProcess } from './stand-in-process.js'

export type Store = 'postgres' | 'eventstore'

export interface Comparison {
  readonly against: string
  readonly store: Store
  readonly folder: string
  readonly rounds: number
  readonly seconds: number
  /** Of which each is cold once; more than there are lanes are cold for ever. */
  readonly coldWallets: number
  /** Rounds and seconds, for people. */
  readonly rule: string
  readonly say: (line: string) => void
  /** Notes what must be stopped at the end. */
  readonly started: (starting: Promise<Contender>) => Promise<Contender>
}

const debits = { pattern: 'debits', wallets: 'spread', connections: 64 } as const
const cold = { ...debits, label: 'cold', wallets: 'cold', pattern: 'cold' } as const

const patterns: Readonly<Record<Store, readonly Omit<Case, 'contender'>[]>> = {
  postgres: [
    { ...debits, label: 'spread' },
    { ...debits, label: 'hot', wallets: 'hot' },
    { ...debits, label: 'spread, 256', connections: 256 },
    cold,
    { ...debits, label: 'replays', pattern: 'replays' },
    { ...debits, label: 'GET wallet', pattern: 'reads' },
  ],
  eventstore: [cold, { ...debits, label: 'warm' }, { ...debits, label: 'hot', wallets: 'hot' }],
}

/** Ratios of this build to another one's, each round with the same round of the other. */
export async function compare(load: Load, comparison: Comparison): Promise<Section> {
  const { against, store, folder, rule, say, started, seconds, coldWallets } = comparison
  const commit = await commitOf(against)
  say(`Building ${commit}, unless it is there …`)
  const checkout = await buildOf(against)
  const start = async (name: string, build?: string) => {
    const standIn = store === 'eventstore' ? await startStandIn() : undefined
    const place = { folder: join(folder, name), coldWallets, ...(standIn && { standIn }) }
    const of = build === undefined ? place : { ...place, checkout: build }
    return { standIn, contender: await started(startOurs(of)) }
  }
  const theirs = await start('theirs', checkout)
  const ours = await start('ours')
  const cases = patterns[store].flatMap((pattern): Case[] => [
    { ...pattern, contender: theirs.contender },
    { ...pattern, contender: ours.contender },
  ])
  const measured = await measure(load, cases, comparison)
  const pairs = patterns[store].map((_, index): Pair => {
    return [measured[2 * index], measured[2 * index + 1]]
  })
  const counted: string[] = []
  for (const [name, { standIn, contender }] of Object.entries({ theirs, ours }))
    if (standIn !== undefined)
      counted.push(`${name}: ${await callsOf(load, { ...cold, contender }, { standIn, seconds })}`)
  const where = store === 'eventstore' ? ', streams in EventStoreDB' : ''
  return {
    name: store === 'eventstore' ? 'against-eventstore' : 'against',
    title: `Beside ${commit}${where}`,
    tables: [figures(pairs), ratios(pairs)],
    notes: [
      `${load.name}, ${rule} of the rounds’ own ratios; request log and descriptions on.`,
      ...(store === 'eventstore' ? ['', ...eventStoreNotes(pairs, counted)] : []),
    ],
  }
}

function eventStoreNotes(pairs: readonly Pair[], counted: readonly string[]): string[] {
  const ratioOf = (label: string): number =>
    ratio(
      pairs.find(([, ours]) => ours?.label === label) ?? [undefined, undefined],
      'serviceMicros',
    )
  return [
    'The server is a stand-in in a process of its own, whose time is not counted.',
    '',
    goal('Node a cold debit', ratioOf('cold'), { atMost: 0.5, unit: ' ×' }),
    goal('Node a warm debit', ratioOf('warm'), { atMost: 0.76, unit: ' ×' }),
    '',
    ...counted.map((line) => `- ${line}`),
  ]
}

/** What the server was asked for by a load of cold debits. */
async function callsOf(
  load: Load,
  one: Case,
  { standIn, seconds }: { standIn: StandInProcess; seconds: number },
): Promise<string> {
  const before = await standIn.seen()
  await runChecked(load, one, seconds)
  const after = await standIn.seen()
  const debited = after.events - before.events
  const [appends, reads] = [after.appends - before.appends, after.streamReads - before.streamReads]
  const each = (count: number): string => (count / debited).toFixed(3)
  return `a cold debit makes ${each(appends)} appends and ${each(reads)} reads of a stream`
}

type Pair = readonly [Measurement | undefined, Measurement | undefined]

function figures(pairs: readonly Pair[]): Table {
  const rows = pairs.flatMap(([theirs, ours]) => [
    ...(theirs === undefined ? [] : [[`${theirs.label}, theirs`, ...figuresOf(theirs)]]),
    ...(ours === undefined ? [] : [[`${ours.label}, ours`, ...figuresOf(ours)]]),
  ])
  return { head: ['', ...figureNames], rows }
}

function ratios(pairs: readonly Pair[]): Table {
  const rows = pairs.map((pair) => {
    const told = (key: keyof Round): string => `× ${ratio(pair, key).toFixed(2)}`
    return [pair[1]?.label ?? '', told('perSecond'), told('serviceMicros'), told('databaseMicros')]
  })
  return { head: ['ours / theirs', 'requests/s', 'Node µs', 'PG µs'], rows }
}

function ratio([theirs, ours]: Pair, key: keyof Round): number {
  const all = ours?.rounds.map((round, index) => {
    return round[key] / (theirs?.rounds[index]?.[key] ?? NaN)
  })
  return median(all ?? [])
}
