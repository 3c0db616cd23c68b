// The simulated store keeps the contract of an event store when nothing breaks, and the virtual
// time keeps its order.
import t from 'tap'
import { eventStoreContract } from '../event-store/contract.js'
import { MemoryLog } from '../support/memory-store.js'
import { Life, Line } from './network.js'
import { noFaults } from './plan.js'
import { SimulatedStore } from './store.js'
import { VirtualTime } from './virtual-time.js'
import { World } from './world.js'

eventStoreContract(t, 'the simulated store', async (t) => {
  const world = new World(1, { commands: 0 })
  world.faults = noFaults
  const log = new MemoryLog()
  const open = (): SimulatedStore =>
    new SimulatedStore(world, new Line(world, new Life(world, 'P1')), log)
  let isOver = false
  t.teardown(() => (isOver = true))
  void pump(world.time, () => isOver)
  return {
    store: open(),
    another: async () => open(),
    refusedData: '{"text":"\0"}',
    keepsAnyText: true,
  }
})

t.test('timers run in the order of their times, and what follows settles between', async (t) => {
  const time = new VirtualTime(1_000)
  const seen: string[] = []
  const later = async (name: string, waits: number): Promise<void> => {
    for (let wait = 0; wait < waits; wait += 1) await Promise.resolve()
    seen.push(`${name} settled`)
  }
  time.after(20, () => seen.push('second'))
  time.after(10, () => {
    seen.push('first')
    void later('first', 500)
  })
  time.after(20, () => seen.push('third'))
  const cancel = time.after(15, () => seen.push('cancelled'))
  cancel()
  await time.run(() => false)
  t.same(seen, ['first', 'first settled', 'second', 'third'])
  t.equal(time.nowMs, 1_020)
})

t.test('a life that has ended is never heard of again', async (t) => {
  const world = new World(1, { commands: 0 })
  world.faults = noFaults
  const life = new Life(world, 'P1')
  const line = new Line(world, life)
  const seen: string[] = []
  const call = (name: string): Promise<unknown> =>
    line
      .call({ work: () => seen.push(`${name} arrives`), lost: () => new Error(), timeoutMs: 99 })
      .then(() => seen.push(`${name} answered`))
  void call('one')
  life.end({ losesRequests: true })
  void call('two')
  await world.time.run(() => false)
  t.same(seen, [])
})

/** Virtual time moves on whenever the real test waits. */
async function pump(time: VirtualTime, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    time.step()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
