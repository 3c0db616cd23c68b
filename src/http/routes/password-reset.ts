/**
 * A forgotten password: asking for a one-time link by mail, and choosing a new password with it.
 * Promises: asking is answered the same, and as fast, whether or not the account exists; tries are
 * counted. Never: waits for the mail server, or tells that a mail was or was not sent; promises a
 * mail where none can be sent.
 */
import { loginTriesPerAddress, loginWindowMs } from '../../identity/limits.js'
import type { PersonLanguages } from '../../identity/person-languages.js'
import type { Throttle } from '../../identity/throttle.js'
import { emailKeyOf } from '../../identity/user-rules.js'
import type { Users } from '../../identity/users.js'
import { mailsWaitingMax, resetMailsPerAccount } from '../../limits.js'
import { resetMail } from '../../mails/mails.js'
import { languageWished, type Language } from '../../platform/languages.js'
import type { Mailer } from '../../platform/mail.js'
import type { ServiceIdentity } from '../../platform/service-identity.js'
import type { AccountMails } from '../account-mails.js'
import type { App } from '../app.js'
import { checked } from '../contract.js'
import { countTry } from '../counted-try.js'
import { ApiError } from '../errors.js'
import { forgotPasswordSchema, resetAccountSchema, resetPasswordSchema } from '../schemas/widget.js'

export interface PasswordResetParts {
  readonly users: Users
  readonly personLanguages: PersonLanguages
  readonly service: ServiceIdentity
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
      const language = languageWished(request.headers['accept-language'])
      void mailLink(parts, mailer, { email, language })
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
    parts.accountMails.tell({ serviceUserId, to: user?.email }, { kind: 'password-changed' })
    return { message: 'The new password is set.' }
  })

  const look = { schema: resetAccountSchema }
  app.post('/api/widget/auth/reset-password/account', look, async (request) => {
    const { token } = checked(request).body
    await countTry(throttle, triesOf(request.ip))
    const email = await parts.users.findResetEmail(token)
    if (email === undefined) throw new ApiError('INVALID_RESET_TOKEN')
    return { email }
  })
}

const noMail = 'This service sends no mail. Ask the people who run it for a link.'

/** In the language that the person has chosen, else in that of the page which asked. */
async function mailLink(
  { users, personLanguages, service, publicOrigin }: PasswordResetParts,
  mailer: Mailer,
  asked: { readonly email: string; readonly language: Language | undefined },
): Promise<void> {
  const user = await users.findByEmail(asked.email)
  if (user?.email === undefined) return
  const language = (await personLanguages.find(user.serviceUserId)) ?? asked.language ?? 'en'
  const token = await users.createResetToken(user.serviceUserId)
  // After the #: the token reaches no server log and no Referer.
  const link = `${publicOrigin()}/widget/reset#${token}`
  await mailer.send(resetMail({ language, service, account: user.email }, link))
}

function triesOf(ip: string) {
  const key = { kind: 'reset-address', value: ip }
  return { ...key, tries: loginTriesPerAddress, windowMs: loginWindowMs }
}

function mailsTo(email: string) {
  const key = { kind: 'reset-account', value: emailKeyOf(email) }
  return { ...key, tries: resetMailsPerAccount, windowMs: loginWindowMs }
}
