/** What the routes of people's accounts are made of, beside the rest of identity. */
import { AccountMails } from '../../src/http/account-mails.js'
import { Accounts } from '../../src/identity/accounts.js'
import { ClosedAccounts } from '../../src/identity/closed-accounts.js'
import { EmailProofs } from '../../src/identity/email-proofs.js'
import { KnownLogins } from '../../src/identity/known-logins.js'
import type { Links } from '../../src/identity/links.js'
import type { PersonLanguages } from '../../src/identity/person-languages.js'
import type { ChangeFeed } from '../../src/platform/change-feed.js'
import type { Clock } from '../../src/platform/clock.js'
import type { Mailer } from '../../src/platform/mail.js'
import type { Pool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { unnamedService, type ServiceIdentity } from '../../src/platform/service-identity.js'
import { quietLog } from './ledger.js'
import { cheapPasswords } from './passwords.js'

export interface AccountPartsOf {
  readonly pool: Pool
  readonly clock: Clock
  readonly links: Links
  readonly changes: ChangeFeed
  readonly mailer: Mailer | undefined
  readonly personLanguages: PersonLanguages
  readonly service?: ServiceIdentity
  readonly publicOrigin: () => string
}

export function accountParts({ mailer, publicOrigin, ...parts }: AccountPartsOf) {
  const { personLanguages, service = unnamedService } = parts
  const mailing = { mailer, publicOrigin, personLanguages, service, log: quietLog }
  const system = { ...parts, random: systemRandom }
  return {
    accounts: new Accounts({ ...system, passwords: cheapPasswords }),
    emailProofs: new EmailProofs(system),
    knownLogins: new KnownLogins(system),
    closedAccounts: new ClosedAccounts(system),
    accountMails: new AccountMails(mailing),
  }
}
