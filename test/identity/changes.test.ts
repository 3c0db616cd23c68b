import t from 'tap'
import { countChanges } from '../../src/identity/answer-cache.js'
import { answerCacheMs } from '../../src/limits.js'
import { transaction } from '../../src/platform/postgres.js'
import { TestIdentity } from '../support/identity.js'

t.test('every change of what credentials and links are read from is counted', async (t) => {
  const identity = await TestIdentity.open(t)
  const { pool } = identity
  const { serviceUserId, clientId } = await identity.makeLinkedUser()
  const statements = {
    'an app is deactivated': 'update identity.client_apps set is_active = false',
    'a secret is revoked': 'delete from identity.client_secrets',
    'a link is removed': 'delete from identity.links',
    'a person is erased': 'update identity.users set sealing_key = null',
  }
  for (const [name, sql] of Object.entries(statements)) {
    const before = await countChanges(pool)
    await pool.query(sql)
    t.ok((await countChanges(pool)) > before, name)
  }
  const before = await countChanges(pool)
  await identity.links.add(clientId, serviceUserId)
  await pool.query('update identity.users set password_hash = $1', ['another'])
  t.equal(await countChanges(pool), before, 'what no remembered answer depends on is not')
})

t.test('emptying a table is counted', async (t) => {
  const identity = await TestIdentity.open(t)
  await identity.makeLinkedUser()
  for (const table of ['links', 'client_secrets', 'client_apps', 'users']) {
    const before = await countChanges(identity.pool)
    await identity.pool.query(`truncate identity.${table} cascade`)
    t.ok((await countChanges(identity.pool)) > before, table)
  }
})

t.test('a transaction counts once, however many rows it changes', async (t) => {
  const identity = await TestIdentity.open(t)
  const { pool } = identity
  for (let made = 0; made < 5; made += 1) await identity.makeLinkedUser()
  for (const sql of ['delete from identity.links', 'delete from identity.client_secrets']) {
    const before = await countChanges(pool)
    await pool.query(sql)
    t.equal(await countChanges(pool), before + 1, sql)
  }
})

t.test('what is rolled back is not counted', async (t) => {
  const { pool } = await TestIdentity.open(t)
  const before = await countChanges(pool)
  const undone = transaction(pool, async (client) => {
    await client.query('delete from identity.links')
    throw new Error('no')
  })
  await t.rejects(undone, { message: 'no' })
  t.equal(await countChanges(pool), before)
})

t.test('two changes in opposite order do not wait for each other for ever', async (t) => {
  const identity = await TestIdentity.open(t)
  const { pool } = identity
  const one = await identity.makeApp()
  const two = await identity.makeApp()
  const rename = 'update identity.client_apps set name = $2 where client_id = $1'
  const unlink = 'delete from identity.client_secrets where client_id = $1'
  await transaction(pool, async (first) => {
    await first.query(rename, [one.clientId, 'First'])
    await transaction(pool, async (second) => {
      await second.query(rename, [two.clientId, 'Second'])
    })
    await first.query(unlink, [two.clientId])
  })
  t.equal((await identity.clientApps.find(two.clientId))?.secrets.length, 0)
})

t.test('a link that was removed by hand is gone within two seconds', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  t.ok(await identity.links.findUser(clientId, serviceUserId))
  await identity.pool.query('delete from identity.links')
  t.ok(await identity.links.findUser(clientId, serviceUserId), 'still remembered')
  await identity.clock.advance(answerCacheMs / 2)
  await countChanges(identity.pool)
  await identity.clock.advance(answerCacheMs / 2)
  t.equal(await identity.links.findUser(clientId, serviceUserId), undefined)
})
