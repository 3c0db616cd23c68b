/**
 * What the event store has lost after it was acknowledged: listed until a person says that they
 * have seen it. Promises: oldest first; "seen" covers what was shown and nothing that came since,
 * and stands in the log of admin actions. Never: brings anything back; that is booked by hand.
 */
import { lostEventsShownMax } from '../../../audit/limits.js'
import type { LostEventRow, LostEvents } from '../../../audit/verifying/lost-events.js'
import type { Currency } from '../../../domain/money.js'
import { toMajor } from '../../../domain/money.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { lostEventsReadSchema, lostEventsSeenSchema } from '../../schemas/admin.js'
import type { LostEvent, LostEvents as LostEventsBody } from '../../schemas/answers/admin.js'
import type { GuardedParts } from './admin-parts.js'

export function registerLostEvents(app: App, parts: GuardedParts): void {
  const { guard, lostEvents, currency } = parts
  const look = { onRequest: guard.look, schema: lostEventsReadSchema }
  app.get('/api/admin/lost-events', look, () => describeLostEvents(lostEvents, currency))
  const change = { onRequest: guard.change, schema: lostEventsSeenSchema }
  app.post('/api/admin/lost-events/seen', change, (request) => markSeen(parts, request))
}

/** How many nobody has seen, and the first of them. */
export async function describeLostEvents(
  lostEvents: LostEvents,
  currency: Currency,
): Promise<LostEventsBody> {
  const [unseen, rows] = await Promise.all([
    lostEvents.countUnseen(),
    lostEvents.unseen({ limit: lostEventsShownMax }),
  ])
  return { unseen, events: rows.map((row) => describe(row, currency)) }
}

async function markSeen(
  parts: GuardedParts,
  request: RequestOf<typeof lostEventsSeenSchema>,
): Promise<LostEventsBody> {
  const { acts, guard, lostEvents, currency } = parts
  const { through } = checked(request).body
  const { adminId } = guard.sessionOf(request).admin
  await acts.perform(
    request,
    { action: 'lost-events.seen', subject: null, details: { through } },
    () => lostEvents.markSeen({ through, adminId }),
    (count) => ({ details: { count } }),
  )
  return describeLostEvents(lostEvents, currency)
}

function describe({ amountMinor, ...row }: LostEventRow, currency: Currency): LostEvent {
  return { ...row, amount: amountMinor === null ? null : toMajor(amountMinor, currency) }
}
