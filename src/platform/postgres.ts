/**
 * PostgreSQL connections: pools with bounded waits, exact integers, and one question answered once:
 * was this the database being away? Promises: int8 arrives as a safe integer or not at all.
 * Never: retries; the caller knows whether repeating is harmless.
 */
import pg from 'pg'
import { readTimeoutMs, slowQueryTimeoutMs } from '../limits.js'

export type Pool = pg.Pool
export type Client = pg.ClientBase

export interface PoolOptions {
  readonly url: string
  readonly max: number
  readonly applicationName: string
  /** A connection that broke while idle: worth a line in the log, the pool replaces it. */
  readonly onIdleError: (error: Error) => void
}

export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: readTimeoutMs,
    query_timeout: readTimeoutMs,
    // The server ends it too: a query that nobody waits for must not go on.
    statement_timeout: readTimeoutMs,
    types,
  })
  pool.on('error', options.onIdleError)
  pool.on('connect', surviveLoss)
  return pool
}

/** A connection of its own, for work that takes longer than a query may or that holds a lock. */
export async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: readTimeoutMs,
    types,
  })
  surviveLoss(client)
  await client.connect()
  return client
}

/**
 * A connection that breaks while somebody works on it rejects their query; without a listener its
 * event alone would end the process.
 */
function surviveLoss(client: pg.ClientBase): void {
  client.on('error', () => undefined)
}

/**
 * One transaction on one connection: commits what `work` did, or nothing. When it has failed, its
 * locks are gone before the caller hears of it, unless the database no longer answers. `work` must
 * not leave a query under way: the connection goes on to the next one.
 */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(!(await rollBack(client, error)))
    throw error
  }
}

/** Whether the connection can be used again; one that is closed instead rolls back by itself. */
async function rollBack(client: Client, because: unknown): Promise<boolean> {
  const code = because instanceof pg.DatabaseError ? because.code : undefined
  // Without a code of the server's nothing came from it: it would not answer now either.
  if (code === undefined && isDatabaseAway(because)) return false
  const isRolledBack = await client.query('rollback').then(
    () => true,
    () => false,
  )
  // What it has prepared no longer fits the tables.
  return isRolledBack && code !== '0A000'
}

/** One statement over a whole table, which may take longer than a read. */
export async function slowQuery<Row extends pg.QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return transaction(pool, async (client) => {
    await client.query(`set local statement_timeout = ${slowQueryTimeoutMs}`)
    // The driver knows this setting of a single query; its types do not.
    const query = { text, values: [...values], query_timeout: slowQueryTimeoutMs }
    return (await client.query<Row>(query)).rows
  })
}

/** Two wanted to be the only one with a value. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

/** The database did not answer, or is starting, stopping or full: the same query may work later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // 25006: read-only for now, such as a standby that is about to take over.
  if (/^(08|53|57|25006)/.test(code)) return true
  if (/^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/.test(code)) return true
  return driverTimeouts.has(error.message)
}

// node-postgres reports its own time-outs and lost connections without a code, only by these texts.
const driverTimeouts: ReadonlySet<string> = new Set([
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
])

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, safeInteger)

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('an int8 is beyond the safe integers')
  return value
}
