/**
 * The log of admin actions, to be read: newest first, one line an act with its outcome; and the
 * refused logins of the last 90 days, which are counted beside it.
 * Never: written here; acts write it (admin-acts.ts), and logins that are refused (login-tries.ts).
 */
import type { App } from '../../app.js'
import { checked } from '../../contract.js'
import { adminLogSchema, pageOf, refusedLoginsSchema } from '../../schemas/admin.js'
import type { GuardedParts } from './admin-parts.js'

export function registerLog(app: App, { adminLog, refusedLogins, guard }: GuardedParts): void {
  const look = { onRequest: guard.look, schema: adminLogSchema }
  app.get('/api/admin/log', look, async (request) => {
    const { limit, ...page } = pageOf(checked(request).query)
    // One more than asked for tells whether there is a next page.
    const found = await adminLog.list({ limit: limit + 1, ...page })
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      entries: shown.map(({ logId: _, ...entry }) => entry),
      ...(found.length > limit && last !== undefined && { nextCursor: String(last.logId) }),
    }
  })
  const lookAtRefused = { onRequest: guard.look, schema: refusedLoginsSchema }
  app.get('/api/admin/refused-logins', lookAtRefused, async (request) => {
    const { limit, ...page } = pageOf(checked(request).query)
    const found = await refusedLogins.list({ limit: limit + 1, ...page })
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      logins: shown.map(({ refusedId: _, ...login }) => login),
      ...(found.length > limit && last !== undefined && { nextCursor: String(last.refusedId) }),
    }
  })
}
