/**
 * The schema of the read models: `read` serves, `read_next` is a rebuild on its way to become it.
 * Promises: both are made by the same SQL. Never: migrates; another version means a rebuild.
 */
import { readFileSync } from 'node:fs'
import { projectionLockIdleMs } from '../src/limits.js'
import type { Client, Pool } from '../src/platform/postgres.js'
import { transaction } from '../src/platform/postgres.js'

export type ReadSchema = 'read' | 'read_next'

/** Raised with every change of a table, a view or of what the projector writes into them. */
export const readModelsVersion = 2

/** Whoever writes read models or exchanges their schema holds this advisory lock. */
const projectionLock = 7_305_002

/**
 * A statement of its own: what comes after it sees everything that the last holder committed. A
 * process that is frozen while it holds the lock loses it: all others would wait for it for ever.
 */
export async function lockProjections(client: Client): Promise<void> {
  await client.query(
    "select set_config('idle_in_transaction_session_timeout', $2, true), " +
      // A plan that is kept from a small table would read all of it when it has grown.
      "set_config('enable_seqscan', 'off', true), pg_advisory_xact_lock($1)",
    [projectionLock, String(projectionLockIdleMs)],
  )
}

/** The read models were written by another release: they are rebuilt, never migrated. */
export class ReadModelsVersionError extends Error {
  override readonly name = 'ReadModelsVersionError'
}

/** Makes `read` on a new database; refuses one of another version. */
export async function ensureReadSchema(pool: Pool): Promise<void> {
  await transaction(pool, async (client) => {
    await lockProjections(client)
    if (!(await schemaExists(client, 'read'))) await createReadSchema(client, 'read')
    const { rows } = await client.query<{ version: number }>('select version from read.checkpoint')
    const version = rows[0]?.version
    if (version !== readModelsVersion)
      throw new ReadModelsVersionError(
        `the read models have version ${version ?? 'none'}, ` +
          `this release needs ${readModelsVersion}`,
      )
  })
}

/** Inside the caller's transaction. */
export async function createReadSchema(client: Client, schema: ReadSchema): Promise<void> {
  await client.query(`create schema ${schema}`)
  await client.query(`set local search_path to ${schema}`)
  for (const file of sqlFiles) await client.query(readSql(file))
  await client.query('insert into checkpoint (version) values ($1)', [readModelsVersion])
  await client.query('set local search_path to default')
}

export async function schemaExists(client: Client, schema: string): Promise<boolean> {
  const found = await client.query('select from pg_namespace where nspname = $1', [schema])
  return found.rowCount === 1
}

export interface JournalDefinitions {
  /** As the server prints it; null when it is no view. */
  readonly stored: string | null
  /** What the SQL of this release makes of it, printed by the same server. */
  readonly made: string
}

/**
 * Makes the journal once more, for a moment and for this connection alone, over the same rows, and
 * takes it back. Undefined where nothing can be made.
 */
export async function readJournalDefinitions(pool: Pool): Promise<JournalDefinitions | undefined> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // What is made goes to the first of them, and both definitions are printed by the same path.
    await client.query('set local search_path to pg_temp, read')
    await client.query(readSql('./journal/table.sql'))
    const { rows } = await client.query<JournalDefinitions>(
      `select (select pg_get_viewdef(oid) from pg_class
         where oid = to_regclass('read.journal') and relkind = 'v') as stored,
       pg_get_viewdef('pg_temp.journal'::regclass) as made`,
    )
    return rows[0]
  } catch (error) {
    if (isUnmakeable(error)) return undefined
    throw error
  } finally {
    // Whatever became of it: a connection that cannot even roll back is not used again.
    const isBack = await client.query('rollback').then(
      () => true,
      () => false,
    )
    client.release(!isBack)
  }
}

/** A read-only transaction, or a user without the right to make temporary tables. */
function isUnmakeable(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['25006', '42501'].includes(String(error.code))
  )
}

const sqlFiles = [
  './checkpoint.sql',
  './wallets/table.sql',
  './transactions/table.sql',
  './journal/table.sql',
]

function readSql(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
