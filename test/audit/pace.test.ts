// An audit beside a running service leaves the machine to the debits.
import t from 'tap'
import { auditBusyDivisor, auditBusyShare } from '../../src/audit/limits.js'
import { Pace } from '../../src/audit/verifying/pace.js'
import { loopLoad } from '../../src/platform/loop-load.js'
import { FakeClock } from '../support/fake-clock.js'

function paced(loads: number[] = []) {
  const clock = new FakeClock(0)
  const pace = new Pace({ clock, eventsPerSecondMax: 1_000, takeLoad: () => loads.shift() ?? 0 })
  /** How long it rests after so many events. */
  const restMs = async (events: number, signal?: AbortSignal): Promise<number> => {
    const beganMs = clock.now()
    const rest = { isOver: false }
    const kept = pace.keep(events, signal).then(() => (rest.isOver = true))
    for (let turns = 0; turns < 1_000; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (rest.isOver) break
      await clock.advance(100)
    }
    await kept
    return clock.now() - beganMs
  }
  return { clock, restMs }
}

t.test('so many events a second, and a busy time is not made up for', async (t) => {
  const { clock, restMs } = paced()
  t.equal(await restMs(500), 500)
  await clock.advance(10_000)
  t.equal(await restMs(1_000), 0, 'the last ones took longer than they may')
  t.equal(await restMs(1_500), 500, 'and the next ones as long as ever')
})

t.test('a tenth of it while the process is busy', async (t) => {
  const { restMs } = paced([0, auditBusyShare, 1, auditBusyShare - 0.01])
  t.equal(await restMs(500), 500)
  t.equal(await restMs(1_000), 500 * auditBusyDivisor)
  t.equal(await restMs(1_500), 500 * auditBusyDivisor)
  t.equal(await restMs(2_000), 500)
})

t.test('who is stopped rests no longer', async (t) => {
  const { restMs } = paced([1])
  t.equal(await restMs(500, AbortSignal.abort()), 0)
})

t.test('the load of the event loop is that since the last look', async (t) => {
  const load = loopLoad()
  const end = performance.now() + 60
  while (performance.now() < end);
  await new Promise((resolve) => setImmediate(resolve))
  const busy = load()
  await new Promise((resolve) => setTimeout(resolve, 120))
  const quiet = load()
  t.ok(busy > quiet, `${busy} and then ${quiet}`)
  t.ok(busy <= 1 && quiet >= 0)
})
