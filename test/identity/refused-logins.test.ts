/** Refused logins at rest: counted by the hour, bounded, swept, and without what was typed. */
import t from 'tap'
import { RefusedLogins } from '../../src/identity/refused-logins.js'
import {
  refusedLoginRowsPerAddress,
  refusedLoginRowsPerDay,
  refusedLoginsKeptMs,
} from '../../src/identity/limits.js'
import { TestIdentity } from '../support/identity.js'

const hourMs = 3_600_000
const ann = { email: 'Ann@example.com', password: 'correct horse battery' }
const login = { area: 'widget', email: ann.email, address: '192.0.2.1' } as const

t.test('tries of one hour, account and address are one row with a number', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const refused = new RefusedLogins(identity)
  const ofSecond = new RefusedLogins(second)
  const { serviceUserId } = await identity.users.create(ann)
  const { clock } = identity
  await clock.advance(10 * 60_000)
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? refused : ofSecond).record(login)),
  )
  const row = { area: 'widget', account: serviceUserId, adminEmail: null, address: '192.0.2.1' }
  const hour = '2025-01-01T00:00:00.000Z'
  const lastAt = '2025-01-01T00:10:00.000Z'
  t.match(await refused.list({ limit: 5 }), [{ ...row, tries: 40, hour, lastAt }])
  await clock.advance(hourMs)
  await refused.record(login)
  await refused.record({ ...login, address: '192.0.2.2' })
  await refused.record({ ...login, area: 'admin' })
  const listed = await refused.list({ limit: 5 })
  t.match(listed, [
    { area: 'admin', account: null },
    { ...row, address: '192.0.2.2', tries: 1 },
    { ...row, tries: 1, hour: '2025-01-01T01:00:00.000Z' },
    { ...row, tries: 40 },
  ])
  const before = listed[1]?.refusedId ?? 0
  t.same(await refused.list({ limit: 1, before }), listed.slice(2, 3), 'a page goes on after it')
})

t.test('a try is one statement, and what was typed is at rest nowhere', async (t) => {
  const identity = await TestIdentity.open(t)
  const refused = new RefusedLogins(identity)
  const typed = 'my secret phrase'
  const spent = await identity.queriesOf(() => refused.record({ ...login, email: typed }))
  t.equal(spent, 1)
  for (const email of ['', '\0', '\ud800', 'x'.repeat(60_000)])
    await refused.record({ ...login, email })
  const { rows } = await identity.pool.query<{ row: string }>(
    'select r::text as row from identity.refused_logins r',
  )
  t.equal(rows.length, 1, 'all that is nobody’s is one row')
  t.notMatch(rows[0]?.row, /secret|xxx/)
})

t.test('one address has so many rows a day, whomever it names', async (t) => {
  const identity = await TestIdentity.open(t)
  const refused = new RefusedLogins(identity)
  const count = refusedLoginRowsPerAddress + 20
  await identity.pool.query(
    'insert into identity.users (service_user_id, wallet_id, email_key) ' +
      "select 'usr_' || n, gen_random_uuid(), n || '@example.com' from generate_series(1, $1) n",
    [count],
  )
  for (let n = 1; n <= count; n += 1) await refused.record({ ...login, email: `${n}@example.com` })
  await refused.record({ ...login, email: '1@example.com' })
  const listed = await refused.list({ limit: 500 })
  t.equal(listed.length, refusedLoginRowsPerAddress + 1)
  t.match(listed[0], { account: null, address: null, tries: 20 }, 'the others are a number')
  t.match(listed.at(-1), { account: 'usr_1', tries: 2 }, 'a row that is there counts on')
  await refused.record({ ...login, email: '1@example.com', address: '192.0.2.2' })
  t.match(await refused.list({ limit: 1 }), [{ account: 'usr_1', address: '192.0.2.2' }])
})

t.test('a flood from everywhere has so many rows a day', async (t) => {
  const identity = await TestIdentity.open(t)
  const refused = new RefusedLogins(identity)
  const flood = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await refused.record({ ...login, address: `address ${index}` })
  }
  await identity.pool.query(
    'insert into identity.refused_logins (hour, area, account, address, tries, last_at) ' +
      "select $2, 'widget', '', 'early ' || n, 1, $2 from generate_series(1, $1) n",
    [refusedLoginRowsPerDay - 10, new Date(identity.clock.now())],
  )
  for (let index = 0; index < 30; index += 1)
    await refused.record({ ...login, address: `late ${index}` })
  const countRows = async () => {
    const text = 'select count(*) from identity.refused_logins'
    return (await identity.pool.query<{ count: number }>(text)).rows[0]?.count
  }
  t.equal(await countRows(), refusedLoginRowsPerDay + 1)
  t.match(await refused.list({ limit: 1 }), [{ address: null, tries: 20 }])
  await identity.clock.advance(hourMs)
  await flood(50)
  t.equal(await countRows(), refusedLoginRowsPerDay + 2, 'an hour later: one row more')
  await identity.clock.advance(24 * hourMs)
  await flood(50)
  t.equal(await countRows(), refusedLoginRowsPerDay + 52, 'a day later there is room again')
})

t.test('what is older than 90 days is swept, and nothing else', async (t) => {
  const identity = await TestIdentity.open(t)
  const refused = new RefusedLogins(identity)
  await refused.record(login)
  await identity.clock.advance(hourMs)
  await refused.record(login)
  await identity.clock.advance(refusedLoginsKeptMs - hourMs - 1)
  t.equal(await refused.sweep(), 0)
  await identity.clock.advance(1)
  t.equal(await refused.sweep(), 1)
  t.equal((await refused.list({ limit: 5 })).length, 1)
})

t.test('who is erased is named in no row', async (t) => {
  const identity = await TestIdentity.open(t)
  const refused = new RefusedLogins(identity)
  const { serviceUserId } = await identity.users.create(ann)
  await refused.record(login)
  await refused.record({ ...login, email: 'nobody@example.com' })
  await identity.users.erase(serviceUserId)
  t.match(await refused.list({ limit: 5 }), [{ account: null }])
})
