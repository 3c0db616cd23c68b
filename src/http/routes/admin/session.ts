/**
 * Login, logout and who one is. Promises: a login tells nothing about who exists; strangers who
 * guess at a password delay its admin by seconds and never refuse them, and a browser in which the
 * admin has logged in before not at all (login-tries.ts).
 * Never: answers a session token in a body; it travels in the cookie only.
 */
import type { FastifyReply } from 'fastify'
import type { Admin } from '../../../identity/admins.js'
import type { App } from '../../app.js'
import { browserTokenOf, sessionTokenOf } from '../../admin-session.js'
import { checked, type AnswerOf, type RequestOf } from '../../contract.js'
import { tryLogin } from '../../login-tries.js'
import type { LoggedIn, Me } from '../../schemas/answers/admin.js'
import { adminLoginSchema, adminLogoutSchema, adminMeSchema } from '../../schemas/admin.js'
import type { GuardedParts } from './admin-parts.js'

export function registerSession(app: App, parts: GuardedParts): void {
  const { guard } = parts
  const enter = { onRequest: guard.enter, schema: adminLoginSchema }
  app.post('/api/admin/login', enter, (request, reply) => login(parts, request, reply))
  const leave = { onRequest: guard.leave, schema: adminLogoutSchema }
  app.post('/api/admin/logout', leave, (request, reply) => logout(parts, request, reply))
  const look = { onRequest: guard.look, schema: adminMeSchema }
  app.get('/api/admin/me', look, (request) => describeSession(parts, request))
}

async function login(
  parts: GuardedParts,
  request: RequestOf<typeof adminLoginSchema>,
  reply: FastifyReply,
): Promise<LoggedIn> {
  const { admins, adminLog, guard } = parts
  const { email, password } = checked(request).body
  const known = browserTokenOf(request)
  const browserId = known === undefined ? undefined : await admins.findBrowser(email, known)
  const session = await tryLogin(parts, { area: 'admin', email, ip: request.ip, browserId }, () =>
    admins.login({ email, password, browserId }),
  )
  const { admin, csrfToken, sessionToken, browserToken } = session
  // Nobody can use the session before it is answered: logging it now is early enough.
  const { adminId } = admin
  await adminLog.append({ adminId, action: 'session.begin', subject: adminId, details: {} })
  const earlier = sessionTokenOf(request)
  if (earlier !== undefined) await admins.logout(earlier)
  guard.setCookie(reply, sessionToken)
  guard.setBrowserCookie(reply, browserToken)
  return { admin: adminOf(admin), csrfToken }
}

async function logout(
  parts: GuardedParts,
  request: RequestOf<typeof adminLogoutSchema>,
  reply: FastifyReply,
): Promise<AnswerOf<typeof adminLogoutSchema>> {
  const { acts, admins, guard } = parts
  const { admin, sessionToken } = guard.sessionOf(request)
  const order = { action: 'session.end', subject: admin.adminId, details: {} }
  await acts.perform(request, order, () => admins.logout(sessionToken))
  guard.clearCookie(reply)
  return {}
}

function describeSession(
  { guard, currency, environment }: GuardedParts,
  request: RequestOf<typeof adminMeSchema>,
): Me {
  const { admin, csrfToken } = guard.sessionOf(request)
  const { code, decimals } = currency
  return { admin: adminOf(admin), csrfToken, currency: { code, decimals }, environment }
}

function adminOf({ adminId, email, role }: Admin) {
  return { adminId, email, role }
}
