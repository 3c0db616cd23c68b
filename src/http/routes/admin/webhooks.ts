/**
 * Webhooks in the admin area: endpoints of a client app, their signing secrets, test events, and
 * what was sent. Promises: a secret is in the answer that made it and nowhere else; a field fault
 * names the field and is no act; the log knows an address by its origin, for the path may hold a
 * token of the receiver's.
 */
import { toMajor, toMinor } from '../../../domain/money.js'
import type { Delivery } from '../../../webhooks/deliveries.js'
import { checkEndpoint } from '../../../webhooks/endpoint-rules.js'
import type { EndpointInput } from '../../../webhooks/endpoint-rules.js'
import type { Endpoint } from '../../../webhooks/endpoints.js'
import { webhookTypes } from '../../../webhooks/webhook-types.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { ApiError } from '../../errors.js'
import { pageOf } from '../../schemas/admin.js'
import type {
  AppWebhooks,
  DeliveriesPage,
  MadeEndpointSecret,
  OneDelivery,
  OneEndpoint,
} from '../../schemas/answers/webhooks.js'
import type { Done } from '../../schemas/answers/widget.js'
import * as schemas from '../../schemas/webhooks.js'
import type { GuardedParts } from './admin-parts.js'

const ofApp = '/api/admin/client-apps/:clientId/webhooks'
const one = '/api/admin/webhooks/:endpointId'

export function registerWebhooks(app: App, parts: GuardedParts): void {
  const { guard } = parts
  const look = { onRequest: guard.look }
  const change = { onRequest: guard.change }
  app.get(ofApp, { ...look, schema: schemas.webhooksReadSchema }, async (request) =>
    describeApp(parts, await findApp(parts, checked(request).params)),
  )
  app.post(ofApp, { ...change, schema: schemas.webhookCreateSchema }, (request) =>
    create(parts, request),
  )
  const thresholds = schemas.thresholdsChangeSchema(parts.currency)
  app.patch(ofApp, { ...change, schema: thresholds }, (request) => setThresholds(parts, request))
  app.patch(one, { ...change, schema: schemas.webhookUpdateSchema }, (request) =>
    update(parts, request),
  )
  app.post(`${one}/rotate`, { ...change, schema: schemas.webhookRotateSchema }, (request) =>
    rotate(parts, request),
  )
  const revokeOne = { ...change, schema: schemas.webhookRevokeSchema }
  app.post(`${one}/secrets/:secretId/revoke`, revokeOne, (request) => revoke(parts, request))
  app.post(`${one}/remove`, { ...change, schema: schemas.webhookRemoveSchema }, (request) =>
    remove(parts, request),
  )
  app.post(`${one}/test`, { ...change, schema: schemas.webhookTestSchema }, (request) =>
    sendTest(parts, request),
  )
  app.get(`${one}/deliveries`, { ...look, schema: schemas.deliveriesReadSchema }, (request) =>
    listDeliveries(parts, request),
  )
  const redeliverOne = { ...change, schema: schemas.redeliverSchema }
  app.post(`${one}/deliveries/:deliveryId/redeliver`, redeliverOne, (request) =>
    redeliver(parts, request),
  )
}

async function create(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookCreateSchema>,
): Promise<MadeEndpointSecret> {
  const { params, body } = checked(request)
  const { endpoints, allowPrivate } = parts.webhooks
  const input = { url: body.url, types: body.types }
  checkEndpoint(input, { allowPrivate })
  const clientId = await findApp(parts, params)
  return parts.acts.perform(
    request,
    { action: 'webhook.create', subject: clientId, details: { clientId, ...loggedOf(input) } },
    () => endpoints.create(clientId, input, { allowPrivate }),
    ({ endpoint }) => ({ subject: endpoint.endpointId }),
  )
}

async function setThresholds(
  parts: GuardedParts,
  request: RequestOf<schemas.ThresholdsSchema>,
): Promise<AppWebhooks> {
  const { params, body } = checked(request)
  const clientId = await findApp(parts, params)
  const minor = body.lowBalanceThresholds.map((major) => toMinor(major, parts.currency))
  const details = { lowBalanceThresholds: body.lowBalanceThresholds.map(String) }
  const order = { action: 'webhook.thresholds', subject: clientId, details }
  await parts.acts.perform(request, order, () =>
    parts.webhooks.endpoints.setThresholds(clientId, minor),
  )
  return describeApp(parts, clientId)
}

async function update(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookUpdateSchema>,
): Promise<OneEndpoint> {
  const { params, body } = checked(request)
  const { endpoints, allowPrivate } = parts.webhooks
  const { url, types } = body
  const patch = { ...(url !== undefined && { url }), ...(types !== undefined && { types }) }
  checkEndpoint(patch, { allowPrivate })
  const { endpointId } = await findEndpoint(parts, params)
  const order = { action: 'webhook.update', subject: endpointId, details: loggedOf(patch) }
  const endpoint = await parts.acts.perform(request, order, async () =>
    found(await endpoints.update(endpointId, patch, { allowPrivate })),
  )
  return { endpoint }
}

async function rotate(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookRotateSchema>,
): Promise<MadeEndpointSecret> {
  const { endpointId } = await findEndpoint(parts, checked(request).params)
  return parts.acts.perform(
    request,
    { action: 'webhook.rotate', subject: endpointId, details: {} },
    async () => found(await parts.webhooks.endpoints.rotate(endpointId)),
    ({ endpoint }) => ({ details: { secretId: endpoint.secrets.at(-1)?.secretId ?? null } }),
  )
}

async function revoke(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookRevokeSchema>,
): Promise<OneEndpoint> {
  const { params } = checked(request)
  const { secretId } = params
  const { endpointId, secrets } = await findEndpoint(parts, params)
  if (!secrets.some((secret) => secret.secretId === secretId)) throw new ApiError('NOT_FOUND')
  const order = { action: 'webhook.revoke', subject: endpointId, details: { secretId } }
  const endpoint = await parts.acts.perform(request, order, async () =>
    found(await parts.webhooks.endpoints.revoke(endpointId, secretId)),
  )
  return { endpoint }
}

async function remove(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookRemoveSchema>,
): Promise<Done> {
  const { endpointId, clientId } = await findEndpoint(parts, checked(request).params)
  const order = { action: 'webhook.remove', subject: endpointId, details: { clientId } }
  await parts.acts.perform(request, order, () => parts.webhooks.endpoints.remove(endpointId))
  return {}
}

async function sendTest(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.webhookTestSchema>,
): Promise<OneDelivery> {
  const { endpointId } = await findEndpoint(parts, checked(request).params)
  const order = { action: 'webhook.test', subject: endpointId, details: {} }
  const delivery = await parts.acts.perform(request, order, () =>
    parts.webhooks.deliveries.sendTest(endpointId),
  )
  return { delivery }
}

async function listDeliveries(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.deliveriesReadSchema>,
): Promise<DeliveriesPage> {
  const { params, query } = checked(request)
  const { endpointId } = await findEndpoint(parts, params)
  const { limit, ...page } = pageOf(query)
  const { state } = query
  // One more than asked for tells whether there is a next page.
  const asked = { limit: limit + 1, ...page, ...(state !== undefined && { state }) }
  const all = await parts.webhooks.deliveries.list(endpointId, asked)
  const deliveries = all.slice(0, limit)
  const last = deliveries.at(-1)
  const hasMore = all.length > limit && last !== undefined
  return { deliveries, ...(hasMore && { nextCursor: String(last.deliveryId) }) }
}

async function redeliver(
  parts: GuardedParts,
  request: RequestOf<typeof schemas.redeliverSchema>,
): Promise<OneDelivery> {
  const { params } = checked(request)
  const { endpointId } = await findEndpoint(parts, params)
  const { deliveryId } = await findDelivery(parts, endpointId, params.deliveryId)
  const order = { action: 'webhook.redeliver', subject: endpointId, details: { deliveryId } }
  const delivery = await parts.acts.perform(request, order, async () =>
    found(await parts.webhooks.deliveries.sendAgain(deliveryId)),
  )
  return { delivery }
}

async function describeApp(parts: GuardedParts, clientId: string): Promise<AppWebhooks> {
  const { endpoints } = parts.webhooks
  const [all, minor] = await Promise.all([endpoints.list(clientId), endpoints.thresholds(clientId)])
  const lowBalanceThresholds = minor.map((each) => toMajor(each, parts.currency))
  return { endpoints: all, lowBalanceThresholds, types: webhookTypes }
}

async function findApp(
  { clientApps }: GuardedParts,
  { clientId }: { readonly clientId: string },
): Promise<string> {
  return found(await clientApps.find(clientId)).clientId
}

async function findEndpoint(
  { webhooks }: GuardedParts,
  { endpointId }: { readonly endpointId: string },
): Promise<Endpoint> {
  return found(await webhooks.endpoints.find(endpointId))
}

async function findDelivery(
  { webhooks }: GuardedParts,
  endpointId: string,
  text: string,
): Promise<Delivery> {
  const deliveryId = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1
  const delivery = found(await webhooks.deliveries.find(deliveryId))
  if (delivery.endpointId !== endpointId) throw new ApiError('NOT_FOUND')
  return delivery
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new ApiError('NOT_FOUND')
  return value
}

function loggedOf({ url, types }: Partial<EndpointInput>) {
  return { ...(url !== undefined && { url: new URL(url).origin }), ...(types && { types }) }
}
