/**
 * How PostgreSQL runs the store's statements: always by index, on a fresh database without
 * statistics as on a large one. The plans of the append are those of its generic, kept plan.
 */
import pg from 'pg'
import t from 'tap'
import type { Test } from 'tap'
import { appendCall } from '../../src/event-store/postgres-append.js'
import { newEvents, newStream, readAll, readTail, write } from './contract-events.js'
import { connect, postgresUnderTest } from './postgres-under-test.js'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly PlanNode[]
}

void t.test('on a fresh database the append looks up by index and joins by hash', async (t) => {
  const { url } = await postgresUnderTest(t)
  checkPlans(t, await appendPlans(t, url))
})

void t.test('on a large database the plans are the same', async (t) => {
  const { url, sql } = await postgresUnderTest(t)
  await sql.query(
    'insert into ledger.events ' +
      "select md5('wallet-' || n % 5000)::uuid, n / 5000, n + 1, gen_random_uuid(), " +
      "'T', repeat('x', 300), null, '{}' " +
      'from generate_series(0, 49999) n',
  )
  const before = await appendPlans(t, url)
  await sql.query('analyze ledger.events')
  const after = await appendPlans(t, url)
  checkPlans(t, before)
  checkPlans(t, after)
})

void t.test('no call of the store ever scans the log', async (t) => {
  const { store, sql } = await postgresUnderTest(t)
  // Making the indexes counts as scans, and a session reports up to a second late.
  await sql.query('select pg_stat_force_next_flush()')
  const before = await scans(sql)
  const streams = Array.from({ length: 20 }, () => newStream())
  for (let round = 0; round < 10; round += 1) {
    const appends = streams.map(async (stream) => {
      const batch = { stream, expectedRevision: round - 1, events: newEvents(1) }
      await write(t, store, batch)
      await write(t, store, batch)
      await store.append({ ...batch, expectedRevision: -1, events: newEvents(2) })
      await readAll(store, stream, { fromRevision: round })
      await store.readHead(stream)
    })
    await Promise.all(appends)
    const last = await store.lastEvent()
    await store.eventAt(last?.position ?? 1n)
    const after = (last?.position ?? 1n) - 1n
    await readTail(store, { after, isEnough: ({ length }) => length >= 1 })
  }
  await store.close()
  // A backend reports what is left when it ends.
  await endOfBackends(sql)
  t.equal((await scans(sql)).sequential, before.sequential, 'no sequential scan')
  t.ok((await scans(sql)).byIndex > before.byIndex, 'only by index')
})

/** The plans of the statements inside ledger.append that touch the log, in order. */
async function appendPlans(t: Test, url: string): Promise<PlanNode[]> {
  const client = await connect(t, url)
  const plans: PlanNode[] = []
  client.on('notice', ({ message = '' }) => {
    const start = message.indexOf('{')
    if (start === -1) return
    const { Plan } = JSON.parse(message.slice(start)) as { Plan: PlanNode }
    if (nodesOf(Plan).some((node) => node['Relation Name'] === 'events')) plans.push(Plan)
  })
  await client.query(
    "load 'auto_explain'; set auto_explain.log_min_duration = 0; set client_min_messages = log; " +
      'set auto_explain.log_nested_statements = on; set auto_explain.log_format = json',
  )
  const batch = { stream: newStream(), expectedRevision: -1, events: newEvents(2) }
  await client.query(appendCall([batch], undefined))
  t.equal(plans.length, 2, 'the end of the log, and all batches at once')
  plans.length = 0
  // The same again is not at its head any more: then each batch is judged.
  await client.query(appendCall([batch], undefined))
  return plans
}

function checkPlans(t: Test, plans: readonly PlanNode[]): void {
  t.equal(plans.length, 3, 'the end of the log, all batches at once, and each by itself')
  const [end, together, each] = plans.map(nodesOf)
  t.strictSame(
    (end ?? []).map((node) => node['Node Type']),
    ['Limit', 'Index Scan'],
    'the last event is the end of an index',
  )
  t.equal(readsOf(together).length, 1, 'the heads')
  t.equal(readsOf(each).length, 3, 'the heads, what may be there already, and what is followed')
  for (const node of [...readsOf(together), ...readsOf(each)]) {
    t.match(node['Node Type'], /^Index (Only )?Scan$/)
    t.match(node['Index Cond'], /wallet_id = /, 'by the wallet')
  }
  // A nested loop over the events for each batch would grow with the square of the group.
  const nodes = [...(together ?? []), ...(each ?? [])]
  const loops = nodes.filter((node) => node['Node Type'] === 'Nested Loop')
  for (const loop of loops) t.equal(loop.Plans?.[1]?.['Node Type'], 'Limit', 'a look-up each')
}

function readsOf(nodes: readonly PlanNode[] = []): PlanNode[] {
  const ofLog = nodes.filter((node) => node['Relation Name'] === 'events')
  return ofLog.filter((node) => node['Node Type'] !== 'ModifyTable')
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

async function scans(sql: pg.Client): Promise<{ sequential: number; byIndex: number }> {
  const { rows } = await sql.query<{ sequential: number; byIndex: number }>(
    'select seq_scan::int as sequential, idx_scan::int as "byIndex" ' +
      "from pg_stat_user_tables where relid = 'ledger.events'::regclass",
  )
  return rows[0] ?? { sequential: -1, byIndex: -1 }
}

async function endOfBackends(sql: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await sql.query(
      'select 1 from pg_stat_activity where datname = current_database() ' +
        "and application_name like 'wallet-%'",
    )
    if (rows.length === 0) return
  }
}
