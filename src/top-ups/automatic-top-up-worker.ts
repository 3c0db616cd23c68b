/**
 * Tops wallets up by their rules: looks which are below their threshold, charges the saved card
 * while nobody is there, and counts how it ended. The payment is made, named in its row and then
 * charged, and ends in the one `settle`, as every other. Promises: an inactive, closed or erased
 * wallet is never charged, nor one that a bank is at; after a crash a try is cancelled or booked,
 * never charged again; bounded rounds; any number of processes may work at once.
 * Never: decides by the read models alone; the authoritative read does. A debit waits for nothing.
 */
import { findBelow } from '../../projections/queries/top-ups.js'
import type { WalletId } from '../domain/ids.js'
import { balanceMaxMinor, type Currency } from '../domain/money.js'
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { isUniqueViolation, type Pool } from '../platform/postgres.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { AutomaticTopUp, AutomaticTopUps } from './automatic-top-ups.js'
import type { OpenTry, UntoldEnd } from './automatic-top-ups.js'
import type { CardProcessor } from './card-processor.js'
import {
  automaticAtOnceMax,
  automaticLookMs,
  automaticPageRows,
  automaticPagesMax,
  automaticRetryMaxMs,
  automaticRetryMs,
  automaticSweepMs,
  automaticTellTriesMax,
} from './limits.js'
import type { SavedCards } from './saved-cards.js'
import type { TopUpIntents } from './top-up-intents.js'
import type { TopUps } from './top-up.js'

export interface AutomaticTopUpWorkerParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly currency: Currency
  readonly reader: Pick<WalletReader, 'read'>
  readonly rules: AutomaticTopUps
  readonly intents: TopUpIntents
  readonly topUps: TopUps
  readonly savedCards: SavedCards
  readonly processor: CardProcessor
  /** Tells somebody that refusals have switched their rule off; rejects when it could not. */
  readonly tellSwitchedOff: (serviceUserId: string) => Promise<void>
}

type Try = Pick<OpenTry, 'rule' | 'topUpId' | 'paymentIntentId'>

export class AutomaticTopUpWorker {
  readonly #parts: AutomaticTopUpWorkerParts
  readonly #rounds: RepeatingWork
  /** Where the last round stopped, when there were more rules than a round looks at. */
  #after = lowestWalletId

  constructor(parts: AutomaticTopUpWorkerParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#rounds = new RepeatingWork({
      clock,
      pauseMs: automaticSweepMs,
      round: (signal) => this.sweep(signal),
      onFault: (err) => log.warn({ err }, 'automatic top-ups were not looked for; they come later'),
    })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** One round; how many wallets it found below their threshold. */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { rules } = this.#parts
    await this.#eachOf(await rules.claimOpen(), (open) => this.#end(open))
    const found = await this.#beginDue(signal)
    await this.#eachOf(await rules.claimUntold(), (untold) => this.#tell(untold))
    return found
  }

  /** At least once: a crash after the mail and before its note sends it again. */
  async #tell({ walletId, serviceUserId, tries }: UntoldEnd): Promise<void> {
    const { rules, tellSwitchedOff, log } = this.#parts
    try {
      await tellSwitchedOff(serviceUserId)
      await rules.tellAgain(walletId, undefined)
    } catch (err) {
      const isLast = tries >= automaticTellTriesMax
      log[isLast ? 'error' : 'warn']({ err, tries }, 'a mail about a top-up was not sent')
      const bounds = { fromMs: automaticRetryMs, toMs: automaticRetryMaxMs }
      await rules.tellAgain(walletId, isLast ? undefined : doubledMs(tries, bounds))
    }
  }

  async #beginDue(signal: AbortSignal | undefined): Promise<number> {
    const { rules, pool } = this.#parts
    let found = 0
    for (let page = 0; page < automaticPagesMax && signal?.aborted !== true; page += 1) {
      const due = await rules.dueAfter(this.#after)
      const below = new Set(due.length === 0 ? [] : await findBelow(pool, due))
      found += below.size
      const chosen = due.filter(({ walletId }) => below.has(walletId))
      await this.#eachOf(chosen, (rule) => this.#try(rule))
      this.#after = due.at(-1)?.walletId ?? lowestWalletId
      if (due.length < automaticPageRows) {
        this.#after = lowestWalletId
        break
      }
    }
    return found
  }

  /** A few at once; what one fails with holds no other up, and its lease brings it back. */
  async #eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const { log } = this.#parts
    for (let start = 0; start < items.length; start += automaticAtOnceMax) {
      const some = items.slice(start, start + automaticAtOnceMax)
      const all = some.map((item) =>
        work(item).catch((err: unknown) => log.warn({ err }, 'an automatic top-up waits')),
      )
      await Promise.all(all)
    }
  }

  async #try(rule: AutomaticTopUp): Promise<void> {
    const { rules } = this.#parts
    const { walletId } = rule
    if (!(await this.#isNeeded(rule))) return
    const begun = await rules.begin(walletId).catch((error: unknown) => {
      // One of before the account was closed and opened again is still under way.
      if (isUniqueViolation(error)) return { kind: 'day over' } as const
      throw error
    })
    if (begun.kind === 'day over') await rules.putOff(walletId, automaticRetryMaxMs)
    if (begun.kind === 'begun') await this.#charge(begun)
  }

  /** Also not while a bank is at a top-up: that one may be enough. */
  async #isNeeded({ walletId, thresholdMinor, amountMinor }: AutomaticTopUp): Promise<boolean> {
    const { reader, topUps } = this.#parts
    // Before the wallet: what is booked in between is seen as both and never as neither.
    const pending = await topUps.pendingOf(walletId)
    const wallet = await reader.read(walletId, { limit: 0 })
    const { balanceMinor, heldMinor, isActive } = wallet
    if (!isActive || pending.length > 0) return false
    if (balanceMinor + amountMinor > balanceMaxMinor) return false
    return balanceMinor - heldMinor < thresholdMinor
  }

  async #charge({ topUpId, rule }: { topUpId: string; rule: AutomaticTopUp }): Promise<void> {
    const { processor, intents, rules, savedCards, currency } = this.#parts
    const { walletId, clientId, amountMinor, serviceUserId, cardId = '' } = rule
    const order = { topUpId, walletId, clientId, amountMinor, currency }
    const { paymentIntentId } = await processor.createIntent(order)
    await intents.open(topUpId, paymentIntentId)
    const intent = await intents.find(paymentIntentId)
    // Read after the row names the payment: who switches off cancels what has a name by then.
    const isWanted = intent?.status === 'open' && (await rules.isWanted(walletId, topUpId))
    if (isWanted) {
      const chargeKey = `${topUpId}-charge`
      await savedCards.charge({ serviceUserId, cardId, intent, isPersonThere: false, chargeKey })
    }
    await this.#end({ rule, topUpId, paymentIntentId })
  }

  /** What became of a try: booked, refused, or never charged; a bank's work is waited for. */
  async #end({ rule, topUpId, paymentIntentId }: Try): Promise<void> {
    const { intents, topUps, rules } = this.#parts
    const counted = { rule, topUpId }
    if (paymentIntentId === undefined) {
      await intents.giveUpCreating(topUpId)
      await rules.count(counted, 'untried')
      return
    }
    let settled = await topUps.settle(paymentIntentId)
    // Nobody is there to pay it in another way.
    if (settled?.status === 'requires_payment') settled = await topUps.cancel(paymentIntentId)
    switch (settled?.status) {
      case 'booked':
        await rules.count(counted, 'paid')
        return
      case 'processing':
        await rules.putOff(rule.walletId, automaticLookMs)
        return
      case 'requires_payment':
        return
      case 'failed':
      case undefined: {
        const isRefused = (await intents.find(paymentIntentId))?.isFailed === true
        await rules.count(counted, isRefused ? 'refused' : 'untried')
      }
    }
  }
}

const lowestWalletId = '00000000-0000-0000-0000-000000000000' as WalletId
