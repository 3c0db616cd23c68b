/** Work in rounds: pauses, faults and the end of it, on a clock that the tests move. */
import t from 'tap'
import { RepeatingWork } from '../../src/platform/repeating-work.js'
import type { RepeatingWorkParts } from '../../src/platform/repeating-work.js'
import { FakeClock } from '../support/fake-clock.js'

const pauseMs = 60_000

function make(parts: Partial<RepeatingWorkParts> = {}) {
  const clock = new FakeClock()
  const startMs = clock.now()
  /** When each round began, in pauses since the start. */
  const rounds: number[] = []
  const faults: unknown[] = []
  const work = new RepeatingWork({
    clock,
    pauseMs,
    onFault: (err) => faults.push(err),
    ...parts,
    round: async (signal) => {
      rounds.push((clock.now() - startMs) / pauseMs)
      await parts.round?.(signal)
    },
  })
  return { clock, rounds, faults, work }
}

/** A round that lasts until the test ends it. */
function makeRound(): { ended: Promise<void>; end: () => void } {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { ended, end }
}

t.test('a round comes after each pause, also when it is started twice', async (t) => {
  const { clock, rounds, work } = make()
  work.start()
  work.start()
  await clock.advance(pauseMs - 1)
  t.same(rounds, [])
  await clock.advance(1)
  t.same(rounds, [1])
  await clock.advance(2 * pauseMs)
  t.same(rounds, [1, 2, 3])
  await work.stop()
})

t.test('the first pause may be another one', async (t) => {
  const { clock, rounds, work } = make({ firstPauseMs: pauseMs / 4 })
  work.start()
  await clock.advance(2 * pauseMs)
  t.same(rounds, [0.25, 1.25])
  await work.stop()
})

t.test('a round that fails is told, and the next one comes all the same', async (t) => {
  const away = new Error('the database is away')
  const { clock, rounds, faults, work } = make({ round: () => Promise.reject(away) })
  work.start()
  await clock.advance(2 * pauseMs)
  t.same(rounds, [1, 2])
  t.strictSame(faults, [away, away])
  await work.stop()
})

t.test('a pause begins when its round is over: two never run at once', async (t) => {
  const { end, ended } = makeRound()
  const { clock, rounds, work } = make({ round: () => ended })
  work.start()
  await clock.advance(5 * pauseMs)
  t.same(rounds, [1])
  end()
  await clock.advance(pauseMs)
  t.same(rounds, [1, 6])
  await work.stop()
})

t.test('stop ends a pause at once, and nothing comes after it', async (t) => {
  const { clock, rounds, work } = make()
  work.start()
  await clock.advance(pauseMs)
  await work.stop()
  t.equal(clock.waiting, 0, 'nothing is left behind')
  work.start()
  await clock.advance(2 * pauseMs)
  t.same(rounds, [1])
})

t.test('stop tells the round under way, and waits for its end', async (t) => {
  const { end, ended } = makeRound()
  let given: AbortSignal | undefined
  const { clock, rounds, work } = make({
    round: (signal) => {
      given = signal
      return ended
    },
  })
  work.start()
  await clock.advance(pauseMs)
  t.equal(given?.aborted, false)
  let hasStopped = false
  const stopping = work.stop().then(() => (hasStopped = true))
  await clock.advance(pauseMs)
  t.equal(given?.aborted, true)
  t.equal(hasStopped, false)
  end()
  await stopping
  t.same(rounds, [1])
  t.equal(clock.waiting, 0)
})

t.test('what never started stops too, and without a pause nothing starts', async (t) => {
  await make().work.stop()
  const { clock, work } = make({ pauseMs: 0, firstPauseMs: 1 })
  work.start()
  t.equal(clock.waiting, 0)
  await work.stop()
})
