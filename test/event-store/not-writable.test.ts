/**
 * A PostgreSQL that answers and takes no writes: read-only (as after a failover to a standby) or
 * out of space. Appends are refused at once, nothing is claimed to be written, and the store is
 * well again as soon as it can be written again.
 */
import pg from 'pg'
import t from 'tap'
import type { Test } from 'tap'
import { NotWritableError, OutcomeUnknownError } from '../../src/event-store/event-store.js'
import { PostgresEventStore } from '../../src/event-store/postgres.js'
import { WriteGate } from '../../src/event-store/write-gate.js'
import { appendFailureForgottenMs, appendFailingMs, writeTryPauseMs } from '../../src/limits.js'
import { FakeClock, settle } from '../support/fake-clock.js'
import { newEvents, newStream } from './contract-events.js'
import { holdLock, postgresUnderTest } from './postgres-under-test.js'

const newBatch = () => ({ stream: newStream(), expectedRevision: -1, events: newEvents(1) })

t.test('a database that becomes read-only is noticed without writing', async (t) => {
  const { store, clock, sql, readOnly } = await open(t)
  await store.check()
  await readOnly(true)
  await t.rejects(store.check(), NotWritableError)
  const groups = store.counts.groups
  await t.rejects(store.append(newBatch()), NotWritableError)
  t.equal(store.counts.groups, groups, 'nothing was sent')

  await readOnly(false)
  await store.check()
  t.equal((await store.append(newBatch())).kind, 'written')
  const { rows } = await sql.query('select from ledger.events')
  t.equal(rows.length, 1, 'the tries left nothing behind')
  await clock.advance(0)
})

t.test('an append meets a read-only database first, and the line behind it', async (t) => {
  const { store, readOnly } = await open(t)
  await readOnly(true)
  const batches = Array.from({ length: 5 }, newBatch)
  await Promise.all(batches.map((batch) => t.rejects(store.append(batch), NotWritableError)))
  await readOnly(false)
  await store.check()
  for (const batch of batches) t.equal((await store.append(batch)).kind, 'written')
})

t.test('a full disk refuses appends at once, and one a second tries again', async (t) => {
  const { store, clock, diskFull } = await open(t)
  await diskFull(true)
  await t.rejects(store.append(newBatch()), NotWritableError)
  await t.rejects(store.check(), NotWritableError, 'also without any append')
  const groups = store.counts.groups
  for (let count = 0; count < 3; count += 1)
    await t.rejects(store.append(newBatch()), NotWritableError)
  t.equal(store.counts.groups, groups)
  await clock.advance(writeTryPauseMs)
  const tries = [store.append(newBatch()), store.append(newBatch())]
  await Promise.all(tries.map((tried) => t.rejects(tried, NotWritableError)))
  t.equal(store.counts.groups, groups + 1, 'one was sent')

  await diskFull(false)
  await t.rejects(store.append(newBatch()), NotWritableError, 'not yet')
  await clock.advance(writeTryPauseMs)
  t.equal((await store.append(newBatch())).kind, 'written', 'without anybody asking for health')
  t.equal((await store.append(newBatch())).kind, 'written')
})

t.test('an append that may be written stays unknown', async (t) => {
  const { store, sql, url } = await open(t)
  const lock = await holdLock(t, { url })
  const batch = newBatch()
  await t.rejects(store.append(batch), OutcomeUnknownError, 'it waited for the lock in vain')
  await lock.release()
  t.equal((await store.append(batch)).kind, 'written')
  t.equal((await sql.query('select from ledger.events')).rowCount, 1)
})

t.test('appends without an answer for seconds are not well, until one is answered', async (t) => {
  const clock = new FakeClock()
  const gate = new WriteGate(clock)
  gate.noteFailure()
  gate.requireWell()
  await clock.advance(appendFailingMs)
  gate.requireWell()
  gate.noteFailure()
  t.throws(() => gate.requireWell(), NotWritableError)
  t.ok(gate.mayPass(), 'each is tried all the same')
  await clock.advance(appendFailureForgottenMs + 1)
  gate.requireWell()
  gate.noteFailure()
  await clock.advance(appendFailingMs)
  gate.noteFailure()
  gate.open()
  gate.requireWell()
})

async function open(t: Test) {
  const { url, sql } = await postgresUnderTest(t)
  const clock = new FakeClock()
  const store = new PostgresEventStore({ url, clock })
  t.teardown(() => store.close())
  const { rows } = await sql.query<{ name: string }>('select current_database() as name')
  const name = rows[0]?.name ?? ''
  const readOnly = async (isOn: boolean): Promise<void> => {
    await sql.query(`alter database ${name} set default_transaction_read_only = ${String(isOn)}`)
    // What was connected keeps its setting: after a failover nobody is.
    await sql.query(
      'select pg_terminate_backend(pid) from pg_stat_activity ' +
        'where datname = current_database() and pid <> pg_backend_pid()',
    )
    await isCut(sql)
  }
  // Filling a disk is not for tests; its error is.
  await sql.query(
    'create function refuse_for_space() returns trigger language plpgsql as ' +
      "$$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$",
  )
  const diskFull = async (isFull: boolean): Promise<void> => {
    await sql.query(
      isFull
        ? 'create trigger no_space before insert on ledger.events ' +
            'for each row execute function refuse_for_space()'
        : 'drop trigger no_space on ledger.events',
    )
  }
  return { url, sql, clock, store, readOnly, diskFull }
}

/** Resolves when the store's connections are gone, and the store has heard of it. */
async function isCut(sql: pg.Client): Promise<void> {
  const left =
    'select from pg_stat_activity where datname = current_database() ' +
    "and application_name like 'wallet-%'"
  while ((await sql.query(left)).rowCount !== 0) continue
  await settle()
}
