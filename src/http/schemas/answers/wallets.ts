/**
 * What the server API and the widget answer about a wallet and its outcomes.
 * Nothing but TypeBox is imported here, and what imports nothing else: pages take their types
 * from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import type { ErrorBody } from './error-bodies.js'
import { errorBodyOf } from './error-bodies.js'
import { money, nullable, oneOf, timestamp } from './values.js'

const text = Type.String

const recordFields = {
  id: text(),
  type: oneOf('credit', 'debit'),
  amount: money(),
  balanceAfter: money(),
  // Null for what another client app did.
  referenceType: nullable(text()),
  referenceId: nullable(text()),
  description: nullable(text()),
  createdAt: timestamp(),
}

/** One entry of a wallet, as the contract's transaction record. */
export const transactionRecordSchema = Type.Object(recordFields)

export type TransactionRecord = Readonly<Static<typeof transactionRecordSchema>>

export const walletSchema = Type.Object({
  balance: money(),
  transactions: Type.Array(transactionRecordSchema),
  isActive: Type.Boolean(),
  nextCursor: Type.Optional(text({ description: 'There is more: hand it in as `cursor`' })),
  at: Type.Optional(timestamp()),
  final: Type.Optional(
    Type.Boolean({ description: 'Whether the balance at `at` can still change' }),
  ),
})

export const balanceCheckSchema = Type.Object({
  balance: money(),
  requiredAmount: money(),
  hasSufficientBalance: Type.Boolean(),
})

/** The answer to a debit or credit that was applied. */
export const appliedSchema = Type.Object({
  balance: money(),
  message: text({ examples: ['Debit booked.'] }),
})

export type AppliedBody = Readonly<Static<typeof appliedSchema>>

/** What a booking can be refused for: an answer that stands for ever, as the booking would. */
export const declineCodes = [
  'INSUFFICIENT_BALANCE',
  'WALLET_INACTIVE',
  'REFUND_EXCEEDS_DEBIT',
  'BALANCE_LIMIT_EXCEEDED',
  'VOIDED',
] as const

const appliedOutcome = Type.Object({
  outcome: Type.Literal('applied'),
  final: Type.Literal(true),
  status: Type.Literal(200),
  answer: appliedSchema,
})

const declinedOutcome = Type.Object({
  outcome: Type.Literal('declined'),
  final: Type.Literal(true),
  status: Type.Integer({ description: 'The status that the command was answered with' }),
  answer: Type.Unsafe<ErrorBody>(Type.Union(declineCodes.map(errorBodyOf))),
})

const neverSeen = Type.Object({ outcome: Type.Literal('never_seen'), final: Type.Literal(false) })

/** What became of a reference that has an outcome. */
export const knownOutcomeSchema = Type.Union([appliedOutcome, declinedOutcome])

export type KnownOutcome = Readonly<Static<typeof knownOutcomeSchema>>

export const outcomeSchema = Type.Union([appliedOutcome, declinedOutcome, neverSeen])

export const linkedUserSchema = Type.Object({ serviceUserId: text() })
