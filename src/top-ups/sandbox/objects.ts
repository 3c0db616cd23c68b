/**
 * The sandbox's rows as the objects of Stripe's API: those fields that our adapter and Stripe's
 * library read. Pure.
 */
import { stripeApiVersion } from '../stripe-version.js'

export interface IntentRow {
  readonly id: string
  readonly secret: string
  readonly amount: number
  readonly amount_received: number
  readonly currency: string
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly status: IntentRowStatus
  readonly failure_code: string | null
  readonly failure_message: string | null
  readonly created_at: Date
  readonly customer_id: string | null
  readonly setup_future_usage: string | null
  readonly payment_method_id: string | null
}

export interface MethodRow {
  readonly id: string
  readonly customer_id: string | null
  readonly card_number: string
  readonly exp_month: number
  readonly exp_year: number
}

export type IntentRowStatus =
  | 'requires_payment_method'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled'

export interface RefundRow {
  readonly id: string
  readonly payment_intent_id: string
  readonly amount: number
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly created_at: Date
  readonly currency: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface DisputeRow {
  readonly id: string
  readonly payment_intent_id: string
  readonly amount: number
  readonly status: 'needs_response' | 'won' | 'lost'
  readonly created_at: Date
  readonly currency: string
  readonly movements: readonly MovementRow[]
}

export interface MovementRow {
  readonly id: string
  readonly amount: number
  /** Seconds since 1970. */
  readonly created: number
}

export function intentObject(row: IntentRow) {
  return {
    id: row.id,
    object: 'payment_intent',
    amount: row.amount,
    amount_received: row.amount_received,
    client_secret: row.secret,
    created: seconds(row.created_at),
    currency: row.currency,
    customer: row.customer_id,
    description: row.description,
    last_payment_error: row.failure_code && {
      type: 'card_error',
      code: row.failure_code,
      message: row.failure_message,
    },
    latest_charge: row.status === 'succeeded' ? chargeIdOf(row.id) : null,
    livemode: false,
    metadata: row.metadata,
    payment_method: row.payment_method_id,
    payment_method_types: ['card'],
    setup_future_usage: row.setup_future_usage,
    status: row.status,
  }
}

export function methodObject(row: MethodRow) {
  return {
    id: row.id,
    object: 'payment_method',
    card: {
      // Every test card is one of this brand.
      brand: 'visa',
      exp_month: row.exp_month,
      exp_year: row.exp_year,
      fingerprint: `fp_${row.card_number}`,
      last4: row.card_number.slice(-4),
    },
    customer: row.customer_id,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

export function customerObject(id: string, { isDeleted }: { readonly isDeleted: boolean }) {
  return { id, object: 'customer', livemode: false, ...(isDeleted && { deleted: true }) }
}

export function chargeObject(row: IntentRow, refundedMinor: number) {
  return {
    id: chargeIdOf(row.id),
    object: 'charge',
    amount: row.amount,
    amount_refunded: refundedMinor,
    currency: row.currency,
    livemode: false,
    payment_intent: row.id,
    refunded: refundedMinor >= row.amount,
  }
}

export function refundObject(row: RefundRow) {
  return {
    id: row.id,
    object: 'refund',
    amount: row.amount,
    charge: chargeIdOf(row.payment_intent_id),
    created: seconds(row.created_at),
    currency: row.currency,
    metadata: row.metadata,
    payment_intent: row.payment_intent_id,
    status: row.status,
  }
}

export function disputeObject(row: DisputeRow) {
  return {
    id: row.id,
    object: 'dispute',
    amount: row.amount,
    balance_transactions: row.movements.map((movement) => ({
      ...movement,
      object: 'balance_transaction',
      currency: row.currency,
      fee: 0,
      net: movement.amount,
      source: row.id,
      type: 'adjustment',
    })),
    charge: chargeIdOf(row.payment_intent_id),
    created: seconds(row.created_at),
    currency: row.currency,
    livemode: false,
    metadata: {},
    payment_intent: row.payment_intent_id,
    reason: 'fraudulent',
    status: row.status,
  }
}

export function eventObject(event: {
  readonly id: string
  readonly type: string
  readonly nowMs: number
  readonly object: object
}) {
  return {
    id: event.id,
    object: 'event',
    api_version: stripeApiVersion,
    created: Math.floor(event.nowMs / 1_000),
    data: { object: event.object },
    livemode: false,
    pending_webhooks: 1,
    type: event.type,
  }
}

function chargeIdOf(paymentIntentId: string): string {
  return paymentIntentId.replace(/^pi_/, 'ch_')
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}
