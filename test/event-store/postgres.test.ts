/** The PostgreSQL store: the contract, the group commit, broken connections, several processes. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import t from 'tap'
import {
  AppendRefusedError,
  OutcomeUnknownError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../../src/event-store/event-store.js'
import type { AppendBatch } from '../../src/event-store/event-store.js'
import { groupBatchesEnough } from '../../src/event-store/limits.js'
import { walletOf } from '../../src/event-store/postgres-append.js'
import { GroupCommit } from '../../src/event-store/postgres-group-commit.js'
import { WriteGate } from '../../src/event-store/write-gate.js'
import { groupBatchesMax, groupBytesMax } from '../../src/limits.js'
import { systemClock } from '../../src/platform/clock.js'
import { turnOfEventLoop } from '../../src/platform/gather.js'
import { eventStoreContract } from './contract.js'
import { holdsExactly, newEvent, newEvents, newStream, readTail, write } from './contract-events.js'
import { backendThatWaits, holdLock, postgresUnderTest, proxy } from './postgres-under-test.js'
import { programArgs } from '../support/child-program.js'

eventStoreContract(t, 'the PostgreSQL store', async (t) => {
  const { store, open, sql } = await postgresUnderTest(t)
  return {
    store,
    another: async () => open(),
    refusedData: '{"text":"\0"}',
    keepsAnyText: true,
    loseConnections: () =>
      sql.query(
        'select pg_terminate_backend(pid) from pg_stat_activity ' +
          "where datname = current_database() and application_name like 'wallet-%'",
      ),
  }
})

function newBatch(count = 1): AppendBatch {
  return { stream: newStream(), expectedRevision: -1, events: newEvents(count) }
}

function newBatches(length: number): AppendBatch[] {
  return Array.from({ length }, () => newBatch())
}

void t.test('what stood there before the call is told from what it wrote', async (t) => {
  const { store, open } = await postgresUnderTest(t)
  const batch = newBatch()
  const answers = await Promise.all([store, open(), open()].map((each) => each.append(batch)))
  t.strictSame(
    answers.map(({ kind }) => kind),
    ['written', 'written', 'written'],
  )
  t.equal(answers.filter((verdict) => !('already' in verdict)).length, 1, 'one of them wrote')
  t.strictSame(await store.append(batch), { kind: 'written', already: true })
})

void t.test('appends that arrive while one is under way share the next call', async (t) => {
  const database = await postgresUnderTest(t)
  const { store, sql } = database
  const lock = await holdLock(t, database)
  const first = store.append(newBatch())
  await backendThatWaits(sql)
  const others = newBatches(groupBatchesMax + 50).map((batch) => store.append(batch))
  await lock.release()
  const verdicts = await Promise.all([first, ...others])
  t.ok(verdicts.every((verdict) => verdict.kind === 'written'))
  t.strictSame(store.counts, { appends: groupBatchesMax + 51, groups: 3 }, 'in three calls')
})

void t.test('a call waits as long as each turn brings more, up to what is enough', async (t) => {
  const { url } = await postgresUnderTest(t)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const nothing = () => undefined
  const parts = { missing: async () => [], onLost: nothing, onWritten: nothing }
  const patience = 60_000
  const commit = new GroupCommit(pool, { ...parts, gate: new WriteGate(systemClock) }, patience)
  t.teardown(() => commit.close())
  const append = async (count: number): Promise<void> => {
    const appends: Promise<unknown>[] = []
    for (const batch of newBatches(count)) {
      // Begun before the append: as requests do, the next one comes before anybody looks again.
      const next = turnOfEventLoop()
      appends.push(commit.append(batch))
      await next
    }
    await Promise.all(appends)
  }
  await append(groupBatchesEnough)
  t.strictSame(commit.counts, { appends: groupBatchesEnough, groups: 1 }, 'one a turn, one call')
  await append(1)
  t.equal(commit.counts.groups, 2, 'nobody else comes')
})

void t.test('a group is bounded by its bytes too', async (t) => {
  const { store } = await postgresUnderTest(t)
  const data = `{"text":"${'x'.repeat(groupBytesMax / 4)}"}`
  const batches = Array.from({ length: 6 }, () => ({ ...newBatch(), events: [newEvent({ data })] }))
  await Promise.all(batches.map((batch) => write(t, store, batch)))
  t.equal(store.counts.groups, 2, 'three of a little more than a quarter fit')
})

void t.test('two batches of one stream never share a group', async (t) => {
  const { store } = await postgresUnderTest(t)
  const stream = newStream()
  const [one, two] = [newEvents(2), newEvents(1)]
  const written = [
    write(t, store, { stream, expectedRevision: -1, events: one }),
    write(t, store, { stream, expectedRevision: 1, expectedId: one[1]?.id, events: two }),
  ]
  await Promise.all(written)
  t.equal(store.counts.groups, 2)
  await holdsExactly(t, store, { stream, events: [...one, ...two] })
})

void t.test(
  'poisoned batches are refused alone, and what else was in the group is written',
  async (t) => {
    const { store } = await postgresUnderTest(t)
    const good = newBatches(20)
    const poisons = [
      newEvent({ data: '{"text":"\0"}' }),
      newEvent({ data: '{"text":"\ud800"}' }),
      newEvent({ id: 'no UUID' }),
    ].map((event) => ({ ...newBatch(), events: [newEvent(), event] }))
    const noWallet = { ...newBatch(), stream: 'wallet-of-nobody' }
    const bad = [...poisons, noWallet]
    const answers = [
      ...good.map((batch) => write(t, store, batch)),
      ...bad.map((batch) => t.rejects(store.append(batch), AppendRefusedError)),
    ]
    await Promise.all(answers)
    for (const { stream } of poisons) t.equal(await store.readHead(stream), undefined)
    for (const batch of good) await holdsExactly(t, store, batch)
  },
)

void t.test(
  'an append whose backend is ended has an unknown outcome, and its repeat is exact',
  async (t) => {
    const database = await postgresUnderTest(t)
    const { store, sql } = database
    const lock = await holdLock(t, database)
    const [batch, waiting] = [newBatch(3), newBatch()]
    const broken = t.rejects(store.append(batch), OutcomeUnknownError)
    const pid = await backendThatWaits(sql)
    const next = store.append(waiting)
    await sql.query('select pg_terminate_backend($1)', [pid])
    await broken
    await lock.release()
    t.strictSame(await next, { kind: 'written' }, 'the next group goes by a fresh connection')
    await write(t, store, batch)
    await holdsExactly(t, store, batch)
  },
)

void t.test('an append whose answer is lost is written, and its repeat is told so', async (t) => {
  const { url, open, sql } = await postgresUnderTest(t)
  const network = await proxy(t, url)
  const store = open(network.url)
  await write(t, store, newBatch())
  const batch = newBatch(3)
  network.mode = 'cut'
  await t.rejects(store.append(batch), OutcomeUnknownError)
  network.mode = 'pass'
  const { rows } = await sql.query('select 1 from ledger.events where wallet_id = $1', [
    walletOf(batch.stream),
  ])
  t.equal(rows.length, 3, 'in the log')
  await write(t, store, batch)
  await holdsExactly(t, store, batch)
})

void t.test('a silent server is given up by the watchdog, for appends and for reads', async (t) => {
  const { url, open } = await postgresUnderTest(t)
  const network = await proxy(t, url)
  const store = open(network.url)
  await store.check()
  const [batch, waiting] = [newBatch(2), newBatch()]
  await write(t, store, newBatch())
  network.mode = 'silence'
  const append = t.rejects(store.append(batch), OutcomeUnknownError)
  // In line behind the first; the silent server takes no connection for it either.
  const behind = Promise.resolve().then(() => t.rejects(store.append(waiting), OutcomeUnknownError))
  await Promise.all([append, behind, t.rejects(store.check(), StoreUnavailableError)])
  network.mode = 'pass'
  await write(t, store, batch)
  await write(t, store, waiting)
  await holdsExactly(t, store, batch)
})

void t.test('a writer that waits too long for the lock gives up on the server too', async (t) => {
  const database = await postgresUnderTest(t)
  const { store, sql } = database
  const lock = await holdLock(t, database)
  const batch = newBatch()
  await t.rejects(store.append(batch), OutcomeUnknownError)
  const { rows } = await sql.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
  )
  t.equal(rows.length, 0, 'nobody waits any more')
  await lock.release()
  await write(t, store, batch)
})

void t.test(
  'at close the appends in line are answered at once, and the one under way is awaited',
  async (t) => {
    const database = await postgresUnderTest(t)
    const { store, sql } = database
    const lock = await holdLock(t, database)
    const underWay = store.append(newBatch())
    await backendThatWaits(sql)
    const inLine = newBatches(5).map((batch) => t.rejects(store.append(batch), OutcomeUnknownError))
    const closed = store.close()
    await Promise.all(inLine)
    await lock.release()
    t.strictSame(await underWay, { kind: 'written' })
    await closed
  },
)

void t.test('several processes on the same streams leave one log without gaps', async (t) => {
  const { url, store, sql } = await postgresUnderTest(t)
  const streams = Array.from({ length: 10 }, () => newStream())
  const program = programArgs(new URL('postgres-writer-child.ts', import.meta.url))
  const run = promisify(execFile)
  const args = [...program, url, '20', ...streams]
  const children = await Promise.all([1, 2, 3].map(() => run(process.execPath, args)))
  const written = children.flatMap(
    ({ stdout }) => JSON.parse(stdout) as { stream: string; ids: string[] }[],
  )
  t.equal(written.length, 3 * 20 * 10, 'every process wrote all its batches')
  const total = written.reduce((sum, batch) => sum + batch.ids.length, 0)
  const seen = await readTail(store, { after: 0n, isEnough: ({ length }) => length >= total })
  const events = seen.flat()
  t.equal(events.length, total, 'positions 1 to the last, for a gap would stop the tail')
  for (const stream of streams) {
    const ids = events.filter((event) => event.stream === stream).map((event) => event.id)
    const batches = written.filter((batch) => batch.stream === stream)
    const starts = batches.map((batch) => ids.indexOf(batch.ids[0] ?? ''))
    t.ok(
      batches.every(({ ids: own }, index) =>
        own.every((id, place) => ids[(starts[index] ?? 0) + place] === id),
      ),
      'no batch is torn',
    )
    t.equal(ids.length, batches.flatMap((batch) => batch.ids).length, 'nor doubled')
  }
  const { rows } = await sql.query(
    'select count(*)::int as n, max(position)::int from ledger.events',
  )
  t.strictSame(rows, [{ n: total, max: total }])
})

void t.test('a head that a writer knows by its own run is still compared', async (t) => {
  const { store, open, sql } = await postgresUnderTest(t)
  const other = open()
  const [one, two] = [newBatch(2), newBatch()]
  const after = (batch: AppendBatch, count = 1): AppendBatch => {
    const expectedRevision = batch.expectedRevision + batch.events.length
    const expectedId = batch.events.at(-1)?.id
    return { stream: batch.stream, expectedRevision, expectedId, events: newEvents(count) }
  }
  await store.append(one)
  await store.append(two)
  const higher = { ...after(one), expectedRevision: 4 }
  t.strictSame(await store.append(higher), { kind: 'diverged' }, 'the known id elsewhere')
  // What is not written ends the run: another event begins a new one.
  const begun = newBatch()
  await store.append(begun)
  const wrong = { ...after(begun), expectedId: newEvent().id }
  t.strictSame(await store.append(wrong), { kind: 'diverged' }, 'another id at the known head')

  const next = after(one)
  t.strictSame(await store.append(next), { kind: 'written' })
  const theirs = after(next)
  t.strictSame(await other.append(theirs), { kind: 'written' }, 'another process wrote')
  t.match(await store.append(after(next)), { kind: 'conflict', missing: { length: 1 } })
  t.strictSame(await store.append(next), { kind: 'written', already: true }, 'and a repeat is one')
  t.strictSame(await store.append(after(two)), { kind: 'written' })

  // The end of the log is the writer's own, but somebody took the head of another stream away.
  await store.append(after(theirs))
  const last = newBatch()
  await store.append(last)
  await sql.query('alter table ledger.events disable trigger events_only_grow')
  await sql.query('update ledger.events set id = gen_random_uuid() where wallet_id = $1', [
    walletOf(last.stream),
  ])
  t.strictSame(await store.append(after(last)), { kind: 'diverged' }, 'an end that is another')
})

void t.test('a known head that others have passed is a conflict, and never refused', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  const [batch, last] = [newBatch(), newBatch()]
  await store.append(batch)
  await store.append(last)
  // The log still ends with the writer's own event, which somebody has put into that stream.
  await sql.query('alter table ledger.events disable trigger events_only_grow')
  await sql.query(
    'update ledger.events set wallet_id = $1, revision = 1 where wallet_id = $2 and revision = 0',
    [walletOf(batch.stream), walletOf(last.stream)],
  )
  const expectedId = batch.events[0]?.id
  const next = { stream: batch.stream, expectedRevision: 0, expectedId, events: newEvents(1) }
  t.match(await store.append(next), { kind: 'conflict', missing: { length: 1 } })
})

void t.test('the log cannot be changed by accident', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  const batch = newBatch(2)
  await write(t, store, batch)
  await store.createMarker()
  for (const change of [
    "update ledger.events set data = ''",
    'delete from ledger.events',
    'truncate ledger.events',
    'insert into ledger.events select * from ledger.events ' +
      "on conflict (position) do update set data = ''",
    'delete from ledger.marker',
  ])
    await t.rejects(sql.query(change), { code: '55000' }, change)
  await holdsExactly(t, store, batch)
})

void t.test('a gap in the log is a fault, never skipped', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  const stream = newStream()
  const insert =
    'insert into ledger.events (wallet_id, revision, position, id, type, data, metadata) ' +
    'values ($1, $2, $3, gen_random_uuid(), $4, $4, $4)'
  await sql.query(insert, [walletOf(stream), 0, 1, '{}'])
  await sql.query(insert, [walletOf(stream), 2, 3, '{}'])
  const tail = (after: bigint): Promise<unknown> =>
    readTail(store, { after, isEnough: ({ length }) => length >= 2 })
  await t.rejects(tail(0n), StoreCorruptError, 'between two events')
  await t.rejects(tail(1n), StoreCorruptError, 'right after the start')
  const whole = async (): Promise<void> => {
    for await (const event of store.readStream(stream, { fromRevision: 0, maxCount: 9 }))
      t.equal(event.revision, 0)
  }
  await t.rejects(whole(), StoreCorruptError, 'in a stream')
})

void t.test(
  'a database without the store, or one that is away, is told by every call',
  async (t) => {
    const { store, sql } = await postgresUnderTest(t)
    await sql.query('alter schema ledger rename to elsewhere')
    await t.rejects(store.check(), StoreUnavailableError)
    await t.rejects(store.append(newBatch()), OutcomeUnknownError)
    const signal = new AbortController().signal
    const tail = store.tail({ after: 0n, maxCount: 1, maxWaitMs: 1, signal })
    await t.rejects(tail[Symbol.asyncIterator]().next(), StoreUnavailableError)
    await sql.query('alter schema elsewhere rename to ledger')
    await write(t, store, newBatch())
  },
)
