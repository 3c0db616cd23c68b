import { randomUUID } from 'node:crypto'
import t from 'tap'
import { walletIdOf } from '../../src/domain/ids.js'
import { AccountExistsError, createUser, sealingKeyOf } from '../../src/identity/users.js'
import type { SignUp } from '../../src/identity/users.js'
import { seedUsersMax } from '../../src/limits.js'
import { systemRandom } from '../../src/platform/random.js'
import { TestIdentity } from '../support/identity.js'

const password = 'correct horse battery'
const ann = { email: 'Ann@Example.com', password, firstName: 'Ann', lastName: 'Lee' }

t.test('who signs up has a wallet, a key and a link, and can log in', async (t) => {
  const identity = await TestIdentity.open(t)
  const { users, links, clock } = identity
  const { clientId } = await identity.makeApp()
  const user = await users.signUp({ ...ann, clientId })
  t.match(user.serviceUserId, /^usr_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/)
  t.equal(user.sealingKey?.length, 32)
  t.not(user.serviceUserId, `usr_${user.walletId}`)
  t.strictSame(await links.findUser(clientId, user.serviceUserId), user)

  const details = {
    ...user,
    email: 'Ann@Example.com',
    firstName: 'Ann',
    lastName: 'Lee',
    createdAt: new Date(clock.now()).toISOString(),
    isErased: false,
  }
  t.strictSame(await users.find(user.serviceUserId), details)
  t.strictSame(await users.findByEmail('aNN@example.COM'), details)
  t.strictSame(await users.findByWallet(user.walletId), details)
  t.strictSame(await users.login({ email: 'ANN@EXAMPLE.com', password, clientId }), user)
})

t.test('a password is at rest only as its hash', async (t) => {
  const identity = await TestIdentity.open(t)
  await identity.users.create(ann)
  const { rows } = await identity.pool.query('select * from identity.users')
  t.match(rows, [{ password_hash: /^scrypt\$/ }])
  t.notOk(JSON.stringify(rows).includes(password))
})

t.test('a login in another app adds a link to it', async (t) => {
  const identity = await TestIdentity.open(t)
  const [first, second] = [await identity.makeApp(), await identity.makeApp()]
  const user = await identity.users.signUp({ ...ann, clientId: first.clientId })
  t.equal(await identity.links.findUser(second.clientId, user.serviceUserId), undefined)
  await identity.users.login({ ...ann, clientId: second.clientId })
  for (const { clientId } of [first, second])
    t.strictSame(await identity.links.findUser(clientId, user.serviceUserId), user)
})

t.test('a failed login does the same work whether or not there is an account', async (t) => {
  const identity = await TestIdentity.open(t)
  const { users, passwords } = identity
  const { clientId } = await identity.makeApp()
  await users.create(ann)
  await users.create({ email: 'no-password@example.com' })
  for (const [what, email, tried] of [
    ['a wrong password', ann.email, 'something else'],
    ['an unknown email', 'bob@example.com', password],
    ['no password', 'no-password@example.com', password],
    ['no email at all', 'not an email\0', password],
    ['an empty email', '', ''],
    ['a huge password', ann.email, 'a'.repeat(10_000)],
  ] as const) {
    passwords.calls.length = 0
    const work = async () =>
      t.equal(await users.login({ email, password: tried, clientId }), undefined, what)
    t.equal(await identity.queriesOf(work), 1, `${what}: one look-up`)
    t.strictSame(passwords.calls, ['verify'], `${what}: one check of a hash`)
  }
  const { rowCount } = await identity.pool.query('select from identity.links')
  t.equal(rowCount, 0, 'nobody was linked')
})

t.test('a taken email is refused, whatever its case', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId } = await identity.makeApp()
  await identity.users.signUp({ ...ann, clientId })
  const again = { ...ann, email: 'ann@EXAMPLE.com', clientId }
  await t.rejects(identity.users.signUp(again), AccountExistsError)
  const { rowCount } = await identity.pool.query('select from identity.users')
  t.equal(rowCount, 1)
})

t.test('many who sign up with one email at the same moment get one account', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId } = await identity.makeApp()
  const lock = 'lock table identity.users in share mode'
  const results = await identity.race({ lock, waiters: 4 }, () =>
    [identity, second, identity, second].map(({ users }) => users.signUp({ ...ann, clientId })),
  )
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  t.equal(made.length, 1)
  for (const result of results)
    if (result.status === 'rejected') t.type(result.reason, AccountExistsError)
  t.equal((await identity.users.findByEmail(ann.email))?.walletId, made[0]?.walletId)
  const { rowCount } = await identity.pool.query('select from identity.links')
  t.equal(rowCount, 1)
})

t.test(
  'what breaks a rule is refused by the name of its field, and nothing is written',
  async (t) => {
    const identity = await TestIdentity.open(t)
    const { clientId } = await identity.makeApp()
    const faults: Partial<SignUp>[] = [
      { email: 'nobody' },
      { password: 'too short' },
      { password: 'a'.repeat(201) },
      { firstName: '' },
      { lastName: 'a'.repeat(101) },
      { lastName: 'a\0b' },
      { clientId: `app_${randomUUID()}` },
      { clientId: 'app_\0' },
    ]
    for (const fault of faults)
      await t.rejects(identity.users.signUp({ ...ann, clientId, ...fault }), {
        name: 'InvalidFieldError',
        field: Object.keys(fault)[0],
      })
    const { rowCount } = await identity.pool.query('select from identity.users')
    t.equal(rowCount, 0, 'user and link are one transaction')
  },
)

t.test('a user may be made with nothing, but not with a password alone', async (t) => {
  const { users } = await TestIdentity.open(t)
  const { serviceUserId } = await users.create({})
  t.match(await users.find(serviceUserId), { email: undefined, firstName: undefined })
  await t.rejects(users.create({ password }), { name: 'InvalidFieldError', field: 'email' })
})

t.test('ids that are none find nobody', async (t) => {
  const { users } = await TestIdentity.open(t)
  for (const id of ['', 'usr_1', 'usr_\0', `usr_${randomUUID()}`])
    t.equal(await users.find(id), undefined, JSON.stringify(id))
  for (const email of ['', 'a\0b', 'bob@example.com'])
    t.equal(await users.findByEmail(email), undefined, JSON.stringify(email))
  t.equal(await users.findByWallet(walletIdOf(randomUUID())), undefined)
})

t.test('seeded users are many, linked, and have no email and no password', async (t) => {
  const identity = await TestIdentity.open(t)
  const { users, links, pool } = identity
  const { clientId } = await identity.makeApp()
  const made = await users.createMany(4_500, clientId)
  t.equal(new Set(made.map(({ serviceUserId }) => serviceUserId)).size, 4_500)
  const { rows } = await pool.query(
    'select count(*)::int, count(email)::int as emails, count(password_hash)::int as passwords, ' +
      'count(distinct sealing_key)::int as keys from identity.users join identity.links ' +
      'using (service_user_id)',
  )
  t.strictSame(rows, [{ count: 4_500, emails: 0, passwords: 0, keys: 4_500 }])
  t.strictSame(await links.findUser(clientId, made[4_499]?.serviceUserId ?? ''), made[4_499])
  for (const count of [0, -1, 1.5, Number.NaN, seedUsersMax + 1])
    await t.rejects(users.createMany(count, clientId), RangeError)
  for (const unknown of [`app_${randomUUID()}`, 'app_\0'])
    await t.rejects(users.createMany(1, unknown), { name: 'InvalidFieldError', field: 'clientId' })
})

t.test('a wallet of a user made the plain way has its key', async (t) => {
  const { pool } = await TestIdentity.open(t)
  const user = await createUser(pool, systemRandom)
  t.strictSame(await sealingKeyOf(pool, user.walletId), user.sealingKey)
  t.equal(await sealingKeyOf(pool, walletIdOf(randomUUID())), undefined)
})
