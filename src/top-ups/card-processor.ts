/**
 * The port to the card processor: what the service asks of it and the words it answers in.
 * Promises of every adapter: one intent an order, however often it is asked for (`topUpId` is the
 * key); a payment is read whole, with all of its refunds and disputes, or not at all; amounts are
 * in minor units of the deployment's currency; a webhook is believed only with a fresh signature,
 * and then only as a hint which payment to look at.
 */
import type { Currency } from '../domain/money.js'

export interface CardProcessor {
  /** Whose intents these are: another processor's are none of its business. */
  readonly name: ProcessorName
  /** Throws AmountRefusedError and ProcessorUnavailableError. */
  createIntent(order: IntentOrder): Promise<CreatedIntent>
  /** Undefined when the processor knows no such payment. Throws ProcessorUnavailableError. */
  fetchPayment(paymentIntentId: string): Promise<Payment | undefined>
  /** Nobody can pay it any more; one that is paid, under way or cancelled stays as it is. */
  cancelIntent(paymentIntentId: string): Promise<void>
  /** Throws WebhookRefusedError. */
  readWebhook(webhook: SignedWebhook): WebhookHint
}

/** Where webhooks arrive, the sandbox's too. */
export const webhookPath = '/api/webhooks/stripe'

export type ProcessorName = 'stripe' | 'sandbox'

export interface IntentOrder extends TopUpTag {
  readonly amountMinor: number
  readonly currency: Currency
}

/** What an intent carries at the processor, so that it can always be told whose it is. */
export interface TopUpTag {
  readonly topUpId: string
  readonly walletId: string
  readonly clientId: string
}

export interface CreatedIntent {
  readonly paymentIntentId: string
  /** What the processor's library in the browser needs to pay this intent, and nothing else. */
  readonly paymentSecret: string
}

export interface Payment {
  readonly paymentIntentId: string
  readonly status: 'unpaid' | 'processing' | 'succeeded' | 'cancelled'
  readonly currencyCode: string
  /** What was asked for. */
  readonly amountMinor: number
  /** 0 until it has succeeded; refunds do not lessen it. */
  readonly receivedMinor: number
  /** Missing on payments that are not ours. */
  readonly tag: TopUpTag | undefined
  /** Why the last try failed, for people. */
  readonly failure: string | undefined
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
}

export interface Refund {
  readonly refundId: string
  readonly amountMinor: number
  /** `failed`: the money is back with us, also when it had succeeded before. */
  readonly status: 'pending' | 'succeeded' | 'failed'
}

/** A dispute is nothing but the money that it moved: opened, won and lost move none. */
export interface Dispute {
  readonly disputeId: string
  /** Oldest first. */
  readonly movements: readonly DisputeMovement[]
}

export interface DisputeMovement {
  readonly movementId: string
  readonly kind: 'withdrawn' | 'reinstated'
  readonly amountMinor: number
}

export interface SignedWebhook {
  /** The bytes as they came: the signature covers them and not their meaning. */
  readonly body: Buffer
  readonly signature: string | undefined
}

export interface WebhookHint {
  readonly type: string
  /** Undefined for what is about no payment. */
  readonly paymentIntentId: string | undefined
}

/** The processor did not answer, or not usefully: the same question may be asked again. */
export class ProcessorUnavailableError extends Error {
  override readonly name = 'ProcessorUnavailableError'
}

/** The processor takes no payments of this amount: too small or too large for the currency. */
export class AmountRefusedError extends Error {
  override readonly name = 'AmountRefusedError'
}

/** Not signed by the processor, or too long ago, or no event at all. */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError'
}
