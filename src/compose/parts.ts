/**
 * What the composition hands around: the parts that compose.ts opens, as commands, the HTTP side
 * and tests see them. Never: opens anything.
 */
import type { ProjectionRunner } from '../../projections/runner.js'
import type { EventStore } from '../event-store/event-store.js'
import type { Accounts } from '../identity/accounts.js'
import type { AdminLog } from '../identity/admin-log.js'
import type { Admins } from '../identity/admins.js'
import type { ClientApps } from '../identity/client-apps.js'
import type { ClosedAccounts } from '../identity/closed-accounts.js'
import type { EmailProofs } from '../identity/email-proofs.js'
import type { KnownLogins } from '../identity/known-logins.js'
import type { Links } from '../identity/links.js'
import type { LoginLine } from '../identity/login-line.js'
import type { PersonLanguages } from '../identity/person-languages.js'
import type { Passwords } from '../identity/passwords.js'
import type { RefusedLogins } from '../identity/refused-logins.js'
import type { Throttle } from '../identity/throttle.js'
import type { Users } from '../identity/users.js'
import type { WidgetSessions } from '../identity/widget-sessions.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import type { DueHolds } from '../reading/read-models.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { CardNews } from '../top-ups/saved-cards.js'
import type { WalletWriter } from '../writing/wallet-writer.js'

export interface Surroundings {
  readonly log: Log
  /** A line for the person who started us. */
  readonly notice: (line: string) => void
  /** The embedded database is gone, or another process may take our place: nothing can go on. */
  readonly onLost?: (error: Error) => void
  /** Aborts a start: what had started is stopped again, then the signal's reason is thrown. */
  readonly signal?: AbortSignal
  /** What widget-ui/build.mjs filled; the build's own folder when left out. */
  readonly pagesFolder?: string
  /** Left out: what hashes cost today. */
  readonly passwords?: Passwords
}

export interface Database {
  readonly url: string
  readonly pool: Pool
  /** For people: where the data is. */
  readonly place: string
  close(): Promise<void>
}

export interface Ledger extends Database {
  readonly store: EventStore
  readonly writer: WalletWriter
  readonly reader: WalletReader
  readonly runner: ProjectionRunner
  /** Who finds the holds whose time is over. */
  readonly due: DueHolds
}

/** Mails a person what happened to their cards; rejects when the mail server did not take it. */
export type CardTeller = (news: CardNews) => Promise<void>

/** Client apps, people, sessions and admins. */
export interface Identity {
  readonly changes: ChangeFeed
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  readonly accounts: Accounts
  readonly closedAccounts: ClosedAccounts
  readonly emailProofs: EmailProofs
  readonly knownLogins: KnownLogins
  readonly personLanguages: PersonLanguages
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  readonly loginLine: LoginLine
  readonly refusedLogins: RefusedLogins
  readonly admins: Admins
  readonly adminLog: AdminLog
  /** Stops what was started: nothing, for a command. */
  close(): Promise<void>
}
