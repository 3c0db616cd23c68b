/**
 * The card processor by Stripe's API, through Stripe's own library: the one adapter, for Stripe and
 * for the sandbox, which speaks the same API. Promises: version pinned, an idempotency key an
 * intent, bounded retries and time-outs, webhooks over the raw bytes with a replay window.
 * Never: passes on an error of the library, which may hold what was sent.
 */
import { Stripe } from 'stripe'
import { invariant } from '../domain/invariant.js'
import {
  paymentPartsMax,
  processorRetriesMax,
  processorTimeoutMs,
  webhookToleranceSeconds,
} from './limits.js'
import type { Clock } from '../platform/clock.js'
import {
  AmountRefusedError,
  ProcessorUnavailableError,
  WebhookRefusedError,
  type CardProcessor,
  type ChargeAnswer,
  type CreatedIntent,
  type CustomerOrder,
  type Dispute,
  type DisputeMovement,
  type IntentAssignment,
  type IntentOrder,
  type Payment,
  type ProcessorCard,
  type ProcessorName,
  type Refund,
  type RefundingProcessor,
  type RefundOrder,
  type SavedCardCharge,
  type SavedCardProcessor,
  type SignedWebhook,
  type TopUpTag,
  type WebhookHint,
} from './card-processor.js'
import { stripeApiVersion } from './stripe-version.js'

export interface StripeOptions {
  readonly name: ProcessorName
  readonly secretKey: string
  readonly webhookSecret: string
  /** The origin of another server that speaks the same API. */
  readonly apiBase?: string | undefined
  readonly clock: Clock
  /** Shorter in tests. */
  readonly timeoutMs?: number
}

export class StripeProcessor implements CardProcessor, SavedCardProcessor, RefundingProcessor {
  readonly name: ProcessorName
  readonly #options: StripeOptions
  readonly #stripe: Stripe

  constructor(options: StripeOptions) {
    this.name = options.name
    this.#options = options
    this.#stripe = new Stripe(options.secretKey, {
      apiVersion: stripeApiVersion,
      maxNetworkRetries: processorRetriesMax,
      timeout: options.timeoutMs ?? processorTimeoutMs,
      telemetry: false,
      ...(options.apiBase !== undefined && addressOf(options.apiBase)),
    })
  }

  async createIntent(order: IntentOrder): Promise<CreatedIntent> {
    const { topUpId, walletId, clientId, amountMinor, currency } = order
    // Holds for every currency of the table; another rule would need a conversion here.
    invariant(currency.decimals === currency.processorExponent, 'minor units are the processor’s')
    const intent = await asking(() =>
      this.#stripe.paymentIntents.create(
        {
          amount: amountMinor,
          currency: currency.code,
          allowed_payment_method_types: ['card'],
          description: 'Wallet top-up',
          metadata: { top_up_id: topUpId, wallet_id: walletId, client_id: clientId },
        },
        { idempotencyKey: topUpId },
      ),
    )
    if (intent.client_secret === null) throw new ProcessorUnavailableError('an intent lacks parts')
    return { paymentIntentId: intent.id, paymentSecret: intent.client_secret }
  }

  async fetchPayment(paymentIntentId: string): Promise<Payment | undefined> {
    const intent = await orMissing(() => this.#stripe.paymentIntents.retrieve(paymentIntentId))
    if (intent === undefined) return undefined
    const status = statusOf(intent.status)
    // Nothing can be refunded or disputed before it was paid.
    const [refunds, disputes] = status === 'succeeded' ? await this.#partsOf(intent.id) : [[], []]
    return {
      paymentIntentId: intent.id,
      status,
      currencyCode: intent.currency,
      amountMinor: intent.amount,
      receivedMinor: status === 'succeeded' ? intent.amount_received : 0,
      tag: tagOf(intent.metadata),
      failure: failureOf(intent),
      paymentMethodId: idOf(intent.payment_method),
      refunds,
      disputes,
    }
  }

  async cancelIntent(paymentIntentId: string): Promise<void> {
    try {
      await this.#stripe.paymentIntents.cancel(paymentIntentId)
    } catch (error) {
      // Paid or cancelled in between: looking at it again tells which.
      if (codeOf(error) === 'payment_intent_unexpected_state') return
      throw translated(error)
    }
  }

  readWebhook({ body, signature }: SignedWebhook): WebhookHint {
    const nowMs = this.#options.clock.now()
    refuseFromTheFuture(signature, nowMs)
    try {
      const event = this.#stripe.webhooks.constructEvent(
        body,
        signature ?? '',
        this.#options.webhookSecret,
        webhookToleranceSeconds,
        undefined,
        nowMs,
      )
      return hintOf(event)
    } catch {
      // The library's error holds the whole body: it ends here.
      throw new WebhookRefusedError('the webhook is not signed, or too long ago')
    }
  }

  async createCustomer({ customerKey, walletId }: CustomerOrder): Promise<string> {
    const order = { metadata: { wallet_id: walletId } }
    const options = { idempotencyKey: customerKey }
    return (await asking(() => this.#stripe.customers.create(order, options))).id
  }

  async removeCustomer(customerId: string): Promise<void> {
    await orMissing(() => this.#stripe.customers.del(customerId))
  }

  async fetchCard(paymentMethodId: string): Promise<ProcessorCard | undefined> {
    const method = await orMissing(() => this.#stripe.paymentMethods.retrieve(paymentMethodId))
    return method && cardOf(method)
  }

  async removeCard(paymentMethodId: string): Promise<void> {
    // Looked at first: what is detached already is refused by no code of its own.
    const card = await this.fetchCard(paymentMethodId)
    if (card?.customerId === undefined) return
    await orMissing(() => this.#stripe.paymentMethods.detach(paymentMethodId))
  }

  async assignIntent(paymentIntentId: string, to: IntentAssignment): Promise<void> {
    await asking(() =>
      this.#stripe.paymentIntents.update(paymentIntentId, {
        customer: to.customerId,
        setup_future_usage: to.savesCard ? 'off_session' : '',
      }),
    )
  }

  async chargeIntent(paymentIntentId: string, by: SavedCardCharge): Promise<ChargeAnswer> {
    const whom = by.isPersonThere ? { use_stripe_sdk: true } : { off_session: true }
    try {
      const intent = await this.#stripe.paymentIntents.confirm(
        paymentIntentId,
        { payment_method: by.paymentMethodId, ...whom },
        { idempotencyKey: by.chargeKey },
      )
      return chargeAnswerOf(intent)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal !== undefined) return refusal
      throw translated(error)
    }
  }

  async refund(order: RefundOrder): Promise<'accepted' | 'refused'> {
    const { paymentIntentId, returnId, amountMinor } = order
    try {
      await this.#stripe.refunds.create(
        {
          payment_intent: paymentIntentId,
          amount: amountMinor,
          metadata: { return_id: returnId },
        },
        { idempotencyKey: returnId },
      )
      return 'accepted'
    } catch (error) {
      if (isRefusedForGood(error)) return 'refused'
      throw translated(error)
    }
  }

  #partsOf(paymentIntentId: string): Promise<[Refund[], Dispute[]]> {
    const ofPayment = { payment_intent: paymentIntentId, limit: 100 }
    return Promise.all([
      everyOne(this.#stripe.refunds.list(ofPayment), refundOf),
      everyOne(this.#stripe.disputes.list(ofPayment), disputeOf),
    ])
  }
}

function addressOf(apiBase: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(apiBase)
  const isSecure = protocol === 'https:'
  return {
    // The library takes an IPv6 address without its brackets.
    host: hostname.replace(/^\[(.+)\]$/, '$1'),
    port: port === '' ? (isSecure ? '443' : '80') : port,
    protocol: isSecure ? 'https' : 'http',
  }
}

/** Every page, or an error: a sum over half of the refunds would be a wrong balance. */
async function everyOne<Part, Read>(
  list: Stripe.ApiListPromise<Part>,
  read: (part: Part) => Read,
): Promise<Read[]> {
  const parts = await asking(() => list.autoPagingToArray({ limit: paymentPartsMax + 1 }))
  if (parts.length > paymentPartsMax)
    throw new ProcessorUnavailableError(`a payment has more than ${paymentPartsMax} parts`)
  return parts.map(read)
}

async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw translated(error)
  }
}

async function orMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (codeOf(error) === 'resource_missing') return undefined
    throw translated(error)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Stripe.errors.StripeError ? error.code : undefined
}

function translated(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const { type, code, statusCode, requestId } = error
  if (code === 'amount_too_small' || code === 'amount_too_large')
    return new AmountRefusedError(code)
  const details = [type, code, statusCode, requestId].filter((part) => part !== undefined)
  return new ProcessorUnavailableError(`the card processor did not help: ${details.join(' ')}`)
}

const statuses: ReadonlyMap<string, Payment['status']> = new Map([
  ['succeeded', 'succeeded'],
  ['canceled', 'cancelled'],
  ['processing', 'processing'],
])

/** Whatever else there is or comes to be, nothing was paid yet. */
function statusOf(status: Stripe.PaymentIntent.Status): Payment['status'] {
  return statuses.get(status) ?? 'unpaid'
}

function failureOf({ status, last_payment_error: error }: Stripe.PaymentIntent) {
  if (status !== 'requires_payment_method' || error === null) return undefined
  return error.message ?? 'The card was not accepted.'
}

function idOf(object: string | { readonly id: string } | null): string | undefined {
  return (typeof object === 'string' ? object : object?.id) ?? undefined
}

/** Undefined for what is no card. */
function cardOf({ id, card, customer }: Stripe.PaymentMethod): ProcessorCard | undefined {
  if (card === undefined) return undefined
  return {
    paymentMethodId: id,
    customerId: idOf(customer),
    fingerprint: card.fingerprint ?? id,
    brand: card.brand,
    lastFour: card.last4,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
  }
}

function chargeAnswerOf(intent: Stripe.PaymentIntent): ChargeAnswer {
  const { status, last_payment_error: error } = intent
  const known = (['succeeded', 'processing', 'requires_action'] as const).find((s) => s === status)
  return known === undefined ? declined(error?.code, error?.message) : { status: known }
}

/** A bank's no, and what ends as one: the card is gone, or nobody is there to approve it. */
function refusalOf(error: unknown): ChargeAnswer | undefined {
  if (error instanceof Stripe.errors.StripeCardError) return declined(error.code, error.message)
  const code = codeOf(error)
  if (code === 'resource_missing') return declined(code, 'This card is not saved any more.')
  // Paid, or under way, by whoever was faster: looking at it tells which.
  return code === 'payment_intent_unexpected_state' ? { status: 'processing' } : undefined
}

function declined(code = 'card_declined', message = 'The card was not accepted.'): ChargeAnswer {
  return { status: 'declined', code, message }
}

/** The payment cannot be refunded, by this much or at all; no asking again would change that. */
function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false
  const isAboutPayment = error.statusCode === 400 || error.statusCode === 404
  return isAboutPayment && !passingCodes.has(error.code ?? '')
}

/** Our own account is short of money, or somebody is at the same payment. */
const passingCodes: ReadonlySet<string> = new Set([
  'balance_insufficient',
  'insufficient_funds',
  'lock_timeout',
])

function tagOf(metadata: Stripe.Metadata): TopUpTag | undefined {
  const { top_up_id: topUpId, wallet_id: walletId, client_id: clientId } = metadata
  if (topUpId === undefined || walletId === undefined || clientId === undefined) return undefined
  return { topUpId, walletId, clientId }
}

function refundOf({ id, amount, status, metadata }: Stripe.Refund): Refund {
  const returnId = metadata?.['return_id']
  return { refundId: id, returnId, amountMinor: amount, status: refundStatusOf(status) }
}

function refundStatusOf(status: string | null): Refund['status'] {
  if (status === 'succeeded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

function disputeOf(dispute: Stripe.Dispute): Dispute {
  const movements = [...dispute.balance_transactions]
    .sort((one, other) => one.created - other.created || compareText(one.id, other.id))
    .filter(({ amount }) => amount !== 0)
    .map((transaction): DisputeMovement => {
      // The account may settle in another currency; the dispute itself is in the payment's.
      const isSame = transaction.currency === dispute.currency
      return {
        movementId: transaction.id,
        kind: transaction.amount < 0 ? 'withdrawn' : 'reinstated',
        amountMinor: isSame ? Math.abs(transaction.amount) : dispute.amount,
      }
    })
  return { disputeId: dispute.id, movements }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** The library looks only at how old a signature is; one from tomorrow would be good till then. */
function refuseFromTheFuture(signature: string | undefined, nowMs: number): void {
  const [, seconds] = /(?:^|,)t=(\d{1,15})(?:,|$)/.exec(signature ?? '') ?? []
  if (Number(seconds ?? 0) > nowMs / 1_000 + webhookToleranceSeconds)
    throw new WebhookRefusedError('the webhook was signed in the future')
}

/** Payment intents by their own id; charges, refunds and disputes name theirs. */
function hintOf(event: { readonly type: string; readonly data?: unknown }): WebhookHint {
  const object = member(member(event, 'data'), 'object')
  const isIntent = member(object, 'object') === 'payment_intent'
  const named = isIntent ? object : member(object, 'payment_intent')
  const id = typeof named === 'string' ? named : member(named, 'id')
  return { type: event.type, paymentIntentId: typeof id === 'string' ? id : undefined }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
