/**
 * Top-ups with everything they need: the processor of the configuration, the rows of the intents,
 * what books them and what looks after them.
 * States: open → started (sweeping, and the sandbox delivers its webhooks) → stopped → closed.
 */
import type { Currency } from '../domain/money.js'
import { AutomaticTopUps } from './automatic-top-ups.js'
import { AutomaticTopUpWorker } from './automatic-top-up-worker.js'
import type { CardProcessor } from './card-processor.js'
import { CardRemovals } from './card-removals.js'
import { CardReturnRows } from './card-return-rows.js'
import { CardReturns } from './card-returns.js'
import type { PaymentsConfig } from './payments-config.js'
import { openPayments } from './payments.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { SavedCards, type CardNews } from './saved-cards.js'
import { TopUpIntents } from './top-up-intents.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { RollOut } from '../platform/roll-out.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import { TopUpSweeper } from './top-up-sweeper.js'
import { TopUps } from './top-up.js'
import type { WalletWriter } from '../writing/wallet-writer.js'

export interface TopUpParts {
  /** All undefined when payments are off. */
  readonly processor: CardProcessor | undefined
  readonly topUps: TopUps | undefined
  readonly savedCards: SavedCards | undefined
  readonly automaticTopUps: AutomaticTopUps | undefined
  readonly cardReturns: CardReturns | undefined
  readonly sandbox: Sandbox | undefined
  /** `serviceOrigin`: where this very process listens. */
  start(serviceOrigin: string): void
  /** Before the service stops to listen. */
  stop(): Promise<void>
  /** After it. */
  close(): Promise<void>
}

export async function openTopUps(
  config: PaymentsConfig,
  ledger: {
    readonly pool: Pool
    readonly writer: WalletWriter
    readonly reader: WalletReader
    readonly currency: Currency
    readonly clock: Clock
    readonly random: Random
    readonly log: Log
    /** What people are told about their cards; rejects when it could not be sent. */
    readonly tellCardNews: (news: CardNews) => Promise<void>
  },
): Promise<TopUpParts> {
  const payments = await openPayments(config, ledger)
  const { processor } = payments
  if (processor === undefined) return { ...payments, ...nothing }
  const { dayMaximumMinor } = config
  const intents = new TopUpIntents({ ...ledger, processor: processor.name })
  const removals = new CardRemovals({ ...ledger, processor })
  // Not awaited, as most mails: what was done is done.
  const tell = (news: CardNews): void =>
    void ledger
      .tellCardNews(news)
      .catch((err: unknown) => ledger.log.error({ err, kind: news.kind }, 'a mail was not sent'))
  const savedCards = new SavedCards({ ...ledger, processor, removals, tell })
  const onPaid = savedCards.keep.bind(savedCards)
  const topUps = new TopUps({ ...ledger, processor, intents, dayMaximumMinor, onPaid })
  const sweeper = new TopUpSweeper({ ...ledger, topUps, intents })
  const rules = new AutomaticTopUps({ ...ledger, processor, dayMaximumMinor })
  const tellSwitchedOff = (serviceUserId: string): Promise<void> =>
    ledger.tellCardNews({ kind: 'automatic-top-up-failed', serviceUserId })
  const charging = { ...ledger, rules, intents, topUps, savedCards, processor, tellSwitchedOff }
  const rows = new CardReturnRows({ ...ledger, processor })
  const rollOut = new RollOut(ledger.pool)
  const cardReturns = new CardReturns({ ...ledger, rows, processor, topUps, rollOut })
  const workers = [sweeper, removals, new AutomaticTopUpWorker(charging), cardReturns]
  return {
    ...payments,
    topUps,
    savedCards,
    automaticTopUps: rules,
    cardReturns,
    start: (serviceOrigin) => {
      payments.start(serviceOrigin)
      for (const worker of workers) worker.start()
    },
    stop: async () => {
      await Promise.all([payments, ...workers].map((part) => part.stop()))
    },
  }
}

const nothing = {
  topUps: undefined,
  savedCards: undefined,
  automaticTopUps: undefined,
  cardReturns: undefined,
} as const
