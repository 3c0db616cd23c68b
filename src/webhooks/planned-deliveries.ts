/**
 * From notices to deliveries: one for each endpoint that hears one, with the body that is sent, as
 * it will be sent however often. Promises: in the order of the notices; an event is told to an
 * endpoint once a type, by an id that follows from the three. Pure.
 */
import type { Currency } from '../domain/money.js'
import { toMajor } from '../domain/money.js'
import type { Audience, Listener } from './audience.js'
import { isDebit, lowBalanceOf } from './notices.js'
import type { LoggedEvent, Notice, NoticeData } from './notices.js'
import type { OutboxRow } from './outbox.js'
import { webhookIdOf } from './webhook-id.js'

export interface PlannedDelivery {
  readonly webhookId: string
  readonly endpointId: string
  readonly walletId: string
  readonly type: string
  readonly body: string
}

/** An event of the log with what it tells, all looked up that it does not say itself. */
export interface PreparedEvent extends LoggedEvent {
  readonly id: string
  readonly position: bigint
  readonly walletId: string
  readonly notices: readonly Notice[]
}

export function planEvent(
  event: PreparedEvent,
  { audience, currency }: { readonly audience: Audience; readonly currency: Currency },
): PlannedDelivery[] {
  const told = event.notices.flatMap((notice) => {
    const listeners =
      notice.clientId === undefined
        ? audience.linked(event.walletId, notice.type, Date.parse(notice.time))
        : audience.of(notice.clientId, notice.type)
    return listeners.map((listener) => ({ listener, notice }))
  })
  const low = lowBalances(event, { audience, currency })
  return [...told, ...low]
    .filter(({ listener }) => event.position > listener.fromPosition)
    .flatMap(({ listener, notice }) => {
      const serviceUserId = audience.ownerOf(event.walletId)
      if (serviceUserId === undefined) return []
      const of = { listener, sourceId: event.id, walletId: event.walletId, type: notice.type }
      const data = dataOf(serviceUserId, notice.balanceMinor, notice.data, currency)
      return [deliveryOf(of, notice.time, data)]
    })
}

/** `balanceMinor`: undefined where the app may not see it any more. */
export function planRow(
  row: OutboxRow,
  given: {
    readonly audience: Audience
    readonly currency: Currency
    readonly balanceMinor: number | undefined
  },
): PlannedDelivery[] {
  const { audience, currency, balanceMinor } = given
  const { type, walletId, sourceId, serviceUserId } = row
  const listeners =
    row.clientId === undefined
      ? audience.linked(walletId, type, Date.parse(row.time))
      : audience.of(row.clientId, type)
  const data = dataOf(serviceUserId, balanceMinor, detailsOf(row, currency), currency)
  return listeners.map((listener) =>
    deliveryOf({ listener, sourceId, walletId, type }, row.time, data),
  )
}

function lowBalances(
  event: PreparedEvent,
  { audience, currency }: { readonly audience: Audience; readonly currency: Currency },
): { readonly listener: Listener; readonly notice: Notice }[] {
  if (!isDebit(event)) return []
  const atMs = Date.parse((JSON.parse(event.data) as { readonly time: string }).time)
  return audience.linked(event.walletId, 'wallet.low_balance', atMs).flatMap((listener) => {
    const thresholds = audience.thresholdsOf(listener.clientId)
    const notice = lowBalanceOf(event, thresholds, currency)
    return notice === undefined ? [] : [{ listener, notice }]
  })
}

function dataOf(
  serviceUserId: string,
  balanceMinor: number | undefined,
  data: NoticeData,
  currency: Currency,
): NoticeData {
  const balance = balanceMinor === undefined ? {} : { balance: toMajor(balanceMinor, currency) }
  return { serviceUserId, ...balance, ...data }
}

/** What the outbox knows in minor units is told in major ones, as everywhere. */
function detailsOf({ details }: OutboxRow, currency: Currency): NoticeData {
  const { amountMinor, ...rest } = details
  return typeof amountMinor === 'number'
    ? { ...rest, amount: toMajor(amountMinor, currency) }
    : rest
}

function deliveryOf(
  of: {
    readonly listener: Listener
    readonly sourceId: string
    readonly walletId: string
    readonly type: string
  },
  timestamp: string,
  data: NoticeData,
): PlannedDelivery {
  const { endpointId } = of.listener
  const { sourceId, walletId, type } = of
  const webhookId = webhookIdOf({ endpointId, sourceId, type })
  return { webhookId, endpointId, walletId, type, body: bodyOf({ type, timestamp, data }) }
}

/** The payload of the convention. */
export function bodyOf(payload: {
  readonly type: string
  readonly timestamp: string
  readonly data: NoticeData
}): string {
  const { type, timestamp, data } = payload
  return JSON.stringify({ type, timestamp, data })
}
