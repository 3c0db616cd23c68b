/** Pauses between tries: how long they are, and that chance is a part of them. */
import t from 'tap'
import { retryPauseMaxMs, retryPauseMinMs } from '../../src/limits.js'
import { backOffMs, doubledMs } from '../../src/platform/back-off.js'
import { timerDelay } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'

/** A coin that always falls the same way. */
const chance = (fraction: number) => ({ ...systemRandom, fraction: () => fraction })
const bounds = { retryPauseMinMs: 50, retryPauseMaxMs: 1_000 }

t.test('a pause doubles with each failure in a row, up to its bound', (t) => {
  const full = [1, 2, 3, 4, 5, 6, 7].map((failures) => backOffMs(failures, chance(1), bounds))
  t.same(full, [50, 100, 200, 400, 800, 1_000, 1_000])
  t.end()
})

t.test('at least half of a pause is sure, the rest is chance', (t) => {
  t.equal(backOffMs(3, chance(0), bounds), 100)
  t.equal(backOffMs(3, chance(0.5), bounds), 150)
  const drawn = new Set(Array.from({ length: 20 }, () => backOffMs(1, systemRandom, bounds)))
  t.ok(drawn.size > 1, 'two who failed together do not come again together')
  t.end()
})

t.test('after any number of failures the pause still fits a timer', (t) => {
  for (const failures of [1, 64, 5_000, Number.MAX_SAFE_INTEGER]) {
    const pauseMs = backOffMs(failures, systemRandom)
    t.equal(timerDelay(pauseMs), pauseMs)
    t.ok(pauseMs >= retryPauseMinMs / 2 && pauseMs <= retryPauseMaxMs, `${failures} failures`)
  }
  t.end()
})

t.test('a plan without chance is the same every time', (t) => {
  const plan = [0, 1, 2, 3].map((times) => doubledMs(times, { fromMs: 60_000, toMs: 300_000 }))
  t.same(plan, [60_000, 120_000, 240_000, 300_000])
  t.equal(doubledMs(10_000, { fromMs: 1, toMs: 7 }), 7)
  t.end()
})
