/**
 * A leader that freezes (SIGSTOP, a stopped virtual machine): its connections stay, and nothing is
 * answered on them or on new ones. The other nodes name it as their leader until they have elected
 * the next. Commands must be answered again within seconds, each booked once.
 */
import { pino } from 'pino'
import t from 'tap'
import type { Test } from 'tap'
import { randomUUID } from 'node:crypto'
import { streamOf, walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { noStream } from '../../src/event-store/event-store.js'
import { appendWatchdogMs } from '../../src/limits.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import {
  batchAfter,
  batchOf,
  newStream,
  settle,
  storeUnderFault,
  tailUntil,
  until,
} from '../support/eventstoredb/store-under-fault.js'
import { credit } from '../support/given.js'
import { MemoryReadModels } from '../support/memory-read-models.js'
import { MemoryLog } from '../support/memory-store.js'

/** What a frozen leader may cost, as operators are told. */
const promisedMs = 5_000

t.test('commands are answered within five seconds of the freeze, each booked once', async (t) => {
  const { standIn, writer, another } = await cluster(t)
  const warm = Array.from({ length: 8 }, newWallet)
  const cold = Array.from({ length: 4 }, newWallet)
  const send = (walletId: WalletId, referenceId: string, by = writer) =>
    by.execute(walletId, credit(100, referenceId, { of: walletId }))
  await Promise.all(warm.map((walletId) => send(walletId, 'BEFORE')))
  const other = another()
  await Promise.all(cold.map((walletId) => send(walletId, 'BEFORE', other)))

  // One append is written, and its answer is what the freeze swallows.
  const [first = newWallet(), ...others] = warm
  const received = standIn.appendsReceived
  standIn.faults.nextAppend('silent-after-commit')
  const swallowed = send(first, 'AFTER')
  await standIn.untilAppendsReceived(received + 1)
  standIn.faults.freeze(standIn.leader)
  const frozenAtMs = performance.now()
  // Before the watchdog, as on a real cluster.
  t.teardown(systemClock.after(appendWatchdogMs - 500, () => standIn.faults.changeLeader()))
  const answers = await Promise.all([
    swallowed,
    ...[...others, ...cold].map((walletId) => send(walletId, 'AFTER')),
  ])
  const tookMs = performance.now() - frozenAtMs
  t.equal(answers.length, 12)
  t.ok(tookMs < promisedMs, `answered after ${Math.round(tookMs)} ms`)

  standIn.faults.thaw()
  await Promise.all([...warm, ...cold].map((walletId) => send(walletId, 'LATER')))
  for (const walletId of [...warm, ...cold]) {
    const types = standIn.eventsOf(streamOf(walletId)).map(({ type }) => type)
    t.same(types, ['WalletOpened', 'WalletCredited', 'WalletCredited', 'WalletCredited'])
  }
})

t.test('a read is answered by the new leader, not given up with the old one', async (t) => {
  const { standIn, store } = await storeUnderFault(t, { nodes: 3 })
  const stream = newStream()
  await store.append(batchOf(stream, noStream, 2))
  standIn.faults.freeze(standIn.leader)
  standIn.faults.changeLeader()
  t.equal((await store.readHead(stream))?.revision, 1)
})

t.test('a cluster that still names its frozen leader is asked again, and soon', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t, { nodes: 3 })
  const first = batchOf(newStream(), noStream)
  await store.append(first)
  const batch = batchAfter(first, 3)
  standIn.faults.freeze(standIn.leader)
  const verdict = settle(store, batch)
  await until(() => notices.length === 1)
  const givenUpAtMs = performance.now()
  // The second client was sent to the frozen node too.
  await until(() => notices.length === 2)
  const trialMs = performance.now() - givenUpAtMs
  t.ok(trialMs < appendWatchdogMs, `given up after ${Math.round(trialMs)} ms`)
  standIn.faults.changeLeader()
  t.same(await verdict, { kind: 'written' })
  t.equal(notices.length, 2, 'by the third client')
  t.equal(standIn.eventsOf(batch.stream).length, 4)
})

t.test('a subscription leaves the frozen node with the appends', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t, { nodes: 3 })
  const first = batchOf(newStream(), noStream)
  await store.append(first)
  const tail = tailUntil(store, { after: 0n }, (events) => events.length === 2)
  await until(() => standIn.subscriptionCount === 1)
  standIn.faults.freeze(standIn.leader)
  standIn.faults.changeLeader()
  t.same(await settle(store, batchAfter(first)), { kind: 'written' })
  t.equal((await tail).flat().length, 2)
  t.match(notices, [/appends is replaced/, /subscriptions is replaced/, /dropped/])
})

t.test('a slow server has its answer waited for in the end', async (t) => {
  const { standIn, store, notices } = await storeUnderFault(t)
  const batch = batchOf(newStream(), noStream)
  await store.append(batch)
  standIn.faults.freeze()
  const verdict = settle(store, batchAfter(batch))
  await until(() => notices.length === 1)
  standIn.faults.thaw()
  // Longer than the first trial of a new client: features and append wait for it each.
  standIn.faults.delayAnswers(700)
  t.same(await verdict, { kind: 'written' })
  t.equal(standIn.eventsOf(batch.stream).length, 2)
})

interface ClusterUnderTest {
  readonly standIn: EventStoreStandIn
  readonly writer: WalletWriter
  /** Of another process. */
  readonly another: () => WalletWriter
}

/** With the real bounds and the real clock. */
async function cluster(t: Test): Promise<ClusterUnderTest> {
  const standIn = await EventStoreStandIn.start({ nodes: 3 })
  const url = standIn.connectionString
  const stores: EventStoreDbStore[] = []
  t.teardown(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await standIn.stop()
  })
  const another = (): WalletWriter => {
    const store = new EventStoreDbStore({ url, clock: systemClock, random: systemRandom })
    stores.push(store)
    // Its rows never come: the streams are folded whole.
    const readModels = new MemoryReadModels(new MemoryLog())
    const log = pino({ level: 'silent' })
    const system = { clock: systemClock, random: systemRandom, log }
    return new WalletWriter({ store, readModels, currency: 'usd', ...system })
  }
  return { standIn, writer: another(), another }
}

function newWallet(): WalletId {
  return walletIdOf(randomUUID())
}
