/** A log of the release before is converted: what it held is given back byte for byte. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import type { Test } from 'tap'
import type { NewEvent } from '../../src/event-store/event-store.js'
import { PostgresEventStore, postgresEventStoreMigrations } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { freshDatabase } from '../support/database.js'
import { given, newEvent, newStream, readAll, readTail } from './contract-events.js'
import { connect } from './postgres-under-test.js'

const hash = '{"hash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}'

/** Whatever is not exactly a hash stays the text that it was. */
const metadatas = [hash, '{}', hash.replace('a', 'A'), ` ${hash}`, hash.replace('"}', '1"}')]

t.test(
  'every event of an old log is given back as it was written, and the log goes on',
  async (t) => {
    const { url, sql } = await oldLog(t)
    const streams = [newStream(), newStream()]
    const events = streams.map(() => metadatas.map((metadata) => newEvent({ metadata })))
    for (const [index, stream] of streams.entries())
      await appendAsBefore(sql, stream, events[index])
    await convert(sql)

    const store = new PostgresEventStore({ url, clock: systemClock })
    t.teardown(() => store.close())
    for (const [index, stream] of streams.entries())
      t.strictSame(given(await readAll(store, stream)), given(events[index] ?? []))
    const tail = await readTail(store, { after: 0n, isEnough: ({ length }) => length >= 10 })
    t.strictSame(
      tail.flat().map(({ position, stream }) => [position, stream]),
      streams.flatMap((stream, index) =>
        metadatas.map((_, place) => [BigInt(1 + place + index * metadatas.length), stream]),
      ),
      'in the same order',
    )
    const [stream = ''] = streams
    const expectedId = events[0]?.at(-1)?.id
    const next = {
      stream,
      expectedRevision: metadatas.length - 1,
      expectedId,
      events: [newEvent()],
    }
    t.strictSame(await store.append(next), { kind: 'written' })
    const kept = await sql.query('select hash is null as text from ledger.events order by position')
    t.strictSame(
      kept.rows.map((row: { text: boolean }) => row.text),
      [false, true, true, true, true, false, true, true, true, true, true],
      'only the usual metadata is kept as bytes',
    )
    await t.rejects(sql.query('delete from ledger.events'), { code: '55000' }, 'it only grows')
    await t.rejects(appendAsBefore(sql, newStream()), { code: '42883' }, 'old writers are refused')
  },
)

t.test('a log with a stream that is no wallet is left as it is', async (t) => {
  const { sql } = await oldLog(t)
  await appendAsBefore(sql, 'wallet-of-nobody')
  await t.rejects(convert(sql), { message: /^stream wallet-of-nobody is no wallet's/ })
  const { rows } = await sql.query('select stream from ledger.events')
  t.strictSame(rows, [{ stream: 'wallet-of-nobody' }])
})

const isOld = ({ name }: { name: string }): boolean => name < '0023'

async function oldLog(t: Test): Promise<{ url: string; sql: pg.Client }> {
  const { url } = await freshDatabase(t)
  const sql = await connect(t, url)
  for (const migration of postgresEventStoreMigrations.filter(isOld)) await sql.query(migration.sql)
  return { url, sql }
}

async function convert(sql: pg.Client): Promise<void> {
  for (const migration of postgresEventStoreMigrations)
    if (!isOld(migration)) await sql.query(migration.sql)
}

/** As the release before wrote them. */
async function appendAsBefore(
  sql: pg.Client,
  stream: string,
  events: readonly NewEvent[] = [newEvent({ id: randomUUID() })],
): Promise<void> {
  const listed = events.map((event, revision) => ({
    stream,
    ...(revision === 0 ? { expected: -1 } : {}),
    revision,
    ...event,
  }))
  await sql.query('select ledger.append($1)', [JSON.stringify(listed)])
}
