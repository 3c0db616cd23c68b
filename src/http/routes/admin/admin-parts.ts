/**
 * What the admin area's routes are made of; everything is injected by the composition.
 * `guard` and `acts` are made once, by admin-routes.ts, and shared by all subjects.
 */
import type { LostEvents } from '../../../audit/verifying/lost-events.js'
import type { Currency } from '../../../domain/money.js'
import type { EventStore } from '../../../event-store/event-store.js'
import type { AdminLog } from '../../../identity/admin-log.js'
import type { Admins } from '../../../identity/admins.js'
import type { ClientApps } from '../../../identity/client-apps.js'
import type { LoginLine } from '../../../identity/login-line.js'
import type { RefusedLogins } from '../../../identity/refused-logins.js'
import type { Throttle } from '../../../identity/throttle.js'
import type { Users } from '../../../identity/users.js'
import type { Clock } from '../../../platform/clock.js'
import type { Pool } from '../../../platform/postgres.js'
import type { Random } from '../../../platform/random.js'
import type { WalletReader } from '../../../reading/wallet-reader.js'
import type { WebhookParts } from '../../../webhooks/webhook-parts.js'
import type { WalletWriter } from '../../../writing/wallet-writer.js'
import type { AdminGuard } from '../../admin-session.js'
import type { AdminActs } from './admin-acts.js'

export interface AdminParts {
  readonly admins: Admins
  readonly adminLog: AdminLog
  readonly clientApps: ClientApps
  readonly users: Users
  readonly throttle: Throttle
  readonly loginLine: LoginLine
  readonly refusedLogins: RefusedLogins
  readonly lostEvents: LostEvents
  readonly webhooks: WebhookParts
  readonly reader: WalletReader
  /** For what is read off the streams themselves. */
  readonly store: EventStore
  readonly writer: WalletWriter
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly currency: Currency
  readonly amountMaxMinor: number
  readonly environment: 'development' | 'production' | 'test'
  /** Known once the service listens. */
  readonly publicOrigin: () => string
  /** How far the read models are behind the log. */
  readonly projectionLagMs: () => Promise<number>
}

export interface GuardedParts extends AdminParts {
  readonly guard: AdminGuard
  readonly acts: AdminActs
}
