/**
 * What the doctor page asks: plain facts about a client app, an origin and a session, for an
 * integrator whose frame stays empty. Promises: tells only what trying it out would tell too, and
 * is counted per address; every origin may read it, for the loader asks it from a page that is not
 * listed. Never: the list of origins, the app's name, or anything about people.
 */
import { originFault, usableOrigins } from '../../identity/client-app-rules.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { Throttle } from '../../identity/throttle.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import { doctorCallsPerAddress, doctorWindowMs } from '../limits.js'
import type { App } from '../app.js'
import { checked, type RequestOf } from '../contract.js'
import { countTry } from '../counted-try.js'
import type { DoctorFacts } from '../schemas/answers/widget.js'
import { doctorSchema } from '../schemas/widget.js'
import { isSessionToken } from '../widget-call.js'

export interface WidgetDoctorParts {
  readonly clientApps: ClientApps
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  /** Origins must be https then. */
  readonly production: boolean
  /** As the service is seen from outside; left out where nobody knows it. */
  readonly publicOrigin?: () => string
}

export function registerWidgetDoctor(app: App, parts: WidgetDoctorParts): void {
  app.get('/api/widget/doctor', { schema: doctorSchema }, (request, reply) => {
    void reply.header('access-control-allow-origin', '*')
    return examine(parts, request)
  })
}

async function examine(
  parts: WidgetDoctorParts,
  request: RequestOf<typeof doctorSchema>,
): Promise<DoctorFacts> {
  const address = { kind: 'doctor-address', value: request.ip }
  const limit = { tries: doctorCallsPerAddress, windowMs: doctorWindowMs }
  await countTry(parts.throttle, { ...address, ...limit })
  const { query } = checked(request)
  const clientId = textOf(query.clientId)
  const origin = textOf(query.origin)
  const { state, session } = await sessionOf(parts, textOf(query.session))
  const { clientApp, foundBy } = await appOf(parts, { clientId, origin, session })
  const originInstead = spellingOf(origin, parts)
  const isBound = session?.parentOrigin !== undefined && origin !== ''
  const isOtherParent = isBound && session.parentOrigin !== origin
  return {
    app: clientApp === undefined ? 'unknown' : clientApp.isActive ? 'active' : 'inactive',
    originAllowed: !isOtherParent && lists(parts, clientApp?.allowedIframeParents, origin),
    originProblem: problemOf(origin, { ...parts, isOtherParent }),
    openerAllowed: lists(parts, clientApp?.allowedOrigins, origin),
    session: state,
    sessionMatchesApp:
      session === undefined || clientId === '' ? null : session.clientId === clientId,
    ...(foundBy !== undefined && { foundBy }),
    ...(originInstead !== undefined && { originInstead }),
    ...(parts.publicOrigin !== undefined && { publicOrigin: parts.publicOrigin() }),
  }
}

interface Sought {
  readonly clientId: string
  readonly origin: string
  readonly session: { readonly clientId: string } | undefined
}

/** As widget-pages.ts finds it, except that a clientId that was given is the one to examine. */
async function appOf(
  { clientApps, production }: WidgetDoctorParts,
  { clientId, origin, session }: Sought,
): Promise<{ clientApp: ClientApp | undefined; foundBy?: DoctorFacts['foundBy'] }> {
  if (clientId !== '') return { clientApp: await clientApps.find(clientId) }
  if (session !== undefined)
    return { clientApp: await clientApps.find(session.clientId), foundBy: 'session' }
  if (originFault(origin, { production }) !== undefined) return { clientApp: undefined }
  const clientApp = await clientApps.findByIframeParent(origin)
  return clientApp === undefined ? { clientApp } : { clientApp, foundBy: 'origin' }
}

function spellingOf(origin: string, environment: { production: boolean }): string | undefined {
  if (!URL.canParse(origin)) return undefined
  const spelled = new URL(origin).origin
  return spelled !== origin && originFault(spelled, environment) === undefined ? spelled : undefined
}

/** What is missing or given twice is examined as empty: the doctor refuses nobody. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

async function sessionOf({ widgetSessions }: WidgetDoctorParts, token: string) {
  if (token === '') return { state: 'none' as const, session: undefined }
  const session = isSessionToken(token) ? await widgetSessions.findEvenEnded(token) : undefined
  if (session === undefined) return { state: 'unknown' as const, session }
  return { state: session.isLive ? ('live' as const) : ('ended' as const), session }
}

function lists(
  environment: { readonly production: boolean },
  origins: ClientApp['allowedOrigins'] | undefined,
  origin: string,
): boolean {
  return usableOrigins(origins ?? [], environment).includes(origin)
}

function problemOf(
  origin: string,
  { production, isOtherParent }: { production: boolean; isOtherParent: boolean },
): string | null {
  if (origin === '') return null
  if (origin === 'null')
    return (
      "The page has the origin 'null': it is in a sandbox without allow-same-origin, or was " +
      'opened from a file. Only a page with an origin of its own can embed the wallet.'
    )
  if (origin === '*') return 'A * is no origin: each one that may embed the wallet is listed.'
  const fault = originFault(origin, { production })
  if (fault !== undefined) return `The origin ${fault}.`
  return isOtherParent ? 'The session was made for another parentOrigin.' : null
}
