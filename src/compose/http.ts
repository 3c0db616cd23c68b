/**
 * The HTTP side of the composition: which routes there are and what each is given. Promises: routes
 * are added before anything listens. Never: opens or closes a part; ../compose.ts does.
 */
import { fileURLToPath } from 'node:url'
import { checkpointHealth, projectionLagMs } from '../../projections/health.js'
import type { CheckpointParts } from '../audit/proofs/checkpoint-completion.js'
import type { CheckpointSchedule } from '../audit/proofs/checkpoint-schedule.js'
import { lastCheck } from '../audit/verifying/integrity-checks.js'
import type { Identity, Ledger, Surroundings } from './parts.js'
import type { LostEvents } from '../audit/verifying/lost-events.js'
import type { Config } from '../config.js'
import { publicOrigin } from '../config.js'
import { toMajor } from '../domain/money.js'
import type { EventStore } from '../event-store/event-store.js'
import { NotWritableError } from '../event-store/event-store.js'
import type { AccountMails } from '../http/account-mails.js'
import { buildApp } from '../http/app.js'
import type { App } from '../http/app.js'
import { FairShares } from '../http/fair-shares.js'
import { OpenApiDocument } from '../http/openapi/document.js'
import { registerAccountRoutes } from '../http/routes/account/account-routes.js'
import { registerAdminRoutes } from '../http/routes/admin/admin-routes.js'
import { registerAuditRoutes } from '../http/routes/audit-routes.js'
import { registerDocumentation } from '../http/routes/documentation.js'
import { registerHealthRoutes, type HealthCheck } from '../http/routes/health.js'
import type { PartHealth } from '../http/schemas/health.js'
import { registerMetrics } from '../http/routes/metrics.js'
import { registerPages } from '../http/routes/pages.js'
import { registerPasswordReset } from '../http/routes/password-reset.js'
import { registerServerBulk } from '../http/routes/server-bulk.js'
import { registerServerCommands } from '../http/routes/server-commands.js'
import { registerServerLinks } from '../http/routes/server-links.js'
import { registerServerReads } from '../http/routes/server-reads.js'
import { registerTopUpRoutes } from '../http/routes/top-up-routes.js'
import { registerWidgetPages } from '../http/routes/widget-pages.js'
import type { PagePayments } from '../http/schemas/answers/page-data.js'
import { registerWidgetRoutes } from '../http/routes/widget-routes.js'
import { systemClock } from '../platform/clock.js'
import type { Counters } from '../platform/counters.js'
import type { Pool } from '../platform/postgres.js'
import type { Mailer } from '../platform/mail.js'
import { systemRandom } from '../platform/random.js'
import { RollOut } from '../platform/roll-out.js'
import { type TopUpParts } from '../top-ups/top-up-parts.js'
import type { WebhookParts } from '../webhooks/webhook-parts.js'

export interface HttpParts extends Pick<Surroundings, 'log' | 'pagesFolder'> {
  readonly ledger: Ledger
  readonly identity: Identity
  readonly topUps: TopUpParts
  readonly webhooks: WebhookParts
  readonly config: Config
  readonly schedule: CheckpointSchedule
  readonly counters: Counters
  readonly lostEvents: LostEvents
  readonly signing: CheckpointParts
  /** Undefined: this service sends no mail. */
  readonly mailer: Mailer | undefined
  readonly accountMails: AccountMails
}

export function buildHttp(given: HttpParts): App {
  const { ledger, identity, topUps, config, schedule, log, pagesFolder } = given
  const { counters, lostEvents, webhooks } = given
  const { store, pool } = ledger
  const { environment, currency, amountMaxMinor } = config
  const system = { clock: systemClock, random: systemRandom }
  const isHttps = config.publicUrl.kind === 'given' && config.publicUrl.origin.startsWith('https:')
  const app = buildApp({ ...system, log, proxies: config.proxies, isHttps })
  const document = new OpenApiDocument(app)
  registerHealthRoutes(app, { checks: healthChecks(given), clock: systemClock, log })
  const production = environment === 'production'
  const shares = new FairShares(systemClock)
  const values = { log, counters, shares, currency, amountMaxMinor, production }
  const publicOrigin = (): string => originOf(app, config)
  const pending = { topUps: topUps.topUps, rollOut: new RollOut(pool) }
  const { service } = config
  const { mailer, accountMails } = given
  const known = { ...pending, publicOrigin, accountMails, service }
  const parts = { ...ledger, ...identity, ...system, ...values, ...known }
  registerServerCommands(app, parts)
  registerServerBulk(app, parts)
  registerServerReads(app, parts)
  registerServerLinks(app, parts)
  registerWidgetRoutes(app, parts)
  registerTopUpRoutes(app, { ...parts, ...topUps, payments: config.payments })
  registerPasswordReset(app, { ...parts, mailer })
  const { savedCards, automaticTopUps, cardReturns } = topUps
  const cards = { savedCards, automaticTopUps, cardReturns, payments: config.payments }
  registerAccountRoutes(app, { ...parts, ...cards, signing: given.signing })
  registerAdminRoutes(app, {
    ...parts,
    lostEvents,
    webhooks,
    environment,
    projectionLagMs: () => projectionLagMs({ store, pool, clock: systemClock }),
  })
  if (config.metricsToken !== undefined || !production)
    registerMetrics(app, {
      ...parts,
      projectionLagMs: () => projectionLagMs({ store, pool, clock: systemClock }),
      lastCheck: () => lastCheck(pool),
      isSigning: () => schedule.health().state === 'ok',
      unseenLostEvents: () => lostEvents.countUnseen(),
      webhookBacklog: () => webhooks.backlog(),
      token: config.metricsToken,
    })
  const folder = pagesFolder ?? builtPages
  registerPages(app, { folder, service })
  registerAuditRoutes(app, { pool, folder })
  registerDocumentation(app, { folder, document })
  registerWidgetPages(app, {
    ...parts,
    folder,
    payments: pagePayments(config),
    sendsMail: mailer !== undefined,
  })
  return app
}

function healthChecks({ ledger, schedule, lostEvents, webhooks }: HttpParts): HealthCheck[] {
  const { store, pool, runner } = ledger
  return [
    { name: 'event store', check: () => storeHealth(store, lostEvents) },
    { name: 'database', check: () => databaseHealth(pool) },
    {
      name: 'projections',
      check: () => checkpointHealth({ store, pool, runner, clock: systemClock }),
    },
    { name: 'checkpoints', check: async () => schedule.health() },
    { name: 'webhooks', check: () => webhooks.health() },
  ]
}

const notWritable: PartHealth = { state: 'down', detail: 'it cannot be written' }

/** Where events are lost it serves from the history that is there, but a person must look. */
async function storeHealth(store: EventStore, lostEvents: LostEvents): Promise<PartHealth> {
  try {
    const [, unseen] = await Promise.all([store.check(), lostEvents.countUnseen()])
    if (unseen === 0) return { state: 'ok' }
    return { state: 'degraded', detail: 'it lost acknowledged events, see the admin overview' }
  } catch (error) {
    if (error instanceof NotWritableError) return notWritable
    throw error
  }
}

async function databaseHealth(pool: Pool): Promise<PartHealth> {
  const text = "select current_setting('transaction_read_only') as setting"
  const { rows } = await pool.query<{ setting: string }>(text)
  return rows[0]?.setting === 'on' ? notWritable : { state: 'ok' }
}

/** What pages may know of the payments: nothing that is secret. */
function pagePayments({ payments, currency }: Config): PagePayments {
  const { kind, publishableKey, testMode } = payments
  const minimum = toMajor(payments.minimumMinor, currency)
  const maximum = toMajor(payments.maximumMinor, currency)
  return { kind, publishableKey, testMode, minimum, maximum }
}

/** Beside dist/src; the sources, run as they are by tests, use what was built. */
const builtPages = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../dist/widget-ui' : '../../widget-ui',
    import.meta.url,
  ),
)

/** The port is known once the application listens. */
export function originOf(app: App, config: Config): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.listen.port
  return publicOrigin(config.publicUrl, port)
}
