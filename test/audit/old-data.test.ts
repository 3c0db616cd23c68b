// A database of the commit before opens: people get salts, and the admin log a chain over it.
import t, { type Test } from 'tap'
import { verifyAdminLog, verifyUnchained } from '../../src/audit/proofs/signed-admin-log.js'
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { DivergenceError } from '../../src/audit/verifying/divergence.js'
import { migrations } from '../../src/compose/database.js'
import { AdminLog } from '../../src/identity/admin-log.js'
import { systemClock } from '../../src/platform/clock.js'
import { migrate } from '../../src/platform/migrations.js'
import { createPool, transaction } from '../../src/platform/postgres.js'
import type { Pool } from '../../src/platform/postgres.js'
import { freshDatabase } from '../support/database.js'

/** As the commit before left it: two people, one of them erased, and three entries of the log. */
async function oldDatabase(t: Test): Promise<Pool> {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  await migrate(
    pool,
    migrations.filter(({ name }) => name < '0018'),
  )
  await pool.query(
    `insert into identity.users (service_user_id, wallet_id, sealing_key, erased_at) values
     ('usr_ada', gen_random_uuid(), 'x', null), ('usr_gone', gen_random_uuid(), null, now())`,
  )
  await pool.query(
    `insert into identity.admin_log (at, action, subject, details, outcome)
     values ('2026-01-02T03:04:05.678Z', 'old', null, '{"b":1.50,"a":"é"}', null)`,
  )
  await pool.query(
    `insert into identity.admin_log (order_id, at, action, details, outcome)
     select log_id, at, action, '{}', 'done' from identity.admin_log`,
  )
  return pool
}

async function divergenceOf(pool: Pool): Promise<Divergence | undefined> {
  try {
    const beginning = await transaction(pool, (client) => verifyAdminLog(client, undefined))
    await verifyUnchained(pool, beginning)
    return undefined
  } catch (error) {
    if (error instanceof DivergenceError) return error.divergence
    throw error
  }
}

t.test('people get a salt, the erased none', async (t) => {
  const pool = await oldDatabase(t)
  await migrate(pool, migrations)
  const { rows } = await pool.query<{ length: number | null }>(
    'select octet_length(owner_salt) as length from identity.users order by service_user_id',
  )
  t.same(rows, [{ length: 32 }, { length: null }])
  const { rows: more } = await pool.query<{ count: number }>(
    `insert into identity.users (service_user_id, wallet_id) values ('usr_new', gen_random_uuid())
     returning octet_length(owner_salt) as count`,
  )
  t.same(more, [{ count: 32 }], 'and so does everyone after them')
})

t.test('the log of before is covered by the digest that its chain begins with', async (t) => {
  const pool = await oldDatabase(t)
  await migrate(pool, migrations)
  t.equal(await divergenceOf(pool), undefined)
  const adminLog = new AdminLog({ pool, clock: systemClock })
  await adminLog.append({ adminId: null, action: 'new', subject: null, details: {} })
  t.equal(await divergenceOf(pool), undefined)
  t.same(
    (await adminLog.list({ limit: 9 })).map(({ action, outcome }) => [action, outcome]),
    [
      ['new', 'done'],
      ['old', 'done'],
    ],
  )
  await t.rejects(
    pool.query("insert into identity.admin_log (at, action, details) values (now(), 'x', '{}')"),
    { message: /admin_log_is_chained/ },
    'nothing is added beside the chain',
  )

  await pool.query('alter table identity.admin_log disable trigger admin_log_is_append_only')
  await pool.query('alter table identity.admin_log drop constraint admin_log_is_chained')
  const place = "the admin log's entries from before its chain"
  await pool.query("update identity.admin_log set details = '{}' where outcome is null")
  const another = { kind: 'admin-log', place, problem: /another digest$/ }
  t.match(await divergenceOf(pool), another)
  await pool.query('delete from identity.admin_log where chain_number is null')
  const problem = 'are 0, but were 2 when the chain began'
  t.match(await divergenceOf(pool), { place, problem })
})

t.test('whoever forges the digest of before breaks the chain', async (t) => {
  const pool = await oldDatabase(t)
  await migrate(pool, migrations)
  const adminLog = new AdminLog({ pool, clock: systemClock })
  await adminLog.append({ adminId: null, action: 'new', subject: null, details: {} })
  await pool.query('alter table identity.admin_log disable trigger admin_log_is_append_only')
  await pool.query(
    'alter table identity.admin_log_beginning disable trigger admin_log_beginning_stays',
  )
  await pool.query('delete from identity.admin_log where chain_number is null')
  await pool.query("update identity.admin_log_beginning set entries = 0, digest = sha256('')")
  t.match(await divergenceOf(pool), { problem: /^does not continue the hash chain/ })
})
