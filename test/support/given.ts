/**
 * Given events, when a command, then events and outcome: the language of the rule tests.
 * Amounts are minor units; every wallet is the test's own.
 */
import type { Test } from 'tap'
import { entryIdOf, walletIdOf } from '../../src/domain/ids.js'
import type { EntryId, Issuer, WalletId } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { decide, emptyWallet, evolve, outcomeOf } from '../../src/domain/wallet.js'
import type { Outcome, Wallet, WalletCommand } from '../../src/domain/wallet.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import type { WalletEvent } from '../../src/domain/wallet-events.js'

export const shop: Issuer = 'client-app:shop'
export const time = '2026-01-02T03:04:05.678Z'
export const walletId: WalletId = walletIdOf('11111111-2222-4333-8444-555555555555')

export interface EntryOptions {
  readonly issuer?: Issuer
  readonly label?: string
  readonly refundOf?: string
  readonly of?: WalletId
}

/** The entry id of a reference in these tests; the label defaults to ORDER. */
export function entryOf(referenceId: string, options: EntryOptions = {}): EntryId {
  const { issuer = shop, label = 'ORDER', of = walletId } = options
  return entryIdOf({ issuer, walletId: of, reference: reference(label, referenceId) })
}

function entry(amountMinor: number, referenceId: string, options: EntryOptions) {
  const { issuer = shop, label = 'ORDER' } = options
  return {
    amountMinor,
    issuer,
    entryId: entryOf(referenceId, options),
    reference: reference(label, referenceId),
  }
}

export function debit(amountMinor: number, referenceId: string, options: EntryOptions = {}) {
  return { type: 'Debit', ...entry(amountMinor, referenceId, options) } as const
}

export function credit(amountMinor: number, referenceId: string, options: EntryOptions = {}) {
  const refundOf =
    options.refundOf === undefined ? {} : { refundOf: reference('ORDER', options.refundOf) }
  return { type: 'Credit', ...entry(amountMinor, referenceId, options), ...refundOf } as const
}

type ServiceCommand = 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp' | 'GrantBonus'

export function service<Type extends ServiceCommand>(
  type: Type,
  amountMinor: number,
  referenceId: string,
  of: WalletId = walletId,
) {
  const options: EntryOptions = { issuer: 'service', label: 'TOPUP', of }
  return { type, ...entry(amountMinor, referenceId, options) } as const
}

export function voided(referenceId: string, options: EntryOptions = {}): WalletCommand {
  const { issuer, entryId, reference: pair } = entry(0, referenceId, options)
  return { type: 'Void', issuer, entryId, reference: pair }
}

export const deactivate: WalletCommand = { type: 'Deactivate', issuer: 'service', reason: 'fraud' }
export const reactivate: WalletCommand = { type: 'Reactivate', issuer: 'service', reason: 'sorry' }

/** A ledger of one wallet in memory: folds, remembers every outcome, decides. */
export class TestLedger {
  wallet: Wallet
  readonly outcomes = new Map<EntryId, Outcome>()
  readonly events: WalletEvent[] = []

  constructor(of: WalletId = walletId) {
    this.wallet = emptyWallet(of)
    this.#record({ type: 'WalletOpened', data: { currency: 'usd', time, walletId: of } })
  }

  send(command: WalletCommand): { events: WalletEvent[]; outcome: Outcome | undefined } {
    const earlier = 'entryId' in command ? this.outcomes.get(command.entryId) : undefined
    const refundableMinor = this.#refundableMinor(command)
    const decision = decide(this.wallet, command, { time, earlier, refundableMinor })
    if (decision.kind === 'replay') return { events: [], outcome: decision.outcome }
    this.#record(decision.event)
    const { event } = decision
    return { events: [event], outcome: isEntry(event) ? this.#outcome(event.data) : undefined }
  }

  #record(event: WalletEvent): void {
    this.wallet = { ...evolve(this.wallet, event), hash: this.wallet.hash }
    this.events.push(event)
    if (!isEntry(event)) return
    const outcome = outcomeOf(this.wallet.walletId, event, this.wallet.revision)
    this.outcomes.set(outcome.entryId, outcome)
  }

  #outcome({ entryId }: { entryId: EntryId }): Outcome | undefined {
    return this.outcomes.get(entryId)
  }

  #refundableMinor(command: WalletCommand): number {
    if (command.type !== 'Credit' || command.refundOf === undefined) return 0
    const { walletId: of } = this.wallet
    const target = entryIdOf({ issuer: command.issuer, walletId: of, reference: command.refundOf })
    const debited = this.outcomes.get(target)
    if (debited?.type !== 'WalletDebited') return 0
    return [...this.outcomes.values()]
      .filter((outcome) => outcome.refundedEntryId === target)
      .reduce((left, outcome) => left - outcome.amountMinor, debited.amountMinor)
  }
}

export interface Expectation {
  /** Type, and the data that matters, of each new event. */
  readonly events: readonly (readonly [type: string, data?: Record<string, unknown>])[]
  readonly outcome?: Partial<Outcome>
  readonly balanceMinor: number
}

export function given(...commands: readonly WalletCommand[]) {
  const ledger = new TestLedger()
  for (const command of commands) ledger.send(command)
  return {
    when(command: WalletCommand) {
      const result = ledger.send(command)
      return {
        then(t: Test, expected: Expectation): void {
          t.match(
            result.events.map((event) => [event.type, event.data]),
            expected.events.map(([type, data]) => [type, data ?? {}]),
          )
          t.equal(result.events.length, expected.events.length, 'number of new events')
          if (expected.outcome !== undefined) t.match(result.outcome, expected.outcome)
          t.equal(ledger.wallet.balanceMinor, expected.balanceMinor, 'balance')
        },
      }
    },
  }
}
