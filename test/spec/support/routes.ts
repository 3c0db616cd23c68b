/**
 * Every route of the server-to-server API with a request that is right, so that a test can spoil
 * one part of it and look at all routes alike.
 */
import { freshReference } from './wallet-api.js'
import type { Account, Answer, Fields } from './wallet-api.js'

export interface Route {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly scope: 'wallet:read' | 'wallet:write'
  /** Whether it acts on a user; an unknown one then has the status `unknownUserStatus`. */
  readonly unknownUserStatus: 401 | 404 | undefined
  /** Besides credentials and user. */
  fields(): Fields
}

export const routes: readonly Route[] = [
  read('/api/server/wallet', () => ({})),
  read('/api/server/wallet/check-balance', () => ({ requiredAmount: 1 })),
  read('/api/server/wallet/outcome', () => ({ ...freshReference() })),
  command('/api/server/wallet/debit', () => ({ amount: 1, ...freshReference() })),
  command('/api/server/wallet/credit', () => ({ amount: 1, ...freshReference() })),
  command('/api/server/wallet/hold', () => ({ amount: 1, ...freshReference() })),
  command('/api/server/wallet/hold/capture', () => ({
    ...{ holdOf: freshReference(), amount: 1, ...freshReference() },
  })),
  command('/api/server/wallet/hold/release', () => ({
    ...{ holdOf: freshReference(), ...freshReference() },
  })),
  command('/api/server/wallet/outcome/void', () => ({ ...freshReference() })),
  {
    name: 'POST /api/server/links/verify',
    method: 'POST',
    path: '/api/server/links/verify',
    scope: 'wallet:read',
    unknownUserStatus: undefined,
    fields: () => ({ linkProof: 'unknown' }),
  },
]

/** The routes of the contract itself, without our extensions. */
export const walletRoutes = routes.filter(({ unknownUserStatus }) => unknownUserStatus)

/** The request of a route, with `spoiled` instead of what would be right. */
export function ask(route: Route, account: Account, spoiled: Fields = {}): Promise<Answer> {
  const fields = { ...account.identity, ...route.fields(), ...spoiled }
  const { api } = account
  return route.method === 'GET' ? api.get(route.path, fields) : api.post(route.path, fields)
}

function read(path: string, fields: () => Fields): Route {
  const scope = 'wallet:read'
  return { name: `GET ${path}`, method: 'GET', path, scope, unknownUserStatus: 401, fields }
}

function command(path: string, fields: () => Fields): Route {
  const scope = 'wallet:write'
  return { name: `POST ${path}`, method: 'POST', path, scope, unknownUserStatus: 404, fields }
}
