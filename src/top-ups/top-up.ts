/**
 * Top-ups: makes an intent to pay, and books what came of it. Confirm, webhook and sweeper all end
 * in the one `settle`: it asks the processor for payment, refunds and disputes and books each of
 * them under a reference of its own (docs/reference/top-ups.md).
 * Promises: each exactly once, in whatever order, however often and from however many processes it
 * is called; a top-up before what reverses it. Never: books a difference of sums, believes a
 * webhook's body or a browser, or asks whether the wallet is active: the money has moved already.
 */
import { entryIdOf, isUuid, type Issuer, type WalletId } from '../domain/ids.js'
import { invariant } from '../domain/invariant.js'
import type { Currency } from '../domain/money.js'
import type { Reference } from '../domain/reference.js'
import {
  disputeReference,
  failedRefundReference,
  refundReference,
  topUpReference,
} from '../domain/top-up-references.js'
import { processorDeadlineMs, settlementRoundsMax, settlementsAtOnceMax } from './limits.js'
import { ProcessorUnavailableError } from './card-processor.js'
import type { CardProcessor, CreatedIntent, Dispute, Payment, Refund } from './card-processor.js'
import type { IntentRows, NewIntent, PendingTopUp, TopUpIntent } from './top-up-intents.js'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import type { Log } from '../platform/log.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { WalletWriter } from '../writing/wallet-writer.js'

export interface TopUpParts {
  readonly processor: CardProcessor
  readonly intents: IntentRows
  readonly writer: WalletWriter
  readonly reader: Pick<WalletReader, 'findEntry'>
  readonly currency: Currency
  readonly dayMaximumMinor: number
  /** Told of a booked payment at every look at it; what it fails with is logged, nothing more. */
  readonly onPaid?: (intent: TopUpIntent, payment: Payment) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

export interface Settlement {
  readonly intent: TopUpIntent
  /** `failed`: it can never be paid; after a failed try it is `requires_payment` again. */
  readonly status: 'requires_payment' | 'processing' | 'booked' | 'failed'
  /** What was received once it is booked, what was asked for before. */
  readonly amountMinor: number
  /** Why the last try failed, for people. */
  readonly failure: string | undefined
}

export type CreatedTopUp =
  | (CreatedIntent & { readonly kind: 'created' })
  | { readonly kind: 'over-limit'; readonly leftMinor: number }

export class TopUps {
  readonly #parts: TopUpParts
  /** By payment: the settlement under way, and the one that waits behind it. */
  readonly #running = new Map<string, Running>()

  constructor(parts: TopUpParts) {
    this.#parts = parts
  }

  /** Throws AmountRefusedError and ProcessorUnavailableError; then nobody can pay anything. */
  async create(order: Omit<NewIntent, 'currencyCode'>): Promise<CreatedTopUp> {
    return this.#inTime(this.#create(order))
  }

  /** The row of a payment, whoever asks: the caller compares the wallet. */
  async find(paymentIntentId: string): Promise<TopUpIntent | undefined> {
    return this.#parts.intents.find(paymentIntentId)
  }

  /** What banks are at, as it was last seen: no money of the wallet yet. */
  async pendingOf(walletId: WalletId): Promise<PendingTopUp[]> {
    return this.#parts.intents.pendingOf(walletId)
  }

  /** Undefined: not a payment of ours. Throws ProcessorUnavailableError; repeating is harmless. */
  async settle(paymentIntentId: string): Promise<Settlement | undefined> {
    const running = this.#running.get(paymentIntentId)
    if (running === undefined) return this.#inTime(this.#start(paymentIntentId))
    // What runs may have looked before the caller's payment came: it joins the one after that.
    const again = () => this.#start(paymentIntentId)
    running.next ??= running.current.then(again, again)
    return this.#inTime(running.next)
  }

  /** Makes sure that nobody pays it any more, and books it if somebody was faster. */
  async cancel(paymentIntentId: string): Promise<Settlement | undefined> {
    await this.#parts.processor.cancelIntent(paymentIntentId)
    return this.settle(paymentIntentId)
  }

  /** Nobody can pay any of a wallet's open forms after this; what was paid is booked. */
  async cancelOpen(walletId: WalletId): Promise<void> {
    const open = await this.#parts.intents.openOf(walletId)
    await Promise.all(open.map((paymentIntentId) => this.cancel(paymentIntentId)))
  }

  async #create(order: Omit<NewIntent, 'currencyCode'>): Promise<CreatedTopUp> {
    const { intents, processor, currency, dayMaximumMinor } = this.#parts
    const intent = { ...order, currencyCode: currency.code }
    let begun = await intents.begin(intent, { dayMaximumMinor })
    if (begun.kind === 'over-limit' && begun.open.length > 0) {
      // Forms that were opened and left alone must not use up the day.
      await Promise.all(begun.open.map((superseded) => this.cancel(superseded)))
      begun = await intents.begin(intent, { dayMaximumMinor })
    }
    if (begun.kind === 'over-limit') return { kind: 'over-limit', leftMinor: begun.leftMinor }
    const { topUpId } = begun
    try {
      const created = await processor.createIntent({ ...order, topUpId, currency })
      if (await intents.open(topUpId, created.paymentIntentId))
        return { kind: 'created', ...created }
    } catch (error) {
      // Whether the processor made one or not, nobody has its secret. If this fails too, the
      // sweeper ends the row.
      await intents.giveUpCreating(topUpId).catch(() => undefined)
      throw error
    }
    throw new ProcessorUnavailableError('the top-up had ended before the processor answered')
  }

  async #start(paymentIntentId: string): Promise<Settlement | undefined> {
    const isNext = this.#running.has(paymentIntentId)
    if (!isNext && this.#running.size >= settlementsAtOnceMax)
      throw new ProcessorUnavailableError('too many payments are being looked at')
    const running: Running = {
      current: this.#settle(paymentIntentId).finally(() => {
        if (running.next === undefined) this.#running.delete(paymentIntentId)
      }),
    }
    this.#running.set(paymentIntentId, running)
    return running.current
  }

  async #settle(paymentIntentId: string): Promise<Settlement | undefined> {
    const { processor, intents, currency, log } = this.#parts
    let intent = await intents.find(paymentIntentId)
    for (let round = 1; ; round += 1) {
      const payment = await processor.fetchPayment(paymentIntentId)
      if (payment === undefined) return undefined
      intent ??= payment.tag && (await intents.adopt({ ...payment, tag: payment.tag }))
      if (intent === undefined) {
        this.#leave(payment)
        return undefined
      }
      invariant(payment.currencyCode === currency.code, 'a payment is in the wallet’s currency')
      const mayHaveMoved = await this.#book(intent, payment)
      if (!mayHaveMoved || round === settlementRoundsMax) {
        if (mayHaveMoved) log.warn('a payment changes as fast as it is booked; the sweeper goes on')
        return this.#finish(intent, payment)
      }
    }
  }

  /** Not ours: another use of the same account, or another deployment with the same keys. */
  #leave({ tag, status, paymentIntentId }: Payment): void {
    if (tag !== undefined && status === 'succeeded')
      this.#parts.log.warn({ paymentIntentId }, 'a paid top-up belongs to no wallet here')
  }

  /**
   * True when a refund was booked just now. It may have failed since it was looked at, and whoever
   * saw it fail found nothing to reinstate yet: so whoever books one looks again.
   */
  async #book(intent: TopUpIntent, payment: Payment): Promise<boolean> {
    if (payment.status !== 'succeeded') return false
    let mayHaveMoved = false
    for (const booking of bookingsOf(payment)) {
      const { onlyIfBooked } = booking
      if (onlyIfBooked !== undefined && !(await this.#isBooked(intent, onlyIfBooked))) continue
      const isNew = await this.#execute(intent, booking)
      mayHaveMoved ||= isNew && booking.mayFail === true
    }
    return mayHaveMoved
  }

  async #isBooked({ walletId }: TopUpIntent, booked: Reference): Promise<boolean> {
    const entryId = entryIdOf({ issuer, walletId, reference: booked })
    return (await this.#parts.reader.findEntry(walletId, entryId)) !== undefined
  }

  /** True when it was not booked before. */
  async #execute({ walletId }: TopUpIntent, booking: Booking): Promise<boolean> {
    const { type, amountMinor } = booking
    const entryId = entryIdOf({ issuer, walletId, reference: booking.reference })
    const command = { type, entryId, issuer, reference: booking.reference, amountMinor }
    const { replayed, outcome } = await this.#parts.writer.execute(walletId, command)
    if (outcome.amountMinor !== amountMinor)
      this.#parts.log.error(
        { ...booking.reference, booked: outcome.amountMinor, told: amountMinor },
        'the processor tells another amount than the one that is booked',
      )
    return !replayed
  }

  async #finish(intent: TopUpIntent, payment: Payment): Promise<Settlement> {
    const { intents } = this.#parts
    const { amountMinor } = intent
    switch (payment.status) {
      case 'succeeded':
        await intents.end(intent.topUpId, 'paid')
        await this.#tellPaid(intent, payment)
        return settlement(intent, 'booked', payment.receivedMinor)
      case 'cancelled':
        if (intent.isProcessing) await this.#noteFailure(intent)
        await intents.end(intent.topUpId, 'cancelled')
        return settlement(intent, 'failed', amountMinor, cancelledText)
      case 'processing':
        if (!intent.isProcessing) await intents.setProcessing(intent.topUpId, true)
        return settlement(intent, 'processing', amountMinor)
      case 'unpaid':
        if (payment.failure !== undefined) await this.#noteFailure(intent)
        if (intent.isProcessing) await intents.setProcessing(intent.topUpId, false)
        return settlement(intent, 'requires_payment', amountMinor, payment.failure)
    }
  }

  async #tellPaid(intent: TopUpIntent, payment: Payment): Promise<void> {
    const { onPaid, log } = this.#parts
    await onPaid?.(intent, payment).catch((err: unknown) =>
      log.warn({ err, topUpId: intent.topUpId }, 'a card was not saved; the next look tries again'),
    )
  }

  /** Once a failure, so that client apps are told once. */
  async #noteFailure({ topUpId, isFailed }: TopUpIntent): Promise<void> {
    if (!isFailed) await this.#parts.intents.noteFailure(topUpId)
  }

  /** Who waits is told in time; the work goes on, and the next call finds what it did. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    const onLate = (): never => {
      throw new ProcessorUnavailableError('the card processor took too long')
    }
    return within(work, { clock: this.#parts.clock, limitMs: processorDeadlineMs, onLate })
  }
}

interface Running {
  readonly current: Promise<Settlement | undefined>
  next?: Promise<Settlement | undefined>
}

const issuer: Issuer = 'service'

const cancelledText = 'This top-up was cancelled and nothing was taken. Start a new one.'

interface Booking {
  readonly type: 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp'
  readonly reference: Reference
  readonly amountMinor: number
  /** Booked only after this one: what was never taken cannot be given back. */
  readonly onlyIfBooked?: Reference
  /** What it says may be taken back without a trace in the next look at the payment. */
  readonly mayFail?: boolean
}

/** In the order in which they are booked; their references are for ever. */
function bookingsOf(payment: Payment): Booking[] {
  const { paymentIntentId, receivedMinor } = payment
  return [
    { type: 'TopUp', reference: topUpReference(paymentIntentId), amountMinor: receivedMinor },
    ...payment.refunds.flatMap((refund) => refundBookings(refund, nameOf(payment, refund))),
    ...payment.disputes.flatMap(disputeBookings),
  ]
}

/**
 * What this service asked for is booked under the id of its return, before the processor has made
 * an id (card-returns.ts). Only the oldest refund of a return: another one is money too.
 */
function nameOf({ refunds }: Payment, { refundId, returnId }: Refund): string {
  if (returnId === undefined || !isUuid(returnId)) return refundId
  // Newest first.
  const oldest = refunds.findLast((refund) => refund.returnId === returnId)
  return oldest?.refundId === refundId ? returnId : refundId
}

function refundBookings({ amountMinor, status }: Refund, name: string): Booking[] {
  const reversal = refundReference(name)
  if (status === 'succeeded')
    return [{ type: 'ReverseTopUp', reference: reversal, amountMinor, mayFail: true }]
  if (status === 'pending') return []
  const reinstated = failedRefundReference(name)
  return [{ type: 'ReinstateTopUp', reference: reinstated, amountMinor, onlyIfBooked: reversal }]
}

function disputeBookings({ disputeId, movements }: Dispute): Booking[] {
  return (['withdrawn', 'reinstated'] as const).flatMap((kind) =>
    movements
      .filter((movement) => movement.kind === kind)
      .map(({ movementId, amountMinor }, index): Booking => {
        const of = index === 0 ? { disputeId } : { disputeId, furtherId: movementId }
        const type = kind === 'withdrawn' ? 'ReverseTopUp' : 'ReinstateTopUp'
        return { type, reference: disputeReference(kind, of), amountMinor }
      }),
  )
}

function settlement(
  intent: TopUpIntent,
  status: Settlement['status'],
  amountMinor: number,
  failure?: string,
): Settlement {
  return { intent, status, amountMinor, failure }
}
