/**
 * What the server API and the widget answer about a wallet and its outcomes.
 * Nothing but TypeBox is imported here, and what imports nothing else: pages take their types
 * from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import type { ErrorBody } from './error-bodies.js'
import { errorBodyOf } from './error-bodies.js'
import { heldSums, money, nullable, oneOf, timestamp } from './values.js'

/** One entry of a wallet, as the contract's transaction record. */
export const transactionRecordSchema = Type.Object({
  id: Type.String(),
  type: oneOf('credit', 'debit'),
  amount: money(),
  balanceAfter: money(),
  // Null for what another client app did.
  referenceType: nullable(Type.String()),
  referenceId: nullable(Type.String()),
  description: nullable(Type.String()),
  createdAt: timestamp(),
})

export type TransactionRecord = Readonly<Static<typeof transactionRecordSchema>>

/** Paid, and the bank has not said its last word yet: no entry of the wallet, no money in it. */
export const pendingTopUpSchema = Type.Object({
  paymentIntentId: Type.String(),
  amount: money(),
  createdAt: timestamp(),
})

export type PendingTopUp = Readonly<Static<typeof pendingTopUpSchema>>

const pendingTopUps = Type.Optional(
  Type.Array(pendingTopUpSchema, { description: 'Only when a bank is at one: not in the balance' }),
)

export const walletSchema = Type.Object({
  balance: money(),
  ...heldSums,
  transactions: Type.Array(transactionRecordSchema),
  isActive: Type.Boolean(),
  pendingTopUps,
  nextCursor: Type.Optional(Type.String({ description: 'There is more: hand it in as `cursor`' })),
  at: Type.Optional(timestamp()),
  final: Type.Optional(Type.Boolean({ description: 'The balance at `at` can change no more' })),
})

export const balanceCheckSchema = Type.Object({
  balance: money(),
  ...heldSums,
  requiredAmount: money(),
  hasSufficientBalance: Type.Boolean({ description: 'Of what is not held' }),
  pendingTopUps,
})

/**
 * The answer to what was applied. A repeat gets the answer of its reference whatever it asks for,
 * so a debit may be answered as the hold that it repeats.
 */
export const appliedSchema = Type.Object({
  balance: money(),
  ...heldSums,
  expiresAt: Type.Optional(timestamp()),
  message: Type.String({ examples: ['Debit booked.'] }),
})

export type AppliedBody = Readonly<Static<typeof appliedSchema>>

/** What a booking can be refused for: an answer that stands for ever, as the booking would. */
export const declineCodes = [
  'INSUFFICIENT_BALANCE',
  'WALLET_INACTIVE',
  'REFUND_EXCEEDS_DEBIT',
  'BALANCE_LIMIT_EXCEEDED',
  'VOIDED',
  'CAPTURE_EXCEEDS_HOLD',
  'HOLD_CLOSED',
  'TOO_MANY_HOLDS',
] as const

/** What a command of a list can be answered with when it is not booked. */
const refusalCodes = [
  'INVALID_REQUEST',
  'USER_NOT_FOUND',
  ...declineCodes,
  'UPGRADE_UNFINISHED',
  'INTERNAL',
  'UNAVAILABLE',
] as const

const bulkResultSchema = Type.Object({
  status: Type.Integer({ description: 'As the route of this command alone would answer' }),
  body: Type.Union([
    appliedSchema,
    Type.Unsafe<ErrorBody>(Type.Union(refusalCodes.map(errorBodyOf))),
  ]),
  headers: Type.Optional(
    Type.Object({
      'idempotency-replayed': Type.Optional(Type.Literal('true')),
      'reference-mismatch': Type.Optional(Type.String({ examples: ['amount'] })),
      'retry-after': Type.Optional(Type.String({ examples: ['1'] })),
    }),
  ),
})

export type BulkResult = Readonly<Static<typeof bulkResultSchema>>

/** In the order of the commands. */
export const bulkAnswerSchema = Type.Object({ results: Type.Array(bulkResultSchema) })

export type BulkAnswer = Readonly<Static<typeof bulkAnswerSchema>>

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

export const linkedUserSchema = Type.Object({ serviceUserId: Type.String() })
