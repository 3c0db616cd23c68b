/**
 * The admin API as functions. Promises: every failure is an ApiFailure with words that a person can
 * act on; a call that hangs ends; the CSRF token lives in memory only. Never: repeats a request by
 * itself, or keeps anything in the browser's storage.
 */
import { adminAnswerMs } from '../shared/answer-limits.js'
import { tooManyTries } from '../shared/too-many-tries.js'
import type {
  Admin,
  ClientApp,
  ClientAppInput,
  EventsPage,
  FoundWallet,
  LogPage,
  LostEvents,
  Me,
  Overview,
  RefusedLoginsPage,
  WalletStatement as Wallet,
} from '../../../src/http/schemas/answers/admin.js'
import type {
  AppWebhooks,
  DeliveriesPage,
  MadeEndpointSecret,
  OneDelivery,
  OneEndpoint,
} from '../../../src/http/schemas/answers/webhooks.js'

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** 0 when there was no answer at all. */
  readonly status: number
  readonly code: string
  /** The field that the service names, when it names one. */
  readonly field: string | undefined
  /** Which value of a list it is, from 0. */
  readonly index: number | undefined

  constructor(answer: { status: number; code: string; text: string }) {
    const [, field, index, problem] =
      /^The field '([^'.[]+)(?:[.[](\d+)\]?)?' (.+)$/s.exec(answer.text) ?? []
    super(problem === undefined ? answer.text : sentence(problem))
    this.status = answer.status
    this.code = answer.code
    this.field = field
    this.index = index === undefined ? undefined : Number(index)
  }
}

export interface WebhookInput {
  readonly url: string
  readonly types: readonly string[]
}

type AppAndSecret = { clientApp: ClientApp; clientSecret: string }

export class Api {
  #csrfToken = ''
  readonly #onSignedOut: () => void

  constructor({ onSignedOut }: { onSignedOut: () => void }) {
    this.#onSignedOut = onSignedOut
  }

  async me(): Promise<Me> {
    const me = await this.#get<Me>('/me')
    this.#csrfToken = me.csrfToken
    return me
  }

  async login(input: { email: string; password: string }): Promise<Admin> {
    const { admin, csrfToken } = await this.#send<{ admin: Admin; csrfToken: string }>(
      'POST',
      '/login',
      input,
    )
    this.#csrfToken = csrfToken
    return admin
  }

  logout = () => this.#send<unknown>('POST', '/logout')
  overview = () => this.#get<Overview>('/overview')
  markLostEventsSeen = (through: number) =>
    this.#send<LostEvents>('POST', '/lost-events/seen', { through })

  clientApps = async () =>
    (await this.#get<{ clientApps: readonly ClientApp[] }>('/client-apps')).clientApps
  clientApp = async (clientId: string) =>
    (await this.#get<{ clientApp: ClientApp }>(appPath(clientId))).clientApp
  createClientApp = (input: ClientAppInput) =>
    this.#send<AppAndSecret>('POST', '/client-apps', input)
  updateClientApp = async (clientId: string, input: ClientAppInput) =>
    (await this.#send<{ clientApp: ClientApp }>('PATCH', appPath(clientId), input)).clientApp
  rotate = (clientId: string) => this.#send<AppAndSecret>('POST', `${appPath(clientId)}/rotate`)
  revoke = async ({ clientId, secretId }: { clientId: string; secretId: string }) => {
    const path = `${appPath(clientId)}/secrets/${encodeURIComponent(secretId)}/revoke`
    return (await this.#send<{ clientApp: ClientApp }>('POST', path)).clientApp
  }
  setClientAppActive = async (clientId: string, isActive: boolean) => {
    const path = `${appPath(clientId)}/${isActive ? 'activate' : 'deactivate'}`
    return (await this.#send<{ clientApp: ClientApp }>('POST', path)).clientApp
  }

  webhooks = (clientId: string) => this.#get<AppWebhooks>(`${appPath(clientId)}/webhooks`)
  addWebhook = (clientId: string, input: WebhookInput) =>
    this.#send<MadeEndpointSecret>('POST', `${appPath(clientId)}/webhooks`, input)
  setThresholds = (clientId: string, lowBalanceThresholds: readonly number[]) =>
    this.#send<AppWebhooks>('PATCH', `${appPath(clientId)}/webhooks`, { lowBalanceThresholds })
  updateWebhook = (endpointId: string, input: WebhookInput) =>
    this.#send<OneEndpoint>('PATCH', webhookPath(endpointId), input)
  rotateWebhook = (endpointId: string) =>
    this.#send<MadeEndpointSecret>('POST', `${webhookPath(endpointId)}/rotate`)
  revokeWebhook = ({ endpointId, secretId }: { endpointId: string; secretId: string }) => {
    const path = `${webhookPath(endpointId)}/secrets/${encodeURIComponent(secretId)}/revoke`
    return this.#send<OneEndpoint>('POST', path)
  }
  removeWebhook = (endpointId: string) =>
    this.#send<unknown>('POST', `${webhookPath(endpointId)}/remove`)
  testWebhook = (endpointId: string) =>
    this.#send<OneDelivery>('POST', `${webhookPath(endpointId)}/test`)
  deliveries = (endpointId: string, cursor?: string) =>
    this.#get<DeliveriesPage>(`${webhookPath(endpointId)}/deliveries${search({ cursor })}`)
  redeliver = ({ endpointId, deliveryId }: { endpointId: string; deliveryId: number }) =>
    this.#send<OneDelivery>('POST', `${webhookPath(endpointId)}/deliveries/${deliveryId}/redeliver`)

  findWallets = async (query: string) =>
    (await this.#get<{ wallets: readonly FoundWallet[] }>(`/wallets${search({ q: query })}`))
      .wallets
  wallet = (walletId: string, cursor?: string) =>
    this.#get<Wallet>(`${walletPath(walletId)}${search({ cursor })}`)
  events = (walletId: string, cursor?: string) =>
    this.#get<EventsPage>(`${walletPath(walletId)}/events${search({ limit: '100', cursor })}`)
  setWalletActive = (walletId: string, change: { isActive: boolean; reason: string }) =>
    this.#send<{ isActive: boolean; statusReason: string | null }>(
      'POST',
      `${walletPath(walletId)}/${change.isActive ? 'reactivate' : 'deactivate'}`,
      { reason: change.reason },
    )
  grantBonus = (
    walletId: string,
    bonus: { bonusId: string; amount: number; description?: string },
  ) =>
    this.#send<{ balance: number; amount: number; replayed: boolean }>(
      'POST',
      `${walletPath(walletId)}/bonus`,
      bonus,
    )
  resetPassword = (serviceUserId: string) =>
    this.#send<{ resetUrl: string; expiresAt: string }>(
      'POST',
      `/users/${encodeURIComponent(serviceUserId)}/reset-password`,
    )
  log = (cursor?: string) => this.#get<LogPage>(`/log${search({ cursor })}`)
  refusedLogins = (cursor?: string) =>
    this.#get<RefusedLoginsPage>(`/refused-logins${search({ cursor })}`)

  #get<Answer>(path: string): Promise<Answer> {
    return this.#call<Answer>(path, { method: 'GET' })
  }

  #send<Answer>(method: 'POST' | 'PATCH', path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = { 'x-csrf-token': this.#csrfToken }
    if (body === undefined) return this.#call<Answer>(path, { method, headers })
    headers['content-type'] = 'application/json'
    return this.#call<Answer>(path, { method, headers, body: JSON.stringify(body) })
  }

  async #call<Answer>(path: string, request: RequestInit): Promise<Answer> {
    const answer = await fetch(`/api/admin${path}`, {
      ...request,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(adminAnswerMs),
    }).catch(() => undefined)
    if (answer === undefined) throw noAnswer(request.method === 'GET')
    const body = (await answer.json().catch(() => undefined)) as unknown
    if (answer.ok && body !== undefined) return body as Answer
    const failure = failureOf({ answer, body, isRead: request.method === 'GET' })
    if (failure.code === 'ADMIN_SESSION_REQUIRED') this.#onSignedOut()
    throw failure
  }
}

function failureOf(of: { answer: Response; body: unknown; isRead: boolean }): ApiFailure {
  const { answer, isRead } = of
  const body = of.body as { error?: unknown; code?: unknown } | null | undefined
  const code = typeof body?.code === 'string' ? body.code : 'UNKNOWN'
  if (code === 'ADMIN_SESSION_REQUIRED') {
    // Read after the new login, which stands before the page by then.
    const text = 'Your session had ended, so nothing was done. Try again.'
    return new ApiFailure({ status: answer.status, code, text })
  }
  if (code === 'TOO_MANY_TRIES')
    return new ApiFailure({ status: answer.status, code, text: tooManyTries(answer.headers) })
  if (answer.status >= 500 || typeof body?.error !== 'string')
    return noAnswer(isRead, answer.status)
  return new ApiFailure({ status: answer.status, code, text: body.error })
}

/** For an act nobody knows what became of it: the page shows the state again after a look. */
function noAnswer(isRead: boolean, status = 0): ApiFailure {
  const text = isRead
    ? 'The service did not answer. Nothing was changed. Try again in a moment.'
    : 'The service did not answer, so it is not certain whether this was done. Reload to see.'
  return new ApiFailure({ status, code: 'UNAVAILABLE', text })
}

function appPath(clientId: string): string {
  return `/client-apps/${encodeURIComponent(clientId)}`
}

function webhookPath(endpointId: string): string {
  return `/webhooks/${encodeURIComponent(endpointId)}`
}

function walletPath(walletId: string): string {
  return `/wallets/${encodeURIComponent(walletId)}`
}

function search(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
