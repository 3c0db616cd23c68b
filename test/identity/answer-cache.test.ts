import t from 'tap'
import type { Test } from 'tap'
import { AnswerCache } from '../../src/identity/answer-cache.js'
import { answerCacheMs, answerWaitMs } from '../../src/limits.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { freshDatabase } from '../support/database.js'
import { FakeClock, settle } from '../support/fake-clock.js'
import { quietLog } from '../support/ledger.js'

/** A cache over a table in memory whose statements end when the test says so. */
async function open(t: Test, entriesMax?: number) {
  const { url } = await freshDatabase(t)
  const changes = new ChangeFeed({ url, clock: systemClock, log: quietLog })
  t.teardown(() => changes.close())
  await changes.start()
  const clock = new FakeClock()
  const table = new Map<string, string>()
  const statements: string[][] = []
  const held: (() => void)[] = []
  const test = { isHolding: false, count: 0, isCountable: true }
  const load = async (keys: readonly string[]): Promise<Map<string, string>> => {
    statements.push([...keys])
    const found = keys.flatMap((key) => {
      const value = table.get(key)
      return value === undefined ? [] : [[key, value] as const]
    })
    if (test.isHolding) await new Promise<void>((resolve) => held.push(resolve))
    return new Map(found)
  }
  const countChanges = async (): Promise<number> => {
    if (!test.isCountable) throw new Error('away')
    return test.count
  }
  const bounds = entriesMax === undefined ? {} : { entriesMax }
  const cache = new AnswerCache<string>({ clock, changes, load, countChanges, ...bounds })
  return { cache, changes, clock, table, statements, held, test }
}

const promisedMs: number = 2_000

t.test('an answer is believed as long as the database says that nothing has changed', async (t) => {
  const { cache, clock, table, statements } = await open(t)
  table.set('ann', 'here')
  await cache.ask('ann')
  for (let elapsedMs = 0; elapsedMs < 10 * answerCacheMs; elapsedMs += 100) {
    await clock.advance(100)
    t.equal(cache.peek('ann'), 'here')
  }
  t.equal(statements.length, 1)
})

t.test('a change that nobody announced is noticed within two seconds', async (t) => {
  const { cache, clock, table, test } = await open(t)
  t.ok(answerCacheMs <= promisedMs)
  table.set('ann', 'here')
  await cache.ask('ann')
  test.count += 1
  t.equal(cache.peek('ann'), 'here')
  await clock.advance(answerCacheMs)
  t.equal(cache.peek('ann'), undefined)
})

t.test('an answer that the database no longer confirms is forgotten in two seconds', async (t) => {
  const { cache, clock, table, test } = await open(t)
  table.set('ann', 'here')
  await cache.ask('ann')
  test.isCountable = false
  for (let elapsedMs = 0; elapsedMs < answerCacheMs; elapsedMs += 100) {
    cache.peek('ann')
    await clock.advance(100)
  }
  t.equal(cache.peek('ann'), undefined, 'being looked at does not lengthen its life')
})

t.test('a confirmation that comes after the next look has begun says nothing', async (t) => {
  const { changes, clock } = await open(t)
  const looks: ((count: number) => void)[] = []
  const load = async () => new Map([['ann', 'here']])
  const countChanges = () => new Promise<number>((resolve) => looks.push(resolve))
  const cache = new AnswerCache<string>({ clock, changes, load, countChanges })
  const asked = cache.ask('ann')
  await settle()
  looks[0]?.(7)
  await asked
  await clock.advance(answerCacheMs / 2)
  t.equal(cache.peek('ann'), 'here', 'confirmed once, while the second look is under way')
  await clock.advance(answerCacheMs / 2)
  t.equal(cache.peek('ann'), undefined)
  await cache.ask('ann')
  looks[1]?.(7)
  await settle()
  await clock.advance(answerCacheMs / 2)
  t.equal(cache.peek('ann'), undefined, 'the third look has not ended')
})

t.test('a process that was frozen believes nothing before its timers have run', async (t) => {
  const { cache, clock, table } = await open(t)
  table.set('ann', 'here')
  await cache.ask('ann')
  clock.set(clock.now() + answerCacheMs + 1)
  t.equal(cache.peek('ann'), undefined, 'no timer has run, and it is too old all the same')
  clock.set(clock.now() - 2 * answerCacheMs)
  t.equal(cache.peek('ann'), undefined, 'a clock that was set back makes nothing younger')
})

t.test('a database that does not answer is given up while a command has time left', async (t) => {
  const { cache, clock, table, test } = await open(t)
  table.set('ann', 'here')
  test.isHolding = true
  const asked = cache.ask('ann').catch((error: unknown) => error)
  await clock.advance(answerWaitMs)
  t.match(await asked, { name: 'OverloadedError' })
})

t.test('a cache that nobody asks believes nothing and asks nothing', async (t) => {
  const { cache, clock, table } = await open(t)
  table.set('ann', 'here')
  await cache.ask('ann')
  await clock.advance(2 * answerCacheMs)
  t.equal(clock.waiting, 0, 'no timer is left')
  t.equal(cache.peek('ann'), undefined)
})

t.test('after a rest one look tells whether what was kept is still true', async (t) => {
  const { cache, clock, table, test, statements } = await open(t)
  for (const name of ['ann', 'bob', 'eve']) {
    table.set(name, 'here')
    await cache.ask(name)
  }
  await clock.advance(100 * answerCacheMs)
  t.equal(cache.peek('bob'), undefined)
  await cache.ask('ann')
  t.equal(cache.peek('bob'), 'here', 'nothing has changed meanwhile')
  t.same(statements.at(-1), ['ann'])
  await clock.advance(100 * answerCacheMs)
  test.count += 1
  await cache.ask('ann')
  t.equal(cache.peek('bob'), undefined, 'something has changed')
  t.equal(cache.peek('ann'), 'here')
  await clock.advance(100 * answerCacheMs)
  test.isCountable = false
  await cache.ask('ann')
  t.equal(cache.peek('ann'), undefined, 'nobody knows whether anything has changed')
})

t.test('that something is missing is never remembered', async (t) => {
  const { cache, table, statements } = await open(t)
  t.equal(await cache.ask('ann'), undefined)
  t.equal(cache.peek('ann'), undefined)
  table.set('ann', 'here')
  t.equal(await cache.ask('ann'), 'here')
  t.equal(statements.length, 2)
})

t.test('a change during a query keeps its answer from being remembered', async (t) => {
  const { cache, changes, table, held, test } = await open(t)
  table.set('ann', 'here')
  test.isHolding = true
  const asked = cache.ask('ann')
  await settle()
  table.delete('ann')
  changes.flush()
  held[0]?.()
  t.equal(await asked, 'here', 'it was true when the query began')
  t.equal(cache.peek('ann'), undefined)
})

t.test('a question during a query is answered by a query that began after it', async (t) => {
  const { cache, table, statements, held, test } = await open(t)
  test.isHolding = true
  const first = cache.ask('ann')
  await settle()
  table.set('ann', 'here')
  const second = cache.ask('ann')
  held[0]?.()
  await settle()
  held[1]?.()
  t.equal(await first, undefined)
  t.equal(await second, 'here')
  t.strictSame(statements, [['ann'], ['ann']])
})

t.test('questions of one moment share one statement that names each key once', async (t) => {
  const { cache, table, statements } = await open(t)
  table.set('ann', 'here')
  const answers = await Promise.all(['ann', 'bob', 'ann'].map((key) => cache.ask(key)))
  t.strictSame(answers, ['here', undefined, 'here'])
  t.strictSame(statements, [['ann', 'bob']])
})

t.test('a full cache forgets its older half', async (t) => {
  const { cache, table } = await open(t, 20)
  const keys = Array.from({ length: 100 }, (_, index) => `user ${index}`)
  for (const key of keys) table.set(key, key)
  for (const key of keys) await cache.ask(key)
  const remembered = keys.filter((key) => cache.peek(key) !== undefined)
  t.ok(remembered.length <= 20, `${remembered.length} are remembered`)
  t.equal(remembered.at(-1), keys.at(-1))
})

t.test('a failed statement fails those who asked, and the next one works', async (t) => {
  const { changes, clock } = await open(t)
  let isBroken = true
  const load = async () => {
    if (isBroken) throw new Error('away')
    return new Map([['ann', 'here']])
  }
  const cache = new AnswerCache<string>({ clock, changes, load, countChanges: async () => 0 })
  await t.rejects(cache.ask('ann'), { message: 'away' })
  isBroken = false
  t.equal(await cache.ask('ann'), 'here')
})

t.test('while nobody listens nothing is remembered', async (t) => {
  const { cache, changes, table } = await open(t)
  table.set('ann', 'here')
  await cache.ask('ann')
  t.equal(cache.peek('ann'), 'here')
  await changes.close()
  t.equal(cache.peek('ann'), undefined)
  t.equal(await cache.ask('ann'), 'here')
  t.equal(cache.peek('ann'), undefined)
})
