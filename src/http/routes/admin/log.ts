/**
 * The log of admin actions, to be read: newest first, one line an act with its outcome.
 * Never: written here; acts write it (admin-acts.ts).
 */
import { pageEntriesMax, pageEntriesStandard } from '../../../limits.js'
import type { App } from '../../app.js'
import { inputOf, wholeNumberField } from '../../fields.js'
import type { Input } from '../../fields.js'
import type { GuardedParts } from './admin-parts.js'

export function registerLog(app: App, { adminLog, guard }: GuardedParts): void {
  app.get('/api/admin/log', { onRequest: guard.look }, async (request) => {
    const { limit, before } = pageFields(inputOf(request.query))
    // One more than asked for tells whether there is a next page.
    const found = await adminLog.list({ limit: limit + 1, ...(before !== undefined && { before }) })
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      entries: shown.map(({ logId: _, ...entry }) => entry),
      ...(found.length > limit && last !== undefined && { nextCursor: String(last.logId) }),
    }
  })
}

/** `limit` and `cursor`, as every list of the admin area takes them. */
export function pageFields(input: Input): { limit: number; before: number | undefined } {
  const limit = wholeNumberField(input, 'limit', {
    min: 1,
    max: pageEntriesMax,
    standard: pageEntriesStandard,
  })
  const none = -1
  const cursor = wholeNumberField(input, 'cursor', { min: 0, max: 999_999_999, standard: none })
  return { limit, before: cursor === none ? undefined : cursor }
}
