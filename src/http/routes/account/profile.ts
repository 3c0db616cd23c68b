/**
 * A person's own account: what it says, and its name, email and password. Promises: only for a
 * session that the person made by logging in; email and password need the password again; a change
 * of email is told to the old address before and after it, a new password to the present one.
 * Never: changes an email before its own link was used, where mail can be sent.
 */
import { readBrands } from '../../../identity/app-brands.js'
import type { EmailProofs } from '../../../identity/email-proofs.js'
import { loginTriesPerAddress, loginWindowMs } from '../../../identity/limits.js'
import type { WidgetSession } from '../../../identity/widget-sessions.js'
import type { App } from '../../app.js'
import type { AccountMails } from '../../account-mails.js'
import { placeOf } from '../../address-budget.js'
import { checked, type RequestOf } from '../../contract.js'
import { countTry } from '../../counted-try.js'
import { ApiError } from '../../errors.js'
import * as limits from '../../limits.js'
import { askPasswordAgain } from '../../password-again.js'
import * as schemas from '../../schemas/account.js'
import type { Account, EmailChange, ProvenEmail } from '../../schemas/answers/account.js'
import type { Done } from '../../schemas/answers/widget.js'
import { personSession } from '../../widget-call.js'
import type { AccessParts } from './access.js'

export interface ProfileParts extends AccessParts {
  readonly emailProofs: EmailProofs
  readonly accountMails: AccountMails
}

export function registerProfile(app: App, parts: ProfileParts): void {
  app.get('/api/widget/account', { schema: schemas.accountReadSchema }, (request) =>
    readAccount(parts, request),
  )
  app.post('/api/widget/account/name', { schema: schemas.renameSchema }, (request) =>
    rename(parts, request),
  )
  app.post('/api/widget/account/email', { schema: schemas.changeEmailSchema }, (request) =>
    changeEmail(parts, request),
  )
  app.post('/api/widget/account/email/mail', { schema: schemas.mailAgainSchema }, (request) =>
    mailAgain(parts, request),
  )
  app.post('/api/widget/auth/confirm-email', { schema: schemas.confirmEmailSchema }, (request) =>
    confirmEmail(parts, request),
  )
  app.post('/api/widget/account/password', { schema: schemas.changePasswordSchema }, (request) =>
    changePassword(parts, request),
  )
}

async function readAccount(
  parts: ProfileParts,
  request: RequestOf<typeof schemas.accountReadSchema>,
): Promise<Account> {
  const session = await personSession(parts.widgetSessions, request)
  return accountOf(parts, session)
}

/** Also what an export says of the person. */
export async function accountOf(
  parts: ProfileParts,
  { serviceUserId, loginId, clientId }: WidgetSession,
): Promise<Account> {
  const account = await parts.accounts.find(serviceUserId)
  if (account === undefined) throw new ApiError('SESSION_EXPIRED')
  const apps = await parts.accounts.apps(serviceUserId)
  const sessions = await parts.widgetSessions.openOf(serviceUserId)
  const brands = await readBrands(
    parts.pool,
    sessions.map((session) => session.clientId),
  )
  return {
    email: account.email ?? null,
    isEmailConfirmed: account.isEmailConfirmed,
    newEmail: (await parts.emailProofs.waiting(serviceUserId)) ?? null,
    sendsMail: parts.accountMails.canSend,
    firstName: account.firstName ?? null,
    lastName: account.lastName ?? null,
    createdAt: account.createdAt,
    sessions: sessions.map((session) => ({
      loginId: session.loginId,
      appName: brands.get(session.clientId) ?? '',
      madeBy: session.madeBy,
      beganAt: session.beganAt ?? null,
      device: session.device ?? null,
      isThis: session.loginId === loginId,
    })),
    apps: apps.map((app) => ({ ...app, isThis: app.clientId === clientId })),
  }
}

async function rename(
  parts: ProfileParts,
  request: RequestOf<typeof schemas.renameSchema>,
): Promise<Done> {
  const { serviceUserId } = await personSession(parts.widgetSessions, request)
  const { firstName, lastName } = checked(request).body
  await countChange(parts, serviceUserId)
  await parts.accounts.rename(serviceUserId, { firstName, lastName })
  return {}
}

async function changeEmail(
  parts: ProfileParts,
  request: RequestOf<typeof schemas.changeEmailSchema>,
): Promise<EmailChange> {
  const { accounts, accountMails, emailProofs } = parts
  const { serviceUserId } = await personSession(parts.widgetSessions, request)
  const { email, password } = checked(request).body
  await countChange(parts, serviceUserId)
  const { ip } = request
  const { email: old } = await askPasswordAgain(parts, { serviceUserId, ip, password })
  const isSame = old?.toLowerCase() === email.toLowerCase()
  // Its rules are looked at here too, before anything is mailed.
  if ((await accounts.hasEmail(email)) && !isSame) throw new ApiError('ACCOUNT_EXISTS')
  if (!accountMails.canSend) {
    if (!(await accounts.setEmail(serviceUserId, email))) throw new ApiError('ACCOUNT_EXISTS')
    return { state: 'changed' }
  }
  await countMail(parts, serviceUserId)
  const token = await emailProofs.create(serviceUserId, email)
  if (token === undefined) throw new ApiError('SESSION_EXPIRED')
  if (!isSame) accountMails.tell({ serviceUserId, to: old }, { kind: 'email-change-asked', email })
  accountMails.tell({ serviceUserId, to: email }, { kind: 'confirm-email', token })
  return { state: 'mailed' }
}

async function mailAgain(
  parts: ProfileParts,
  request: RequestOf<typeof schemas.mailAgainSchema>,
): Promise<{ message: string }> {
  const { accounts, accountMails, emailProofs } = parts
  const { serviceUserId } = await personSession(parts.widgetSessions, request)
  const waiting = await emailProofs.waiting(serviceUserId)
  const email = waiting ?? (await accounts.find(serviceUserId))?.email
  if (email === undefined || !accountMails.canSend) throw new ApiError('NOT_FOUND')
  await countMail(parts, serviceUserId)
  const token = await emailProofs.create(serviceUserId, email)
  if (token !== undefined)
    accountMails.tell({ serviceUserId, to: email }, { kind: 'confirm-email', token })
  return { message: 'The link is on its way.' }
}

async function confirmEmail(
  { emailProofs, accounts, accountMails, throttle }: ProfileParts,
  request: RequestOf<typeof schemas.confirmEmailSchema>,
): Promise<ProvenEmail> {
  const { token } = checked(request).body
  const address = { kind: 'confirm-address', value: placeOf(request.ip) }
  await countTry(throttle, { ...address, tries: loginTriesPerAddress, windowMs: loginWindowMs })
  const proven = await emailProofs.redeem(token)
  if (proven === undefined) throw new ApiError('INVALID_EMAIL_TOKEN')
  if (proven.kind === 'taken') throw new ApiError('ACCOUNT_EXISTS')
  if (proven.kind === 'changed') {
    const { serviceUserId, oldEmail: to } = proven
    const email = (await accounts.find(serviceUserId))?.email ?? ''
    accountMails.tell({ serviceUserId, to }, { kind: 'email-changed', email })
  }
  return { state: proven.kind }
}

async function changePassword(
  parts: ProfileParts,
  request: RequestOf<typeof schemas.changePasswordSchema>,
): Promise<Done> {
  const { serviceUserId, loginId } = await personSession(parts.widgetSessions, request)
  const { password, newPassword } = checked(request).body
  await countChange(parts, serviceUserId)
  const { ip } = request
  const { email } = await askPasswordAgain(parts, { serviceUserId, ip, password })
  await parts.accounts.changePassword(serviceUserId, { newPassword, loginId })
  parts.accountMails.tell({ serviceUserId, to: email }, { kind: 'password-changed' })
  return {}
}

export async function countChange(
  { throttle }: Pick<ProfileParts, 'throttle'>,
  serviceUserId: string,
): Promise<void> {
  const person = { kind: 'account-change', value: serviceUserId }
  const { accountChangesPerPerson: tries, accountWindowMs: windowMs } = limits
  await countTry(throttle, { ...person, tries, windowMs })
}

async function countMail({ throttle }: ProfileParts, serviceUserId: string): Promise<void> {
  const person = { kind: 'confirm-mail', value: serviceUserId }
  const { confirmMailsPerPerson: tries, accountWindowMs: windowMs } = limits
  await countTry(throttle, { ...person, tries, windowMs })
}
