/**
 * What an audit asks about payments: the rows of intents, and the card processor's own word.
 * Promises: answers in time; a processor that is not there, is another one, or does not answer is
 * told as unable. Never: changes a row, or opens a processor before it is asked for one.
 */
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import type { Pool } from '../platform/postgres.js'
import type { CardProcessor } from './card-processor.js'
import { ProcessorUnavailableError } from './card-processor.js'
import { processorDeadlineMs } from './limits.js'
import { readIntents } from './top-up-intents.js'

export interface PaymentRecordsParts {
  readonly pool: Pool
  readonly clock: Clock
  /** Asked when it is needed; undefined: none is configured. */
  readonly processor: () => Promise<CardProcessor | undefined>
}

export class PaymentRecords {
  readonly #parts: PaymentRecordsParts

  constructor(parts: PaymentRecordsParts) {
    this.#parts = parts
  }

  /** By payment; one without a row is left out. */
  async readIntents(paymentIntentIds: readonly string[]) {
    const rows = await readIntents(this.#parts.pool, paymentIntentIds)
    return new Map(
      rows.map(({ paymentIntentId, walletId, amountMinor, status, processor }) => [
        paymentIntentId ?? '',
        { walletId, amountMinor, isPaid: status === 'paid', processor },
      ]),
    )
  }

  async askProcessor({
    paymentIntentId,
    processor: name,
  }: {
    readonly paymentIntentId: string
    readonly processor: string | undefined
  }) {
    const { clock } = this.#parts
    const processor = await this.#parts.processor()
    if (processor === undefined || (name ?? processor.name) !== processor.name) return unable
    try {
      const onLate = () => unable
      const asked = processor.fetchPayment(paymentIntentId)
      const payment = await within(asked, { clock, limitMs: processorDeadlineMs, onLate })
      if (payment === undefined) return { kind: 'unknown' } as const
      if ('kind' in payment) return payment
      const { status, receivedMinor, tag } = payment
      const paidMinor = status === 'succeeded' ? receivedMinor : 0
      return { kind: 'payment', walletId: tag?.walletId, receivedMinor: paidMinor } as const
    } catch (error) {
      if (error instanceof ProcessorUnavailableError) return unable
      throw error
    }
  }
}

const unable = { kind: 'unable' } as const
