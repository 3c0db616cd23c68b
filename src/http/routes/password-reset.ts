/**
 * A forgotten password: asking for a one-time link by mail, and choosing a new password with it.
 * Promises: asking is answered the same, and as fast, whether or not the account exists; tries are
 * counted. Never: waits for the mail server, or tells that a mail was or was not sent; promises a
 * mail where none can be sent.
 */
import { loginTriesPerAddress, loginWindowMs } from '../../identity/limits.js'
import type { Throttle } from '../../identity/throttle.js'
import { emailKeyOf } from '../../identity/user-rules.js'
import type { Users } from '../../identity/users.js'
import { mailsWaitingMax, resetMailsPerAccount } from '../../limits.js'
import type { Mailer } from '../../platform/mail.js'
import type { AccountMails } from '../account-mails.js'
import type { App } from '../app.js'
import { checked } from '../contract.js'
import { countTry } from '../counted-try.js'
import { ApiError } from '../errors.js'
import { forgotPasswordSchema, resetPasswordSchema } from '../schemas/widget.js'

export interface PasswordResetParts {
  readonly users: Users
  readonly throttle: Throttle
  /** Missing: links are made by an admin or on the command line, and everybody is told so. */
  readonly mailer: Mailer | undefined
  readonly publicOrigin: () => string
  readonly accountMails: AccountMails
}

export function registerPasswordReset(app: App, parts: PasswordResetParts): void {
  const { mailer, throttle } = parts
  let waiting = 0

  const forgot = { schema: forgotPasswordSchema }
  app.post('/api/widget/auth/forgot-password', forgot, async (request) => {
    // Before anything is looked at: this says nothing about any account.
    if (mailer === undefined) throw new ApiError('NOT_FOUND', { message: noMail })
    const { email } = checked(request).body
    await countTry(throttle, triesOf(request.ip), mailsTo(email))
    if (waiting < mailsWaitingMax) {
      waiting += 1
      // Not awaited: the time it takes would tell whether the account exists.
      void mailLink(parts, mailer, email)
        .catch((err: unknown) => request.log.error({ err }, 'a reset mail was not sent'))
        .finally(() => (waiting -= 1))
    }
    return { message: 'If there is an account with this email, a link is on its way.' }
  })

  const reset = { schema: resetPasswordSchema }
  app.post('/api/widget/auth/reset-password', reset, async (request) => {
    const { token, password } = checked(request).body
    await countTry(throttle, triesOf(request.ip))
    const serviceUserId = await parts.users.redeemReset(token, password)
    if (serviceUserId === undefined) throw new ApiError('INVALID_RESET_TOKEN')
    const user = await parts.users.find(serviceUserId)
    parts.accountMails.tell(user?.email, { kind: 'password-changed' })
    return { message: 'The new password is set.' }
  })
}

const noMail = 'This service sends no mail. Ask the people who run it for a link.'

async function mailLink(
  { users, publicOrigin }: PasswordResetParts,
  mailer: Mailer,
  email: string,
): Promise<void> {
  const user = await users.findByEmail(email)
  if (user?.email === undefined) return
  const token = await users.createResetToken(user.serviceUserId)
  await mailer.send({
    to: user.email,
    subject: 'Choose a new password for your wallet',
    text: [
      'Somebody, hopefully you, asked to choose a new password for your wallet.',
      '',
      // After the #: the token reaches no server log and no Referer.
      `${publicOrigin()}/widget/reset#${token}`,
      '',
      'The link works once, for one hour. If you did not ask, do nothing: nothing has changed.',
    ].join('\n'),
  })
}

function triesOf(ip: string) {
  const key = { kind: 'reset-address', value: ip }
  return { ...key, tries: loginTriesPerAddress, windowMs: loginWindowMs }
}

function mailsTo(email: string) {
  const key = { kind: 'reset-account', value: emailKeyOf(email) }
  return { ...key, tries: resetMailsPerAccount, windowMs: loginWindowMs }
}
