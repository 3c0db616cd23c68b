/**
 * The groups of the document and who may call what is in each. A path belongs to the first group
 * whose beginning it has; what belongs to none is no part of the document: pages and their files.
 */
import type { RouteOptions } from 'fastify'

export interface Group {
  readonly name: string
  readonly description: string
  /** How its paths begin. */
  readonly paths: readonly string[]
}

export const groups: readonly Group[] = [
  {
    name: 'Server',
    description:
      'For the backend of a client app. Every call carries clientId and clientSecret, in the ' +
      'query of a GET and in the body of a POST. The secret never leaves the backend.',
    // Alone among the widget's paths it is the backend that calls this one.
    paths: ['/api/server/', '/api/widget/session$'],
  },
  {
    name: 'Widget',
    description:
      'What the hosted pages call in the browser, with the session token as query parameter ' +
      '`session`; the test cards are there where payments are the sandbox.',
    paths: ['/api/widget/', '/api/sandbox/'],
  },
  {
    name: 'Admin',
    description:
      'The admin area. Login sets a cookie; a change also needs the CSRF token of the session.',
    paths: ['/api/admin/'],
  },
  {
    name: 'Operations',
    description: 'Health, metrics, signed checkpoints, and the webhook of the card processor.',
    paths: ['/health', '/metrics', '/.well-known/', '/api/webhooks/', '/openapi.json'],
  },
]

export const securitySchemes = {
  adminSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'wallet_admin',
    description: 'Set by POST /api/admin/login',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description: 'The csrfToken of the session',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'METRICS_TOKEN, where it is set' },
} as const

export function groupOf(path: string): Group | undefined {
  return groups.find(({ paths }) =>
    paths.some((each) => (each.endsWith('$') ? path === each.slice(0, -1) : path.startsWith(each))),
  )
}

/** Credentials that are no field: those stand in the schemas. */
export function securityOf({ url, method }: RouteOptions): readonly Record<string, string[]>[] {
  if (url === '/metrics') return [{ metricsToken: [] }, {}]
  if (!url.startsWith('/api/admin/') || url === '/api/admin/login') return []
  return method === 'GET' ? [{ adminSession: [] }] : [{ adminSession: [], csrfToken: [] }]
}
