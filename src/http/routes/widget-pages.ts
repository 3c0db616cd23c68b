/**
 * The hosted pages of the widget, its doctor and its loader. Promises: a page is framed only by the
 * exact origins that its client app lists, or by the one its session was made for, and knows from
 * the server whom it may post to; own scripts and styles only; nothing is cached but the loader.
 * Never: personal data in a page, but for the language that it speaks; all else is asked for with
 * the session. The doctor, which anyone may frame, holds no data at all.
 */
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Currency } from '../../domain/money.js'
import { usableOrigins } from '../../identity/client-app-rules.js'
import { brandOf } from '../../identity/client-apps.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { PersonLanguages } from '../../identity/person-languages.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import { loaderCacheSeconds } from '../../limits.js'
import type { Language } from '../../platform/languages.js'
import type { ServiceIdentity } from '../../platform/service-identity.js'
import type { App } from '../app.js'
import { checked, type RequestOf } from '../contract.js'
import { pageService, readPage, readTemplate, sendFile } from '../page-files.js'
import type { PageData, PagePayments } from '../schemas/answers/page-data.js'
import { logoSchema, pageSchema, scriptSchema, widgetPageSchema } from '../schemas/public.js'
import { logoHeaders, readLogo } from '../service-logo.js'
import { sessionTokenOf } from '../widget-call.js'
import { pageHeaders } from '../widget-page-headers.js'

export interface WidgetPagesParts {
  /** What widget-ui/build.mjs filled. */
  readonly folder: string
  readonly clientApps: ClientApps
  readonly widgetSessions: WidgetSessions
  readonly personLanguages: PersonLanguages
  readonly service: ServiceIdentity
  readonly currency: Currency
  readonly payments: PagePayments
  /** Whether a forgotten password is answered by a mail. */
  readonly sendsMail: boolean
  /** Origins must be https then. */
  readonly production: boolean
}

export function registerWidgetPages(app: App, parts: WidgetPagesParts): void {
  const { folder, payments } = parts
  for (const name of ['wallet', 'topup'] as const) {
    const page = readTemplate(join(folder, name, 'index.html'))
    const usesStripe = name === 'topup' && payments.kind === 'stripe'
    const schema = widgetPageSchema(titles[name])
    app.get(`/widget/${name}`, { schema }, async (request, reply) => {
      const opening = await openingOf(parts, request)
      const headers = pageHeaders({ frameAncestors: opening.parents, usesStripe })
      return sendPage(reply, page(dataOf(parts, opening)), headers)
    })
  }
  const doctor = readTemplate(join(folder, 'doctor', 'index.html'))
  const without = { session: 'none', isPersons: false, parents: [] } as const
  const nobody = { ...dataOf(parts, without), problem: null }
  const doctorPage = { schema: pageSchema('Tells an integrator why a frame stays empty') }
  app.get('/widget/doctor', doctorPage, (_request, reply) =>
    sendPage(reply, doctor(nobody), pageHeaders({ frameAncestors: ['*'], usesStripe: false })),
  )
  if (parts.service.logoFile !== undefined) {
    const file = readLogo(parts.service.logoFile)
    app.get('/widget/logo', { schema: logoSchema }, (request, reply) =>
      sendFile({ request, reply, file, headers: logoHeaders }),
    )
  }
  for (const name of ['loader.js', 'loader.d.ts']) {
    const file = readPage(join(folder, name))
    const schema = scriptSchema('The loader that host pages include')
    app.get(`/widget/${name}`, { schema }, (request, reply) =>
      sendFile({ request, reply, file, headers: loaderHeaders }),
    )
  }
}

const titles = { wallet: 'The wallet in a frame', topup: 'Top-up by card' } as const

/** Public, without data, and meant for the pages of others: as a script and as a module. */
const loaderHeaders = {
  'access-control-allow-origin': '*',
  'cache-control': `public, max-age=${loaderCacheSeconds}`,
  'cross-origin-resource-policy': 'cross-origin',
}

/** What a request for a page leads to. */
interface Opening {
  readonly clientApp?: ClientApp | undefined
  readonly session: PageData['session']
  readonly isPersons: boolean
  readonly language?: Language | undefined
  /** Who may frame it. */
  readonly parents: readonly string[]
}

/** By the session, else by `clientId`, else by the page that embeds it, if that is clear. */
async function openingOf(
  parts: WidgetPagesParts,
  request: RequestOf<ReturnType<typeof widgetPageSchema>>,
): Promise<Opening> {
  const { clientApps, widgetSessions, production } = parts
  const { session: given, clientId } = checked(request).query
  const sessionToken = sessionTokenOf(request.query)
  const session =
    sessionToken === undefined ? undefined : await widgetSessions.findEvenEnded(sessionToken)
  const clientApp =
    session !== undefined
      ? await clientApps.find(session.clientId)
      : typeof clientId === 'string'
        ? await clientApps.find(clientId)
        : await appOfReferer(clientApps, request.headers)
  const allowed = usableOrigins(clientApp?.allowedIframeParents ?? [], { production })
  const only = session?.parentOrigin
  return {
    language: session && (await parts.personLanguages.findChosen(session.serviceUserId)),
    clientApp,
    // A token that nobody knows any more has ended too: the page says so instead of asking again.
    session: given === undefined || given === '' ? 'none' : session?.isLive ? 'live' : 'ended',
    isPersons: session?.madeBy === 'login',
    parents: only === undefined ? allowed : allowed.filter((origin) => origin === only),
  }
}

async function appOfReferer(
  clientApps: ClientApps,
  { referer }: { readonly referer?: string | undefined },
): Promise<ClientApp | undefined> {
  if (referer === undefined || !URL.canParse(referer)) return undefined
  return clientApps.findByIframeParent(new URL(referer).origin)
}

function dataOf(
  { service, currency, payments, sendsMail, production }: WidgetPagesParts,
  { clientApp, session, isPersons, language, parents }: Opening,
): PageData {
  const isActive = clientApp?.isActive === true
  return {
    service: pageService(service),
    language: language ?? null,
    clientId: clientApp?.clientId ?? null,
    brand: clientApp ? brandOf(clientApp) : null,
    accent: clientApp?.accentColor ?? null,
    // The page of an inactive app may say so where it is embedded, and posts nothing.
    parentOrigins: isActive ? parents : [],
    openerOrigins: isActive ? usableOrigins(clientApp.allowedOrigins, { production }) : [],
    session,
    isPersons,
    currency: { code: currency.code, decimals: currency.decimals },
    payments,
    sendsMail,
    problem: isActive ? null : clientApp === undefined ? 'APP_UNKNOWN' : 'APP_INACTIVE',
  }
}

function sendPage(
  reply: FastifyReply,
  html: string,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  return reply.headers({ ...headers, 'content-type': 'text/html; charset=utf-8' }).send(html)
}
