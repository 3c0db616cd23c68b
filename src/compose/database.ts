/**
 * The database of a configuration: found or started, migrated, of the right currency. Every command
 * and the service begin with it, so it loads nothing that only a service needs.
 * Promises: a doubt refuses before anything is written; what a failed start opened is closed.
 */
import { checkpointMigrations } from '../audit/proofs/checkpoint-rows.js'
import { integrityChecksMigration } from '../audit/verifying/integrity-checks.js'
import { lostEventsMigration } from '../audit/verifying/lost-events.js'
import type { Config } from '../config.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { postgresEventStoreMigrations } from '../event-store/postgres.js'
import { adminsMigration } from '../identity/admins.js'
import { identityMigrations } from '../identity/migrations.js'
import { usersMigration } from '../identity/users.js'
import { startRetryMs, startWaitMs } from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { Closing } from '../platform/closing.js'
import { reasonOf } from '../platform/connection-faults.js'
import { migrate } from '../platform/migrations.js'
import type { Migration } from '../platform/migrations.js'
import { createPool, isDatabaseAway } from '../platform/postgres.js'
import { rollOutMigration } from '../platform/roll-out.js'
import { fixSetting, requireService, settingsMigration } from '../platform/settings.js'
import { sandboxMigration } from '../top-ups/sandbox/sandbox.js'
import { cardReturnsMigration } from '../top-ups/card-return-rows.js'
import { savedCardsMigration } from '../top-ups/saved-cards.js'
import { topUpIntentsMigrations } from '../top-ups/top-up-intents.js'
import { webhooksMigration } from '../webhooks/migrations.js'
import type { Database, Surroundings } from './parts.js'

/** In the order of their numbers, for ever; each adds to what stands before it. */
export const migrations: readonly Migration[] = [
  settingsMigration,
  ...postgresEventStoreMigrations,
  usersMigration,
  ...identityMigrations,
  adminsMigration,
  ...topUpIntentsMigrations,
  sandboxMigration,
  savedCardsMigration,
  cardReturnsMigration,
  ...checkpointMigrations,
  integrityChecksMigration,
  lostEventsMigration,
  webhooksMigration,
  rollOutMigration,
].sort((one, other) => (one.name < other.name ? -1 : 1))

export interface Opening extends Surroundings {
  readonly serve?: boolean
  /** For who only looks: a database without our tables is a NoServiceError and stays as it is. */
  readonly mustExist?: boolean
}

/** The database of the configuration, migrated and of the right currency. */
export async function openDatabase(
  config: Config,
  surroundings: Opening,
): Promise<Database & { readonly applied: readonly string[] }> {
  const closing = new Closing()
  try {
    const { url, place } = await findDatabase(config, surroundings, closing)
    const pool = createPool({
      url,
      max: config.database.poolMax,
      applicationName: 'wallet-service',
      onIdleError: (err) => surroundings.log.warn({ err }, 'a database connection broke'),
    })
    closing.add(() => pool.end())
    if (surroundings.mustExist === true) await patiently(surroundings, () => requireService(pool))
    const applied = await patiently(surroundings, () => migrate(pool, migrations))
    await fixSetting(pool, { name: 'currency', value: config.currency.code })
    return { url, pool, place, applied, close: () => closing.run() }
  } catch (error) {
    await closing.run()
    throw error
  }
}

async function findDatabase(
  { database }: Config,
  surroundings: Opening,
  closing: Closing,
): Promise<{ url: string; place: string }> {
  if (database.kind === 'url') return { url: database.url, place: 'PostgreSQL of DATABASE_URL' }
  const { notice, onLost } = surroundings
  const { openEmbeddedPostgres } = await import('../platform/embedded-postgres.js')
  const embedded = await openEmbeddedPostgres({
    dataDir: database.dataDir,
    serve: surroundings.serve === true,
    mustExist: surroundings.mustExist === true,
    notice,
    ...(onLost && { onLockLost: onLost }),
  })
  closing.add(() => embedded.close())
  return { url: embedded.url, place: `embedded PostgreSQL in ${embedded.folder}` }
}

/** A database or store that starts at the same time as we do gets some time to answer. */
export async function patiently<T>(
  { log, signal }: Surroundings,
  work: () => Promise<T>,
): Promise<T> {
  const giveUpMs = systemClock.now() + startWaitMs
  for (let isTold = false; ; isTold = true) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      const mayPass = isDatabaseAway(error) || error instanceof StoreUnavailableError
      if (!mayPass || systemClock.now() >= giveUpMs) throw error
      // Once and in one line: the same every half second would bury everything else.
      if (!isTold)
        log.warn({ reason: reasonOf(error) }, 'waiting for the database or the event store')
      await systemClock.sleep(startRetryMs, signal)
    }
  }
}
