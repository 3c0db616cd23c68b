/**
 * What must be true of a simulated world at every moment, and how it is known: the log is folded
 * anew by arithmetic of its own beside the real fold, every answer is compared with the log in the
 * moment in which it is given, and the rows with both whenever they change.
 * Promises: the first thing that is not so ends the run, with its words. What is true of holds is
 * in hold-check.ts, what is true of webhooks in webhook-check.ts.
 */
import type { TransactionRow } from '../../projections/rows.js'
import { entryIdOf, streamOf, walletIdOfStream } from '../../src/domain/ids.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import { counterAccountOf } from '../../src/domain/journal.js'
import { emptyWallet, outcomeOf } from '../../src/domain/wallet.js'
import type { Outcome, Wallet } from '../../src/domain/wallet.js'
import type { DeclineCode, EntryEvent, EntryType } from '../../src/domain/wallet-events.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import { readNext } from '../../src/domain/wallet-stream.js'
import type { NewEvent, RecordedEvent } from '../../src/event-store/event-store.js'
import type { Answer } from '../../src/writing/waiting-command.js'
import { outcomeOfRow } from '../support/memory-read-tables.js'
import type { MemoryReadTables } from '../support/memory-read-tables.js'
import type { MemoryLog } from '../support/memory-store.js'
import { HoldCheck } from './hold-check.js'
import { hold, Violation } from './violation.js'

/** By hand, and not from the rules that are under test. */
const signs: Readonly<Record<EntryType, number>> = {
  WalletCredited: 1,
  WalletDebited: -1,
  DebitDeclined: 0,
  CreditDeclined: 0,
  WalletToppedUp: 1,
  TopUpReversed: -1,
  TopUpReinstated: 1,
  BonusGranted: 1,
  HoldPlaced: 0,
  HoldDeclined: 0,
  HoldCaptured: -1,
  CaptureDeclined: 0,
  HoldReleased: 0,
  ReleaseDeclined: 0,
  HoldExpired: 0,
}

/** A wallet after each of its events; the index is the revision. */
interface Past {
  readonly states: Wallet[]
  readonly reasons: Map<string, number>
}

export class Checker {
  readonly #log: MemoryLog
  readonly #tables: MemoryReadTables
  readonly #pasts = new Map<WalletId, Past>()
  readonly #outcomes = new Map<EntryId, Outcome>()
  readonly #holds = new HoldCheck()
  /** Of each debit. */
  readonly #refundedMinor = new Map<EntryId, number>()
  /** Of each answer that was ever given and is not forgiven. */
  readonly #given = new Map<EntryId, Outcome>()
  /** The event of each outcome. */
  readonly #eventIds = new Map<EntryId, string>()
  /** Which life the store has told that it wrote an event. */
  readonly #toldTo = new Map<string, object>()
  /** References with an answer that is not called a replay. */
  readonly #firsts = new Set<EntryId>()
  #folded = 0
  answers = 0

  constructor(log: MemoryLog, tables: MemoryReadTables) {
    this.#log = log
    this.#tables = tables
  }

  outcome(entryId: EntryId): Outcome | undefined {
    return this.#outcomes.get(entryId)
  }

  /** What the log holds beyond what is known of it. */
  foldLog(): void {
    for (; this.#folded < this.#log.events.length; this.#folded += 1) {
      const event = this.#log.events[this.#folded]
      if (event !== undefined) this.#fold(event)
    }
  }

  /** The log was cut off: what stood beyond it is forgotten, and forgiven. */
  startAgain(): number {
    this.#pasts.clear()
    this.#outcomes.clear()
    this.#holds.clear()
    this.#refundedMinor.clear()
    this.#eventIds.clear()
    this.#folded = 0
    this.foldLog()
    for (const entryId of this.#firsts)
      if (!this.#outcomes.has(entryId)) this.#firsts.delete(entryId)
    const before = this.#given.size
    for (const [entryId, outcome] of this.#given)
      if (!isSame(this.#outcomes.get(entryId), outcome)) this.#given.delete(entryId)
    return before - this.#given.size
  }

  /** The store has told this life that its append wrote these events. */
  wasTold(life: object, events: readonly NewEvent[]): void {
    for (const { id } of events) this.#toldTo.set(id, life)
  }

  /** In the moment in which a life gives it. `reason`: of a command without a reference. */
  answered(
    walletId: WalletId,
    answer: Answer,
    { life, reason }: { life: object; reason: string | undefined },
  ): void {
    const outcome = 'outcome' in answer ? answer.outcome : undefined
    this.foldLog()
    this.answers += 1
    if (outcome === undefined) {
      const times = this.#pasts.get(walletId)?.reasons.get(reason ?? '') ?? 0
      hold(times === 1, () => `"${reason ?? ''}" was answered and is recorded ${times} times`)
      return
    }
    const truth = this.#outcomes.get(outcome.entryId)
    hold(truth !== undefined, () => `an answer is not in the log: ${text(outcome)}`)
    hold(
      isSame(truth, outcome),
      () => `an answer ${text(outcome)} is not the outcome ${text(truth)}`,
    )
    const earlier = this.#given.get(outcome.entryId)
    hold(
      earlier === undefined || isSame(earlier, outcome),
      () => `two answers for one reference: ${text(earlier)} and ${text(outcome)}`,
    )
    this.#given.set(outcome.entryId, outcome)
    if (!answer.replayed) this.#first(life, outcome)
  }

  /**
   * Only the answer that wrote is not called a replay. Whoever lost the store's word for it cannot
   * know; so after a lost word there may be no such answer at all, but never two.
   */
  #first(life: object, outcome: Outcome): void {
    const { entryId } = outcome
    const eventId = this.#eventIds.get(entryId)
    const isWriter = eventId !== undefined && this.#toldTo.get(eventId) === life
    hold(isWriter, () => `an answer is no replay, but did not write: ${text(outcome)}`)
    hold(!this.#firsts.has(entryId), () => `two answers are no replay: ${text(outcome)}`)
    this.#firsts.add(entryId)
  }

  /** What was answered for a reference by now: whoever begins to read now must see it. */
  given(entryId: EntryId): Outcome | undefined {
    return this.#given.get(entryId)
  }

  /** Wallets and outcomes of the rows against the fold; all of them. */
  checkRows(): void {
    this.foldLog()
    const { wallets, transactions, totals, checkpoint } = this.#tables
    const position = Number(checkpoint.position)
    hold(
      position <= this.#log.events.length &&
        (position === 0 || this.#log.events[position - 1]?.id === checkpoint.eventId),
      () => `the rows stand at ${position}, where another event is in the log`,
    )
    for (const [walletId, row] of wallets) {
      const state = this.#pasts.get(walletId)?.states[row.revision]
      const isEqual =
        state?.balanceMinor === row.balanceMinor &&
        state.isActive === row.isActive &&
        JSON.stringify(state.holds) === JSON.stringify(row.holds) &&
        state.hash === row.hash &&
        state.time === row.time
      hold(isEqual, () => `the row ${text(row)} of ${walletId} is not the fold ${text(state)}`)
    }
    let sum = 0n
    for (const total of totals.values()) sum += total.amountMinor
    hold(sum === 0n, () => `the journal sums to ${sum}`)
    for (const row of transactions.values()) this.#checkTransaction(row)
  }

  /** Everything once more, from nothing: slow, for the end of a run. */
  checkAll(): void {
    this.startAgain()
    this.checkRows()
    this.#checkTotals()
    for (const [entryId, outcome] of this.#given)
      hold(isSame(this.#outcomes.get(entryId), outcome), () => `lost: ${text(outcome)}`)
  }

  #fold(recorded: RecordedEvent): void {
    const walletId = walletIdOfStream(recorded.stream)
    let past = this.#pasts.get(walletId)
    if (past === undefined) {
      past = { states: [], reasons: new Map() }
      this.#pasts.set(walletId, past)
    }
    const before = past.states.at(-1) ?? emptyWallet(walletId)
    const next = foldOne(before, recorded)
    past.states.push(next.wallet)
    const { event } = next
    hold(next.wallet.time >= before.time, () => `time runs back in ${walletId}`)
    this.#holds.see(walletId, event, before, next.wallet)
    if (isEntry(event))
      this.#eventIds.set(this.#enter(walletId, event, before, next.wallet), recorded.id)
    else if ('reason' in event.data) {
      const times = (past.reasons.get(event.data.reason) ?? 0) + 1
      past.reasons.set(event.data.reason, times)
      hold(times === 1, () => `"${event.data.time} ${recorded.data}" is recorded ${times} times`)
    }
  }

  #enter(walletId: WalletId, event: EntryEvent, before: Wallet, after: Wallet): EntryId {
    const { type, data } = event
    const outcome = outcomeOf(walletId, event, after.revision)
    const { entryId, amountMinor } = outcome
    hold(!this.#outcomes.has(entryId), () => `a second outcome of a reference: ${text(outcome)}`)
    this.#outcomes.set(entryId, outcome)
    const { referenceType, referenceId, issuer } = data
    const derived = entryIdOf({ issuer, walletId, reference: { referenceType, referenceId } })
    hold(derived === entryId, () => `an entry with another id than its reference: ${text(data)}`)
    const balanceMinor = before.balanceMinor + signs[type] * amountMinor
    hold(
      data.balanceMinor === balanceMinor && after.balanceMinor === balanceMinor,
      () => `a balance is not the sum ${balanceMinor}: ${text(data)}`,
    )
    const isTaken = type === 'WalletDebited' || type === 'HoldCaptured'
    hold(!isTaken || balanceMinor >= 0, () => `below zero: ${text(data)}`)
    const isFree = !isTaken && type !== 'WalletCredited' && type !== 'HoldPlaced'
    hold(isFree || before.isActive, () => `booked while inactive: ${text(data)}`)
    this.#checkRefund(walletId, event, outcome)
    this.#checkDecline(walletId, event, before)
    return entryId
  }

  #checkRefund(walletId: WalletId, event: EntryEvent, outcome: Outcome): void {
    if (event.type !== 'WalletCredited' && event.type !== 'CreditDeclined') return
    const { issuer, refundOf, amountMinor } = event.data
    if (refundOf === undefined) return
    const debitId = entryIdOf({ issuer, walletId, reference: refundOf })
    const debit = this.#outcomes.get(debitId)
    const refundedMinor = this.#refundedMinor.get(debitId) ?? 0
    const isDebit = debit?.type === 'WalletDebited' || debit?.type === 'HoldCaptured'
    const leftMinor = isDebit ? debit.amountMinor - refundedMinor : 0
    if (event.type === 'WalletCredited') {
      hold(amountMinor <= leftMinor, () => `a refund above its debit: ${text(outcome)}`)
      this.#refundedMinor.set(debitId, refundedMinor + amountMinor)
    } else if (outcome.code === 'REFUND_EXCEEDS_DEBIT')
      hold(amountMinor > leftMinor, () => `${leftMinor} could be refunded: ${text(outcome)}`)
  }

  #checkDecline(walletId: WalletId, event: EntryEvent, before: Wallet): void {
    const { data } = event
    if (!('code' in data)) return
    const { code, amountMinor, issuer } = data
    const isOfHold = 'holdOf' in data
    const entryId = isOfHold && entryIdOf({ issuer, walletId, reference: data.holdOf })
    const leftMinor = entryId === false ? 0 : this.#holds.leftMinor(walletId, entryId)
    const isFounded: Readonly<Record<DeclineCode, boolean>> = {
      WALLET_INACTIVE: !before.isActive,
      INSUFFICIENT_BALANCE: amountMinor > before.balanceMinor - (isOfHold ? 0 : before.heldMinor),
      CAPTURE_EXCEEDS_HOLD: leftMinor > 0 && amountMinor > leftMinor,
      HOLD_CLOSED: isOfHold && leftMinor === 0,
      TOO_MANY_HOLDS: before.holds.length >= 100,
      VOIDED: event.type === 'DebitDeclined',
      // Looked at with the refund itself.
      REFUND_EXCEEDS_DEBIT: event.type === 'CreditDeclined',
      // Nobody here has that much.
      BALANCE_LIMIT_EXCEEDED: false,
    }
    hold(isFounded[code], () => `declined without its reason: ${text(event.data)}`)
  }

  #checkTransaction(row: TransactionRow): void {
    const outcome = this.#outcomes.get(row.entry_id)
    hold(isSame(outcome, outcomeOfRow(row)), () => `the row ${text(row)} is not ${text(outcome)}`)
  }

  /** What the rows sum up (totals, refunds of a debit, number of outcomes), from the log alone. */
  #checkTotals(): void {
    const { totals, transactions, checkpoint } = this.#tables
    const sums = new Map<string, number>()
    const refunds = new Map<EntryId, number>()
    let outcomes = 0
    for (const recorded of this.#log.events.slice(0, Number(checkpoint.position))) {
      const walletId = walletIdOfStream(recorded.stream)
      const before = this.#pasts.get(walletId)?.states[recorded.revision - 1]
      const { event } = foldOne(before ?? emptyWallet(walletId), recorded)
      if (!isEntry(event)) continue
      outcomes += 1
      const minor = signs[event.type] * event.data.amountMinor
      if (signs[event.type] === 0) continue
      add(sums, 'wallet', minor)
      add(sums, counterAccountOf(event), -minor)
      const { refundedEntryId } = outcomeOf(walletId, event, recorded.revision)
      if (refundedEntryId !== undefined) add(refunds, refundedEntryId, minor)
    }
    hold(outcomes === transactions.size, () => `${transactions.size} rows of ${outcomes} outcomes`)
    hold(sums.size === totals.size, () => 'the totals have other accounts than the log')
    for (const [account, { amountMinor }] of totals)
      hold(BigInt(sums.get(account) ?? 0) === amountMinor, () => `the total of ${account}`)
    for (const row of transactions.values())
      hold(
        row.refunded_minor === (refunds.get(row.entry_id) ?? 0),
        () => `the row says ${row.refunded_minor} were refunded of ${row.entry_id}`,
      )
  }

  /** The state of a wallet at the end of the log. */
  wallet(walletId: WalletId): Wallet | undefined {
    this.foldLog()
    return this.#pasts.get(walletId)?.states[this.#log.stream(streamOf(walletId)).length - 1]
  }
}

function foldOne(before: Wallet, recorded: RecordedEvent): ReturnType<typeof readNext> {
  try {
    return readNext(before, recorded)
  } catch (error) {
    const place = `${recorded.stream} ${recorded.revision}`
    throw new Violation(`${place} breaks the chain or a rule: ${String(error)}`)
  }
}

function isSame(one: Outcome | undefined, other: Outcome): boolean {
  return (
    one?.entryId === other.entryId &&
    one.type === other.type &&
    one.revision === other.revision &&
    one.amountMinor === other.amountMinor &&
    one.balanceMinor === other.balanceMinor &&
    one.time === other.time &&
    one.code === other.code &&
    one.refundedEntryId === other.refundedEntryId &&
    one.heldMinor === other.heldMinor &&
    one.expiresAt === other.expiresAt &&
    one.holdEntryId === other.holdEntryId
  )
}

function add<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

function text(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
