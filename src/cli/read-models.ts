/**
 * `migrate` makes or updates the tables, `rebuild` makes the read models anew from the streams
 * while the service runs. Neither touches an event.
 */
import type { Command } from 'commander'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import { ensureReadSchema, ReadModelsVersionError } from '../../projections/read-schema.js'
import { rebuild } from '../../projections/rebuild.js'
import { openStore } from '../compose/store.js'
import { connect } from '../platform/postgres.js'
import { withDatabase } from './opened-database.js'
import { print, printJson, Progress } from './terminal.js'

export function registerReadModels(program: Command): void {
  program
    .command('migrate')
    .description('make or update the tables; safe to repeat')
    .option('--json', 'print the result as JSON')
    .action(runMigrate)
  program
    .command('rebuild')
    .description('make the read models anew from the streams, while the service runs')
    .option('--json', 'print the result as JSON')
    .action(runRebuild)
}

interface Options {
  readonly json?: true
}

/** A rebuild too: an EventStoreDB may outlive the PostgreSQL beside it. */
const firstOfAll = { mayMake: true }

async function runMigrate({ json }: Options): Promise<void> {
  await withDatabase(async ({ database: { pool, applied } }) => {
    await ensureReadSchema(pool)
    if (json) printJson({ applied })
    else if (applied.length === 0) print('The tables are up to date.')
    else print(`Applied ${applied.join(', ')}.`)
  }, firstOfAll)
}

async function runRebuild({ json }: Options): Promise<void> {
  await withDatabase(async ({ config, log, database: { pool, url } }) => {
    await ensureReadSchema(pool).catch((error: unknown) => {
      // Another version is the very reason to rebuild.
      if (!(error instanceof ReadModelsVersionError)) throw error
    })
    const store = await openStore(config, url, log)
    const progress = new Progress('Rebuilding')
    try {
      await verifyCheckpoint(store, new PostgresReadTables(pool))
      const events = await rebuild({
        store,
        connect: () => connect(url, 'wallet-service rebuild'),
        onProgress: ({ events: count, position, target }) =>
          progress.show({ done: Number((position * 1000n) / target) / 1000, count }),
      })
      progress.end()
      if (json) printJson({ events })
      else print(`Rebuilt the read models from ${events.toLocaleString('en')} events.`)
    } finally {
      await store.close()
    }
  }, firstOfAll)
}
