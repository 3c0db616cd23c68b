/**
 * Client apps: list, create, edit, rotate, revoke, switch on and off. Promises: a secret is in the
 * answer that made it and nowhere else; a field fault names the field and is no act.
 * Never: logs a secret; the log knows secrets by their id.
 */
import { checkClientApp } from '../../../identity/client-app-rules.js'
import type { ClientAppDetails, ClientAppInput } from '../../../identity/client-apps.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { ApiError } from '../../errors.js'
import {
  clientAppCreateSchema,
  clientAppReadSchema,
  clientAppRevokeSchema,
  clientAppRotateSchema,
  clientAppsReadSchema,
  clientAppStatusSchema,
  clientAppUpdateSchema,
} from '../../schemas/admin.js'
import type { MadeSecret, OneClientApp } from '../../schemas/answers/admin.js'
import type { GuardedParts } from './admin-parts.js'

const all = '/api/admin/client-apps'
const one = `${all}/:clientId`

export function registerClientApps(app: App, parts: GuardedParts): void {
  const { clientApps, guard } = parts
  const look = { onRequest: guard.look }
  const change = { onRequest: guard.change }
  app.get(all, { ...look, schema: clientAppsReadSchema }, async () => ({
    clientApps: await clientApps.list(),
  }))
  app.post(all, { ...change, schema: clientAppCreateSchema }, (request) => create(parts, request))
  app.get(one, { ...look, schema: clientAppReadSchema }, async (request) => ({
    clientApp: await findApp(parts, checked(request).params),
  }))
  app.patch(one, { ...change, schema: clientAppUpdateSchema }, (request) => update(parts, request))
  app.post(`${one}/rotate`, { ...change, schema: clientAppRotateSchema }, (request) =>
    rotate(parts, request),
  )
  const revokeOne = { ...change, schema: clientAppRevokeSchema }
  app.post(`${one}/secrets/:secretId/revoke`, revokeOne, (request) => revoke(parts, request))
  const status = { ...change, schema: clientAppStatusSchema }
  app.post(`${one}/activate`, status, (request) => setActive(parts, request, true))
  app.post(`${one}/deactivate`, status, (request) => setActive(parts, request, false))
}

async function create(
  parts: GuardedParts,
  request: RequestOf<typeof clientAppCreateSchema>,
): Promise<MadeSecret> {
  const { name, allowedOrigins, allowedIframeParents, scopes, ...rest } = checked(request).body
  const fields = { name, allowedOrigins, allowedIframeParents, scopes, ...brandFields(rest) }
  requireValid(parts, fields)
  return parts.acts.perform(
    request,
    { action: 'client-app.create', subject: null, details: fields },
    () => parts.clientApps.create(fields),
    ({ clientApp }) => ({ subject: clientApp.clientId, details: newestSecret(clientApp) }),
  )
}

async function update(
  parts: GuardedParts,
  request: RequestOf<typeof clientAppUpdateSchema>,
): Promise<OneClientApp> {
  const { body, params } = checked(request)
  const { name, allowedOrigins, allowedIframeParents, scopes } = body
  const patch: Partial<ClientAppInput> = {
    ...(name !== undefined && { name }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    ...(allowedIframeParents !== undefined && { allowedIframeParents }),
    ...(scopes !== undefined && { scopes }),
    ...brandFields(body),
  }
  requireValid(parts, patch)
  const { clientId } = await findApp(parts, params)
  const order = { action: 'client-app.update', subject: clientId, details: { ...patch } }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.update(clientId, patch)),
  )
  return { clientApp }
}

async function rotate(
  parts: GuardedParts,
  request: RequestOf<typeof clientAppRotateSchema>,
): Promise<MadeSecret> {
  const { clientId } = await findApp(parts, checked(request).params)
  return parts.acts.perform(
    request,
    { action: 'client-app.rotate', subject: clientId, details: {} },
    async () => found(await parts.clientApps.rotate(clientId)),
    ({ clientApp }) => ({ details: newestSecret(clientApp) }),
  )
}

async function revoke(
  parts: GuardedParts,
  request: RequestOf<typeof clientAppRevokeSchema>,
): Promise<OneClientApp> {
  const { params } = checked(request)
  const { clientId, secrets } = await findApp(parts, params)
  const { secretId } = params
  if (!secrets.some((secret) => secret.secretId === secretId)) throw new ApiError('NOT_FOUND')
  const order = { action: 'client-app.revoke', subject: clientId, details: { secretId } }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.revoke(clientId, secretId)),
  )
  return { clientApp }
}

async function setActive(
  parts: GuardedParts,
  request: RequestOf<typeof clientAppStatusSchema>,
  isActive: boolean,
): Promise<OneClientApp> {
  const { clientId } = await findApp(parts, checked(request).params)
  const action = isActive ? 'client-app.activate' : 'client-app.deactivate'
  const order = { action, subject: clientId, details: {} }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.setActive(clientId, isActive)),
  )
  return { clientApp }
}

async function findApp(
  parts: GuardedParts,
  { clientId }: { readonly clientId: string },
): Promise<ClientAppDetails> {
  return found(await parts.clientApps.find(clientId))
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}

function newestSecret({ secrets }: ClientAppDetails) {
  return { secretId: secrets.at(-1)?.secretId ?? null }
}

/** Before the act is ordered: a typing error is nothing for the log. */
function requireValid({ environment }: GuardedParts, input: Partial<ClientAppInput>): void {
  checkClientApp(input, { production: environment === 'production' })
}

type Brand = Pick<ClientAppInput, 'brandName' | 'accentColor'>

/** Each is a string, or null for none; what is left out stays as it is. */
function brandFields({ brandName, accentColor }: Brand): Brand {
  return {
    ...(brandName !== undefined && { brandName }),
    ...(accentColor !== undefined && { accentColor }),
  }
}
