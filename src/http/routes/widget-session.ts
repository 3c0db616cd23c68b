/**
 * Widget sessions: made by a client backend for one of its users, ended by the widget, and renewed
 * by the loader, which hands the page a newer one of its backend. Promises: credentials, scope,
 * fields, user, in this order; a renewal changes neither the person nor the app.
 * Never: lengthens a session; each lives five minutes.
 */
import type { FastifyReply } from 'fastify'
import { usableOrigins } from '../../identity/client-app-rules.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser } from '../client-auth.js'
import { checked, type AnswerOf, type RequestOf } from '../contract.js'
import { ApiError } from '../errors.js'
import type { FairShares } from '../fair-shares.js'
import type { Done } from '../schemas/answers/widget.js'
import { createSessionSchema, endSessionSchema, renewSessionSchema } from '../schemas/widget.js'
import { isSessionToken, sessionTokenOf } from '../widget-call.js'

export interface WidgetSessionParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly shares: FairShares
  readonly widgetSessions: WidgetSessions
  /** Origins must be https then. */
  readonly production: boolean
}

export function registerWidgetSession(app: App, parts: WidgetSessionParts): void {
  app.post('/api/widget/session', { schema: createSessionSchema }, (request, reply) =>
    createSession(parts, request, reply),
  )
  app.post('/api/widget/session/end', { schema: endSessionSchema }, (request) =>
    endSession(parts, request),
  )
  app.post('/api/widget/session/renew', { schema: renewSessionSchema }, (request) =>
    renewSession(parts, request),
  )
}

async function createSession(
  parts: WidgetSessionParts,
  request: RequestOf<typeof createSessionSchema>,
  reply: FastifyReply,
): Promise<AnswerOf<typeof createSessionSchema>> {
  const { clientApps, links, shares, widgetSessions } = parts
  const clientApp = await authenticateClient(clientApps, request, 'wallet:read')
  const { serviceUserId, parentOrigin } = checked(request).body
  if (parentOrigin !== undefined) requireParent(parentOrigin, clientApp, parts)
  await shares.of(clientApp).beginRead(reply, 0)
  await findLinkedUser(links, clientApp, serviceUserId, { isCommand: false })
  const { clientId } = clientApp
  return widgetSessions.create({ clientId, serviceUserId, parentOrigin, madeBy: 'backend' })
}

/** Compared as it stands: `null`, `*` and another port are just not in the list. */
function requireParent(
  parentOrigin: string,
  { allowedIframeParents }: ClientApp,
  { production }: WidgetSessionParts,
): void {
  if (!usableOrigins(allowedIframeParents, { production }).includes(parentOrigin))
    throw new ApiError('ORIGIN_NOT_ALLOWED')
}

/** Also of one that has ended: whoever ends it twice has reached what they wanted. */
async function endSession(
  { widgetSessions }: WidgetSessionParts,
  request: RequestOf<typeof endSessionSchema>,
): Promise<Done> {
  const sessionToken = sessionTokenOf(request.query)
  if (sessionToken === undefined || !(await widgetSessions.findEvenEnded(sessionToken)))
    throw new ApiError('SESSION_EXPIRED')
  await widgetSessions.end(sessionToken)
  return {}
}

async function renewSession(
  { widgetSessions }: WidgetSessionParts,
  request: RequestOf<typeof renewSessionSchema>,
): Promise<AnswerOf<typeof renewSessionSchema>> {
  const oldToken = sessionTokenOf(request.query)
  const old = oldToken === undefined ? undefined : await widgetSessions.findEvenEnded(oldToken)
  if (old === undefined) throw new ApiError('SESSION_EXPIRED')
  const { sessionToken: newToken } = checked(request).body
  const session = isSessionToken(newToken) ? await widgetSessions.find(newToken) : undefined
  const isSame = session?.clientId === old.clientId && session.serviceUserId === old.serviceUserId
  if (session === undefined || !isSame) throw new ApiError('SESSION_MISMATCH')
  return { expiresAt: session.expiresAt }
}
