/**
 * The entries of a wallet in words: what each was, and the days they stand under. Values only, so
 * that tests need no browser. Promises: an entry of another app is said to be that and no more,
 * whoever made the session, so that a wallet looks the same after a login and without one; days are
 * those of the person's own zone.
 */
import { inWords } from '../shared/words.js'
import { say } from '../words/say.js'
import type {
  WidgetTransaction as Transaction,
  WidgetWallet as Wallet,
} from '../../../src/http/schemas/answers/widget.js'

type Labelled = Pick<Transaction, 'type' | 'referenceType' | 'appName'>

/** An entry, and whether another client app than this session's booked it. */
export type OwnedEntry = Transaction & { readonly isOtherApp: boolean }

export function ownedEntries(
  entries: readonly Transaction[],
  { otherAppEntries }: Pick<Wallet, 'otherAppEntries'>,
): OwnedEntry[] {
  return entries.map((entry) => ({ ...entry, isOtherApp: otherAppEntries.includes(entry.id) }))
}

type Titled = Labelled & Pick<OwnedEntry, 'description' | 'isOtherApp'>

/** What was bought, in the client app's words; else what kind of entry it is. */
export function entryTitle(entry: Titled): string {
  const { isOtherApp, description, type } = entry
  if (isOtherApp) return ofOtherApp(type)
  return description === null || description.trim() === '' ? entryLabel(entry) : description
}

function ofOtherApp(type: Transaction['type']): string {
  return say(type === 'credit' ? 'entry.creditElsewhere' : 'entry.paymentElsewhere')
}

/** "Order payment", "Top-up"; "Payment in another app" where this session sees no more. */
export function entryLabel({ type, referenceType, appName }: Labelled): string {
  if (referenceType === null) return ofOtherApp(type)
  // A client app may use the service's own labels; then they are its words.
  const own = appName === null ? serviceLabels[referenceType] : undefined
  return own === undefined ? inWords(referenceType) : say(own[type])
}

const labels = {
  TOPUP: { credit: 'entry.topUp', debit: 'entry.topUpTaken' },
  TOPUP_REFUND: { credit: 'entry.topUpRestored', debit: 'entry.topUpRefunded' },
  TOPUP_DISPUTE: { credit: 'entry.disputeRestored', debit: 'entry.disputed' },
  BONUS: { credit: 'entry.bonus', debit: 'entry.bonusTaken' },
} as const

const serviceLabels: Readonly<Record<string, (typeof labels)[keyof typeof labels]>> = labels

export function signedAmount({ type, amount }: Pick<Transaction, 'type' | 'amount'>): number {
  return type === 'credit' ? amount : -amount
}

export interface Day<Entry> {
  /** Stays the same while the day is shown: 2026-03-01. */
  readonly key: string
  /** "Today", "Yesterday", "Monday 2 March", with the year when it is another one. */
  readonly title: string
  readonly entries: readonly Entry[]
}

export interface DayOptions {
  readonly nowMs: number
  readonly language: string
  /** The person's own when left out. */
  readonly timeZone?: string
}

/** In the order given; entries of one day stand together. */
export function groupByDay<Entry extends { readonly createdAt: string }>(
  entries: readonly Entry[],
  options: DayOptions,
): Day<Entry>[] {
  const days = new Map<string, Entry[]>()
  for (const entry of entries) {
    const key = dayKey(Date.parse(entry.createdAt), options)
    const day = days.get(key)
    if (day === undefined) days.set(key, [entry])
    else day.push(entry)
  }
  return [...days].map(([key, of]) => ({ key, title: dayTitle(key, options), entries: of }))
}

const dayMs = 24 * 3_600_000

function dayKey(timeMs: number, { timeZone }: DayOptions): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...(timeZone !== undefined && { timeZone }),
  })
  return parts.format(timeMs)
}

function dayTitle(key: string, options: DayOptions): string {
  const { nowMs, language } = options
  const today = dayKey(nowMs, options)
  // Calendar days, counted at noon UTC: a day of 23 or 25 hours changes nothing.
  const daysAgo = Math.round((noonOf(today) - noonOf(key)) / dayMs)
  if (daysAgo === 0 || daysAgo === 1) {
    const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    const text = words.format(-daysAgo, 'day')
    return text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
  }
  const isThisYear = key.slice(0, 4) === today.slice(0, 4)
  return new Intl.DateTimeFormat(language, {
    ...(isThisYear ? { weekday: 'long' } : { year: 'numeric' }),
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(noonOf(key))
}

function noonOf(key: string): number {
  return Date.parse(`${key}T12:00:00Z`)
}
