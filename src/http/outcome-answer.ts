/**
 * An outcome as the answer of the contract: status, body and headers. Promises: the same outcome
 * gives the same status and body, for ever; what differs on a repeat is said in headers only.
 */
import type { EntryId } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { toMajor } from '../domain/money.js'
import type { Outcome } from '../domain/wallet.js'
import type { DeclineCode } from '../domain/wallet-events.js'
import { signOf } from '../domain/wallet-events.js'
import { ApiError, errorBody } from './errors.js'
import type { AppliedBody, KnownOutcome } from './schemas/answers/wallets.js'

/** The body of an applied outcome; throws the error of a declined one. */
export function answerOf(outcome: Outcome, currency: Currency): AppliedBody {
  if (outcome.code !== undefined) throw declined(outcome, outcome.code, currency)
  const verb = signOf[outcome.type] === 1 ? 'Credit' : 'Debit'
  return { balance: toMajor(outcome.balanceMinor, currency), message: `${verb} booked.` }
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

export interface SentCommand {
  readonly verb: 'credit' | 'debit'
  readonly amountMinor: number
  readonly refundedEntryId?: EntryId | undefined
}

/** The names of what differs between a repeat and the outcome it got. */
export function mismatches(outcome: Outcome, sent: SentCommand): string[] {
  // A voided reference never had a command: there is no amount and no verb to differ from.
  if (outcome.code === 'VOIDED') return []
  const isDebit = outcome.type === 'WalletDebited' || outcome.type === 'DebitDeclined'
  const differs = {
    amount: outcome.amountMinor !== sent.amountMinor,
    verb: isDebit !== (sent.verb === 'debit'),
    // A declined refund does not keep its target as an id; only applied ones are compared.
    refundOf: outcome.code === undefined && outcome.refundedEntryId !== sent.refundedEntryId,
  }
  return Object.entries(differs)
    .filter(([, isDifferent]) => isDifferent)
    .map(([name]) => name)
}

function declined(outcome: Outcome, code: DeclineCode, currency: Currency): ApiError {
  if (code !== 'INSUFFICIENT_BALANCE') return new ApiError(code)
  const { balanceMinor, amountMinor } = outcome
  return new ApiError(code, {
    fields: {
      balance: toMajor(balanceMinor, currency),
      requiredAmount: toMajor(amountMinor, currency),
      shortfall: toMajor(amountMinor - balanceMinor, currency),
    },
  })
}
