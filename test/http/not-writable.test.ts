/** A service whose database takes no writes says so within seconds, and is back by itself. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { commandDeadlineMs, healthCacheMs } from '../../src/limits.js'
import { startOwnService } from '../spec/support/own-service.js'
import { freshReference } from '../spec/support/wallet-api.js'

t.test('a database that became read-only is unready, and writes fail fast', async (t) => {
  const on = await startOwnService(t, 'PostgreSQL')
  const account = await on.account(10)
  const used = freshReference()
  t.equal((await account.debit(1, used)).status, 200)
  const url = new URL(on.control.environment['DATABASE_URL'] ?? '')
  const sql = new pg.Client({ connectionString: url.href })
  await sql.connect()
  t.teardown(() => sql.end())
  const readOnly = async (isOn: boolean): Promise<void> => {
    const name = url.pathname.slice(1)
    await sql.query(`alter database ${name} set default_transaction_read_only = ${String(isOn)}`)
    await sql.query(
      'select pg_terminate_backend(pid) from pg_stat_activity ' +
        'where datname = current_database() and pid <> pg_backend_pid()',
    )
  }
  const until = async (status: number): Promise<Record<string, unknown>> => {
    for (;;) {
      const answer = await on.api.get('/health/ready', {})
      if (answer.status === status) return answer.body
      await pause(healthCacheMs / 4)
    }
  }
  t.match(await until(200), { parts: { 'event store': { state: 'ok' } } })
  await readOnly(true)
  t.match(await until(503), {
    status: 'unready',
    parts: { 'event store': { state: 'down' }, database: { state: 'down' } },
  })
  const refused = await account.debit(1)
  t.match(refused, { status: 503, body: { code: 'UNAVAILABLE' } })
  const startedMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 20 }, () => account.debit(1)))
  t.ok(answers.every(({ status }) => status === 503))
  const tookMs = performance.now() - startedMs
  t.ok(tookMs < commandDeadlineMs / 2, `${Math.round(tookMs)} ms, not after the deadline`)
  t.equal((await account.debit(1, used)).status, 200, 'what needs no write is answered')
  t.equal(await account.balance(), 9)

  await readOnly(false)
  t.match(await until(200), { parts: { 'event store': { state: 'ok' } } })
  t.equal((await account.debit(1)).status, 200)
  t.equal(await account.balance(), 8)
})
