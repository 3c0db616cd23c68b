/**
 * The composition root: configuration in, running parts out; the only file that names adapters.
 * Promises: parts start in the order of their needs and stop in the opposite one; when a start
 * fails, what had started is stopped. A doubt about the store, the currency or the read models
 * refuses the start before anything is written.
 */
import { verifyCheckpoint } from '../projections/checkpoint.js'
import { PostgresReadTables } from '../projections/postgres-read-tables.js'
import { ensureReadSchema, ReadModelsVersionError } from '../projections/read-schema.js'
import { rebuild } from '../projections/rebuild.js'
import { ProjectionRunner } from '../projections/runner.js'
import { createBackgroundVerifier } from './audit/verifying/background-verifier.js'
import type { CheckpointParts } from './audit/proofs/checkpoint-completion.js'
import { checkpointParts, checkpointSchedule } from './audit/proofs/checkpoint-parts.js'
import { checkpointMigrations } from './audit/proofs/checkpoint-rows.js'
import { integrityChecksMigration } from './audit/verifying/integrity-checks.js'
import type { CardTeller, Database, Identity, Ledger, Surroundings } from './compose-parts.js'
import { LostEvents, lostEventsMigration } from './audit/verifying/lost-events.js'
import type { Config } from './config.js'
import type { EventStore } from './event-store/event-store.js'
import { StoreUnavailableError } from './event-store/event-store.js'
import type { LostEvent } from './event-store/lost-event.js'
import { PostgresEventStore, postgresEventStoreMigrations } from './event-store/postgres.js'
import { Accounts } from './identity/accounts.js'
import { AdminLog } from './identity/admin-log.js'
import { Admins, adminsMigration } from './identity/admins.js'
import { ClientApps } from './identity/client-apps.js'
import { ClosedAccounts } from './identity/closed-accounts.js'
import { EmailProofs } from './identity/email-proofs.js'
import { KnownLogins } from './identity/known-logins.js'
import { Links } from './identity/links.js'
import { LoginLine } from './identity/login-line.js'
import { PersonLanguages } from './identity/person-languages.js'
import { makeFirstAdmin, type AdminAccount } from './identity/first-admin.js'
import { identityMigrations } from './identity/migrations.js'
import { RefusedLogins } from './identity/refused-logins.js'
import { Throttle } from './identity/throttle.js'
import { Users, usersMigration } from './identity/users.js'
import { WidgetSessions } from './identity/widget-sessions.js'
import { startRetryMs, startWaitMs } from './limits.js'
import type { CardProcessor } from './top-ups/card-processor.js'
import { sandboxMigration } from './top-ups/sandbox/sandbox.js'
import { PaymentRecords } from './top-ups/payment-records.js'
import { cardReturnsMigration } from './top-ups/card-return-rows.js'
import { savedCardsMigration } from './top-ups/saved-cards.js'
import { topUpIntentsMigrations } from './top-ups/top-up-intents.js'
import { ChangeFeed } from './platform/change-feed.js'
import { BoundedTime, databaseTimeMs } from './platform/bounded-time.js'
import { Counters } from './platform/counters.js'
import { systemClock } from './platform/clock.js'
import type { Clock } from './platform/clock.js'
import { openEmbeddedPostgres } from './platform/embedded-postgres.js'
import type { Log } from './platform/log.js'
import { Closing } from './platform/closing.js'
import { migrate } from './platform/migrations.js'
import type { Migration } from './platform/migrations.js'
import { reasonOf, throwListenError } from './platform/connection-faults.js'
import { connect, createPool, isDatabaseAway } from './platform/postgres.js'
import type { Pool } from './platform/postgres.js'
import { systemRandom } from './platform/random.js'
import type { Random } from './platform/random.js'
import { finishRollOut, rollOutMigration } from './platform/roll-out.js'
import {
  fixSetting,
  noteSetting,
  originSetting,
  requireService,
  settingsMigration,
} from './platform/settings.js'
import { PostgresReadModels } from './reading/postgres-read-models.js'
import { WalletReader } from './reading/wallet-reader.js'
import { HistoryWatch } from './writing/history-watch.js'
import type { WebhookParts } from './webhooks/webhook-parts.js'
import { webhooksMigration } from './webhooks/migrations.js'
import { allowPrivateSetting } from './webhooks/webhooks-config.js'
import { HoldSweeper } from './writing/hold-sweeper.js'
import { WalletWriter } from './writing/wallet-writer.js'

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

/** Client apps, people, sessions and admins: rows in PostgreSQL, shared by service and commands. */
export function openIdentity(
  { pool, url }: Database,
  config: Config,
  { log, passwords }: Pick<Surroundings, 'log' | 'passwords'>,
): Identity {
  const system = { pool, clock: systemClock, random: systemRandom, log }
  const hashing = passwords === undefined ? {} : { passwords }
  const changes = new ChangeFeed({ url, ...system })
  const links = new Links({ ...system, changes })
  const production = config.environment === 'production'
  const clientApps = new ClientApps({ ...system, changes, production })
  return {
    changes,
    links,
    clientApps,
    users: new Users({ ...system, ...hashing, changes, links }),
    accounts: new Accounts({ ...system, ...hashing }),
    closedAccounts: new ClosedAccounts({ ...system, changes, links }),
    emailProofs: new EmailProofs(system),
    knownLogins: new KnownLogins(system),
    personLanguages: new PersonLanguages(pool),
    widgetSessions: new WidgetSessions(system),
    throttle: new Throttle(system),
    loginLine: new LoginLine(system),
    refusedLogins: new RefusedLogins(system),
    admins: new Admins({ ...system, ...hashing }),
    adminLog: new AdminLog(system),
    close: async () => {
      await changes.close()
      await clientApps.settled()
    },
  }
}

export interface Service {
  /** Where it answers, such as http://127.0.0.1:3000. */
  readonly origin: string
  readonly place: string
  /** Made at the very first start of the embedded default; nobody can ask for it again. */
  readonly firstAdmin: AdminAccount | undefined
  /** Requests finish, lanes drain, projections and stores stop, in this order. */
  close(): Promise<void>
}

export async function startService(config: Config, surroundings: Surroundings): Promise<Service> {
  // Loaded here and not above: a command of the command line starts in half the time without them.
  const { buildHttp, originOf } = await import('./compose-http.js')
  const { openPeople } = await import('./compose-people.js')
  const { openTopUps } = await import('./top-ups/top-up-parts.js')
  const closing = new Closing()
  const { signal } = surroundings
  try {
    const ledger = await openLedger(config, { ...surroundings, serve: true })
    closing.add(() => ledger.close())
    signal?.throwIfAborted()
    // Nobody else works on an embedded database, so no process of another release does.
    if (config.database.kind === 'embedded') await finishRollOut(ledger.pool)
    if (config.projections === 'inline') ledger.runner.start()
    const identity = openIdentity(ledger, config, surroundings)
    closing.add(() => identity.close())
    await identity.changes.start()
    const { currency } = config
    const system = { clock: systemClock, random: systemRandom, log: surroundings.log }
    const parts = { ...ledger, ...system, currency }
    closing.start(new HoldSweeper(parts))
    const tellCardNews: CardTeller = (news) => people.tellCardNews(news)
    const topUps = await openTopUps(config.payments, { ...parts, tellCardNews })
    closing.add(() => topUps.close())
    const publicOrigin = (): string => originOf(app, config)
    const of = { ...parts, ...topUps, identity, publicOrigin }
    const people = openPeople(config, of)
    closing.add(() => people.close())
    const webhooks = await webhooksOf(ledger, config, system)
    closing.add(() => webhooks.stop())
    const signing = checkpointParts(config.checkpoints, { ...ledger, ...system })
    const schedule = checkpointSchedule(signing, { ...config.checkpoints, ...system })
    const counters = new Counters()
    const lostEvents = new LostEvents({ pool: ledger.pool, clock: systemClock })
    closing.start(historyWatch(ledger, { ...system, counters, lostEvents }))
    const common = { counters, lostEvents, schedule, signing, ...people, ...surroundings }
    const app = buildHttp({ ledger, identity, topUps, webhooks, config, ...common })
    closing.add(() => app.close())
    signal?.throwIfAborted()
    await app.listen(config.listen).catch(throwListenError)
    topUps.start(app.listeningOrigin)
    webhooks.start()
    closing.add(() => topUps.stop())
    const { processor } = topUps
    const verifier = backgroundVerifier(config, { ...ledger, ...system, ...signing, processor })
    if (verifier !== undefined) closing.start(verifier)
    closing.start(schedule)
    signal?.throwIfAborted()
    const origin = publicOrigin()
    await noteDeployment(ledger, config, origin)
    // Last: what it was given must not be lost with a start that fails.
    const firstAdmin = await makeFirstAdmin({ ...identity, ...system }, firstAdminOf(config))
    return { origin, place: ledger.place, firstAdmin, close: () => closing.run() }
  } catch (error) {
    await closing.run()
    throw error
  }
}

/** One to be printed only where the database is this machine's own. */
function firstAdminOf({ firstAdmin: given, database, environment }: Config) {
  return { given, mayBePrinted: database.kind === 'embedded' && environment !== 'production' }
}

function backgroundVerifier(
  { auditEventsPerSecond: eventsPerSecondMax, checkpoints }: Config,
  parts: Ledger & CheckpointParts & { log: Log; processor: CardProcessor | undefined },
): ReturnType<typeof createBackgroundVerifier> | undefined {
  if (eventsPerSecondMax <= 0) return undefined
  const processor = () => Promise.resolve(parts.processor)
  const payments = new PaymentRecords({ ...parts, processor })
  const { trustedKeys } = checkpoints
  return createBackgroundVerifier({ ...parts, eventsPerSecondMax, trustedKeys, payments })
}

async function webhooksOf(
  ledger: Ledger,
  { webhooks, currency }: Config,
  system: { clock: Clock; random: Random; log: Log },
): Promise<WebhookParts> {
  const { openWebhooks } = await import('./webhooks/webhook-parts.js')
  const { pool, store, reader } = ledger
  const findEntry = reader.findEntry.bind(reader)
  return openWebhooks(webhooks, { pool, store, findEntry, currency, ...system })
}

/** For commands on the same database. */
async function noteDeployment({ pool }: Ledger, { webhooks }: Config, origin: string) {
  await noteSetting(pool, { name: originSetting, value: origin })
  const value = String(webhooks.allowPrivate)
  await noteSetting(pool, { name: allowPrivateSetting, value })
}

function historyWatch(
  { store, writer }: Ledger,
  parts: { clock: Clock; log: Log; counters: Counters; lostEvents: LostEvents },
): HistoryWatch {
  const record = (lost: readonly LostEvent[]) => parts.lostEvents.record(lost)
  return new HistoryWatch({ ...parts, store, recent: writer.recent, record })
}

export async function openStore(
  config: Config,
  databaseUrl: string,
  log: Log,
): Promise<EventStore> {
  if (config.eventStore.kind === 'database')
    return new PostgresEventStore({ url: databaseUrl, clock: systemClock })
  const { EventStoreDbStore } = await import('./event-store/eventstoredb.js')
  return new EventStoreDbStore({
    url: config.eventStore.url,
    clock: systemClock,
    random: systemRandom,
    onNotice: (notice) => log.warn(notice),
  })
}

async function findDatabase(
  { database }: Config,
  surroundings: Opening,
  closing: Closing,
): Promise<{ url: string; place: string }> {
  if (database.kind === 'url') return { url: database.url, place: 'PostgreSQL of DATABASE_URL' }
  const { notice, onLost } = surroundings
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
async function patiently<T>({ log, signal }: Surroundings, work: () => Promise<T>): Promise<T> {
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
