/**
 * The wallet as the widget shows it, and the stream that tells the page when to ask again.
 * Promises: authoritative; what other apps did is shown in full only to a session that the person
 * made by logging in (docs/decisions/0010-links-and-credentials.md); the session is looked up at
 * every call.
 */
import type { FastifyReply } from 'fastify'
import type { UserDetails, Users } from '../../identity/users.js'
import type { WidgetSession, WidgetSessions } from '../../identity/widget-sessions.js'
import { widgetEntries } from '../../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import type { EventStore } from '../../event-store/event-store.js'
import type { Pool } from '../../platform/postgres.js'
import { WalletWatch } from '../../reading/wallet-watch.js'
import type { WalletReader } from '../../reading/wallet-reader.js'
import type { App } from '../app.js'
import type { RequestOf } from '../contract.js'
import { ApiError } from '../errors.js'
import { sumsOf } from '../outcome-answer.js'
import { readPending, type PendingParts } from '../pending-top-ups.js'
import type { WidgetWallet } from '../schemas/answers/widget.js'
import { walletEventsSchema, widgetWalletReadSchema } from '../schemas/widget.js'
import { ofOtherApps, shownEntries } from '../shown-entries.js'
import { WalletStreams } from '../wallet-streams.js'
import { liveSession, sessionTokenOf } from '../widget-call.js'

export interface WidgetWalletParts extends PendingParts {
  readonly widgetSessions: WidgetSessions
  readonly users: Users
  readonly reader: WalletReader
  readonly pool: Pool
  readonly store: EventStore
  readonly clock: Clock
  readonly log: Log
  /** Fewer in tests. */
  readonly walletStreamsMax?: number
}

export function registerWidgetWallet(app: App, parts: WidgetWalletParts): void {
  const { walletStreamsMax: watchersMax } = parts
  const watch = new WalletWatch({ ...parts, ...(watchersMax !== undefined && { watchersMax }) })
  const streams = new WalletStreams({ ...parts, watch })
  app.addHook('preClose', (done) => {
    watch.close()
    streams.close()
    done()
  })
  app.get('/api/widget/wallet', { schema: widgetWalletReadSchema }, (request) =>
    readWallet(parts, request),
  )
  // A HEAD of something without an end would never end either.
  const endless = { config: { isEndless: true }, exposeHeadRoute: false } as const
  const options = { ...endless, schema: walletEventsSchema }
  app.get('/api/widget/wallet/events', options, (request, reply) =>
    openStream(parts, streams, { request, reply }),
  )
}

async function readWallet(
  parts: WidgetWalletParts,
  request: RequestOf<typeof widgetWalletReadSchema>,
): Promise<WidgetWallet> {
  const { reader, currency } = parts
  const session = await liveSession(parts.widgetSessions, request)
  const user = await userOf(parts, session)
  const page = { limit: widgetEntries, filter: { appliedOnly: true } }
  const stillPending = await readPending(parts, user.walletId)
  const wallet = await reader.read(user.walletId, page)
  return {
    ...sumsOf(wallet, currency),
    transactions: await shownEntries(parts, { session, user, entries: wallet.entries }),
    otherAppEntries: ofOtherApps(session, wallet.entries),
    pendingTopUps: stillPending(wallet.entries),
    isActive: wallet.isActive,
    inactiveReason: wallet.isActive ? null : (wallet.statusReason ?? null),
    // Empty for people who were made without a name, such as by a seed.
    user: { firstName: user.firstName ?? '', lastName: user.lastName ?? '' },
    expiresAt: session.expiresAt,
    currency: currency.code,
    revision: wallet.revision,
  }
}

async function openStream(
  parts: WidgetWalletParts,
  streams: WalletStreams,
  { request, reply }: { request: RequestOf<typeof walletEventsSchema>; reply: FastifyReply },
): Promise<void> {
  const sessionToken = sessionTokenOf(request.query) ?? ''
  const { expiresAt, ...session } = await liveSession(parts.widgetSessions, request)
  const { walletId } = await userOf(parts, session)
  // The truth, not the rows: what is told later is compared with what the page has drawn.
  const { revision } = await parts.reader.read(walletId, { limit: 0 })
  streams.open(reply, { sessionToken, expiresAt, walletId, revision })
}

async function userOf(
  { users }: WidgetWalletParts,
  { serviceUserId }: Pick<WidgetSession, 'serviceUserId'>,
): Promise<UserDetails> {
  const user = await users.find(serviceUserId)
  // Never so: sessions refer to users, who are erased but never removed.
  if (user === undefined) throw new ApiError('SESSION_EXPIRED')
  return user
}
