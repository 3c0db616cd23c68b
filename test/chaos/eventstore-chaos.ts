/**
 * `npm run eventstore-chaos`: lanes that write frozen batches to three stand-ins of EventStoreDB,
 * by two stores as of two processes, while nodes are killed, frozen and cut off, leaders change and
 * single appends go wrong; then every stream must hold what was acknowledged, once and in order,
 * and a tail must have seen each event once, each stream in its order.
 * Options: --seconds 60 --lanes 40 --seed n. Exits with 1 when anything was lost, doubled or out of
 * place. Loopback only.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { status } from '@grpc/grpc-js'
import { noStream, OutcomeUnknownError, startOfLog } from '../../src/event-store/event-store.js'
import type { AppendBatch, RecordedEvent } from '../../src/event-store/event-store.js'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { Chance } from '../simulation/chance.js'
import type { AppendFault } from '../support/eventstoredb/faults.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import { batchAfter, newEvents, newStream } from '../support/eventstoredb/store-under-fault.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
})

const singleFaults: readonly AppendFault[] = [
  'cut-after-commit',
  'cut-before-commit',
  'silent-after-commit',
  'silent-before-commit',
  'end-after-commit',
  'timeout-after-commit',
  'timeout-before-commit',
  'not-ready',
  'not-leader',
  { failWith: status.CANCELLED, isCommitted: true },
  { failWith: status.INTERNAL, isCommitted: true },
]

/** Far more than the longest trouble takes. */
const triesMax = 2_000

/** The tail may be pausing between two tries. */
const tailPatienceMs = 30_000

console.log(`seed ${values.seed}`)
const chance = new Chance(Number(values.seed))
const standIn = await EventStoreStandIn.start({ nodes: 3 })
standIn.faults.setServerTimeout(200)
const stores = [openStore(), openStore()]
const counts = { acknowledged: 0, unknown: 0, already: 0, faults: 0, notices: 0 }
let isOver = false

const ended = new AbortController()
const seen: RecordedEvent[] = []
const tailing = follow()
const lanes = Array.from({ length: Number(values.lanes) }, () => writeLane())
const troubles = trouble()
await pause(Number(values.seconds) * 1_000)
isOver = true
await troubles
const written = await Promise.all(lanes)
process.exitCode = (await verify(written)) ? 0 : 1
ended.abort()
await tailing
for (const store of stores) await store.close()
await standIn.stop()

function openStore(): EventStoreDbStore {
  const onNotice = (): void => {
    counts.notices += 1
  }
  const url = standIn.connectionString
  return new EventStoreDbStore({ url, clock: systemClock, random: systemRandom, onNotice })
}

/** As a lane does it: the same batch again until its outcome is known. */
async function writeLane(): Promise<AppendBatch[]> {
  const batches: AppendBatch[] = []
  let batch: AppendBatch = { stream: newStream(), expectedRevision: noStream, events: newEvents(1) }
  while (!isOver) {
    await settled(batch)
    batches.push(batch)
    counts.acknowledged += 1
    batch = batchAfter(batch, chance.integer(1, 4))
  }
  return batches
}

async function settled(batch: AppendBatch): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (tries > triesMax) throw new Error(`${batch.stream} never settles`)
    try {
      const verdict = await chance.pick(stores).append(batch)
      if (verdict.kind === 'written') {
        if (verdict.already === true) counts.already += 1
        return
      }
      // The race is with its own twin, which is not replicated yet.
      if (verdict.kind !== 'conflict' || verdict.missing.length > 0)
        throw new Error(`${batch.stream} is ours alone, and yet: ${verdict.kind}`)
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error
      counts.unknown += 1
    }
    await pause(chance.integer(5, 50))
  }
}

async function trouble(): Promise<void> {
  const { faults } = standIn
  const node = (): number => chance.integer(0, 2)
  const kinds: readonly (() => Promise<void>)[] = [
    async () => faults.nextAppend(chance.pick(singleFaults), chance.integer(1, 5)),
    async () => faults.nextAppend(chance.pick(singleFaults)),
    async () => faults.killConnections(),
    async () => void faults.changeLeader(),
    async () => faults.dropSubscriptions(status.ABORTED),
    async () => {
      const killed = node()
      await faults.killNode(killed)
      await pause(chance.integer(50, 1_500))
      await faults.startNode(killed)
    },
    async () => {
      const frozen = node()
      faults.freeze(frozen)
      await pause(chance.integer(50, 4_000))
      faults.thaw(frozen)
    },
    async () => {
      faults.holdReplication()
      await pause(chance.integer(20, 400))
      faults.replicate()
    },
    async () => {
      faults.holdReplication()
      await pause(chance.integer(20, 400))
      faults.loseUnreplicated()
    },
  ]
  while (!isOver) {
    await pause(chance.integer(50, 500))
    await chance.pick(kinds)()
    counts.faults += 1
  }
  faults.clear()
  faults.replicate()
}

async function follow(): Promise<void> {
  const store = openStore()
  const options = { after: startOfLog, maxCount: 100, maxWaitMs: 20, signal: ended.signal }
  for await (const batch of store.tail(options)) seen.push(...batch)
  await store.close()
}

async function verify(lanesWritten: readonly AppendBatch[][]): Promise<boolean> {
  const faults: string[] = []
  let events = 0
  for (const batches of lanesWritten) {
    const expected = batches.flatMap((batch) => batch.events.map(({ id }) => id))
    const stream = batches[0]?.stream ?? randomUUID()
    const found = standIn.eventsOf(stream).map(({ id }) => id)
    if (JSON.stringify(found) !== JSON.stringify(expected))
      faults.push(`${stream} holds ${found.length} events instead of ${expected.length}`)
    events += expected.length
  }
  const endMs = performance.now() + tailPatienceMs
  while (seen.length < events && performance.now() < endMs) await pause(50)
  if (seen.length !== events) faults.push(`the tail saw ${seen.length} events of ${events}`)
  const next = new Map<string, number>()
  for (const { stream, revision } of seen) {
    const expected = next.get(stream) ?? 0
    if (revision !== expected) faults.push(`the tail saw ${stream}@${revision} before ${expected}`)
    next.set(stream, revision + 1)
  }
  for (const fault of faults) console.log(fault)
  const { acknowledged, unknown, already, notices } = counts
  console.log(
    `${acknowledged} batches acknowledged (${events} events), ${unknown} ` +
      `unknown outcomes repeated, ${already} found written, ${counts.faults} faults, ` +
      `${notices} notices: ${faults.length === 0 ? 'nothing lost, nothing twice' : 'FAULTY'}`,
  )
  return faults.length === 0
}
