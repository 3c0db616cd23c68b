/**
 * Sends the mails about people's accounts, in the person's language. Promises: nobody who tells
 * waits for the mail server; a bounded number of mails waits, and one that fails is logged without
 * its address.
 * Never: sends anything where no mail server is set.
 */
import type { PersonLanguages } from '../identity/person-languages.js'
import { mailsWaitingMax } from '../limits.js'
import { accountMail, type AccountNews } from '../mails/account-mail.js'
import type { Log } from '../platform/log.js'
import type { Mailer } from '../platform/mail.js'
import type { ServiceIdentity } from '../platform/service-identity.js'

export interface AccountMailsParts {
  readonly mailer: Mailer | undefined
  readonly personLanguages: PersonLanguages
  readonly service: ServiceIdentity
  readonly log: Log
  readonly publicOrigin: () => string
}

/** The account, and where the mail goes; nowhere when it has no email. */
export interface Addressed {
  readonly serviceUserId: string
  readonly to: string | undefined
}

/** A link is made here, of its token. */
type Told =
  | Exclude<AccountNews, { kind: 'confirm-email' }>
  | { readonly kind: 'confirm-email'; readonly token: string }

export class AccountMails {
  readonly #parts: AccountMailsParts
  #waiting = 0

  constructor(parts: AccountMailsParts) {
    this.#parts = parts
  }

  get canSend(): boolean {
    return this.#parts.mailer !== undefined
  }

  /** Not awaited: what was done is done, whether or not word of it arrives. */
  tell(addressed: Addressed, told: Told): void {
    const { log } = this.#parts
    void this.send(addressed, told).catch((err: unknown) =>
      log.error({ err, kind: told.kind }, 'a mail was not sent'),
    )
  }

  /** Rejects when the mail server did not take it; to nowhere, and without a server, it is done. */
  async send({ serviceUserId, to }: Addressed, told: Told): Promise<void> {
    const { mailer } = this.#parts
    if (mailer === undefined || to === undefined) return
    if (this.#waiting >= mailsWaitingMax) throw new Error('too many mails wait')
    this.#waiting += 1
    try {
      await this.#send(mailer, { serviceUserId, to }, told)
    } finally {
      this.#waiting -= 1
    }
  }

  async #send(
    mailer: Mailer,
    { serviceUserId, to }: { serviceUserId: string; to: string },
    told: Told,
  ): Promise<void> {
    const { personLanguages, service, publicOrigin } = this.#parts
    const language = (await personLanguages.find(serviceUserId)) ?? 'en'
    const news: AccountNews =
      told.kind === 'confirm-email'
        ? // After the #: the token reaches no server log and no Referer.
          { kind: told.kind, link: `${publicOrigin()}/widget/confirm#${told.token}` }
        : told
    await mailer.send(accountMail({ language, service, account: to }, news))
  }
}
