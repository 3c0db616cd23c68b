/**
 * Login, logout and who one is. Promises: a login tells nothing about who exists, and tries are
 * counted per account and per address before the password is looked at.
 * Never: answers a session token in a body; it travels in the cookie only.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admin } from '../../../identity/admins.js'
import { emailKeyOf } from '../../../identity/user-rules.js'
import { adminLoginTriesPerAddress, loginTriesPerAccount, loginWindowMs } from '../../../limits.js'
import type { App } from '../../app.js'
import { sessionTokenOf } from '../../admin-session.js'
import { countTry } from '../../counted-try.js'
import { ApiError } from '../../errors.js'
import { inputOf, stringField } from '../../fields.js'
import type { GuardedParts } from './admin-parts.js'

export function registerSession(app: App, parts: GuardedParts): void {
  const { guard } = parts
  app.post('/api/admin/login', { onRequest: guard.enter }, (request, reply) =>
    login(parts, request, reply),
  )
  app.post('/api/admin/logout', { onRequest: guard.leave }, (request, reply) =>
    logout(parts, request, reply),
  )
  app.get('/api/admin/me', { onRequest: guard.look }, (request) => describeSession(parts, request))
}

async function login(parts: GuardedParts, request: FastifyRequest, reply: FastifyReply) {
  const { admins, adminLog, guard, throttle } = parts
  const input = inputOf(request.body)
  const email = stringField(input, 'email')
  const password = stringField(input, 'password')
  const account = { kind: 'admin-login-account', value: emailKeyOf(email) }
  const address = { kind: 'admin-login-address', value: request.ip }
  await countTry(
    throttle,
    { ...address, tries: adminLoginTriesPerAddress, windowMs: loginWindowMs },
    { ...account, tries: loginTriesPerAccount, windowMs: loginWindowMs },
  )
  const session = await admins.login({ email, password })
  if (session === undefined) {
    // Without the email: what somebody typed there may be a password.
    const act = { adminId: null, action: 'session.begin', subject: null, details: {} }
    await adminLog.finish(await adminLog.order(act), act, { outcome: 'refused' })
    throw new ApiError('INVALID_LOGIN')
  }
  const { admin, csrfToken, sessionToken } = session
  // Nobody can use the session before it is answered: logging it now is early enough.
  const { adminId } = admin
  await adminLog.append({ adminId, action: 'session.begin', subject: adminId, details: {} })
  await throttle.clear(account)
  const earlier = sessionTokenOf(request)
  if (earlier !== undefined) await admins.logout(earlier)
  guard.setCookie(reply, sessionToken)
  return { admin: adminOf(admin), csrfToken }
}

async function logout(parts: GuardedParts, request: FastifyRequest, reply: FastifyReply) {
  const { acts, admins, guard } = parts
  const { admin, sessionToken } = guard.sessionOf(request)
  const order = { action: 'session.end', subject: admin.adminId, details: {} }
  await acts.perform(request, order, () => admins.logout(sessionToken))
  guard.clearCookie(reply)
  return {}
}

function describeSession({ guard, currency, environment }: GuardedParts, request: FastifyRequest) {
  const { admin, csrfToken } = guard.sessionOf(request)
  const { code, decimals } = currency
  return { admin: adminOf(admin), csrfToken, currency: { code, decimals }, environment }
}

function adminOf({ adminId, email, role }: Admin) {
  return { adminId, email, role }
}
