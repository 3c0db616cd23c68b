/**
 * Entries as the widget shows them: the contract's record with the name of the app that booked it.
 * Promises: what other apps did is shown in full only to a session that the person made by logging
 * in (docs/decisions/0010-links-and-credentials.md).
 */
import type { Issuer } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { readBrands } from '../identity/app-brands.js'
import type { WidgetSession } from '../identity/widget-sessions.js'
import type { Pool } from '../platform/postgres.js'
import type { Entry } from '../reading/wallet-reader.js'
import type { WidgetTransaction } from './schemas/answers/widget.js'
import { isVisibleTo, transactionRecord } from './transaction-record.js'

export interface Shown {
  readonly session: WidgetSession
  readonly user: { readonly sealingKey: Buffer | undefined }
  readonly entries: readonly Entry[]
}

export async function shownEntries(
  { pool, currency }: { readonly pool: Pool; readonly currency: Currency },
  { session, user, entries }: Shown,
): Promise<WidgetTransaction[]> {
  const reader = session.madeBy === 'login' ? undefined : issuerOf(session)
  const visible = entries.filter(
    ({ issuer }) => reader === undefined || isVisibleTo(issuer, reader),
  )
  const brands = await readBrands(pool, visible.flatMap(clientIdsOf))
  const context = { currency, sealingKey: user.sealingKey, ...(reader && { reader }) }
  return entries.map((entry) => {
    const [clientId = ''] = clientIdsOf(entry)
    return { ...transactionRecord(entry, context), appName: brands.get(clientId) ?? null }
  })
}

/** The ids of those that another client app than this session's booked. */
export function ofOtherApps(session: WidgetSession, entries: readonly Entry[]): string[] {
  const own = issuerOf(session)
  return entries.filter(({ issuer }) => !isVisibleTo(issuer, own)).map(({ entryId }) => entryId)
}

export function issuerOf({ clientId }: Pick<WidgetSession, 'clientId'>): Issuer {
  return `client-app:${clientId}`
}

/** Of the client app that booked it; none for the service's own entries. */
export function clientIdsOf({ issuer }: { readonly issuer: Issuer }): string[] {
  return issuer.startsWith(appPrefix) ? [issuer.slice(appPrefix.length)] : []
}

const appPrefix = 'client-app:'
