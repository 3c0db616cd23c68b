/**
 * Client apps: list, create, edit, rotate, revoke, switch on and off. Promises: a secret is in the
 * answer that made it and nowhere else; a field fault names the field and is no act.
 * Never: logs a secret; the log knows secrets by their id.
 */
import type { FastifyRequest } from 'fastify'
import { checkClientApp, scopes } from '../../../identity/client-app-rules.js'
import type { ClientAppDetails, ClientAppInput, Scope } from '../../../identity/client-apps.js'
import type { App } from '../../app.js'
import { ApiError, invalidField } from '../../errors.js'
import { inputOf, stringField } from '../../fields.js'
import type { Input } from '../../fields.js'
import type { GuardedParts } from './admin-parts.js'

const all = '/api/admin/client-apps'
const one = `${all}/:clientId`

export function registerClientApps(app: App, parts: GuardedParts): void {
  const { clientApps, guard } = parts
  const look = { onRequest: guard.look }
  const change = { onRequest: guard.change }
  app.get(all, look, async () => ({ clientApps: await clientApps.list() }))
  app.post(all, change, (request) => create(parts, request))
  app.get(one, look, async (request) => ({ clientApp: await findApp(parts, request) }))
  app.patch(one, change, (request) => update(parts, request))
  app.post(`${one}/rotate`, change, (request) => rotate(parts, request))
  app.post(`${one}/secrets/:secretId/revoke`, change, (request) => revoke(parts, request))
  app.post(`${one}/activate`, change, (request) => setActive(parts, request, true))
  app.post(`${one}/deactivate`, change, (request) => setActive(parts, request, false))
}

async function create(parts: GuardedParts, request: FastifyRequest) {
  const input = inputOf(request.body)
  const fields = {
    name: stringField(input, 'name'),
    allowedOrigins: stringsField(input, 'allowedOrigins'),
    allowedIframeParents: stringsField(input, 'allowedIframeParents'),
    scopes: scopesField(input),
    ...brandFields(input),
  }
  requireValid(parts, fields)
  return parts.acts.perform(
    request,
    { action: 'client-app.create', subject: null, details: fields },
    () => parts.clientApps.create(fields),
    ({ clientApp }) => ({ subject: clientApp.clientId, details: newestSecret(clientApp) }),
  )
}

async function update(parts: GuardedParts, request: FastifyRequest) {
  const input = inputOf(request.body)
  const patch: Partial<ClientAppInput> = {
    ...(input['name'] !== undefined && { name: stringField(input, 'name') }),
    ...(input['allowedOrigins'] !== undefined && {
      allowedOrigins: stringsField(input, 'allowedOrigins'),
    }),
    ...(input['allowedIframeParents'] !== undefined && {
      allowedIframeParents: stringsField(input, 'allowedIframeParents'),
    }),
    ...(input['scopes'] !== undefined && { scopes: scopesField(input) }),
    ...brandFields(input),
  }
  requireValid(parts, patch)
  const { clientId } = await findApp(parts, request)
  const order = { action: 'client-app.update', subject: clientId, details: { ...patch } }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.update(clientId, patch)),
  )
  return { clientApp }
}

async function rotate(parts: GuardedParts, request: FastifyRequest) {
  const { clientId } = await findApp(parts, request)
  return parts.acts.perform(
    request,
    { action: 'client-app.rotate', subject: clientId, details: {} },
    async () => found(await parts.clientApps.rotate(clientId)),
    ({ clientApp }) => ({ details: newestSecret(clientApp) }),
  )
}

async function revoke(parts: GuardedParts, request: FastifyRequest) {
  const { clientId, secrets } = await findApp(parts, request)
  const { secretId } = request.params as { secretId: string }
  if (!secrets.some((secret) => secret.secretId === secretId)) throw new ApiError('NOT_FOUND')
  const order = { action: 'client-app.revoke', subject: clientId, details: { secretId } }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.revoke(clientId, secretId)),
  )
  return { clientApp }
}

async function setActive(parts: GuardedParts, request: FastifyRequest, isActive: boolean) {
  const { clientId } = await findApp(parts, request)
  const action = isActive ? 'client-app.activate' : 'client-app.deactivate'
  const order = { action, subject: clientId, details: {} }
  const clientApp = await parts.acts.perform(request, order, async () =>
    found(await parts.clientApps.setActive(clientId, isActive)),
  )
  return { clientApp }
}

async function findApp(parts: GuardedParts, request: FastifyRequest): Promise<ClientAppDetails> {
  const { clientId } = request.params as { clientId: string }
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

/** Each is a string, or null for none; what is left out stays as it is. */
function brandFields(input: Input): Pick<ClientAppInput, 'brandName' | 'accentColor'> {
  return {
    ...(input['brandName'] !== undefined && { brandName: textOrNull(input, 'brandName') }),
    ...(input['accentColor'] !== undefined && { accentColor: textOrNull(input, 'accentColor') }),
  }
}

function textOrNull(input: Input, name: string): string | null {
  return input[name] === null ? null : stringField(input, name)
}

function stringsField(input: Input, name: string): string[] {
  const value = input[name]
  if (value === undefined) throw invalidField(name, 'is missing')
  if (!Array.isArray(value)) throw invalidField(name, 'must be a list')
  return value.map((item: unknown, index) => {
    if (typeof item !== 'string') throw invalidField(`${name}[${index}]`, 'must be a string')
    return item
  })
}

function scopesField(input: Input): Scope[] {
  return stringsField(input, 'scopes').map((text, index) => {
    const scope = scopes.find((known) => known === text)
    if (scope === undefined)
      throw invalidField(`scopes[${index}]`, `must be one of ${scopes.join(', ')}`)
    return scope
  })
}
