/**
 * "Explain this balance": the events of a wallet's stream with the rule that applied at each.
 * Promises: newest first like every list, read from the stream itself; an event that breaks a rule
 * is named instead of explained. Admins and auditors may look.
 */
import type { Step } from '../../../audit/books/explanation.js'
import { explain } from '../../../audit/books/explanation.js'
import { isUuid, walletIdOf } from '../../../domain/ids.js'
import type { Currency } from '../../../domain/money.js'
import { toMajor } from '../../../domain/money.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { ApiError } from '../../errors.js'
import { explanationReadSchema, pageOf } from '../../schemas/admin.js'
import type { EventsPage, ExplainedEvent } from '../../schemas/answers/admin.js'
import type { GuardedParts } from './admin-parts.js'

export function registerExplanations(app: App, parts: GuardedParts): void {
  const look = { onRequest: parts.guard.look, schema: explanationReadSchema }
  app.get('/api/admin/wallets/:walletId/events', look, (request) => readEvents(parts, request))
}

async function readEvents(
  parts: GuardedParts,
  request: RequestOf<typeof explanationReadSchema>,
): Promise<EventsPage> {
  const { clientApps, currency, store, users } = parts
  const { query, params } = checked(request)
  const page = pageOf(query)
  const { walletId } = params
  const user = isUuid(walletId) ? await users.findByWallet(walletIdOf(walletId)) : undefined
  if (user === undefined) throw new ApiError('NOT_FOUND')
  const { sealingKey } = user
  const found = await explain({ store, currency, sealingKey }, user.walletId, page)
  const names = new Map((await clientApps.list()).map((app) => [app.clientId, app.name]))
  const [oldest] = found.steps
  return {
    walletId,
    events: found.steps.map((step) => eventOf(step, currency, names)).reverse(),
    divergence: found.divergence ?? null,
    ...(oldest !== undefined && oldest.revision > 0 && { nextCursor: String(oldest.revision) }),
  }
}

function eventOf(
  step: Step,
  currency: Currency,
  names: ReadonlyMap<string, string>,
): ExplainedEvent {
  const { amountMinor, balanceBeforeMinor, balanceAfterMinor, ...rest } = step
  const clientId = rest.issuer?.replace(/^client-app:/, '') ?? ''
  return {
    ...rest,
    appName: names.get(clientId) ?? null,
    amount: amountMinor === null ? null : toMajor(amountMinor, currency),
    balanceBefore: toMajor(balanceBeforeMinor, currency),
    balanceAfter: toMajor(balanceAfterMinor, currency),
  }
}
