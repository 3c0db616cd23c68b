/**
 * The log of admin actions, to be read: newest first, one line an act with its outcome.
 * Never: written here; acts write it (admin-acts.ts).
 */
import type { App } from '../../app.js'
import { checked } from '../../contract.js'
import { adminLogSchema, pageOf } from '../../schemas/admin.js'
import type { GuardedParts } from './admin-parts.js'

export function registerLog(app: App, { adminLog, guard }: GuardedParts): void {
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
}
