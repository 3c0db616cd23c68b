/**
 * The ledger of a configuration: event store, writer, reader and projections, for the service and
 * for the commands that write. Promises: a store that does not fit the read models refuses the
 * start; what a failed start opened is closed.
 */
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import { ensureReadSchema, ReadModelsVersionError } from '../../projections/read-schema.js'
import { rebuild } from '../../projections/rebuild.js'
import { ProjectionRunner } from '../../projections/runner.js'
import type { Config } from '../config.js'
import type { EventStore } from '../event-store/event-store.js'
import { BoundedTime, databaseTimeMs } from '../platform/bounded-time.js'
import { systemClock } from '../platform/clock.js'
import { Closing } from '../platform/closing.js'
import { connect } from '../platform/postgres.js'
import type { Pool } from '../platform/postgres.js'
import { systemRandom } from '../platform/random.js'
import { PostgresReadModels } from '../reading/postgres-read-models.js'
import { WalletReader } from '../reading/wallet-reader.js'
import { WalletWriter } from '../writing/wallet-writer.js'
import { openDatabase, patiently, type Opening } from './database.js'
import type { Ledger } from './parts.js'
import { openStore } from './store.js'

/** Database, event store, writer, reader and a projection runner that has not started yet. */
export async function openLedger(config: Config, surroundings: Opening): Promise<Ledger> {
  const closing = new Closing()
  try {
    const database = await openDatabase(config, surroundings)
    closing.add(() => database.close())
    const { pool, url } = database
    const store = await openStore(config, url, surroundings.log)
    closing.add(() => store.close())
    await ensureReadModels(config, { pool, url, store, ...surroundings })
    const tables = new PostgresReadTables(pool)
    await patiently(surroundings, () => verifyCheckpoint(store, tables))

    const { log } = surroundings
    const system = { clock: systemClock, random: systemRandom, log }
    const runner = new ProjectionRunner({ store, tables, ...system })
    closing.add(() => runner.stop())
    const readModels = new PostgresReadModels(pool)
    const currency = config.currency.code
    const time = new BoundedTime({ ...system, askDatabase: () => databaseTimeMs(pool) })
    closing.add(() => time.stop())
    time.start()
    const verifyRows = () => verifyCheckpoint(store, tables)
    const parts = { store, readModels, verifyRows, currency, time }
    const writer = new WalletWriter({ ...parts, ...system })
    closing.add(() => writer.close())
    const reader = new WalletReader({ store, pool })
    const opened = { store, writer, reader, runner, due: readModels }
    return { ...database, ...opened, close: () => closing.run() }
  } catch (error) {
    await closing.run()
    throw error
  }
}

/**
 * Those of another release are made anew where this process is the only one: on the embedded
 * default. Elsewhere a person decides when (`rebuild`), for processes of both may be running.
 */
async function ensureReadModels(
  config: Config,
  parts: Opening & { readonly pool: Pool; readonly url: string; readonly store: EventStore },
): Promise<void> {
  const { pool, url, store, notice } = parts
  try {
    await ensureReadSchema(pool)
  } catch (error) {
    const isAlone = config.database.kind === 'embedded' && parts.serve === true
    if (!(error instanceof ReadModelsVersionError) || !isAlone) throw error
    notice('This release has other read models: they are made anew from the log.')
    await verifyCheckpoint(store, new PostgresReadTables(pool))
    await rebuild({ store, connect: () => connect(url, 'wallet-service rebuild') })
  }
}
