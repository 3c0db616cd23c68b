/**
 * Sign-up and login inside the widget: the person gets a session and a link to the client app whose
 * page they are on. Promises: login tells nothing about who exists by text or status; strangers who
 * guess at a password delay its person by seconds and never refuse them (login-tries.ts); where
 * mail is sent, a new account is asked to confirm its email, and a login from a new place is told.
 * Never: takes a clientSecret, browsers have none; knows a browser again, for most of them keep no
 * cookie of a frame in another site's page.
 */
import type { FastifyRequest } from 'fastify'
import { brandOf } from '../../identity/client-apps.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { EmailProofs } from '../../identity/email-proofs.js'
import { loginTriesPerAddress, loginWindowMs } from '../../identity/limits.js'
import { UnknownLinkError } from '../../identity/links.js'
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
import { deviceOf } from '../device.js'
import { ApiError } from '../errors.js'
import { noteLogin, type LoginNewsParts } from '../login-news.js'
import { placeOfAddress, tryLogin, type LoginParts } from '../login-tries.js'
import type { Welcome } from '../schemas/answers/widget.js'
import { loginSchema, signUpSchema } from '../schemas/widget.js'

export interface WidgetAuthParts extends LoginParts, LoginNewsParts {
  readonly clientApps: ClientApps
  readonly emailProofs: EmailProofs
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
  const clientApp = await activeClientApp(parts, request.body)
  const { clientId } = clientApp
  const { email, password, firstName, lastName } = checked(request).body
  const account = { email, password, firstName, lastName, clientId }
  const { ip } = request
  const address = { kind: 'sign-up-address', value: placeOf(ip) }
  const limit = { tries: loginTriesPerAddress, windowMs: loginWindowMs }
  await countTry(parts.throttle, { ...address, ...limit })
  const place = await placeOfAddress(parts, { area: 'widget', ip })
  try {
    const user = await parts.loginLine.run(place, () => parts.users.signUp(account))
    return await welcome(parts, { clientApp, user, email, isFirst: true }, request)
  } catch (error) {
    if (error instanceof AccountExistsError) throw new ApiError('ACCOUNT_EXISTS')
    throw error
  }
}

async function login(
  parts: WidgetAuthParts,
  request: RequestOf<typeof loginSchema>,
): Promise<Welcome> {
  const clientApp = await activeClientApp(parts, request.body)
  const { clientId } = clientApp
  const { email, password } = checked(request).body
  const user = await tryLogin(parts, { area: 'widget', email, ip: request.ip }, () =>
    parts.users.login({ email, password, clientId }),
  )
  const { serviceUserId } = user
  if (user.isReopened) parts.accountMails.tell({ serviceUserId, to: email }, { kind: 'reopened' })
  const answer = await welcome(parts, { clientApp, user, email }, request).catch(endedMeanwhile)
  return user.isReopened ? { ...answer, isReopened: true } : answer
}

/** The link was taken away again, or the account closed: this login came to nothing. */
function endedMeanwhile(error: unknown): never {
  if (error instanceof UnknownLinkError) throw new ApiError('INVALID_LOGIN', { cause: error })
  throw error
}

interface Arrival {
  readonly clientApp: ClientApp
  readonly user: User
  readonly email: string
  readonly isFirst?: true
}

async function welcome(
  parts: WidgetAuthParts,
  { clientApp, user, email, isFirst }: Arrival,
  { headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>,
): Promise<Welcome> {
  const { links, widgetSessions } = parts
  const { serviceUserId } = user
  const { clientId } = clientApp
  const wished = languageWished(headers['accept-language'])
  const language = await parts.personLanguages.noteLogin(serviceUserId, wished)
  if (isFirst === true) await askToConfirm(parts, user, email)
  const device = deviceOf(headers['user-agent'])
  const made = { clientId, serviceUserId, madeBy: 'login', device } as const
  const session = await widgetSessions.create(made)
  const linkProof = await links.createProof(clientId, serviceUserId)
  const place = { device, ip, app: brandOf(clientApp), ...(isFirst && { isFirst }) }
  await noteLogin(parts, { serviceUserId, email, ...place })
  return { serviceUserId, ...session, linkProof, language: language ?? null }
}

/** The account works without it: nothing of anybody's money waits for a mail. */
async function askToConfirm(
  { emailProofs, accountMails }: WidgetAuthParts,
  { serviceUserId }: User,
  email: string,
): Promise<void> {
  if (!accountMails.canSend) return
  const token = await emailProofs.create(serviceUserId, email)
  if (token !== undefined)
    accountMails.tell({ serviceUserId, to: email }, { kind: 'confirm-email', token })
}

/** Of a body that nobody has checked yet. */
async function activeClientApp({ clientApps }: WidgetAuthParts, body: unknown): Promise<ClientApp> {
  const clientId = uncheckedField(body, 'clientId')
  const clientApp = typeof clientId === 'string' ? await clientApps.find(clientId) : undefined
  if (clientApp?.isActive !== true) throw new ApiError('INVALID_CLIENT')
  return clientApp
}
