/**
 * Sign-up and login inside the widget: the person gets a session and a link to the client app whose
 * page they are on. Promises: login tells nothing about who exists by text or status, and tries are
 * counted per account and per address. Never: takes a clientSecret; browsers have none.
 */
import type { FastifyRequest } from 'fastify'
import type { ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { Throttle } from '../../identity/throttle.js'
import { AccountExistsError } from '../../identity/users.js'
import type { User, Users } from '../../identity/users.js'
import type { WidgetSessions } from '../../identity/widget-sessions.js'
import { loginTriesPerAccount, loginTriesPerAddress, loginWindowMs } from '../../limits.js'
import type { App } from '../app.js'
import { ApiError } from '../errors.js'
import { inputOf, stringField } from '../fields.js'
import type { Input } from '../fields.js'

export interface WidgetAuthParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
}

export function registerWidgetAuth(app: App, parts: WidgetAuthParts): void {
  app.post('/api/widget/auth/signup', (request) => signUp(parts, request))
  app.post('/api/widget/auth/login', (request) => login(parts, request))
}

async function signUp(parts: WidgetAuthParts, request: FastifyRequest) {
  const input = inputOf(request.body)
  const clientId = await activeClientId(parts, input)
  const account = {
    email: stringField(input, 'email'),
    password: stringField(input, 'password'),
    firstName: stringField(input, 'firstName'),
    lastName: stringField(input, 'lastName'),
    clientId,
  }
  await countTry(parts, request, account.email)
  try {
    return await welcome(parts, clientId, await parts.users.signUp(account))
  } catch (error) {
    if (error instanceof AccountExistsError) throw new ApiError('ACCOUNT_EXISTS')
    throw error
  }
}

async function login(parts: WidgetAuthParts, request: FastifyRequest) {
  const input = inputOf(request.body)
  const clientId = await activeClientId(parts, input)
  const email = stringField(input, 'email')
  const password = stringField(input, 'password')
  await countTry(parts, request, email)
  const user = await parts.users.login({ email, password, clientId })
  if (user === undefined) throw new ApiError('INVALID_LOGIN')
  await parts.throttle.clear({ kind: 'login-account', value: email.toLowerCase() })
  return welcome(parts, clientId, user)
}

async function welcome(
  { links, widgetSessions }: WidgetAuthParts,
  clientId: string,
  { serviceUserId }: User,
) {
  const session = await widgetSessions.create({ clientId, serviceUserId, madeBy: 'login' })
  const linkProof = await links.createProof(clientId, serviceUserId)
  return { serviceUserId, ...session, linkProof }
}

async function activeClientId({ clientApps }: WidgetAuthParts, input: Input): Promise<string> {
  const { clientId } = input
  const clientApp = typeof clientId === 'string' ? await clientApps.find(clientId) : undefined
  if (clientApp?.isActive !== true) throw new ApiError('INVALID_CLIENT')
  return clientApp.clientId
}

/** Before the password is looked at, so that a refusal tells nothing about it. */
async function countTry(
  { throttle }: WidgetAuthParts,
  request: FastifyRequest,
  email: string,
): Promise<void> {
  const limits = [
    { kind: 'login-account', value: email.toLowerCase(), tries: loginTriesPerAccount },
    { kind: 'login-address', value: request.ip, tries: loginTriesPerAddress },
  ]
  for (const { tries, ...key } of limits) {
    const waitSeconds = await throttle.count(key, { tries, windowMs: loginWindowMs })
    if (waitSeconds !== undefined)
      throw new ApiError('TOO_MANY_TRIES', { headers: { 'retry-after': String(waitSeconds) } })
  }
}
