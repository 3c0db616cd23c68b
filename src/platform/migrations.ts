/**
 * Migrations: SQL that is applied once, in order, recorded by name.
 * Promises: several processes may start at once, one applies and the others wait; a migration and
 * its record commit together. Never: changes one that was applied, or touches the read models
 * (those are rebuilt, see projections/).
 */
import { migrationTimeoutMs } from '../limits.js'
import type { Client, Pool } from './postgres.js'
import { transaction } from './postgres.js'

export interface Migration {
  /** Unique for ever, such as `0001-event-store`. */
  readonly name: string
  readonly sql: string
}

/** Any number that nobody else uses as an advisory lock in this database. */
const migrationLock = 7_305_001

/** Returns the names of those that were applied now. */
export async function migrate(pool: Pool, migrations: readonly Migration[]): Promise<string[]> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query('create schema if not exists service')
    await client.query(
      'create table if not exists service.migrations ' +
        '(name text primary key, applied_at timestamptz not null default now())',
    )
    const applied = await appliedNames(client)
    const missing = migrations.filter((migration) => !applied.has(migration.name))
    await client.query(`set local statement_timeout = ${migrationTimeoutMs}`)
    for (const migration of missing) {
      // The driver knows this setting of a single query; its types do not.
      const query = { text: migration.sql, query_timeout: migrationTimeoutMs }
      await client.query(query)
      await client.query('insert into service.migrations (name) values ($1)', [migration.name])
    }
    return missing.map((migration) => migration.name)
  })
}

async function appliedNames(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>('select name from service.migrations')
  return new Set(rows.map((row) => row.name))
}
