// Time that a jump of this machine's clock cannot carry into the future.
import t from 'tap'
import { clockLeadMaxMs, databaseTimeCheckMs } from '../../src/limits.js'
import { BoundedTime, databaseTimeMs } from '../../src/platform/bounded-time.js'
import { createLog } from '../../src/platform/log.js'
import { createPool } from '../../src/platform/postgres.js'
import { freshDatabase } from '../support/database.js'
import { FakeClock } from '../support/fake-clock.js'

const hourMs = 60 * 60_000

function make(askDatabase?: (clock: FakeClock) => Promise<number>) {
  const clock = new FakeClock()
  const startMs = clock.now()
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const passed = { ms: 0 }
  const time = new BoundedTime({
    clock,
    log,
    askDatabase: () => askDatabase?.(clock) ?? Promise.resolve(startMs + passed.ms),
    monotonic: () => passed.ms,
  })
  return { clock, startMs, lines, passed, time }
}

t.test('a clock that agrees with the database is taken as it is', async (t) => {
  const { clock, startMs, passed, time } = make()
  t.equal(time.now(), startMs, 'also before the first look')
  await time.look()
  clock.set(startMs + clockLeadMaxMs)
  t.equal(time.now(), startMs + clockLeadMaxMs)
  passed.ms = 250
  clock.set(startMs - hourMs)
  t.equal(time.now(), startMs - hourMs, 'a clock that is behind stays behind')
})

t.test('a clock that jumps an hour ahead is bounded at once, and told once', async (t) => {
  const { clock, startMs, passed, lines, time } = make()
  await time.look()
  clock.set(startMs + hourMs)
  passed.ms = 1_000
  t.equal(time.now(), startMs + 1_000 + clockLeadMaxMs)
  passed.ms = 2_000
  t.equal(time.now(), startMs + 2_000 + clockLeadMaxMs, 'and runs on')
  t.equal(lines.length, 1)
  t.match(lines[0], /ahead of the database/)
  clock.set(startMs + 3_000)
  passed.ms = 3_000
  t.equal(time.now(), startMs + 3_000)
  t.match(lines[1], /agrees with the database again/)
})

t.test('it looks again and again, and a database that is away changes nothing', async (t) => {
  let looks = 0
  const { clock, startMs, time } = make(async (at) => {
    looks += 1
    if (looks === 2) throw new Error('away')
    return at.now()
  })
  time.start()
  await clock.advance(0)
  t.equal(looks, 1)
  await clock.advance(databaseTimeCheckMs)
  t.equal(looks, 2)
  clock.set(startMs + hourMs)
  t.ok(time.now() < startMs + hourMs, 'the look before still holds')
  const stopped = time.stop()
  await clock.advance(0)
  await stopped
  t.equal(clock.waiting, 0)
})

t.test('the database tells its time in milliseconds', async (t) => {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 1, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  const before = Date.now()
  const ms = await databaseTimeMs(pool)
  t.ok(Number.isSafeInteger(ms) && Math.abs(ms - before) < hourMs)
})
