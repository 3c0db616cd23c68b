/**
 * What it takes to convert a log of the release before (src/event-store/postgres-columns.sql):
 * seconds and bytes, for a million events of a hundred thousand wallets. Run by
 * `node --import tsx test/bench/convert-log.ts`; DATABASE_URL names the server, on which a database
 * is made and dropped. Fails when a text differs afterwards; asserts nothing about time.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { postgresEventStoreMigrations } from '../../src/event-store/postgres.js'
import { migrate } from '../../src/platform/migrations.js'
import { createPool } from '../../src/platform/postgres.js'

const events = Number(process.argv[2] ?? '1000000')
const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const name = `convert_${randomBytes(6).toString('hex')}`

const url = new URL(server)
url.pathname = `/${name}`
await query(server, `create database ${name}`)
const onIdleError = (): void => undefined
const pool = createPool({ url: url.href, max: 1, applicationName: 'convert-log', onIdleError })
try {
  const isOld = (migration: { name: string }): boolean => migration.name < '0023'
  await migrate(pool, postgresEventStoreMigrations.filter(isOld))
  await query(url.href, fill(events))
  const before = await look("stream || ' ' || metadata")
  const start = performance.now()
  await migrate(pool, postgresEventStoreMigrations)
  const seconds = (performance.now() - start) / 1_000
  const shown = `'wallet-' || wallet_id || ' {"hash":"' || encode(hash, 'hex') || '"}'`
  const after = await look(shown)
  if (after.digest !== before.digest) throw new Error('a text differs after the conversion')
  console.log(
    `${events} events: ${seconds.toFixed(1)} s, ` +
      `${before.bytes} bytes an event before, ${after.bytes} after; every text is the same`,
  )
} finally {
  await pool.end()
  await query(server, `drop database ${name} with (force)`)
}

/** Bytes an event with its indexes, and a digest over all texts in the order of the log. */
async function look(texts: string): Promise<{ bytes: number; digest: string }> {
  const all = `concat_ws(' ', position, revision, id, type, data, ${texts})`
  const rows = await query<{ bytes: number; digest: string }>(
    url.href,
    `select (pg_total_relation_size('ledger.events') / count(*))::int as bytes,
       sum(hashtextextended(${all}, 0))::text as digest from ledger.events`,
  )
  return rows[0] ?? { bytes: 0, digest: '' }
}

/** Debits of ordinary size, the wallets in turn. */
function fill(count: number): string {
  return `insert into ledger.events
    select 'wallet-' || md5((n % 100000)::text)::uuid, n / 100000, n + 1, gen_random_uuid(),
      'WalletDebited', repeat(md5(n::text), 10),
      '{"hash":"' || encode(sha256(n::text::bytea), 'hex') || '"}'
    from generate_series(0, ${count - 1}) n`
}

async function query<Row extends pg.QueryResultRow>(to: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
