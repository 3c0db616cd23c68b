/**
 * The part of the composition that looks after people's accounts: mails about them, and the sweeper
 * of what grows old, closed accounts among it. Loaded by a service, not by a command.
 */
import type { CardTeller, Identity } from './parts.js'
import type { Config } from '../config.js'
import { AccountMails } from '../http/account-mails.js'
import { findObstacles, type ObstacleParts } from '../http/wallet-obstacles.js'
import { createSweeper, type Swept } from '../identity/sweeper.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { smtpMailer, type Mailer } from '../platform/mail.js'

export interface People {
  /** Undefined: this service sends no mail. */
  readonly mailer: Mailer | undefined
  readonly accountMails: AccountMails
  readonly tellCardNews: CardTeller
  close(): Promise<void>
}

export interface PeopleParts extends ObstacleParts {
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
  readonly publicOrigin: () => string
}

/** It sweeps from now on. */
export function openPeople({ mail, service }: Config, parts: PeopleParts): People {
  const { identity } = parts
  const mailer = mail && smtpMailer(mail)
  const { personLanguages } = identity
  const accountMails = new AccountMails({ ...parts, personLanguages, service, mailer })
  const sweeper = createSweeper({ ...parts, swept: sweptOf(identity, parts, accountMails) })
  sweeper.start()
  const close = async (): Promise<void> => {
    await sweeper.stop()
    mailer?.close()
  }
  return {
    mailer,
    accountMails,
    tellCardNews: cardTeller(identity, accountMails),
    close,
  }
}

function cardTeller({ accounts }: Identity, mails: AccountMails): CardTeller {
  return async ({ serviceUserId, ...news }) => {
    const account = await accounts.find(serviceUserId)
    await mails.send({ serviceUserId, to: account?.email }, news)
  }
}

/** Of closed accounts those whose time is over and whose wallet is empty. */
function sweptOf(
  identity: Identity,
  ledger: ObstacleParts,
  accountMails: AccountMails,
): readonly Swept[] {
  const { users, links, widgetSessions, throttle, refusedLogins, accounts } = identity
  const { emailProofs, knownLogins, closedAccounts } = identity
  const erasing = closedAccounts.erasing({
    isEmpty: async (walletId) => (await findObstacles(ledger, walletId)) === undefined,
    erase: (serviceUserId) => users.erase(serviceUserId),
    onPutOff: async (serviceUserId) => {
      const to = (await accounts.find(serviceUserId))?.email
      accountMails.tell({ serviceUserId, to }, { kind: 'money-in-closed' })
    },
  })
  const swept = [users, links, widgetSessions, throttle, refusedLogins, emailProofs, knownLogins]
  return [...swept, erasing]
}
