/**
 * Holds top-ups to their intents and payments: the service's own row vouches for a top-up when it
 * names this wallet and this amount and is paid. Another wallet's row is a contradiction. In every
 * other case the card processor has the word: it may know a payment whose row was lost, or one that
 * was booked a moment ago.
 * Promises: a processor that cannot be asked accuses nobody; what it could not be asked about is
 * counted.
 */
import { walletIdOfStream } from '../../domain/ids.js'
import type { Reference } from '../../domain/reference.js'
import { paymentOf } from '../../domain/top-up-references.js'
import type { EventPlace } from '../../event-store/event-store.js'
import type { Clock } from '../../platform/clock.js'
import { paymentsAskedMax, paymentsAskingMs } from '../limits.js'
import { diverges } from './divergence.js'
import { placeOf } from './wallet-fold.js'

/** What is known of payments outside of the ledger (src/top-ups/payment-records.ts). */
export interface PaymentRecords {
  /** By payment; one without a row is left out. */
  readIntents(paymentIntentIds: readonly string[]): Promise<ReadonlyMap<string, IntentFacts>>
  /** `processor`: whose payment it is by its row; the configured one's when left out. */
  askProcessor(payment: {
    readonly paymentIntentId: string
    readonly processor: string | undefined
  }): Promise<ProcessorAnswer>
}

export interface IntentFacts {
  readonly walletId: string
  readonly amountMinor: number
  readonly isPaid: boolean
  readonly processor: string
}

export type ProcessorAnswer =
  | {
      readonly kind: 'payment'
      /** Undefined: a payment that is not ours. */
      readonly walletId: string | undefined
      /** 0 while it is not paid. */
      readonly receivedMinor: number
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unable' }

/** A top-up as its event tells it. */
export interface ToppedUp {
  readonly reference: Reference
  readonly amountMinor: number
  readonly place: EventPlace
}

export class TopUpCheck {
  readonly #clock: Clock
  readonly #payments: PaymentRecords
  #doubtful: Doubtful[] = []
  #unchecked = 0

  constructor({ clock, payments }: { readonly clock: Clock; readonly payments: PaymentRecords }) {
    this.#clock = clock
    this.#payments = payments
  }

  get unchecked(): number {
    return this.#unchecked
  }

  async compare(toppedUp: readonly ToppedUp[]): Promise<void> {
    const doubtful = await this.#withoutVoucher(toppedUp.map(withPayment))
    const room = paymentsAskedMax - this.#doubtful.length
    this.#doubtful.push(...doubtful.slice(0, room))
    this.#unchecked += Math.max(doubtful.length - room, 0)
  }

  /** Once, at the end: rows of what was booked a moment ago are paid by then. */
  async askAboutTheRest(): Promise<void> {
    const doubtful = await this.#withoutVoucher(this.#doubtful)
    this.#doubtful = []
    const untilMs = this.#clock.now() + paymentsAskingMs
    for (const [index, topUp] of doubtful.entries()) {
      const { paymentIntentId, intent } = topUp
      const { processor } = intent ?? {}
      const answer =
        this.#clock.now() > untilMs
          ? unable
          : await this.#payments.askProcessor({ paymentIntentId, processor })
      // Whoever cannot answer now will not answer the others either.
      if (answer.kind === 'unable') {
        this.#unchecked += doubtful.length - index
        return
      }
      const told = contradiction(topUp, answer)
      if (told !== undefined)
        diverges('top-up', placeOf(topUp.place), `${doubtOf(topUp)}, and the processor ${told}`)
    }
  }

  /** Those of which no row says that this wallet paid this amount. */
  async #withoutVoucher(toppedUp: readonly Doubtful[]): Promise<Doubtful[]> {
    if (toppedUp.length === 0) return []
    const ids = toppedUp.map(({ paymentIntentId }) => paymentIntentId)
    const intents = await this.#payments.readIntents(ids)
    const doubtful: Doubtful[] = []
    for (const topUp of toppedUp) {
      const intent = intents.get(topUp.paymentIntentId)
      if (intent !== undefined && intent.walletId !== walletOf(topUp))
        diverges('top-up', placeOf(topUp.place), `has the intent of wallet ${intent.walletId}`)
      const isVouchedFor = intent?.isPaid === true && intent.amountMinor === topUp.amountMinor
      if (!isVouchedFor) doubtful.push({ ...topUp, intent })
    }
    return doubtful
  }
}

interface Doubtful extends ToppedUp {
  readonly paymentIntentId: string
  readonly intent: IntentFacts | undefined
}

const unable = { kind: 'unable' } as const

function withPayment(toppedUp: ToppedUp): Doubtful {
  const paymentIntentId = paymentOf(toppedUp.reference)
  if (paymentIntentId === undefined)
    return diverges('top-up', placeOf(toppedUp.place), 'names no payment')
  return { ...toppedUp, paymentIntentId, intent: undefined }
}

function walletOf({ place }: ToppedUp): string {
  return walletIdOfStream(place.stream)
}

function doubtOf({ intent }: Doubtful): string {
  if (intent === undefined) return 'has no intent'
  if (!intent.isPaid) return 'has an intent that is not paid'
  return `has an intent of ${intent.amountMinor} (minor units)`
}

/** What the processor says against the top-up, as the rest of a sentence. */
function contradiction(
  topUp: ToppedUp,
  answer: Exclude<ProcessorAnswer, { readonly kind: 'unable' }>,
): string | undefined {
  if (answer.kind === 'unknown') return 'knows no such payment'
  if (answer.walletId === undefined) return 'knows it as a payment for no wallet'
  if (answer.walletId !== walletOf(topUp)) return `knows it as one for wallet ${answer.walletId}`
  if (answer.receivedMinor !== topUp.amountMinor)
    return `says that ${answer.receivedMinor} was received (minor units)`
  return undefined
}
