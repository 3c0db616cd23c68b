import { randomUUID } from 'node:crypto'
import t from 'tap'
import { resetTokenMs, resetTokensMax } from '../../src/limits.js'
import { TestIdentity } from '../support/identity.js'

const before = 'correct horse battery'
const after = 'another horse entirely'

async function open(t: { teardown(work: () => unknown): void }) {
  const identity = await TestIdentity.open(t)
  const { clientId } = await identity.makeApp()
  const { serviceUserId } = await identity.users.create({
    email: 'ann@example.com',
    password: before,
    clientId,
  })
  const login = (password: string) =>
    identity.users.login({ email: 'ann@example.com', password, clientId })
  return { identity, users: identity.users, clientId, serviceUserId, login }
}

t.test('a reset link changes the password, once', async (t) => {
  const { identity, users, serviceUserId, login } = await open(t)
  const token = await users.createResetToken(serviceUserId)
  t.match(token, /^rst_[\w-]{43}$/)
  const { rows } = await identity.pool.query('select * from identity.password_resets')
  t.notOk(JSON.stringify(rows).includes(token.slice(4)), 'only its hash is at rest')
  t.equal(await users.resetPassword(token, after), true)
  t.equal(await login(before), undefined)
  t.equal((await login(after))?.serviceUserId, serviceUserId)
  t.equal(await users.resetPassword(token, before), false)
})

t.test('a reset ends the other links and the sessions that a login made', async (t) => {
  const { identity, users, clientId, serviceUserId } = await open(t)
  const { widgetSessions } = identity
  const session = { clientId, serviceUserId }
  const byLogin = await widgetSessions.create({ ...session, madeBy: 'login' })
  const byBackend = await widgetSessions.create({ ...session, madeBy: 'backend' })
  const tokens = [
    await users.createResetToken(serviceUserId),
    await users.createResetToken(serviceUserId),
  ]
  t.equal(await users.resetPassword(tokens[1] ?? '', after), true)
  t.equal(await users.resetPassword(tokens[0] ?? '', before), false)
  t.equal(await widgetSessions.find(byLogin.sessionToken), undefined)
  t.ok(await widgetSessions.find(byBackend.sessionToken))
})

t.test('a link used twice at the same moment changes the password once', async (t) => {
  const { identity, users, serviceUserId } = await open(t)
  const second = await identity.another(t)
  const token = await users.createResetToken(serviceUserId)
  const lock = 'select from identity.users for update'
  const results = await identity.race({ lock, waiters: 2 }, () => [
    users.resetPassword(token, after),
    second.users.resetPassword(token, `${after}!`),
  ])
  const answers = results.map((result) => result.status === 'fulfilled' && result.value)
  t.strictSame(answers.sort(), [false, true])
})

t.test('a link lasts an hour', async (t) => {
  const { identity, users, serviceUserId } = await open(t)
  const [young, old] = [
    await users.createResetToken(serviceUserId),
    await users.createResetToken(serviceUserId),
  ]
  await identity.clock.advance(resetTokenMs)
  t.equal(await users.resetPassword(old, after), false)
  t.equal(await users.sweep(), 2)
  t.equal(await users.resetPassword(young, after), false)
  const fresh = await users.createResetToken(serviceUserId)
  await identity.clock.advance(resetTokenMs - 1)
  t.equal(await users.resetPassword(fresh, after), true)
})

t.test('a made-up link costs no hashing, and a poor password does not use a link up', async (t) => {
  const { identity, users, serviceUserId } = await open(t)
  const token = await users.createResetToken(serviceUserId)
  identity.passwords.calls.length = 0
  for (const text of ['', 'rst_', 'a\0b', `${token}x`])
    t.equal(await users.resetPassword(text, after), false)
  const fault = { name: 'InvalidFieldError', field: 'password' }
  await t.rejects(users.resetPassword(token, 'short'), fault)
  t.strictSame(identity.passwords.calls, [])
  t.equal(await users.resetPassword(token, after), true)
})

t.test('of many links the newest few stay valid', async (t) => {
  const { identity, users, serviceUserId } = await open(t)
  const tokens: string[] = []
  for (let made = 0; made < resetTokensMax + 2; made += 1) {
    tokens.push(await users.createResetToken(serviceUserId))
    await identity.clock.advance(1)
  }
  const { rowCount } = await identity.pool.query('select from identity.password_resets')
  t.equal(rowCount, resetTokensMax)
  t.equal(await users.resetPassword(tokens[1] ?? '', after), false)
  t.equal(await users.resetPassword(tokens[2] ?? '', after), true)
})

t.test('there is nothing to reset for nobody and for who has no email', async (t) => {
  const { users } = await open(t)
  const seeded = await users.create({})
  for (const id of ['', 'usr_\0', `usr_${randomUUID()}`, seeded.serviceUserId])
    await t.rejects(users.createResetToken(id), {
      name: 'InvalidFieldError',
      field: 'serviceUserId',
    })
})
