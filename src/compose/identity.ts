/**
 * Who is known to the service: client apps, people, sessions and admins, on an opened database.
 * Nothing is started here.
 */
import type { Config } from '../config.js'
import { Accounts } from '../identity/accounts.js'
import { AdminLog } from '../identity/admin-log.js'
import { Admins } from '../identity/admins.js'
import { ClientApps } from '../identity/client-apps.js'
import { ClosedAccounts } from '../identity/closed-accounts.js'
import { EmailProofs } from '../identity/email-proofs.js'
import { KnownLogins } from '../identity/known-logins.js'
import { Links } from '../identity/links.js'
import { LoginLine } from '../identity/login-line.js'
import { PersonLanguages } from '../identity/person-languages.js'
import { RefusedLogins } from '../identity/refused-logins.js'
import { Throttle } from '../identity/throttle.js'
import { Users } from '../identity/users.js'
import { WidgetSessions } from '../identity/widget-sessions.js'
import { ChangeFeed } from '../platform/change-feed.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import type { Database, Identity, Surroundings } from './parts.js'

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
