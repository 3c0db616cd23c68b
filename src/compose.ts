/**
 * The composition root: configuration in, a running service out. Its rooms in src/compose are the
 * only files that name adapters: the database with its migrations, the event store, the ledger,
 * identity, people and HTTP; a command of the command line loads only those that it needs.
 * Promises: parts start in the order of their needs and stop in the opposite one; when a start
 * fails, what had started is stopped. A doubt about the store, the currency or the read models
 * refuses the start before anything is written.
 */
import type { CheckpointParts } from './audit/proofs/checkpoint-completion.js'
import { checkpointParts, checkpointSchedule } from './audit/proofs/checkpoint-parts.js'
import { createBackgroundVerifier } from './audit/verifying/background-verifier.js'
import { LostEvents } from './audit/verifying/lost-events.js'
import { buildHttp, originOf } from './compose/http.js'
import { openIdentity } from './compose/identity.js'
import { openLedger } from './compose/ledger.js'
import type { CardTeller, Ledger, Surroundings } from './compose/parts.js'
import { openPeople } from './compose/people.js'
import type { Config } from './config.js'
import type { LostEvent } from './event-store/lost-event.js'
import { makeFirstAdmin, type AdminAccount } from './identity/first-admin.js'
import { Closing } from './platform/closing.js'
import { systemClock } from './platform/clock.js'
import type { Clock } from './platform/clock.js'
import { throwListenError } from './platform/connection-faults.js'
import { Counters } from './platform/counters.js'
import type { Log } from './platform/log.js'
import { systemRandom } from './platform/random.js'
import type { Random } from './platform/random.js'
import { finishRollOut } from './platform/roll-out.js'
import { noteSetting, originSetting } from './platform/settings.js'
import type { CardProcessor } from './top-ups/card-processor.js'
import { PaymentRecords } from './top-ups/payment-records.js'
import { openTopUps } from './top-ups/top-up-parts.js'
import { openWebhooks, type WebhookParts } from './webhooks/webhook-parts.js'
import { allowPrivateSetting } from './webhooks/webhooks-config.js'
import { HistoryWatch } from './writing/history-watch.js'
import { HoldSweeper } from './writing/hold-sweeper.js'

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
    const webhooks = webhooksOf(ledger, config, system)
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

function webhooksOf(
  ledger: Ledger,
  { webhooks, currency }: Config,
  system: { clock: Clock; random: Random; log: Log },
): WebhookParts {
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
