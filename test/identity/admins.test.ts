/** Admin accounts, their sessions and the log of what they did, on a real database. */
import t from 'tap'
import type { Test } from 'tap'
import { AdminLog } from '../../src/identity/admin-log.js'
import { AdminExistsError, Admins } from '../../src/identity/admins.js'
import { adminSessionIdleMs, adminSessionLifetimeMs } from '../../src/limits.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { migratedDatabase } from '../support/database.js'
import { FakeClock } from '../support/fake-clock.js'
import { cheapPasswords } from '../support/passwords.js'

const ada = { email: 'Ada@Example.com', password: 'a long enough password', role: 'admin' } as const

async function open(t: Test) {
  const { url } = await migratedDatabase(t)
  const pool = createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  const clock = new FakeClock()
  const system = { pool, clock, random: systemRandom }
  return {
    pool,
    clock,
    admins: new Admins({ ...system, passwords: cheapPasswords }),
    adminLog: new AdminLog(system),
  }
}

t.test('an admin is created once for an email, whatever its capitals', async (t) => {
  const { admins } = await open(t)
  t.equal(await admins.count(), 0)
  const admin = await admins.create(ada)
  t.match(admin, { adminId: /^adm_[0-9a-f-]{36}$/, email: 'ada@example.com', role: 'admin' })
  t.equal(admin.createdAt, '2025-01-01T00:00:00.000Z')
  await t.rejects(admins.create({ ...ada, email: 'ADA@example.com' }), AdminExistsError)
  for (const [wrong, field] of [
    [{ email: 'nobody' }, 'email'],
    [{ email: 'b@example.com', password: 'short' }, 'password'],
  ] as const) {
    const fault: unknown = await admins
      .create({ ...ada, ...wrong })
      .catch((error: unknown) => error)
    t.match(fault, { name: 'InvalidFieldError', field })
  }
  t.equal(await admins.count(), 1)
})

t.test('only the right email with the right password opens a session', async (t) => {
  const { admins } = await open(t)
  const { adminId } = await admins.create(ada)
  const session = await admins.login({ email: 'aDa@example.com', password: ada.password })
  t.match(session, { admin: { adminId }, sessionToken: /^[\w-]{43}$/, csrfToken: /^[\w-]{43}$/ })
  t.not(session?.sessionToken, session?.csrfToken)
  for (const wrong of [
    { ...ada, password: 'a wrong enough password' },
    { ...ada, password: '' },
    { ...ada, password: `${ada.password}\0` },
    { ...ada, email: 'bob@example.com' },
    { ...ada, email: 'ada@example.com\0' },
    { ...ada, email: '\ud800' },
    { ...ada, email: '' },
  ])
    t.equal(await admins.login(wrong), undefined, JSON.stringify(wrong))
})

t.test('a session ends after half an hour without a request, not before', async (t) => {
  const { admins, clock } = await open(t)
  await admins.create(ada)
  const { sessionToken = '', csrfToken } = (await admins.login(ada)) ?? {}
  await clock.advance(adminSessionIdleMs - 1)
  t.match(await admins.findSession(sessionToken), { csrfToken, admin: { role: 'admin' } })
  await clock.advance(adminSessionIdleMs - 1)
  t.ok(await admins.findSession(sessionToken), 'the request before has kept it alive')
  await clock.advance(adminSessionIdleMs)
  t.equal(await admins.findSession(sessionToken), undefined)
})

t.test('a session ends twelve hours after the login, however busy it is', async (t) => {
  const { admins, clock } = await open(t)
  await admins.create(ada)
  const { sessionToken = '' } = (await admins.login(ada)) ?? {}
  const stepMs = adminSessionIdleMs / 2
  for (let passedMs = stepMs; passedMs < adminSessionLifetimeMs; passedMs += stepMs) {
    await clock.advance(stepMs)
    if (!(await admins.findSession(sessionToken))) t.fail(`ended after ${passedMs} ms`)
  }
  await clock.advance(stepMs)
  t.equal(await admins.findSession(sessionToken), undefined)
})

t.test('a logout ends that session and no other', async (t) => {
  const { admins } = await open(t)
  await admins.create(ada)
  const first = (await admins.login(ada))?.sessionToken ?? ''
  const second = (await admins.login(ada))?.sessionToken ?? ''
  await admins.logout(first)
  t.equal(await admins.findSession(first), undefined)
  t.ok(await admins.findSession(second))
  t.equal(await admins.findSession('no such token'), undefined)
})

t.test('ended sessions are cleared away by the next login', async (t) => {
  const { admins, clock, pool } = await open(t)
  await admins.create(ada)
  await admins.login(ada)
  await clock.advance(adminSessionIdleMs)
  await admins.login(ada)
  t.equal((await pool.query('select from identity.admin_sessions')).rowCount, 1)
})

t.test('neither password, session token nor CSRF token is at rest', async (t) => {
  const { admins, pool } = await open(t)
  await admins.create(ada)
  const { sessionToken = '', csrfToken = '' } = (await admins.login(ada)) ?? {}
  const tables = await Promise.all([
    pool.query('select to_json(a)::text as row from identity.admins a'),
    pool.query('select to_json(s)::text as row from identity.admin_sessions s'),
  ])
  const atRest = JSON.stringify(tables.map(({ rows }) => rows as unknown))
  t.match(atRest, /scrypt/)
  for (const secret of [ada.password, sessionToken, csrfToken]) {
    t.notOk(atRest.includes(secret))
    t.notOk(atRest.includes(Buffer.from(secret).toString('hex')))
    t.notOk(atRest.includes(Buffer.from(secret, 'base64url').toString('hex')))
  }
})

t.test('the log shows an act with its outcome as one entry, newest first', async (t) => {
  const { admins, adminLog, clock } = await open(t)
  const { adminId } = await admins.create(ada)
  const act = { adminId, action: 'client-app.create', subject: null, details: { name: 'Shop' } }
  const orderId = await adminLog.order(act)
  t.match(await adminLog.list({ limit: 5 }), [{ outcome: 'unknown', subject: null }])
  await clock.advance(5)
  await adminLog.finish(orderId, act, {
    outcome: 'done',
    subject: 'app_1',
    details: { secretId: 's1' },
  })
  const command = { adminId: null, action: 'admin.create', subject: adminId, details: {} }
  await adminLog.append(command)
  const list = await adminLog.list({ limit: 5 })
  t.same(
    list.map(({ logId: _, ...entry }) => entry),
    [
      {
        ...command,
        at: '2025-01-01T00:00:00.005Z',
        adminEmail: null,
        outcome: 'done',
      },
      {
        ...act,
        at: '2025-01-01T00:00:00.000Z',
        adminEmail: 'ada@example.com',
        subject: 'app_1',
        details: { name: 'Shop', secretId: 's1' },
        outcome: 'done',
      },
    ],
  )
  const [first] = await adminLog.list({ limit: 1 })
  t.match(await adminLog.list({ limit: 1, before: first?.logId ?? 0 }), [{ action: act.action }])
})

t.test('an act has one outcome, and nothing in the log is ever changed', async (t) => {
  const { adminLog, pool } = await open(t)
  const act = { adminId: null, action: 'wallet.bonus', subject: 'w1', details: {} }
  const orderId = await adminLog.order(act)
  await adminLog.finish(orderId, act, { outcome: 'refused', details: { code: 'NOT_FOUND' } })
  await t.rejects(adminLog.finish(orderId, act, { outcome: 'done' }), { code: '23505' })
  for (const change of [
    "update identity.admin_log set action = 'nothing'",
    'update identity.admin_log set details = details where false',
    'delete from identity.admin_log',
    'truncate identity.admin_log',
  ])
    await t.rejects(pool.query(change), { code: '42501' }, change)
  t.match(await adminLog.list({ limit: 5 }), [{ action: 'wallet.bonus', outcome: 'refused' }])
})
