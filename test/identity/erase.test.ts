import { randomUUID } from 'node:crypto'
import t from 'tap'
import { sealingKeyOf } from '../../src/identity/users.js'
import { TestIdentity } from '../support/identity.js'

const ann = {
  email: 'ann@example.com',
  password: 'correct horse battery',
  firstName: 'Annabel',
  lastName: 'Leeson',
}

t.test('erasing destroys key, names, email, password, tokens and sessions', async (t) => {
  const identity = await TestIdentity.open(t)
  const { users, links, widgetSessions, pool } = identity
  const { clientId } = await identity.makeApp()
  const { serviceUserId, walletId, sealingKey } = await users.signUp({ ...ann, clientId })
  const token = await users.createResetToken(serviceUserId)
  const linkProof = await links.createProof(clientId, serviceUserId)
  const session = { clientId, serviceUserId, madeBy: 'login' } as const
  const { sessionToken } = await widgetSessions.create(session)
  t.strictSame((await links.findUser(clientId, serviceUserId))?.sealingKey, sealingKey)

  t.equal(await users.erase(serviceUserId), true)
  t.strictSame(
    await links.findUser(clientId, serviceUserId),
    { serviceUserId, walletId, sealingKey: undefined },
    'link and wallet stay, so that refunds still work; the key is gone at once',
  )
  t.match(await users.find(serviceUserId), { walletId, isErased: true, email: undefined })
  t.equal(await sealingKeyOf(pool, walletId), undefined)
  t.equal(await users.findByEmail(ann.email), undefined)
  t.equal(await users.login({ ...ann, clientId }), undefined)
  t.equal(await users.resetPassword(token, 'another horse entirely'), false)
  t.equal(await links.redeemProof(clientId, linkProof), undefined)
  t.equal(await widgetSessions.findEvenEnded(sessionToken), undefined)
  t.strictSame(await leftOf(identity), [], 'nothing of the person is in any table')
})

t.test('erasing twice is erasing once, and nobody cannot be erased', async (t) => {
  const { users, clock } = await TestIdentity.open(t)
  const { serviceUserId } = await users.create(ann)
  t.equal(await users.erase(serviceUserId), true)
  await clock.advance(1_000)
  t.equal(await users.erase(serviceUserId), true)
  for (const id of ['', 'usr_\0', `usr_${randomUUID()}`]) t.equal(await users.erase(id), false)
})

t.test('the email of an erased account can be used for a new one', async (t) => {
  const { users } = await TestIdentity.open(t)
  const { serviceUserId } = await users.create(ann)
  await users.erase(serviceUserId)
  t.not((await users.create(ann)).serviceUserId, serviceUserId)
})

t.test('the destroyed key leaves every other process when it is told', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const keySeen = async () =>
    (await second.links.findUser(clientId, serviceUserId))?.sealingKey !== undefined
  t.equal(await keySeen(), true)
  const heard = second.nextChange()
  await identity.users.erase(serviceUserId)
  await heard
  t.equal(await keySeen(), false)
})

t.test('the destroyed key leaves within two seconds even if nobody is told', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const keySeen = async () =>
    (await identity.links.findUser(clientId, serviceUserId))?.sealingKey !== undefined
  t.equal(await keySeen(), true)
  await identity.pool.query('update identity.users set sealing_key = null')
  t.equal(await keySeen(), true, 'remembered')
  await identity.clock.advance(2_000)
  t.equal(await keySeen(), false)
})

t.test('who is erased while their password is being checked is not logged in', async (t) => {
  const identity = await TestIdentity.open(t)
  const { users, passwords } = identity
  const { clientId } = await identity.makeApp()
  const { serviceUserId } = await users.create(ann)
  // The check takes a while; the person is erased in the middle of it.
  const verify = passwords.verify.bind(passwords)
  passwords.verify = async (password, stored) => {
    await users.erase(serviceUserId)
    return verify(password, stored)
  }
  t.equal(await users.login({ ...ann, clientId }), undefined)
  t.equal(await identity.links.findUser(clientId, serviceUserId), undefined)
})

t.test('erasing and resetting at the same moment wait for each other, not for ever', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { serviceUserId } = await identity.users.create(ann)
  const tokens = await Promise.all([1, 2].map(() => identity.users.createResetToken(serviceUserId)))
  await Promise.all([
    second.users.resetPassword(tokens[0] ?? '', 'another horse entirely'),
    identity.users.resetPassword(tokens[1] ?? '', 'another horse entirely'),
    second.users.erase(serviceUserId),
    identity.users.createResetToken(serviceUserId).catch(() => undefined),
  ])
  t.strictSame(await leftOf(identity), [])
})

/** Rows of any identity table that still hold something of the person. */
async function leftOf({ pool }: TestIdentity): Promise<unknown[]> {
  const left: unknown[] = []
  for (const table of ['users', 'password_resets', 'link_proofs', 'widget_sessions']) {
    const { rows } = await pool.query<Record<string, unknown>>(`select * from identity.${table}`)
    const holding = rows.filter(
      (row) =>
        table !== 'users' ||
        /ann|lee|scrypt/i.test(JSON.stringify(Object.values(row))) ||
        row['sealing_key'] !== null ||
        row['owner_salt'] !== null,
    )
    left.push(...holding)
  }
  return left
}
