/**
 * An outcome as the answer of the contract: status, body and headers. Promises: the same outcome
 * gives the same status and body, for ever; what differs on a repeat is said in headers only.
 */
import { availableMinor } from '../domain/holds.js'
import type { EntryId } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { toMajor } from '../domain/money.js'
import type { Outcome } from '../domain/wallet.js'
import type { DeclineCode, EntryType } from '../domain/wallet-events.js'
import { ApiError, errorBody } from './errors.js'
import type { AppliedBody, KnownOutcome } from './schemas/answers/wallets.js'

/** The body of an applied outcome; throws the error of a declined one. */
export function answerOf(outcome: Outcome, currency: Currency): AppliedBody {
  if (outcome.code !== undefined) throw declined(outcome, outcome.code, currency)
  const { message, isOfHold } = verbs[outcome.type]
  const { balanceMinor, heldMinor, expiresAt } = outcome
  if (heldMinor === undefined && !isOfHold)
    return { balance: toMajor(balanceMinor, currency), message }
  const sums = sumsOf(outcome, currency, isOfHold)
  return { ...sums, ...(expiresAt === undefined ? {} : { expiresAt }), message }
}

/** What may be spent and what is held stand beside the balance once there is an open hold. */
export function sumsOf(
  { balanceMinor, heldMinor = 0 }: { readonly balanceMinor: number; readonly heldMinor?: number },
  currency: Currency,
  isAlways = false,
): { balance: number; available?: number; held?: number } {
  const balance = toMajor(balanceMinor, currency)
  if (heldMinor === 0 && !isAlways) return { balance }
  const available = toMajor(availableMinor({ balanceMinor, heldMinor }), currency)
  return { balance, available, held: toMajor(heldMinor, currency) }
}

/** The same, as the outcome look-up tells it. */
export function describeOutcome(outcome: Outcome, currency: Currency): KnownOutcome {
  try {
    const answer = answerOf(outcome, currency)
    return { outcome: 'applied', final: true, status: 200, answer }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const answer = errorBody(error)
    return { outcome: 'declined', final: true, status: error.status, answer }
  }
}

export type Verb = 'credit' | 'debit' | 'hold' | 'capture' | 'release'

export interface SentCommand {
  readonly verb: Verb
  /** Left out of a release, and of a capture of all that is left. */
  readonly amountMinor?: number
  readonly refundedEntryId?: EntryId | undefined
  readonly holdEntryId?: EntryId
}

/** The names of what differs between a repeat and the outcome it got. */
export function mismatches(outcome: Outcome, sent: SentCommand): string[] {
  // A voided reference never had a command: there is no amount and no verb to differ from.
  if (outcome.code === 'VOIDED') return []
  const isApplied = outcome.code === undefined
  const differs = {
    amount: sent.amountMinor !== undefined && outcome.amountMinor !== sent.amountMinor,
    verb: verbs[outcome.type].verb !== sent.verb,
    // What was declined does not keep its target as an id; only applied ones are compared.
    refundOf: isApplied && outcome.refundedEntryId !== sent.refundedEntryId,
    holdOf: isApplied && outcome.holdEntryId !== sent.holdEntryId,
  }
  return Object.entries(differs)
    .filter(([, isDifferent]) => isDifferent)
    .map(([name]) => name)
}

function said(verb: Verb | undefined, message: string, isOfHold = false) {
  return { verb, message, isOfHold }
}

/** Of each entry the verb that leads to it, and what is said of one that is applied. */
const verbs: Readonly<Record<EntryType, ReturnType<typeof said>>> = {
  WalletDebited: said('debit', 'Debit booked.'),
  DebitDeclined: said('debit', ''),
  WalletCredited: said('credit', 'Credit booked.'),
  CreditDeclined: said('credit', ''),
  WalletToppedUp: said(undefined, 'Credit booked.'),
  TopUpReversed: said(undefined, 'Debit booked.'),
  TopUpReinstated: said(undefined, 'Credit booked.'),
  BonusGranted: said(undefined, 'Credit booked.'),
  HoldPlaced: said('hold', 'Hold placed.', true),
  HoldDeclined: said('hold', ''),
  HoldCaptured: said('capture', 'Hold captured.', true),
  CaptureDeclined: said('capture', ''),
  HoldReleased: said('release', 'Hold released.', true),
  ReleaseDeclined: said('release', ''),
  HoldExpired: said(undefined, 'Hold expired.', true),
}

function declined(outcome: Outcome, code: DeclineCode, currency: Currency): ApiError {
  if (code !== 'INSUFFICIENT_BALANCE') return new ApiError(code)
  const { balanceMinor, amountMinor, heldMinor = 0 } = outcome
  // What is held is there for its own capture; for all else only the rest is.
  const isCapture = outcome.type === 'CaptureDeclined'
  const thereMinor = isCapture ? balanceMinor : availableMinor({ balanceMinor, heldMinor })
  return new ApiError(code, {
    fields: {
      ...sumsOf(outcome, currency),
      requiredAmount: toMajor(amountMinor, currency),
      shortfall: toMajor(amountMinor - thereMinor, currency),
    },
  })
}
