/**
 * Which event of the log tells client apps what: a table by the name of the event's type, so that a
 * new kind of event is a line here. Promises: an app is told of an entry only when the entry is its
 * own or one of the service's flows; a low balance is told once, by the very entry that crosses a
 * threshold, and nothing is remembered for that: each entry says the balance after it and so the
 * one before. Pure. Never: a description, or whose entry of another app it was.
 */
import type { Currency } from '../domain/money.js'
import { toMajor } from '../domain/money.js'
import { signOf } from '../domain/wallet-events.js'
import type { WebhookType } from './webhook-types.js'

/** What a webhook's `data` holds beside serviceUserId and balance. */
export type NoticeData = Readonly<Record<string, unknown>>

export interface Notice {
  readonly type: WebhookType
  /** The one client app that it is for; undefined: every app that is linked. */
  readonly clientId: string | undefined
  /** ISO 8601. */
  readonly time: string
  /** Undefined where the event does not say it. */
  readonly balanceMinor: number | undefined
  readonly data: NoticeData
  /** The entry id of the hold that it is about: only that tells whose hold it is. */
  readonly holdId?: string
}

/** The data of an event of the log, as far as notices look at it. */
interface EventData {
  readonly time: string
  readonly amountMinor?: number
  readonly balanceMinor?: number
  readonly entryId?: string
  readonly issuer?: string
  readonly referenceType?: string
  readonly referenceId?: string
  readonly refundOf?: unknown
  /** Of a capture: the hold's pair. */
  readonly holdOf?: unknown
}

export interface LoggedEvent {
  readonly type: string
  /** JSON. */
  readonly data: string
}

/** All but low balances, which depend on what an app has asked for. */
export function noticesOf(event: LoggedEvent, currency: Currency): Notice[] {
  const make = makers[event.type]
  if (make === undefined) return []
  return make(JSON.parse(event.data) as EventData, { currency, type: event.type })
}

/**
 * The low balance that this event makes: the lowest threshold that the balance was above before it
 * and is not above any more.
 */
export function lowBalanceOf(
  event: LoggedEvent,
  thresholdsMinor: readonly number[],
  currency: Currency,
): Notice | undefined {
  if (!isDebit(event) || thresholdsMinor.length === 0) return undefined
  const { balanceMinor, amountMinor, time } = JSON.parse(event.data) as EventData
  if (balanceMinor === undefined || amountMinor === undefined) return undefined
  const before = balanceMinor + amountMinor
  const crossed = thresholdsMinor.filter((minor) => before > minor && balanceMinor <= minor)
  if (crossed.length === 0) return undefined
  const data = { threshold: toMajor(Math.min(...crossed), currency) }
  return { type: 'wallet.low_balance', clientId: undefined, time, balanceMinor, data }
}

/** Whether it lessens the balance. */
export function isDebit({ type }: Pick<LoggedEvent, 'type'>): boolean {
  return signs[type] === -1
}

/** By name, for the log may hold kinds that this release does not know. */
const signs: Readonly<Record<string, number | undefined>> = signOf

interface Making {
  readonly currency: Currency
  readonly type: string
}

type Maker = (data: EventData, making: Making) => Notice[]

/** What is not here tells nobody: declines move nothing, and their caller has the answer. */
const makers: Readonly<Partial<Record<string, Maker>>> = {
  WalletToppedUp: serviceEntry('wallet.topped_up'),
  TopUpReversed: serviceEntry('wallet.top_up_reversed'),
  WalletCredited: ownEntry,
  WalletDebited: ownEntry,
  HoldCaptured: ownEntry,
  WalletDeactivated: status('wallet.deactivated'),
  WalletReactivated: status('wallet.reactivated'),
  HoldExpired: holdExpired,
}

function serviceEntry(type: WebhookType): Maker {
  return (data, making) => [noticeOf(type, undefined, data, entryData(data, making))]
}

function ownEntry(data: EventData, making: Making): Notice[] {
  const clientId = clientOf(data.issuer)
  if (clientId === undefined) return []
  const { refundOf, holdOf } = data
  const entryType = signs[making.type] === 1 ? 'credit' : 'debit'
  const more = {
    ...(refundOf !== undefined && { refundOf }),
    ...(holdOf !== undefined && { holdOf }),
  }
  const entry = { ...entryData(data, making), entryType, ...more }
  return [noticeOf('wallet.entry', clientId, data, entry)]
}

function status(type: WebhookType): Maker {
  return (data) => [noticeOf(type, undefined, data, {})]
}

/** Issued by the service itself, with the hold's entry id as reference. */
function holdExpired(data: EventData, making: Making): Notice[] {
  const { referenceId: holdId } = data
  if (holdId === undefined) return []
  return [{ ...noticeOf('hold.expired', undefined, data, amountOf(data, making)), holdId }]
}

/** The notice for the app that placed the hold; undefined when it was none. */
export function forHolder(
  notice: Notice,
  hold: { readonly issuer: string; readonly referenceType: string; readonly referenceId: string },
): Notice | undefined {
  const clientId = clientOf(hold.issuer)
  const { referenceType, referenceId } = hold
  const data = { ...notice.data, holdOf: { referenceType, referenceId } }
  return clientId === undefined ? undefined : { ...notice, clientId, data }
}

function noticeOf(
  type: WebhookType,
  clientId: string | undefined,
  { time, balanceMinor }: EventData,
  data: NoticeData,
): Notice {
  return { type, clientId, time, balanceMinor, data }
}

function entryData(data: EventData, making: Making): NoticeData {
  const { entryId, referenceType, referenceId } = data
  return { ...amountOf(data, making), entryId, referenceType, referenceId }
}

function amountOf({ amountMinor }: EventData, { currency }: Making): NoticeData {
  return amountMinor === undefined ? {} : { amount: toMajor(amountMinor, currency) }
}

const clientPrefix = 'client-app:'

function clientOf(issuer: string | undefined): string | undefined {
  return issuer?.startsWith(clientPrefix) === true ? issuer.slice(clientPrefix.length) : undefined
}
