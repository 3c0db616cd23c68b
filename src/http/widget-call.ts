/**
 * What every call of the widget shares: the session in the query, asked for anew at each call, and
 * which other origins may call from a browser. Promises: whatever is wrong with a token is the same
 * 401 SESSION_EXPIRED; an origin is echoed only when the session's active app lists exactly it; a
 * person's account is for who has given the password.
 * Never: `*`, cookies, or an origin for sign-up, login and whatever else has no session.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUuid } from '../domain/ids.js'
import { usableOrigins } from '../identity/client-app-rules.js'
import type { ClientApps } from '../identity/client-apps.js'
import type { WidgetSession, WidgetSessions } from '../identity/widget-sessions.js'
import { corsMaxAgeSeconds } from '../limits.js'
import type { Caller } from './address-budget.js'
import type { App } from './app.js'
import { uncheckedField } from './contract.js'
import { ApiError } from './errors.js'
import { preflightSchema } from './schemas/widget.js'

/** The live session of the query's `session`; throws SESSION_EXPIRED for whatever reason. */
export async function liveSession(
  widgetSessions: WidgetSessions,
  request: { readonly query: unknown; caller: Caller },
): Promise<WidgetSession> {
  const sessionToken = sessionTokenOf(request.query)
  const session = sessionToken === undefined ? undefined : await widgetSessions.find(sessionToken)
  if (session === undefined) throw new ApiError('SESSION_EXPIRED')
  request.caller = 'person'
  return session
}

/** As `liveSession`, of a person who has logged in: never a backend's; throws LOGIN_REQUIRED. */
export async function personSession(
  widgetSessions: WidgetSessions,
  request: { readonly query: unknown; caller: Caller },
): Promise<WidgetSession> {
  const session = await liveSession(widgetSessions, request)
  if (session.madeBy !== 'login') throw new ApiError('LOGIN_REQUIRED')
  return session
}

/** What has the shape of a token; anything else is nobody's and need not reach the database. */
export function sessionTokenOf(query: unknown): string | undefined {
  const session = uncheckedField(query, 'session')
  return typeof session === 'string' && isSessionToken(session) ? session : undefined
}

export function isSessionToken(text: string): boolean {
  return text.startsWith('ws_') && isUuid(text.slice('ws_'.length))
}

export interface WidgetOriginParts {
  readonly clientApps: ClientApps
  readonly widgetSessions: WidgetSessions
  /** Origins must be https then. */
  readonly production: boolean
}

/**
 * CORS for the widget's calls that are registered after this: their answers name the origin that
 * asked, and each path answers its preflight. Without it a browser keeps the answer to itself.
 */
export function allowWidgetOrigins(app: App, parts: WidgetOriginParts): void {
  const methodsOf = new Map<string, Set<string>>()
  const nameOriginFirst = (request: FastifyRequest, reply: FastifyReply) =>
    nameOrigin(parts, request, reply)
  app.addHook('onRoute', (route) => {
    const { url, method } = route
    if (!mayBeShared(url)) return
    // On these routes and not on all: every debit would pass a common hook too.
    route.onRequest = [nameOriginFirst, route.onRequest ?? []].flat()
    const known = methodsOf.get(url)
    const methods = known ?? new Set<string>()
    for (const name of [method].flat()) methods.add(name)
    if (known !== undefined) return
    methodsOf.set(url, methods)
    app.options(url, { schema: preflightSchema }, (_request, reply) =>
      answerPreflight(reply, methods),
    )
  })
}

async function nameOrigin(
  parts: WidgetOriginParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  void reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !(await isAllowed(parts, request.query, origin))) return
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, x-request-id',
  })
}

/** Sessions are made by backends, which are no browsers; these others are our own pages'. */
function mayBeShared(route: string): boolean {
  if (route === '/api/widget/session' || route === '/api/widget/account') return false
  const isOurs = ['/api/widget/auth/', '/api/widget/account/'].some((own) => route.startsWith(own))
  return route.startsWith('/api/widget/') && !isOurs
}

/** Also for a session that has ended: the page there may read that it has. */
async function isAllowed(
  { clientApps, widgetSessions, production }: WidgetOriginParts,
  query: unknown,
  origin: string,
): Promise<boolean> {
  const sessionToken = sessionTokenOf(query)
  if (sessionToken === undefined) return false
  const session = await widgetSessions.findEvenEnded(sessionToken)
  if (session === undefined) return false
  const clientApp = await clientApps.find(session.clientId)
  if (clientApp?.isActive !== true) return false
  return usableOrigins(clientApp.allowedOrigins, { production }).includes(origin)
}

/** The same 204 for everyone; only the allowed origin finds its name in it. */
function answerPreflight(reply: FastifyReply, methods: ReadonlySet<string>): void {
  if (reply.hasHeader('access-control-allow-origin'))
    void reply.headers({
      'access-control-allow-methods': [...methods].sort().join(', '),
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': String(corsMaxAgeSeconds),
    })
  void reply.code(204).send()
}
