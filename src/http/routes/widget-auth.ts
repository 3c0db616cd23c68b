/**
 * Sign-up and login inside the widget: the person gets a session and a link to the client app whose
 * page they are on. Promises: login tells nothing about who exists by text or status; strangers who
 * guess at a password delay its person by seconds and never refuse them (login-tries.ts).
 * Never: takes a clientSecret, browsers have none; knows a browser again, for most of them keep no
 * cookie of a frame in another site's page.
 */
import type { FastifyRequest } from 'fastify'
import type { ClientApps } from '../../identity/client-apps.js'
import { loginTriesPerAddress, loginWindowMs } from '../../identity/limits.js'
import type { Links } from '../../identity/links.js'
import type { PersonLanguages } from '../../identity/person-languages.js'
import { AccountExistsError } from '../../identity/users.js'
import type { User, Users } from '../../identity/users.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import { languageWished } from '../../platform/languages.js'
import { placeOf } from '../address-budget.js'
import type { App } from '../app.js'
import { checked, uncheckedField, type RequestOf } from '../contract.js'
import { countTry } from '../counted-try.js'
import { ApiError } from '../errors.js'
import { placeOfAddress, tryLogin, type LoginParts } from '../login-tries.js'
import type { Welcome } from '../schemas/answers/widget.js'
import { loginSchema, signUpSchema } from '../schemas/widget.js'

export interface WidgetAuthParts extends LoginParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly personLanguages: PersonLanguages
  readonly users: Users
  readonly widgetSessions: WidgetSessions
}

export function registerWidgetAuth(app: App, parts: WidgetAuthParts): void {
  app.post('/api/widget/auth/signup', { schema: signUpSchema }, (request) => signUp(parts, request))
  app.post('/api/widget/auth/login', { schema: loginSchema }, (request) => login(parts, request))
}

async function signUp(
  parts: WidgetAuthParts,
  request: RequestOf<typeof signUpSchema>,
): Promise<Welcome> {
  const clientId = await activeClientId(parts, request.body)
  const { email, password, firstName, lastName } = checked(request).body
  const account = { email, password, firstName, lastName, clientId }
  const { ip } = request
  const address = { kind: 'sign-up-address', value: placeOf(ip) }
  const limit = { tries: loginTriesPerAddress, windowMs: loginWindowMs }
  await countTry(parts.throttle, { ...address, ...limit })
  const place = await placeOfAddress(parts, { area: 'widget', ip })
  try {
    const user = await parts.loginLine.run(place, () => parts.users.signUp(account))
    return await welcome(parts, { clientId, user, request })
  } catch (error) {
    if (error instanceof AccountExistsError) throw new ApiError('ACCOUNT_EXISTS')
    throw error
  }
}

async function login(
  parts: WidgetAuthParts,
  request: RequestOf<typeof loginSchema>,
): Promise<Welcome> {
  const clientId = await activeClientId(parts, request.body)
  const { email, password } = checked(request).body
  const user = await tryLogin(parts, { area: 'widget', email, ip: request.ip }, () =>
    parts.users.login({ email, password, clientId }),
  )
  return welcome(parts, { clientId, user, request })
}

/** Whoever has no language yet has that of the page from now on. */
async function welcome(
  { links, widgetSessions, personLanguages }: WidgetAuthParts,
  of: { readonly clientId: string; readonly user: User; readonly request: FastifyRequest },
): Promise<Welcome> {
  const { clientId, request } = of
  const { serviceUserId } = of.user
  const wished = languageWished(request.headers['accept-language'])
  const language = await personLanguages.findOrKeep(serviceUserId, wished)
  const session = await widgetSessions.create({ clientId, serviceUserId, madeBy: 'login' })
  const linkProof = await links.createProof(clientId, serviceUserId)
  return { serviceUserId, ...session, linkProof, language: language ?? null }
}

/** Of a body that nobody has checked yet. */
async function activeClientId({ clientApps }: WidgetAuthParts, body: unknown): Promise<string> {
  const clientId = uncheckedField(body, 'clientId')
  const clientApp = typeof clientId === 'string' ? await clientApps.find(clientId) : undefined
  if (clientApp?.isActive !== true) throw new ApiError('INVALID_CLIENT')
  return clientApp.clientId
}
