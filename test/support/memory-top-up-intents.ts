/**
 * The rows of top-up intents in memory, for simulations. They pass the contract of the PostgreSQL
 * ones (test/top-ups/top-up-intents.test.ts). An IntentTable is what the database would hold, each
 * MemoryTopUpIntents on it is one process. `onChange` sees the row of before, so that a simulation
 * can take changes back.
 */
import { isUuid, type WalletId } from '../../src/domain/ids.js'
import type { Clock } from '../../src/platform/clock.js'
import type { Random } from '../../src/platform/random.js'
import {
  intentBatchRows,
  intentCheckMs,
  intentLeaseMs,
  paidCheckMs,
  pendingTopUpsMax,
  supersededIntentsMax,
} from '../../src/top-ups/limits.js'
import type {
  AdoptedPayment,
  Begun,
  IntentRows,
  NewIntent,
  PendingTopUp,
  TopUpIntent,
} from '../../src/top-ups/top-up-intents.js'

export interface IntentRow extends TopUpIntent {
  readonly checkAtMs: number | undefined
}

export class IntentTable {
  readonly rows = new Map<string, IntentRow>()
  /** Whether both exist. */
  readonly knows: (walletId: string, clientId: string) => boolean
  onChange: (topUpId: string, before: IntentRow | undefined) => void = () => undefined

  constructor(knows: (walletId: string, clientId: string) => boolean) {
    this.knows = knows
  }

  set(row: IntentRow): IntentRow {
    const { topUpId, paymentIntentId } = row
    for (const other of this.rows.values())
      if (other.topUpId !== topUpId && other.paymentIntentId === paymentIntentId)
        if (paymentIntentId !== undefined) throw new Error('duplicate key: payment_intent_id')
    this.onChange(topUpId, this.rows.get(topUpId))
    this.rows.set(topUpId, row)
    return row
  }
}

export class MemoryTopUpIntents implements IntentRows {
  readonly #table: IntentTable
  readonly #clock: Pick<Clock, 'now'>
  readonly #random: Pick<Random, 'uuid'>

  constructor(parts: {
    readonly table: IntentTable
    readonly clock: Pick<Clock, 'now'>
    readonly random: Pick<Random, 'uuid'>
  }) {
    this.#table = parts.table
    this.#clock = parts.clock
    this.#random = parts.random
  }

  async begin(intent: NewIntent, limits: { dayMaximumMinor: number }): Promise<Begun> {
    const nowMs = this.#clock.now()
    const counted = [...this.#table.rows.values()]
      .filter((row) => row.walletId === intent.walletId && row.createdMs > nowMs - dayMs)
      .filter((row) => row.status !== 'cancelled')
      .sort((one, other) => one.createdMs - other.createdMs)
    const sumMinor = counted.reduce((sum, row) => sum + row.amountMinor, 0)
    const leftMinor = Math.max(0, limits.dayMaximumMinor - sumMinor)
    if (intent.amountMinor > leftMinor) {
      const unpaid = counted.filter((row) => row.status === 'open')
      const open = unpaid.flatMap((row) => row.paymentIntentId ?? [])
      return { kind: 'over-limit', leftMinor, open: open.slice(0, supersededIntentsMax) }
    }
    const topUpId = this.#random.uuid()
    const { walletId, clientId, amountMinor, currencyCode } = intent
    const known = { topUpId, walletId, clientId, amountMinor, currencyCode, createdMs: nowMs }
    const state = { paymentIntentId: undefined, status: 'creating', checks: 0 } as const
    const checkAtMs = nowMs + intentCheckMs
    this.#table.set({ ...known, ...state, isProcessing: false, isFailed: false, checkAtMs })
    return { kind: 'begun', topUpId }
  }

  async open(topUpId: string, paymentIntentId: string): Promise<boolean> {
    const row = this.#table.rows.get(topUpId)
    if (row === undefined) return false
    const isNamed = row.status === 'open' && row.paymentIntentId === paymentIntentId
    if (row.status !== 'creating' && !isNamed) return false
    this.#table.set({ ...row, paymentIntentId, status: 'open' })
    return true
  }

  async find(paymentIntentId: string): Promise<TopUpIntent | undefined> {
    for (const row of this.#table.rows.values())
      if (row.paymentIntentId === paymentIntentId) return intentOf(row)
    return undefined
  }

  async adopt(payment: AdoptedPayment): Promise<TopUpIntent | undefined> {
    const { paymentIntentId, amountMinor, currencyCode } = payment
    const { topUpId, walletId, clientId } = payment.tag
    if (!isUuid(topUpId) || !isUuid(walletId)) return undefined
    if (!this.#table.knows(walletId, clientId)) return undefined
    const nowMs = this.#clock.now()
    const checkAtMs = nowMs + intentCheckMs
    const row = this.#table.rows.get(topUpId)
    if (row === undefined) {
      const named = { topUpId, paymentIntentId, walletId: walletId as WalletId, clientId }
      const times = { createdMs: nowMs, checks: 0, checkAtMs }
      const state = { status: 'open', isProcessing: false, isFailed: false, ...times } as const
      return intentOf(this.#table.set({ ...named, amountMinor, currencyCode, ...state }))
    }
    if (row.walletId !== walletId) return undefined
    if (row.paymentIntentId !== undefined && row.paymentIntentId !== paymentIntentId)
      return undefined
    const status = row.status === 'paid' ? 'paid' : 'open'
    return intentOf(this.#table.set({ ...row, paymentIntentId, status, checkAtMs }))
  }

  async end(topUpId: string, status: 'paid' | 'cancelled'): Promise<void> {
    const row = this.#table.rows.get(topUpId)
    if (row === undefined || row.status === status || row.status === 'paid') return
    const checkAtMs = status === 'paid' ? this.#clock.now() + paidCheckMs : undefined
    this.#table.set({ ...row, status, checks: 0, checkAtMs, isProcessing: false })
  }

  async setProcessing(topUpId: string, isProcessing: boolean): Promise<void> {
    const row = this.#table.rows.get(topUpId)
    if (row?.status !== 'open') return
    this.#table.set({ ...row, isProcessing, isFailed: row.isFailed && !isProcessing })
  }

  async noteFailure(topUpId: string): Promise<void> {
    const row = this.#table.rows.get(topUpId)
    if (row !== undefined && row.status !== 'paid') this.#table.set({ ...row, isFailed: true })
  }

  async pendingOf(walletId: WalletId): Promise<PendingTopUp[]> {
    return [...this.#table.rows.values()]
      .filter((row) => row.walletId === walletId && row.isProcessing)
      .sort((one, other) => other.createdMs - one.createdMs)
      .slice(0, pendingTopUpsMax)
      .map(({ paymentIntentId = '', amountMinor, createdMs }) => {
        return { paymentIntentId, amountMinor, createdMs }
      })
  }

  async openOf(walletId: WalletId): Promise<string[]> {
    return [...this.#table.rows.values()]
      .filter((row) => row.walletId === walletId && row.status === 'open' && !row.isProcessing)
      .sort((one, other) => one.createdMs - other.createdMs)
      .slice(0, supersededIntentsMax)
      .flatMap(({ paymentIntentId }) => (paymentIntentId === undefined ? [] : [paymentIntentId]))
  }

  async giveUpCreating(topUpId: string): Promise<void> {
    const row = this.#table.rows.get(topUpId)
    if (row?.status === 'creating')
      this.#table.set({ ...row, status: 'cancelled', checkAtMs: undefined })
  }

  async claimDue(): Promise<TopUpIntent[]> {
    const nowMs = this.#clock.now()
    const due = [...this.#table.rows.values()].flatMap((row) =>
      row.checkAtMs !== undefined && row.checkAtMs <= nowMs ? [{ row, at: row.checkAtMs }] : [],
    )
    return due
      .sort((one, other) => one.at - other.at)
      .slice(0, intentBatchRows)
      .map(({ row }) => ({ ...row, checkAtMs: nowMs + intentLeaseMs, checks: row.checks + 1 }))
      .map((row) => intentOf(this.#table.set(row)))
  }

  async checkAt(topUpId: string, atMs: number | undefined): Promise<void> {
    const row = this.#table.rows.get(topUpId)
    if (row !== undefined) this.#table.set({ ...row, checkAtMs: atMs })
  }
}

const dayMs = 24 * 60 * 60_000

function intentOf(row: IntentRow): TopUpIntent {
  const { checkAtMs: _, ...intent } = row
  return intent
}
