/**
 * The widget's part of the contract as its callers use it: a client backend makes a session, the
 * widget in the browser calls with it. Tokens go to the list of what no log may hold.
 */
import type { Deployment } from './deployment.js'
import { body } from './wallet-api.js'
import type { Account, Answer, Fields } from './wallet-api.js'

export const sessionPath = '/api/widget/session'

/** The shape of the contract: the prefix and a UUID. */
export const tokenShape = /^ws_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export async function askSession(
  on: Deployment,
  account: Account,
  fields: Fields = {},
): Promise<Answer> {
  const answer = await on.api.post(sessionPath, { ...account.identity, ...fields })
  const { sessionToken } = answer.body
  if (typeof sessionToken === 'string') on.control?.mustStaySecret(sessionToken)
  return answer
}

/** A session that must be made. */
export async function newSession(
  on: Deployment,
  account: Account,
  fields: Fields = {},
): Promise<string> {
  return String(body(await askSession(on, account, fields))['sessionToken'])
}

export function widgetWallet(on: Deployment, session: unknown): Promise<Answer> {
  return on.api.get('/api/widget/wallet', { session })
}

/** The origins that a page lets frame it. */
export function frameAncestors({ headers }: Answer): string {
  const policy = headers.get('content-security-policy') ?? ''
  return /frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? 'missing'
}

/** The JSON block that the server writes into a page. */
export function pageData({ text }: Answer): Record<string, unknown> {
  const [, json = '{}'] = /id="page-data">(.*?)<\/script>/s.exec(text) ?? []
  return JSON.parse(json) as Record<string, unknown>
}
