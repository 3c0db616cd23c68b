/**
 * Sends what is left of a balance back to the cards that paid it in, when its person asks for it.
 * In this order: a row; the wallet is lessened by what it has of it; the processor is asked. So the
 * money can be spent nowhere while it is on its way, and a crash after any step is gone on from.
 * The refund carries the return's id, under which `settle` finds it booked already
 * (docs/decisions/0025-money-back-to-cards.md).
 * Promises: each return is taken once and refunded or given back once; what the processor refuses
 * is the person's again. Never: asks for a refund that was refused, or gives back one it made.
 */
import { entryIdOf, type Issuer, type WalletId } from '../domain/ids.js'
import type { Reference } from '../domain/reference.js'
import { failedRefundReference, refundReference } from '../domain/top-up-references.js'
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import type { Log } from '../platform/log.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { RollOut } from '../platform/roll-out.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { WalletWriter } from '../writing/wallet-writer.js'
import { ProcessorUnavailableError } from './card-processor.js'
import type { Payment, RefundingProcessor } from './card-processor.js'
import type { CardReturn, CardReturnRows, PlannedReturn } from './card-return-rows.js'
import {
  processorDeadlineMs,
  returnLooksAtOnceMax,
  returnPauseMaxMs,
  returnPauseMs,
  returnSweepMs,
  returnTriesMax,
} from './limits.js'
import type { TopUps } from './top-up.js'

export interface CardReturnsParts {
  readonly rows: CardReturnRows
  readonly processor: RefundingProcessor
  readonly topUps: Pick<TopUps, 'settle'>
  readonly reader: Pick<WalletReader, 'read'>
  readonly writer: Pick<WalletWriter, 'execute'>
  readonly rollOut: Pick<RollOut, 'isFinished'>
  readonly clock: Clock
  readonly log: Log
}

/** What became of what was asked for. */
export interface Returned {
  /** The processor has taken the refund. */
  readonly sentMinor: number
  /** It has not: the money is in the wallet again. */
  readonly refusedMinor: number
  /** Not known yet: neither in the wallet nor refunded, and tried again. */
  readonly waitingMinor: number
}

export class CardReturns {
  readonly #parts: CardReturnsParts
  readonly #rounds: RepeatingWork

  constructor(parts: CardReturnsParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#rounds = new RepeatingWork({
      clock,
      pauseMs: returnSweepMs,
      round: () => this.sweep(),
      onFault: (err) => log.warn({ err }, 'card returns were not looked at; the next round is'),
    })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** What could go back now. Throws ProcessorUnavailableError. */
  async offer(walletId: WalletId): Promise<number> {
    const plan = await this.#plan(walletId)
    return plan.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  }

  /** How many are under way. */
  countOpen(walletId: WalletId): Promise<number> {
    return this.#parts.rows.countOpen(walletId)
  }

  /** All that can go back. Throws ProcessorUnavailableError, and then nothing has begun. */
  async send(walletId: WalletId): Promise<Returned> {
    const { rows, clock } = this.#parts
    const plannedMs = clock.now()
    const plan = await this.#plan(walletId)
    const begun = plan.length === 0 ? [] : await rows.begin(walletId, { plan, plannedMs })
    const worked = Promise.all(begun.map((each) => this.#work(each)))
    // Who waits is told in time; what is not done by then is done by whoever comes next.
    await within(worked, { clock, limitMs: processorDeadlineMs, onLate: () => undefined })
    return returnedOf(await rows.since(walletId, plannedMs))
  }

  /** One round; how many it worked on. */
  async sweep(): Promise<number> {
    const due = await this.#parts.rows.claimDue()
    await Promise.all(due.map((each) => this.#work(each)))
    return due.length
  }

  async #plan(walletId: WalletId): Promise<PlannedReturn[]> {
    const { rows, reader, clock, rollOut } = this.#parts
    // A process of the release before would book such a refund a second time.
    if (!(await rollOut.isFinished())) return []
    const { balanceMinor, heldMinor, isActive } = await reader.read(walletId, { limit: 0 })
    const leftMinor = isActive ? balanceMinor - heldMinor : 0
    if (leftMinor <= 0) return []
    const onLate = (): never => {
      throw new ProcessorUnavailableError('the card processor took too long')
    }
    const planned = this.#planOf(await rows.paidOf(walletId), leftMinor)
    return within(planned, { clock, limitMs: processorDeadlineMs, onLate })
  }

  /** The processor says what each payment has left: refunds of support are known only there. */
  async #planOf(payments: readonly string[], availableMinor: number): Promise<PlannedReturn[]> {
    const { processor } = this.#parts
    const plan: PlannedReturn[] = []
    let leftMinor = availableMinor
    for (let next = 0; next < payments.length && leftMinor > 0; next += returnLooksAtOnceMax) {
      const group = payments.slice(next, next + returnLooksAtOnceMax)
      const looked = await Promise.all(group.map((id) => processor.fetchPayment(id)))
      for (const payment of looked) {
        const amountMinor = Math.min(leftMinor, payment === undefined ? 0 : refundable(payment))
        if (payment === undefined || amountMinor === 0) continue
        plan.push({ paymentIntentId: payment.paymentIntentId, amountMinor })
        leftMinor -= amountMinor
      }
    }
    return plan
  }

  async #work(one: CardReturn): Promise<void> {
    const { rows, clock, log } = this.#parts
    const { returnId, tries } = one
    try {
      const onLate = (): never => {
        throw new ProcessorUnavailableError('a return took too long')
      }
      await within(this.#step(one), { clock, limitMs: returnPauseMs / 2, onLate })
    } catch (err) {
      const level = tries >= returnTriesMax ? 'error' : 'warn'
      log[level]({ err, returnId, tries }, 'money could not go back to a card now: tried again')
      const bounds = { fromMs: returnPauseMs, toMs: returnPauseMaxMs }
      // Lost with the database: then the lease ends by itself.
      await rows.putOff(returnId, doubledMs(tries - 1, bounds)).catch(() => undefined)
    }
  }

  async #step(one: CardReturn): Promise<void> {
    const { rows, topUps } = this.#parts
    const { returnId, paymentIntentId } = one
    const takenMinor = await this.#book('ReturnTopUp', one, refundReference(returnId))
    if (takenMinor === 0) return rows.end(one, { status: 'nothing', takenMinor })
    if (one.status === 'open' && (await this.#ask(one, takenMinor))) {
      // A refund that has failed at once is given back here, as every other.
      await topUps.settle(paymentIntentId)
      return rows.end(one, { status: 'sent', takenMinor })
    }
    // First: once any of it is back in the wallet nobody may ask for it any more.
    await rows.refuse(returnId)
    const given = { ...one, amountMinor: takenMinor }
    await this.#book('ReinstateTopUp', given, failedRefundReference(returnId))
    return rows.end(one, { status: 'refused', takenMinor })
  }

  /** Whether the processor has the refund. A key is forgotten after a day: so it looks first. */
  async #ask(one: CardReturn, amountMinor: number): Promise<boolean> {
    const { processor } = this.#parts
    const { returnId, paymentIntentId, tries } = one
    const payment = await processor.fetchPayment(paymentIntentId)
    if (payment?.refunds.some((refund) => refund.returnId === returnId) === true) return true
    // The last asking is a day ago, and nothing came of any: it is given back.
    if (payment === undefined || tries > returnTriesMax) return false
    return (await processor.refund({ paymentIntentId, returnId, amountMinor })) === 'accepted'
  }

  /** How much the entry is of: at most the return's amount, and the same at every repeat. */
  async #book(
    type: 'ReturnTopUp' | 'ReinstateTopUp',
    { walletId, amountMinor }: CardReturn,
    reference: Reference,
  ): Promise<number> {
    const entryId = entryIdOf({ issuer, walletId, reference })
    const command = { type, entryId, issuer, reference, amountMinor }
    return (await this.#parts.writer.execute(walletId, command)).outcome.amountMinor
  }
}

const issuer: Issuer = 'service'

/** Nothing of what is disputed: a bank decides about it. */
function refundable({ status, receivedMinor, refunds, disputes }: Payment): number {
  if (status !== 'succeeded') return 0
  const movements = disputes.flatMap((dispute) => dispute.movements)
  const withdrawnMinor = movements.reduce(
    (sum, { kind, amountMinor }) => sum + (kind === 'withdrawn' ? amountMinor : -amountMinor),
    0,
  )
  if (withdrawnMinor > 0) return 0
  const refunded = refunds.filter((refund) => refund.status !== 'failed')
  return Math.max(
    0,
    receivedMinor - refunded.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
  )
}

function returnedOf(returns: readonly CardReturn[]): Returned {
  const sumOf = (...statuses: readonly CardReturn['status'][]): number =>
    returns
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { amountMinor, takenMinor }) => sum + (takenMinor ?? amountMinor), 0)
  return {
    sentMinor: sumOf('sent'),
    refusedMinor: sumOf('refused'),
    waitingMinor: sumOf('open', 'refusing'),
  }
}
