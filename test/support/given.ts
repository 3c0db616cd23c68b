/**
 * Given events, when a command, then events and outcome: the language of the rule tests.
 * Amounts are minor units; every wallet is the test's own.
 */
import type { Test } from 'tap'
import { entryIdOf, walletIdOf } from '../../src/domain/ids.js'
import type { EntryId, Issuer, WalletId } from '../../src/domain/ids.js'
import type { CaptureHold, PlaceHold, ReleaseHold } from '../../src/domain/holds.js'
import { expiryDue, holdSecondsStandard } from '../../src/domain/holds.js'
import { reference } from '../../src/domain/reference.js'
import { decide, emptyWallet, evolve, outcomeOf } from '../../src/domain/wallet.js'
import type {
  EntryCommand,
  Outcome,
  References,
  StatusCommand,
  Wallet,
  WalletCommand,
} from '../../src/domain/wallet.js'
import { isEntry, signOf } from '../../src/domain/wallet-events.js'
import type {
  DeclineCode,
  EntryType,
  SealedText,
  WalletEvent,
} from '../../src/domain/wallet-events.js'

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

type ServiceCommand = 'TopUp' | 'ReverseTopUp' | 'ReturnTopUp' | 'ReinstateTopUp' | 'GrantBonus'

export function service<Type extends ServiceCommand>(
  type: Type,
  amountMinor: number,
  referenceId: string,
  of: WalletId = walletId,
) {
  const options: EntryOptions = { issuer: 'service', label: 'TOPUP', of }
  return { type, ...entry(amountMinor, referenceId, options) } as const
}

export function voided(referenceId: string, options: EntryOptions = {}): EntryCommand {
  const { issuer, entryId, reference: pair } = entry(0, referenceId, options)
  return { type: 'Void', issuer, entryId, reference: pair }
}

export function placeHold(
  amountMinor: number,
  referenceId: string,
  options: EntryOptions & { readonly seconds?: number } = {},
): PlaceHold {
  const { seconds: lifetimeSeconds = holdSecondsStandard } = options
  return { type: 'PlaceHold', ...entry(amountMinor, referenceId, options), lifetimeSeconds }
}

export interface CaptureOptions extends EntryOptions {
  readonly amountMinor?: number
  readonly isFinal?: boolean
}

/** All that is left, unless an amount is given. */
export function captureHold(
  holdOf: string,
  referenceId: string,
  options: CaptureOptions = {},
): CaptureHold {
  const { amountMinor, isFinal = false } = options
  const { amountMinor: _, ...order } = entry(0, referenceId, options)
  const capture = { ...order, holdOf: reference('ORDER', holdOf), isFinal }
  return { type: 'CaptureHold', ...capture, ...(amountMinor !== undefined && { amountMinor }) }
}

export function releaseHold(
  holdOf: string,
  referenceId: string,
  options: EntryOptions = {},
): ReleaseHold {
  const { amountMinor: _, ...order } = entry(0, referenceId, options)
  return { type: 'ReleaseHold', ...order, holdOf: reference('ORDER', holdOf) }
}

export const deactivate: StatusCommand = { type: 'Deactivate', issuer: 'service', reason: 'fraud' }
export const reactivate: StatusCommand = { type: 'Reactivate', issuer: 'service', reason: 'sorry' }

/** Makes the next event of a stream from the wallet before it. */
export type MakeEvent = (
  wallet: Pick<Wallet, 'walletId' | 'balanceMinor' | 'heldMinor'>,
) => WalletEvent

/** An entry as it is stored, whatever the rules say of it: its sums follow from its type. */
export function entered(
  type: EntryType,
  { amountMinor, referenceId, code, refundOf, holdOf, description, ...options }: EntryFacts,
): MakeEvent {
  return ({ walletId: of, balanceMinor, heldMinor: heldBefore }) => {
    const { issuer = shop, label = 'ORDER', expiresAt, releasedMinor } = options
    const settled = amountMinor + (releasedMinor ?? 0)
    const heldMinor = Math.max(heldBefore + (heldSigns[type] ?? 0) * settled, 0)
    const data = {
      amountMinor,
      balanceMinor: balanceMinor + signOf[type] * amountMinor,
      ...(code === undefined ? {} : { code }),
      ...(description === undefined ? {} : { description }),
      entryId: entryOf(referenceId, { issuer, label, of }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(heldMinor === 0 ? {} : { heldMinor }),
      ...(holdOf === undefined ? {} : { holdOf: reference('ORDER', holdOf) }),
      issuer,
      referenceId,
      referenceType: label,
      ...(refundOf === undefined ? {} : { refundOf: reference('ORDER', refundOf) }),
      ...(releasedMinor === undefined ? {} : { releasedMinor }),
      time: options.time ?? time,
    }
    return { type, data } as WalletEvent
  }
}

const heldSigns: Partial<Record<EntryType, number>> = {
  HoldPlaced: 1,
  HoldCaptured: -1,
  HoldReleased: -1,
  HoldExpired: -1,
}

export interface EntryFacts extends Omit<EntryOptions, 'of'> {
  readonly amountMinor: number
  readonly referenceId: string
  readonly code?: DeclineCode
  readonly description?: SealedText
  readonly holdOf?: string
  readonly expiresAt?: string
  readonly releasedMinor?: number
  readonly time?: string
}

type Facts = Omit<EntryFacts, 'amountMinor' | 'referenceId'>

export const debited = (amountMinor: number, referenceId: string, facts: Facts = {}) =>
  entered('WalletDebited', { amountMinor, referenceId, ...facts })

export const credited = (amountMinor: number, referenceId: string, facts: Facts = {}) =>
  entered('WalletCredited', { amountMinor, referenceId, ...facts })

export const debitDeclined = (amountMinor: number, referenceId: string, facts: Facts) =>
  entered('DebitDeclined', { amountMinor, referenceId, ...facts })

export const creditDeclined = (amountMinor: number, referenceId: string, facts: Facts) =>
  entered('CreditDeclined', { amountMinor, referenceId, ...facts })

/** `seconds` after `time`, as times are written. */
export function later(seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString()
}

/** Until the standard time is over, unless told otherwise. */
export const holdPlaced = (amountMinor: number, referenceId: string, facts: Facts = {}) =>
  entered('HoldPlaced', {
    ...{ amountMinor, referenceId, expiresAt: later(holdSecondsStandard) },
    ...facts,
  })

export const holdCaptured = (
  holdOf: string,
  amountMinor: number,
  referenceId: string,
  facts: Facts = {},
) => entered('HoldCaptured', { amountMinor, referenceId, holdOf, ...facts })

export const holdReleased = (holdOf: string, amountMinor: number, referenceId: string) =>
  entered('HoldReleased', { amountMinor, referenceId, holdOf })

/** Of a hold of the shop, right when its standard time is over. */
export function holdExpired(holdOf: string, amountMinor: number, facts: Facts = {}): MakeEvent {
  return (wallet) => {
    const referenceId = entryOf(holdOf, { of: wallet.walletId })
    const of = {
      issuer: 'service',
      label: 'HOLD_EXPIRED',
      time: later(holdSecondsStandard),
    } as const
    return entered('HoldExpired', { amountMinor, referenceId, ...of, ...facts })(wallet)
  }
}

type ServiceEvent = 'WalletToppedUp' | 'TopUpReversed' | 'TopUpReinstated' | 'BonusGranted'

export const booked = (
  type: ServiceEvent,
  amountMinor: number,
  referenceId: string,
  label = 'TOPUP',
) => entered(type, { amountMinor, referenceId, issuer: 'service', label })

export const opened: MakeEvent = ({ walletId: of }) => ({
  type: 'WalletOpened',
  data: { currency: 'usd', time, walletId: of },
})

export const deactivated: MakeEvent = () => ({
  type: 'WalletDeactivated',
  data: { issuer: 'service', reason: 'fraud', time },
})

export const reactivated: MakeEvent = () => ({
  type: 'WalletReactivated',
  data: { issuer: 'service', reason: 'sorry', time },
})

/** A ledger of one wallet in memory: folds events, knows their references, decides commands. */
export class TestLedger implements References {
  wallet: Wallet
  readonly events: WalletEvent[] = []
  /** When commands are decided. */
  now = time

  constructor(of: WalletId = walletId) {
    this.wallet = emptyWallet(of)
    this.record(opened)
  }

  record(make: MakeEvent): void {
    const event = make(this.wallet)
    this.wallet = { ...evolve(this.wallet, event), hash: this.wallet.hash }
    this.events.push(event)
  }

  send(command: EntryCommand): { events: WalletEvent[]; outcome: Outcome }
  send(command: WalletCommand): { events: WalletEvent[]; outcome?: Outcome }
  send(command: WalletCommand): { events: WalletEvent[]; outcome?: Outcome } {
    const expired = this.expire()
    const decision = decide(this.wallet, command, this, this.now)
    if (decision.kind === 'replay') return { events: expired, outcome: decision.outcome }
    const { event } = decision
    this.record(() => event)
    return {
      events: [...expired, event],
      ...(decision.kind === 'record' && { outcome: decision.outcome }),
    }
  }

  /** As a lane does before it decides anything. */
  expire(): WalletEvent[] {
    const expired: WalletEvent[] = []
    for (let due = expiryDue(this.wallet, this.now); due !== undefined;) {
      const event = due
      this.record(() => event)
      expired.push(event)
      due = expiryDue(this.wallet, this.now)
    }
    return expired
  }

  outcome(entryId: EntryId): Outcome | undefined {
    return this.outcomes().find((outcome) => outcome.entryId === entryId)
  }

  refundedMinor(entryId: EntryId): number {
    return this.outcomes()
      .filter((outcome) => outcome.refundedEntryId === entryId)
      .reduce((sum, outcome) => sum + outcome.amountMinor, 0)
  }

  outcomes(): Outcome[] {
    return this.events.flatMap((event, revision) =>
      isEntry(event) ? [outcomeOf(this.wallet.walletId, event, revision)] : [],
    )
  }
}

export interface Expectation {
  /** Type, and the data that matters, of each new event. */
  readonly events: readonly (readonly [type: string, data?: Record<string, unknown>])[]
  readonly outcome?: Partial<Outcome>
  readonly balanceMinor: number
}

/** Events of a wallet that is open, folded by the product's own rules. */
export function given(...events: readonly MakeEvent[]) {
  const ledger = new TestLedger()
  for (const make of events) ledger.record(make)
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
