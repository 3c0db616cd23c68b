/**
 * The two clocks: the real one waits and lets go as it promises, and the fake one, on which every
 * test of deadlines and pauses stands, runs timers in order and never by itself.
 */
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { promisify } from 'node:util'
import t from 'tap'
import { systemClock, timerDelayMaxMs, type Clock } from '../../src/platform/clock.js'
import { childModule, evalArgs } from '../support/child-program.js'
import { FakeClock } from '../support/fake-clock.js'

const run = promisify(execFile)
const startMs = Date.UTC(2025, 0, 1)

/** Moves a clock on by a number of milliseconds: the real one by waiting. */
const clocks: { name: string; clock: Clock; pass: (ms: number) => Promise<void> }[] = (() => {
  const fake = new FakeClock(startMs)
  return [
    { name: 'real clock', clock: systemClock, pass: (ms) => systemClock.sleep(ms + 20) },
    { name: 'fake clock', clock: fake, pass: (ms) => fake.advance(ms) },
  ]
})()

for (const { name, clock, pass } of clocks) {
  t.test(`${name}: a task runs once after its delay, and a cancelled one never`, async (t) => {
    const ran: string[] = []
    clock.after(5, () => ran.push('kept'))
    const cancel = clock.after(5, () => ran.push('cancelled'))
    t.same(ran, [], 'nothing runs at once')
    cancel()
    await pass(10)
    t.same(ran, ['kept'])
    cancel()
    await pass(10)
    t.same(ran, ['kept'])
  })

  t.test(`${name}: a sleep ends at once when its signal aborts`, async (t) => {
    const controller = new AbortController()
    const sleeping = clock.sleep(timerDelayMaxMs, controller.signal)
    controller.abort()
    await sleeping
    await clock.sleep(timerDelayMaxMs, controller.signal)
    t.pass('both sleeps ended long before their time')
  })

  t.test(`${name}: a sleep leaves no listener on a signal that outlives it`, async (t) => {
    const controller = new AbortController()
    const sleeping = clock.sleep(1, controller.signal)
    await pass(1)
    await sleeping
    t.equal(getEventListeners(controller.signal, 'abort').length, 0)
  })

  t.test(
    `${name}: a delay that no timer can hold is refused, one in the past means now`,
    async (t) => {
      t.throws(() => clock.after(timerDelayMaxMs + 1, () => undefined), RangeError)
      t.throws(() => clock.after(Number.NaN, () => undefined), RangeError)
      const sleeping = clock.sleep(-1)
      await pass(0)
      await sleeping
      t.pass('a delay in the past ended')
    },
  )
}

t.test('real clock: a guard lets the process end, a sleep holds it until it is over', async (t) => {
  const clockSource = new URL('../../src/platform/clock.ts', import.meta.url)
  const program = (statement: string): string =>
    `import { systemClock } from '${childModule(clockSource).href}'
     process.on('exit', () => console.log('ended'))
     ${statement}`
  const node = (statement: string) =>
    run(process.execPath, evalArgs(program(statement)), { timeout: 60_000 })

  const guard = await node("systemClock.after(3_600_000, () => console.log('fired'))")
  t.equal(guard.stdout, 'ended\n')
  const sleep = await node("void systemClock.sleep(50).then(() => console.log('slept'))")
  t.equal(sleep.stdout, 'slept\nended\n')
})

t.test('fake clock: timers run in the order of their times, each at its own time', async (t) => {
  const clock = new FakeClock(startMs)
  const seen: [string, number][] = []
  const note = (name: string) => () => seen.push([name, clock.now() - startMs])
  clock.after(30, note('late'))
  clock.after(10, note('first of two'))
  clock.after(10, note('second of two'))
  clock.after(100, note('not yet'))
  await clock.advance(50)
  t.same(seen, [
    ['first of two', 10],
    ['second of two', 10],
    ['late', 30],
  ])
  t.equal(clock.now(), startMs + 50)
  t.equal(clock.waiting, 1)
})

t.test(
  'fake clock: a loop of sleeps inside promise chains runs through in one advance',
  async (t) => {
    const clock = new FakeClock(startMs)
    const seen: number[] = []
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(1_000)
        await Promise.resolve()
        await new Promise<void>((resolve) => setImmediate(resolve))
        seen.push(clock.now() - startMs)
      }
    }
    const done = loop()
    await clock.advance(2_999)
    t.same(seen, [1_000, 2_000])
    await clock.advance(1)
    await done
    t.same(seen, [1_000, 2_000, 3_000])
  },
)

t.test('fake clock: a timer set by another within the same advance runs when due', async (t) => {
  const clock = new FakeClock(startMs)
  let firedAtMs = 0
  clock.after(5, () => clock.after(5, () => (firedAtMs = clock.now())))
  await clock.advance(20)
  t.equal(firedAtMs, startMs + 10)
})

t.test('fake clock: setting the time of day runs nothing and keeps the delays', async (t) => {
  const clock = new FakeClock(startMs)
  const ran: string[] = []
  clock.after(100, () => ran.push('kept'))
  const cancel = clock.after(100, () => ran.push('cancelled'))
  clock.set(startMs - 3_600_000)
  t.equal(clock.now(), startMs - 3_600_000)
  await clock.advance(99)
  t.same(ran, [])
  cancel()
  await clock.advance(1)
  t.same(ran, ['kept'])
})

t.test('fake clock: a fault in a task reaches the test', async (t) => {
  const clock = new FakeClock(startMs)
  clock.after(1, () => {
    throw new Error('broken task')
  })
  await t.rejects(clock.advance(1), { message: 'broken task' })
  await clock.advance(1)
  t.equal(clock.now(), startMs + 2)
})
