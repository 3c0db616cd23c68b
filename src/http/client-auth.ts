/**
 * Who calls: a client app by clientId and clientSecret in the query or the body, in no header; and
 * on whom it acts: a user who is linked to it. Promises: credentials first, then scope, then the
 * caller's fields, then the user, so that nobody without credentials learns anything.
 * Never: tells an unknown user from one who is not linked.
 */
import type { FastifyRequest } from 'fastify'
import type { ClientApp, ClientApps, Scope } from '../identity/client-apps.js'
import type { LinkedUser, Links } from '../identity/links.js'
import { uncheckedField } from './contract.js'
import { ApiError } from './errors.js'

type CredentialsIn = Pick<FastifyRequest, 'method' | 'caller'> & {
  readonly body: unknown
  readonly query: unknown
}

export async function authenticateClient(
  clientApps: ClientApps,
  request: CredentialsIn,
  scope: Scope,
): Promise<ClientApp> {
  const input = request.method === 'POST' ? request.body : request.query
  const clientId = uncheckedField(input, 'clientId')
  const clientSecret = uncheckedField(input, 'clientSecret')
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new ApiError('INVALID_CLIENT')
  const clientApp = await clientApps.authenticate(clientId, clientSecret)
  if (clientApp === undefined) throw new ApiError('INVALID_CLIENT')
  request.caller = 'trusted'
  if (!clientApp.scopes.includes(scope)) throw new ApiError('INSUFFICIENT_SCOPE')
  return clientApp
}

const serviceUserIdPattern = /^usr_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function findLinkedUser(
  links: Links,
  { clientId }: ClientApp,
  serviceUserId: string,
  options: { readonly isCommand: boolean },
): Promise<LinkedUser> {
  // What is no id of ours cannot be known, and need not reach the database.
  const user = serviceUserIdPattern.test(serviceUserId)
    ? await links.findUser(clientId, serviceUserId)
    : undefined
  if (user === undefined) throw new ApiError('USER_NOT_FOUND', options)
  return user
}
