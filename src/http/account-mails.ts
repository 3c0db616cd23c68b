/**
 * The mails about a person's account: links that confirm an email, and word of what was done to the
 * account, so that who did not do it can act. Promises: nobody waits for the mail server; a bounded
 * number of mails waits, and one that fails is logged without its address.
 * Never: a secret but the link itself; sends anything where no mail server is set.
 */
import { mailsWaitingMax } from '../limits.js'
import type { Log } from '../platform/log.js'
import type { Mailer, Message } from '../platform/mail.js'

export interface AccountMailsParts {
  readonly mailer: Mailer | undefined
  readonly log: Log
  readonly publicOrigin: () => string
}

/** What may be told of an account; each has its own subject and text. */
export type AccountNews =
  | { readonly kind: 'confirm-email'; readonly token: string }
  | { readonly kind: 'new-login'; readonly device: string; readonly app: string }
  | { readonly kind: 'password-changed' }
  | { readonly kind: 'email-change-asked'; readonly newEmail: string }
  | { readonly kind: 'email-changed'; readonly newEmail: string }
  | { readonly kind: 'closed'; readonly erasedAt: string }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'money-in-closed' }

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
  tell(to: string | undefined, news: AccountNews): void {
    const { mailer, log } = this.#parts
    if (mailer === undefined || to === undefined || this.#waiting >= mailsWaitingMax) return
    this.#waiting += 1
    void mailer
      .send({ to, ...this.#textOf(news) })
      .catch((err: unknown) => log.error({ err, kind: news.kind }, 'a mail was not sent'))
      .finally(() => (this.#waiting -= 1))
  }

  #textOf(news: AccountNews): Omit<Message, 'to'> {
    const [subject, ...lines] = this.#linesOf(news)
    return { subject: subject ?? '', text: lines.join('\n') }
  }

  #linesOf(news: AccountNews): readonly string[] {
    switch (news.kind) {
      case 'confirm-email':
        return [
          'Confirm your email for your wallet',
          'Open this link to confirm that this address is yours:',
          '',
          // After the #: the token reaches no server log and no Referer.
          `${this.#parts.publicOrigin()}/widget/confirm#${news.token}`,
          '',
          'The link works once, for a day. If you did not ask for it, do nothing.',
        ]
      case 'new-login':
        return [
          'A new login to your wallet',
          `Somebody logged in to your wallet with ${news.device}, on the page of ${news.app}.`,
          '',
          notYou,
        ]
      case 'password-changed':
        return ['Your wallet has a new password', 'The password was changed.', '', notYou]
      case 'email-change-asked':
        return [
          'A new email for your wallet was asked for',
          `Your wallet is to get the email ${news.newEmail} once that address is confirmed.`,
          '',
          notYou,
        ]
      case 'email-changed':
        return [
          'Your wallet has a new email',
          `The email is ${news.newEmail} now. This address is not used any more.`,
          '',
          notYou,
        ]
      case 'closed':
        return [
          'Your wallet account is closed',
          `Until ${news.erasedAt.slice(0, 10)} a login opens it again; then it is erased.`,
          '',
          notYou,
        ]
      case 'reopened':
        return ['Your wallet account is open again', 'A login has opened it again.', '', notYou]
      case 'money-in-closed':
        return [
          'There is money in your closed wallet',
          'Money has come to the wallet that you have closed. It is yours: log in to use it.',
          'The account is not erased as long as there is money in it.',
        ]
    }
  }
}

const notYou =
  'If this was not you, choose a new password at once ("Forgot your password?" at the login).'
