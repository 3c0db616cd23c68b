import t from 'tap'
import { TestIdentity } from '../support/identity.js'

const limit = { tries: 3, windowMs: 60_000 }
const key = { kind: 'login-account', value: 'ann@example.com' }

t.test('so many tries are allowed in a window, then the wait is told', async (t) => {
  const { throttle, clock } = await TestIdentity.open(t)
  for (let tries = 0; tries < limit.tries; tries += 1)
    t.equal(await throttle.count(key, limit), undefined)
  t.equal(await throttle.count(key, limit), 60)
  await clock.advance(30_500)
  t.equal(await throttle.count(key, limit), 30)
  await clock.advance(29_499)
  t.equal(await throttle.count(key, limit), 1)
  await clock.advance(1)
  t.equal(await throttle.count(key, limit), undefined, 'a new window, however many were refused')
})

t.test('kinds and values are counted apart', async (t) => {
  const { throttle } = await TestIdentity.open(t)
  const once = { tries: 1, windowMs: 60_000 }
  for (const other of [
    key,
    { ...key, kind: 'login-address' },
    { ...key, value: 'bob@example.com' },
    { kind: 'a', value: 'b c' },
    { kind: 'a b', value: 'c' },
    { kind: 'login-account', value: 'a\0b' },
  ])
    t.equal(await throttle.count(other, once), undefined)
  t.equal(await throttle.count(key, once), 60)
})

t.test('tries of several processes at the same moment are counted exactly', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? identity : second).throttle.count(key, limit),
    ),
  )
  t.equal(counted.filter((wait) => wait === undefined).length, limit.tries)
})

t.test('a try is one statement, and no key is at rest', async (t) => {
  const identity = await TestIdentity.open(t)
  const { throttle, pool } = identity
  t.equal(await identity.queriesOf(() => throttle.count(key, limit)), 1)
  const { rows } = await pool.query<{ key_hash: Buffer }>('select * from identity.throttle')
  t.equal(rows[0]?.key_hash.length, 32)
  t.notOk(rows[0]?.key_hash.includes('ann'))
})

t.test('after a clear the count begins anew', async (t) => {
  const { throttle } = await TestIdentity.open(t)
  const once = { tries: 1, windowMs: 60_000 }
  await throttle.count(key, once)
  t.equal(await throttle.count(key, once), 60)
  await throttle.clear(key)
  t.equal(await throttle.count(key, once), undefined)
})

t.test('sweeping removes windows that are over and no others', async (t) => {
  const { throttle, clock } = await TestIdentity.open(t)
  await throttle.count(key, limit)
  await clock.advance(30_000)
  await throttle.count({ ...key, kind: 'other' }, limit)
  t.equal(await throttle.sweep(), 0)
  await clock.advance(30_000)
  t.equal(await throttle.sweep(), 1)
  await clock.advance(30_000)
  t.equal(await throttle.sweep(), 1)
})
