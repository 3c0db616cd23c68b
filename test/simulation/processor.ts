/**
 * A simulated card processor: payments that succeed at once, later or never, refunds that may fail
 * after they have succeeded, disputes that withdraw and give back. What it holds is true, whatever
 * our side has heard of it; `bookings` says what the ledger must hold of it in the end.
 */
import { reference } from '../../src/domain/reference.js'
import type { Reference } from '../../src/domain/reference.js'
import { ProcessorUnavailableError } from '../../src/top-ups/card-processor.js'
import type {
  CardProcessor,
  CreatedIntent,
  IntentOrder,
  Payment,
  TopUpTag,
} from '../../src/top-ups/card-processor.js'
import { processorTimeoutMs } from '../../src/top-ups/limits.js'
import type { Line } from './network.js'

interface RefundState {
  readonly refundId: string
  readonly amountMinor: number
  status: 'pending' | 'succeeded' | 'failed'
}

interface MovementState {
  readonly movementId: string
  readonly kind: 'withdrawn' | 'reinstated'
  readonly amountMinor: number
}

export interface PaymentState {
  readonly paymentIntentId: string
  readonly tag: TopUpTag
  readonly amountMinor: number
  readonly currencyCode: string
  status: Payment['status']
  readonly refunds: RefundState[]
  readonly disputes: { readonly disputeId: string; readonly movements: MovementState[] }[]
}

export class SimulatedProcessor {
  readonly payments = new Map<string, PaymentState>()
  /** Somebody ought to be told. */
  onChange: (payment: PaymentState) => void = () => undefined
  readonly #byTopUp = new Map<string, PaymentState>()

  /** As one process reaches it. */
  view(line: Line): CardProcessor {
    const ask = <T>(work: () => T): Promise<T> =>
      line.call({ work, lost, timeoutMs: processorTimeoutMs, mayArriveTwice: true })
    return {
      name: 'sandbox',
      createIntent: (order) => ask(() => this.#create(order)),
      fetchPayment: (paymentIntentId) => ask(() => this.#fetch(paymentIntentId)),
      cancelIntent: (paymentIntentId) => ask(() => this.#cancel(paymentIntentId)),
      readWebhook: () => {
        throw new Error('webhooks are delivered as hints here')
      },
    }
  }

  /** What the person's browser does. False: it cannot be paid any more. */
  pay(paymentIntentId: string, status: 'succeeded' | 'processing'): boolean {
    const payment = this.payments.get(paymentIntentId)
    if (payment?.status !== 'unpaid') return false
    payment.status = status
    this.onChange(payment)
    return true
  }

  /** What was under way at the bank succeeds. */
  complete(payment: PaymentState): void {
    if (payment.status !== 'processing') return
    payment.status = 'succeeded'
    this.onChange(payment)
  }

  refund(payment: PaymentState, amountMinor: number): RefundState {
    const refundId = `re_${payment.paymentIntentId}_${payment.refunds.length}`
    const refund: RefundState = { refundId, amountMinor, status: 'pending' }
    payment.refunds.push(refund)
    this.onChange(payment)
    return refund
  }

  moveRefund(payment: PaymentState, refund: RefundState, status: 'succeeded' | 'failed'): void {
    refund.status = status
    this.onChange(payment)
  }

  dispute(payment: PaymentState, kind: 'withdrawn' | 'reinstated'): void {
    const { paymentIntentId, amountMinor } = payment
    const disputeId = `dp_${paymentIntentId}`
    let [dispute] = payment.disputes
    if (dispute === undefined) {
      dispute = { disputeId, movements: [] }
      payment.disputes.push(dispute)
    }
    const { movements } = dispute
    movements.push({ movementId: `${kind}-${movements.length}`, kind, amountMinor })
    this.onChange(payment)
  }

  #create(order: IntentOrder): CreatedIntent {
    const { topUpId, walletId, clientId, amountMinor, currency } = order
    let payment = this.#byTopUp.get(topUpId)
    if (payment === undefined) {
      payment = {
        paymentIntentId: `pi_${this.payments.size + 1}`,
        tag: { topUpId, walletId, clientId },
        amountMinor,
        currencyCode: currency.code,
        status: 'unpaid',
        refunds: [],
        disputes: [],
      }
      this.#byTopUp.set(topUpId, payment)
      this.payments.set(payment.paymentIntentId, payment)
    }
    return { paymentIntentId: payment.paymentIntentId, paymentSecret: 'secret' }
  }

  /** A copy: what is on its way does not change. */
  #fetch(paymentIntentId: string): Payment | undefined {
    const payment = this.payments.get(paymentIntentId)
    if (payment === undefined) return undefined
    return {
      ...payment,
      receivedMinor: payment.status === 'succeeded' ? payment.amountMinor : 0,
      failure: undefined,
      refunds: payment.refunds.map((refund) => ({ ...refund })),
      disputes: payment.disputes.map(({ disputeId, movements }) => ({
        disputeId,
        movements: [...movements],
      })),
    }
  }

  #cancel(paymentIntentId: string): void {
    const payment = this.payments.get(paymentIntentId)
    if (payment?.status === 'unpaid') payment.status = 'cancelled'
  }
}

export interface ExpectedBooking {
  readonly reference: Reference
  readonly type: 'WalletToppedUp' | 'TopUpReversed' | 'TopUpReinstated'
  readonly amountMinor: number
  /** Of a refund that has failed: either both are booked or none is. */
  readonly onlyWith?: Reference
}

/** What the ledger may hold of a payment, and holds once everybody has heard of it. */
export function bookingsOf(payment: PaymentState): ExpectedBooking[] {
  if (payment.status !== 'succeeded') return []
  const { paymentIntentId, amountMinor } = payment
  const taken = { type: 'TopUpReversed', amountMinor } as const
  const given = { type: 'TopUpReinstated', amountMinor } as const
  const bookings: ExpectedBooking[] = [
    { reference: reference('TOPUP', paymentIntentId), type: 'WalletToppedUp', amountMinor },
  ]
  for (const refund of payment.refunds) {
    const reversal = reference('TOPUP_REFUND', refund.refundId)
    const failed = reference('TOPUP_REFUND_FAILED', refund.refundId)
    const part = { amountMinor: refund.amountMinor }
    if (refund.status === 'succeeded') bookings.push({ ...taken, ...part, reference: reversal })
    if (refund.status !== 'failed') continue
    bookings.push({ ...taken, ...part, reference: reversal, onlyWith: failed })
    bookings.push({ ...given, ...part, reference: failed, onlyWith: reversal })
  }
  for (const { disputeId, movements } of payment.disputes)
    for (const kind of ['withdrawn', 'reinstated'] as const)
      for (const [index, { movementId }] of movements.filter((m) => m.kind === kind).entries()) {
        const id = index === 0 ? disputeId : `${disputeId}/${movementId}`
        const label = kind === 'withdrawn' ? 'TOPUP_DISPUTE' : 'TOPUP_DISPUTE_REINSTATED'
        bookings.push({
          ...(kind === 'withdrawn' ? taken : given),
          reference: reference(label, id),
        })
      }
  return bookings
}

function lost(): Error {
  return new ProcessorUnavailableError('the processor did not answer')
}
