/**
 * The port to the card processor: what the service asks of it and the words it answers in.
 * Promises of every adapter: one intent an order, however often it is asked for (`topUpId` is the
 * key); a payment is read whole, with all of its refunds and disputes, or not at all; amounts are
 * in minor units of the deployment's currency; a webhook is believed only with a fresh signature,
 * and then only as a hint which payment to look at. A saved card is charged in two steps, so that
 * its payment is known here before a bank can be asked; what came of it `fetchPayment` says.
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

/** The other half of the port, for cards that stay with the processor. */
export interface SavedCardProcessor {
  readonly name: ProcessorName
  /** The same key gives the same customer. */
  createCustomer(order: CustomerOrder): Promise<string>
  /** With all of its cards; one that is not there is removed already. */
  removeCustomer(customerId: string): Promise<void>
  /** Undefined when the processor knows no such card. */
  fetchCard(paymentMethodId: string): Promise<ProcessorCard | undefined>
  /** It can never be charged again; one that is not there is removed already. */
  removeCard(paymentMethodId: string): Promise<void>
  /** Whose it is, and whether the card that pays it stays with them. */
  assignIntent(paymentIntentId: string, to: IntentAssignment): Promise<void>
  /** Charges a saved card of the intent's customer. */
  chargeIntent(paymentIntentId: string, by: SavedCardCharge): Promise<ChargeAnswer>
}

/** The third part of the port: money goes back to the card that paid it. */
export interface RefundingProcessor extends Pick<CardProcessor, 'name' | 'fetchPayment'> {
  /**
   * Two askings for one return are one refund, at least for a day; later a look at the payment
   * tells. `refused`: none was made, and none will be. Throws ProcessorUnavailableError.
   */
  refund(order: RefundOrder): Promise<'accepted' | 'refused'>
}

export interface RefundOrder {
  readonly paymentIntentId: string
  readonly returnId: string
  readonly amountMinor: number
}

export interface CustomerOrder {
  readonly customerKey: string
  readonly walletId: string
}

/** By what a person recognises a card; never its number. */
export interface CardFace {
  readonly brand: string
  readonly lastFour: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

export interface ProcessorCard extends CardFace {
  readonly paymentMethodId: string
  /** Undefined while it belongs to nobody: then it cannot be charged. */
  readonly customerId: string | undefined
  /** The same for the same card, however often it was typed. */
  readonly fingerprint: string
}

export interface IntentAssignment {
  readonly customerId: string
  readonly savesCard: boolean
}

export interface SavedCardCharge {
  readonly paymentMethodId: string
  /** The person is there to approve it; without them a bank that asks has declined. */
  readonly isPersonThere: boolean
  /** Two askings with one key are one. */
  readonly chargeKey: string
}

/** What the processor said at once. */
export type ChargeAnswer =
  | { readonly status: 'succeeded' | 'processing' | 'requires_action' }
  | { readonly status: 'declined'; readonly code: string; readonly message: string }

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
  /** What pays it, or tried to; undefined before that. */
  readonly paymentMethodId?: string | undefined
  readonly refunds: readonly Refund[]
  readonly disputes: readonly Dispute[]
}

export interface Refund {
  readonly refundId: string
  /** On what this service asked for itself (card-returns.ts). */
  readonly returnId?: string | undefined
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
