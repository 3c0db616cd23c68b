/**
 * Sign-up and login inside the widget: the person gets a session and a link to the client app whose
 * page they are on. Promises: login tells nothing about who exists by text or status, and tries are
 * counted per account and per address. Never: takes a clientSecret; browsers have none.
 */
import type { ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { Throttle, ThrottleKey } from '../../identity/throttle.js'
import { emailKeyOf } from '../../identity/user-rules.js'
import { AccountExistsError } from '../../identity/users.js'
import type { User, Users } from '../../identity/users.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import { loginTriesPerAccount, loginTriesPerAddress, loginWindowMs } from '../../limits.js'
import type { App } from '../app.js'
import { checked, uncheckedField, type RequestOf } from '../contract.js'
import { countTry } from '../counted-try.js'
import { ApiError } from '../errors.js'
import type { Welcome } from '../schemas/answers/widget.js'
import { loginSchema, signUpSchema } from '../schemas/widget.js'

export interface WidgetAuthParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
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
  await countLogin(parts, request.ip, email)
  try {
    return await welcome(parts, clientId, await parts.users.signUp(account))
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
  await countLogin(parts, request.ip, email)
  const user = await parts.users.login({ email, password, clientId })
  if (user === undefined) throw new ApiError('INVALID_LOGIN')
  await parts.throttle.clear(accountOf(email))
  return welcome(parts, clientId, user)
}

async function welcome(
  { links, widgetSessions }: WidgetAuthParts,
  clientId: string,
  { serviceUserId }: User,
): Promise<Welcome> {
  const session = await widgetSessions.create({ clientId, serviceUserId, madeBy: 'login' })
  const linkProof = await links.createProof(clientId, serviceUserId)
  return { serviceUserId, ...session, linkProof }
}

/** Of a body that nobody has checked yet. */
async function activeClientId({ clientApps }: WidgetAuthParts, body: unknown): Promise<string> {
  const clientId = uncheckedField(body, 'clientId')
  const clientApp = typeof clientId === 'string' ? await clientApps.find(clientId) : undefined
  if (clientApp?.isActive !== true) throw new ApiError('INVALID_CLIENT')
  return clientApp.clientId
}

/** Before the password is looked at, so that a refusal tells nothing about it. */
function countLogin({ throttle }: WidgetAuthParts, ip: string, email: string): Promise<void> {
  const [account, address] = [accountOf(email), { kind: 'login-address', value: ip }]
  return countTry(
    throttle,
    { ...account, tries: loginTriesPerAccount, windowMs: loginWindowMs },
    { ...address, tries: loginTriesPerAddress, windowMs: loginWindowMs },
  )
}

function accountOf(email: string): ThrottleKey {
  return { kind: 'login-account', value: emailKeyOf(email) }
}
