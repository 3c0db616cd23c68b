/**
 * How a person comes into their own account and stays there: the password within a session that an
 * app's backend may have made, half an hour of going on, and what is open elsewhere. Promises: only
 * the password makes a session the person's; ending one ends all that went on from it.
 */
import { isUuid } from '../../../domain/ids.js'
import { readBrands } from '../../../identity/app-brands.js'
import type { WidgetSessions } from '../../../identity/widget-sessions.js'
import type { Clock } from '../../../platform/clock.js'
import type { Pool } from '../../../platform/postgres.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { deviceOf } from '../../device.js'
import { ApiError } from '../../errors.js'
import { noteLogin, type LoginNewsParts } from '../../login-news.js'
import { askPasswordAgain, type PasswordParts } from '../../password-again.js'
import { endSessionsSchema, goOnSchema, unlockSchema } from '../../schemas/account.js'
import type { PersonSession } from '../../schemas/answers/account.js'
import type { Done } from '../../schemas/answers/widget.js'
import { liveSession, personSession, sessionTokenOf } from '../../widget-call.js'

export interface AccessParts extends PasswordParts, LoginNewsParts {
  readonly widgetSessions: WidgetSessions
  readonly pool: Pool
  readonly clock: Clock
}

export function registerAccess(app: App, parts: AccessParts): void {
  app.post('/api/widget/auth/unlock', { schema: unlockSchema }, (request) => unlock(parts, request))
  app.post('/api/widget/account/go-on', { schema: goOnSchema }, (request) => goOn(parts, request))
  app.post('/api/widget/account/sessions/end', { schema: endSessionsSchema }, (request) =>
    endSessions(parts, request),
  )
}

async function unlock(
  parts: AccessParts,
  request: RequestOf<typeof unlockSchema>,
): Promise<PersonSession> {
  const { clientId, serviceUserId, parentOrigin } = await liveSession(parts.widgetSessions, request)
  const { password } = checked(request).body
  const { ip } = request
  const { email } = await askPasswordAgain(parts, { serviceUserId, ip, password })
  const device = deviceOf(request.headers['user-agent'])
  const made = { clientId, serviceUserId, parentOrigin, device, madeBy: 'login' } as const
  const session = await parts.widgetSessions.create(made)
  const brands = await readBrands(parts.pool, [clientId])
  const app = brands.get(clientId) ?? ''
  await noteLogin(parts, { serviceUserId, email, device, ip, app })
  return withLife(parts, session)
}

async function goOn(
  parts: AccessParts,
  request: RequestOf<typeof goOnSchema>,
): Promise<PersonSession> {
  await personSession(parts.widgetSessions, request)
  const session = await parts.widgetSessions.goOn(sessionTokenOf(request.query) ?? '')
  if (session === undefined) throw new ApiError('LOGIN_REQUIRED')
  return withLife(parts, session)
}

async function endSessions(
  { widgetSessions }: AccessParts,
  request: RequestOf<typeof endSessionsSchema>,
): Promise<Done> {
  const session = await personSession(widgetSessions, request)
  const { loginId } = checked(request).body
  const { serviceUserId } = session
  if (loginId === undefined) await widgetSessions.endOf(serviceUserId, { allBut: session.loginId })
  // What is no id ends nothing, and so does another person's.
  else if (isUuid(loginId)) await widgetSessions.endOf(serviceUserId, { loginId })
  return {}
}

/** By the server's clock: the person's device may have another time. */
function withLife(
  { clock }: AccessParts,
  session: { readonly sessionToken: string; readonly expiresAt: string },
): PersonSession {
  return { ...session, lifeMs: Math.max(0, Date.parse(session.expiresAt) - clock.now()) }
}
