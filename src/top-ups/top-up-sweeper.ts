/**
 * Looks at top-ups that nobody has told us about: paid while the webhook was lost, left alone, or
 * refunded and disputed later. Promises: bounded batches, longer and longer pauses, an end; an
 * intent that nobody pays is cancelled, so that it no longer counts; any number of processes may
 * sweep at once. Never: decides anything about money; that is `settle`.
 */
import {
  intentBatchesMax,
  intentBatchRows,
  intentCheckMaxMs,
  intentCheckMs,
  intentGiveUpMs,
  intentOpenMs,
  intentSweepMs,
  paidCheckedForMs,
  paidCheckMs,
} from './limits.js'
import type { IntentRows, TopUpIntent } from './top-up-intents.js'
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { Settlement, TopUps } from './top-up.js'

export interface TopUpSweeperParts {
  readonly topUps: TopUps
  readonly intents: IntentRows
  readonly clock: Clock
  readonly log: Log
}

export class TopUpSweeper {
  readonly #parts: TopUpSweeperParts
  readonly #rounds: RepeatingWork

  constructor(parts: TopUpSweeperParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#rounds = new RepeatingWork({
      clock,
      pauseMs: intentSweepMs,
      round: (signal) => this.sweep(signal),
      onFault: (err) => log.warn({ err }, 'top-ups were not looked at; the next round tries again'),
    })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** One round; how many it looked at. */
  async sweep(signal?: AbortSignal): Promise<number> {
    let looked = 0
    for (let batch = 0; batch < intentBatchesMax; batch += 1) {
      const due = await this.#parts.intents.claimDue()
      for (const intent of due) {
        // What is left of the batch is free again when its lease ends.
        if (signal?.aborted === true) return looked
        await this.#look(intent)
        looked += 1
      }
      if (due.length < intentBatchRows) break
    }
    return looked
  }

  async #look(intent: TopUpIntent): Promise<void> {
    const { intents, log } = this.#parts
    const { topUpId, paymentIntentId } = intent
    // Its creation was cut off long ago, and nobody got a secret to pay it with.
    if (paymentIntentId === undefined) return intents.giveUpCreating(topUpId)
    let status: Settlement['status'] | undefined
    try {
      status = await this.#settle(intent, paymentIntentId)
    } catch (err) {
      log.warn({ err, topUpId }, 'a top-up could not be looked at now')
    }
    const nextMs = this.#nextCheck(intent, status)
    if (nextMs === undefined && status !== 'booked' && status !== 'failed')
      log.error({ topUpId, paymentIntentId }, 'a top-up has no end; it is not looked at any more')
    await intents.checkAt(topUpId, nextMs)
  }

  async #settle(
    intent: TopUpIntent,
    paymentIntentId: string,
  ): Promise<Settlement['status'] | undefined> {
    const { topUps, clock } = this.#parts
    const settled = await topUps.settle(paymentIntentId)
    const isLeftAlone = clock.now() - intent.createdMs >= intentOpenMs
    if (settled?.status !== 'requires_payment' || !isLeftAlone) return settled?.status
    return (await topUps.cancel(paymentIntentId))?.status
  }

  /** Undefined: never. A status that could not be learned is looked for again. */
  #nextCheck(intent: TopUpIntent, status: Settlement['status'] | undefined): number | undefined {
    const nowMs = this.#parts.clock.now()
    const { createdMs, checks } = intent
    if (status === 'failed') return undefined
    if (status === 'booked') {
      const wasPaid = intent.status === 'paid'
      const times = wasPaid ? checks : 0
      const nextMs = nowMs + doubledMs(times, { fromMs: paidCheckMs, toMs: paidCheckedForMs })
      return nextMs - createdMs > paidCheckedForMs ? undefined : nextMs
    }
    const waitedForMs = intent.status === 'paid' ? paidCheckedForMs : intentGiveUpMs
    if (nowMs - createdMs > waitedForMs) return undefined
    const nextMs = nowMs + doubledMs(checks, { fromMs: intentCheckMs, toMs: intentCheckMaxMs })
    const leftAloneMs = createdMs + intentOpenMs
    return leftAloneMs > nowMs ? Math.min(nextMs, leftAloneMs) : nextMs
  }
}
