// Transactions that fail, and connections that the database ends while somebody works on them.
import t from 'tap'
import { connect, createPool, slowQuery, transaction } from '../../src/platform/postgres.js'
import type { Client } from '../../src/platform/postgres.js'
import { freshDatabase } from '../support/database.js'

const own = 'select pg_backend_pid() as pid'
const end = 'select pg_terminate_backend($1)'

t.test('a transaction whose connection is ended fails, and the process lives on', async (t) => {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 2, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  const work = transaction(pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>(own)
    // Ended while nothing runs on it: only its event tells, maybe before the other query's answer.
    const ended = new Promise((resolve) => client.once('end', resolve))
    await pool.query(end, [rows[0]?.pid])
    await ended
    await client.query('select 1')
  })
  await t.rejects(work)
  t.same((await pool.query('select 1 as one')).rows, [{ one: 1 }], 'the pool has others')
})

t.test('so does a connection of its own', async (t) => {
  const { url } = await freshDatabase(t)
  const [client, other] = [await connect(url, 'test'), await connect(url, 'test')]
  const { rows } = await client.query<{ pid: number }>(own)
  const ended = new Promise((resolve) => client.once('end', resolve))
  await other.query(end, [rows[0]?.pid])
  await ended
  await t.rejects(client.query('select 1'))
  await other.end()
})

t.test('a transaction that failed holds no lock when its caller hears of it', async (t) => {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 2, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  await pool.query('create table things (thing int primary key)')
  await pool.query('insert into things values (1)')
  const locked = 'select thing from things for update skip locked'
  const pids = new Set<number>()
  const faults = [() => Promise.reject(new Error('lost')), insertAgain]
  for (let round = 0; round < 20; round += 1) {
    for (const fault of faults) {
      const work = transaction(pool, async (client) => {
        pids.add((await client.query<{ pid: number }>(own)).rows[0]?.pid ?? 0)
        await client.query(locked)
        await fault(client)
      })
      await t.rejects(work)
      t.same((await pool.query(locked)).rows, [{ thing: 1 }])
    }
  }
  t.ok(pids.size <= 2, 'and its connection goes on')
})

function insertAgain(client: Client): Promise<unknown> {
  return client.query('insert into things values (1)')
}

t.test('a sum over a whole table may take longer than a read', async (t) => {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 1, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  const [row] = await slowQuery<{ timeout: string }>(
    pool,
    "select current_setting('statement_timeout') as timeout where $1::int = 1",
    [1],
  )
  t.equal(row?.timeout, '30min')
  const later = await pool.query("select current_setting('statement_timeout') as timeout")
  t.same(later.rows, [{ timeout: '5s' }], 'and only that one')
})
