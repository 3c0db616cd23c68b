/**
 * All entries of a wallet, in pages: searched by reference and amount, filtered by kind, app and
 * time. Promises: every session sees of them what it sees of the wallet, and finds nothing by what
 * it may not see; the texts of entries are sealed and not searched.
 */
import type { FastifyReply } from 'fastify'
import type { Issuer } from '../../domain/ids.js'
import { parseAmount } from '../../domain/money.js'
import type { Currency } from '../../domain/money.js'
import type { EntryType } from '../../domain/wallet-events.js'
import type { Accounts } from '../../identity/accounts.js'
import { readBrands } from '../../identity/app-brands.js'
import { isClientId } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { WidgetSession, WidgetSessions } from '../../identity/widget-sessions.js'
import type { Pool } from '../../platform/postgres.js'
import type { Page, WalletReader } from '../../reading/wallet-reader.js'
import type { App } from '../app.js'
import { checked, type Checked, type RequestOf } from '../contract.js'
import { ApiError } from '../errors.js'
import type { FairShares } from '../fair-shares.js'
import { listedEntries } from '../limits.js'
import { entriesSchema } from '../schemas/account.js'
import type { EntriesPage } from '../schemas/answers/account.js'
import { utcTime } from '../schemas/fields.js'
import { issuerOf, ofOtherApps, shownEntries } from '../shown-entries.js'
import { liveSession } from '../widget-call.js'

export interface WidgetEntriesParts {
  readonly widgetSessions: WidgetSessions
  readonly links: Links
  readonly accounts: Accounts
  readonly reader: WalletReader
  readonly shares: FairShares
  readonly pool: Pool
  readonly currency: Currency
}

export function registerWidgetEntries(app: App, parts: WidgetEntriesParts): void {
  app.get('/api/widget/entries', { schema: entriesSchema }, (request, reply) =>
    readEntries(parts, request, reply),
  )
}

async function readEntries(
  parts: WidgetEntriesParts,
  request: RequestOf<typeof entriesSchema>,
  reply: FastifyReply,
): Promise<EntriesPage> {
  const { links, reader, shares, currency } = parts
  const session = await liveSession(parts.widgetSessions, request)
  const page = pageOf(checked(request).query, session, currency)
  const user = await links.findUser(session.clientId, session.serviceUserId)
  if (user === undefined) throw new ApiError('SESSION_EXPIRED')
  const share = shares.of(session)
  const read = async () => {
    await share.beginRead(reply, page.limit)
    return reader.read(user.walletId, page)
  }
  // A search may walk along the whole wallet.
  const isSearch = Object.keys(page.filter ?? {}).length > 1
  const { entries, nextBefore } = isSearch ? await share.search(read) : await read()
  return {
    entries: await shownEntries(parts, { session, user, entries }),
    otherAppEntries: ofOtherApps(session, entries),
    apps: await appsOf(parts, session),
    ...(nextBefore !== undefined && { nextCursor: String(nextBefore) }),
  }
}

type Query = Checked<RequestOf<typeof entriesSchema>>['query']

function pageOf(query: Query, session: WidgetSession, currency: Currency): Page {
  const { kind, app, from, to, search, limit, cursor } = query
  // What another app did is found by its amount and its time, and by nothing else.
  const visible: Issuer[] | undefined =
    session.madeBy === 'login' ? undefined : [issuerOf(session), 'service']
  const text = search?.trim() ?? ''
  return {
    limit: Number(limit ?? listedEntries),
    before: cursor === undefined ? undefined : Number(cursor),
    filter: {
      appliedOnly: true,
      ...(kind && { types: typesOf[kind] }),
      ...(app !== undefined && { issuers: issuersOf(app, visible) }),
      ...(from && { fromTime: utcTime(from) }),
      ...(to && { toTime: utcTime(to) }),
      ...(text !== '' && {
        search: { text, amountMinor: amountIn(text, currency), issuers: visible },
      }),
    },
  }
}

/** None for another's app, and for what is no app at all. */
function issuersOf(clientId: string, visible: readonly Issuer[] | undefined): readonly Issuer[] {
  const issuer = issuerOf({ clientId })
  if (!isClientId(clientId) || visible?.includes(issuer) === false) return []
  return [issuer]
}

const typesOf: Readonly<Record<NonNullable<Query['kind']>, readonly EntryType[]>> = {
  payment: ['WalletDebited'],
  credit: ['WalletCredited'],
  topup: ['WalletToppedUp', 'TopUpReversed', 'TopUpReinstated'],
  bonus: ['BonusGranted'],
}

/** "12.5", "12,50": as people type it; undefined for what is no amount. */
function amountIn(text: string, currency: Currency): number | undefined {
  if (!/^\d{1,12}([.,]\d{1,4})?$/.test(text)) return undefined
  const parsed = parseAmount(Number(text.replace(',', '.')), { currency })
  return 'minor' in parsed ? parsed.minor : undefined
}

/** Those that may be asked for: a backend's session knows its own app only. */
async function appsOf({ accounts, pool }: WidgetEntriesParts, session: WidgetSession) {
  if (session.madeBy === 'login') {
    const apps = await accounts.apps(session.serviceUserId)
    return apps.map(({ clientId, name }) => ({ clientId, name }))
  }
  const { clientId } = session
  const brands = await readBrands(pool, [clientId])
  return [{ clientId, name: brands.get(clientId) ?? '' }]
}
