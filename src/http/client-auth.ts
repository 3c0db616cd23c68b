/**
 * Who calls: a client app by clientId and clientSecret in the query or the body, in no header; and
 * on whom it acts: a user who is linked to it. Promises: credentials first, then scope, then the
 * caller's fields, then the user, so that nobody without credentials learns anything.
 * Never: tells an unknown user from one who is not linked.
 */
import type { FastifyRequest } from 'fastify'
import type { ClientApp, ClientApps, Scope } from '../identity/client-apps.js'
import type { LinkedUser, Links } from '../identity/links.js'
import type { Wish } from './command-order.js'
import { uncheckedField } from './contract.js'
import { ApiError } from './errors.js'

type CredentialsIn = Pick<FastifyRequest, 'method' | 'caller'> & {
  readonly body: unknown
  readonly query: unknown
}

/** What is remembered comes without a promise, here and below: a debit waits for its lane alone. */
export function authenticateClient(
  clientApps: ClientApps,
  request: CredentialsIn,
  scope: Scope,
): ClientApp | Promise<ClientApp> {
  const input = request.method === 'POST' ? request.body : request.query
  const clientId = uncheckedField(input, 'clientId')
  const clientSecret = uncheckedField(input, 'clientSecret')
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new ApiError('INVALID_CLIENT')
  const found = clientApps.authenticate(clientId, clientSecret)
  if (!(found instanceof Promise)) return admitted(found, request, scope)
  return found.then((clientApp) => admitted(clientApp, request, scope))
}

function admitted(
  clientApp: ClientApp | undefined,
  request: CredentialsIn,
  scope: Scope,
): ClientApp {
  if (clientApp === undefined) throw new ApiError('INVALID_CLIENT')
  request.caller = 'trusted'
  if (!clientApp.scopes.includes(scope)) throw new ApiError('INSUFFICIENT_SCOPE')
  return clientApp
}

export function findLinkedUser(
  links: Links,
  { clientId }: ClientApp,
  serviceUserId: string,
  options: { readonly isCommand: boolean },
): LinkedUser | Promise<LinkedUser> {
  const found = links.findUser(clientId, serviceUserId)
  if (!(found instanceof Promise)) return known(found, options)
  return found.then((user) => known(user, options))
}

/**
 * On whom a command acts. What gives back or settles what this app has done before also finds who
 * has removed the link since: a refund of its debits, a capture or release of its holds.
 */
export function findUserFor(
  links: Links,
  clientApp: ClientApp,
  wish: Wish,
): LinkedUser | Promise<LinkedUser> {
  const { serviceUserId } = wish.fields
  if (isSettling(wish)) return findUserToSettle(links, clientApp, serviceUserId)
  return findLinkedUser(links, clientApp, serviceUserId, { isCommand: true })
}

function isSettling({ verb, fields }: Wish): boolean {
  return verb === 'capture' || verb === 'release' || 'refundOf' in fields
}

/** Who never was linked is unknown. */
async function findUserToSettle(
  links: Links,
  { clientId }: ClientApp,
  serviceUserId: string,
): Promise<LinkedUser> {
  const linked = await links.findUser(clientId, serviceUserId)
  const user = linked ?? (await links.findFormer(clientId, serviceUserId))
  return known(user, { isCommand: true })
}

function known(user: LinkedUser | undefined, options: { readonly isCommand: boolean }): LinkedUser {
  if (user === undefined) throw new ApiError('USER_NOT_FOUND', options)
  return user
}
