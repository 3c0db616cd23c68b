/** What a process has written reaches its own follower of the log without being read again. */
import pg from 'pg'
import t from 'tap'
import type { Test } from 'tap'
import type { EventStore, RecordedEvent } from '../../src/event-store/event-store.js'
import { HistoryChangedError } from '../../src/event-store/event-store.js'
import { HandedEvents } from '../../src/event-store/handed-events.js'
import { handedEventsMax } from '../../src/event-store/limits.js'
import { given, newEvent, newEvents, newStream, readTail, write } from './contract-events.js'
import { postgresUnderTest } from './postgres-under-test.js'

/** Long enough to write something between two batches of the tail. */
const maxWaitMs = 300

function follow(t: Test, store: EventStore): AsyncIterator<readonly RecordedEvent[]> {
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const options = { after: 0n, maxCount: 100, maxWaitMs, signal: stop.signal }
  return store.tail(options)[Symbol.asyncIterator]()
}

async function nextOf(tail: AsyncIterator<readonly RecordedEvent[]>) {
  const { value } = (await tail.next()) as { value: readonly RecordedEvent[] }
  return value
}

async function tamper(sql: pg.Client, statement: string): Promise<void> {
  await sql.query('alter table ledger.events disable trigger events_only_grow')
  await sql.query(statement)
}

const append = (t: Test, store: EventStore, count: number) =>
  write(t, store, { stream: newStream(), expectedRevision: -1, events: newEvents(count) })

t.test('a follower is given what its own process wrote, exactly as a read gives it', async (t) => {
  const { store, open, sql } = await postgresUnderTest(t)
  await append(t, store, 1)
  const tail = follow(t, store)
  t.equal((await nextOf(tail)).length, 1, 'read')
  await Promise.all([append(t, store, 2), append(t, store, 3)])
  const isEnough = ({ length }: { length: number }): boolean => length >= 5
  const asRead = (await readTail(open(), { after: 1n, isEnough })).flat()
  // Whoever reads now sees other data: so this was not read.
  await tamper(sql, "update ledger.events set data = '{}' where position < 6")
  t.strictSame(await nextOf(tail), asRead)
})

t.test('what another process wrote in between is read, in its place', async (t) => {
  const { store, open } = await postgresUnderTest(t)
  const first = await append(t, store, 1)
  const tail = follow(t, store)
  t.strictSame(given(await nextOf(tail)), given(first))
  const events = [
    ...(await append(t, store, 2)),
    ...(await append(t, open(), 1)),
    ...(await append(t, store, 1)),
  ]
  const seen: RecordedEvent[] = []
  while (seen.length < events.length) seen.push(...(await nextOf(tail)))
  t.strictSame(given(seen), given(events))
})

t.test('what was written and is gone is not given to anybody', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  await append(t, store, 1)
  const tail = follow(t, store)
  await nextOf(tail)
  await append(t, store, 2)
  await tamper(sql, 'delete from ledger.events where position = 3')
  await t.rejects(nextOf(tail), HistoryChangedError)
})

t.test('what a lost connection has written before is read again', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  await append(t, store, 1)
  const tail = follow(t, store)
  await nextOf(tail)
  await append(t, store, 1)
  const { generation } = store
  await sql.query(
    'select pg_terminate_backend(pid) from pg_stat_activity ' +
      "where datname = current_database() and application_name = 'wallet-append'",
  )
  while (store.generation === generation) await store.readHead(newStream()).catch(() => undefined)
  await tamper(sql, "update ledger.events set data = '{}' where position = 2")
  t.match(await nextOf(tail), [{ position: 2n, data: '{}' }])
})

t.test('handed events have no gap, and never more than the bound', (t) => {
  const handed = new HandedEvents()
  const at = (position: number): RecordedEvent => {
    return { ...newEvent(), stream: newStream(), revision: 0, position: BigInt(position) }
  }
  const positions = (after: number): number[] =>
    handed.after(BigInt(after), 9).map(({ position }) => Number(position))
  handed.add([at(5), at(6)])
  t.strictSame(positions(3), [], 'the fourth is missing')
  t.strictSame(positions(4), [5, 6])
  t.strictSame(positions(5), [6])
  handed.add([at(8)])
  t.strictSame(positions(6), [], 'the seventh is missing')
  t.strictSame(positions(7), [8])
  handed.add(Array.from({ length: handedEventsMax }, (_, index) => at(9 + index)))
  t.strictSame(positions(7), [], 'those in front were let go')
  handed.clear()
  t.strictSame(positions(8), [])
  t.end()
})
