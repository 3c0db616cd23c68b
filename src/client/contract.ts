/**
 * What a client backend sends and gets, as types without an import: they are read in editors of
 * other people. Held to the schemas of the service, field by field, by test/client/types.test.ts:
 * a field that is renamed there does not compile until it is renamed here.
 */

/** In major units: 19.99, or the same as a decimal text, '19.99'. */
export type Amount = number | string

export interface User {
  readonly serviceUserId: string
}

/** The idempotency key of a debit or credit: it has one outcome, for ever. */
export interface Reference {
  readonly referenceType: string
  readonly referenceId: string
}

export interface DebitOrder extends User, Reference {
  readonly amount: Amount
  readonly description?: string
}

export type CreditOrder = DebitOrder

/** A credit that gives a debit back: the service refuses more than is left of it. */
export interface RefundOrder extends DebitOrder {
  readonly refundOf: Reference
}

/** Money set aside: captured or released later, or free again when its time is over. */
export interface HoldOrder extends DebitOrder {
  /** 60 to 2,678,400 (31 days); 604,800 (7 days) when left out. */
  readonly expiresInSeconds?: number
}

export interface CaptureOrder extends User, Reference {
  /** The reference of the hold. */
  readonly holdOf: Reference
  /** All that the hold has left, when left out. */
  readonly amount?: Amount
  readonly description?: string
  /** Releases what is left of the hold. */
  readonly final?: boolean
}

export interface ReleaseOrder extends User, Reference {
  /** The reference of the hold. */
  readonly holdOf: Reference
  readonly description?: string
}

/** Beside a balance, which is what is booked, once the wallet has an open hold. */
export interface HeldSums {
  /** The balance less what is held. */
  readonly available?: number
  readonly held?: number
}

/** One command of a list: as its own call takes it, with its verb. */
export type BulkOrder =
  | ({ readonly verb: 'debit' } & DebitOrder)
  | ({ readonly verb: 'credit' } & CreditOrder & { readonly refundOf?: Reference })
  | ({ readonly verb: 'hold' } & HoldOrder)

export interface BalanceQuestion extends User {
  readonly requiredAmount: Amount
}

export interface WalletQuestion extends User {
  /** ISO 8601 with its zone: the balance at this moment. */
  readonly at?: string
  readonly type?: 'credit' | 'debit'
  readonly from?: string
  readonly to?: string
  readonly referenceType?: string
  readonly limit?: number
  readonly cursor?: string
}

export interface SessionOrder extends User {
  /** Of the page that embeds the widget. */
  readonly parentOrigin?: string
}

export interface LinkProof {
  readonly linkProof: string
}

export interface TransactionRecord {
  readonly id: string
  readonly type: 'credit' | 'debit'
  readonly amount: number
  readonly balanceAfter: number
  /** Null for what another client app did. */
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly description: string | null
  readonly createdAt: string
}

/** A top-up that a bank is still at: not in the balance. */
export interface PendingTopUp {
  readonly paymentIntentId: string
  readonly amount: number
  readonly createdAt: string
}

export interface Wallet extends HeldSums {
  readonly balance: number
  readonly transactions: readonly TransactionRecord[]
  readonly isActive: boolean
  readonly pendingTopUps?: readonly PendingTopUp[]
  /** There is more: hand it in as `cursor`. */
  readonly nextCursor?: string
  readonly at?: string
  /** The balance at `at` can change no more. */
  readonly final?: boolean
}

export interface BalanceCheck extends HeldSums {
  readonly balance: number
  readonly requiredAmount: number
  readonly hasSufficientBalance: boolean
  readonly pendingTopUps?: readonly PendingTopUp[]
}

export interface AppliedAnswer extends HeldSums {
  readonly balance: number
  /** Of a hold. */
  readonly expiresAt?: string
  readonly message: string
}

/** What a booking can be refused for, for ever: a new attempt needs a new referenceId. */
export type DeclineCode =
  | 'INSUFFICIENT_BALANCE'
  | 'WALLET_INACTIVE'
  | 'REFUND_EXCEEDS_DEBIT'
  | 'BALANCE_LIMIT_EXCEEDED'
  | 'VOIDED'
  | 'CAPTURE_EXCEEDS_HOLD'
  | 'HOLD_CLOSED'
  | 'TOO_MANY_HOLDS'

export interface DeclinedAnswer extends HeldSums {
  readonly code: DeclineCode
  /** For people. */
  readonly error: string
  /** These three with INSUFFICIENT_BALANCE. */
  readonly balance?: number
  readonly requiredAmount?: number
  readonly shortfall?: number
}

/** Booked, now or by an earlier try of the same reference. */
export interface Applied extends AppliedAnswer {
  readonly outcome: 'applied'
}

/** The final word on this reference: nothing was booked. */
export interface Declined extends DeclinedAnswer {
  readonly outcome: 'declined'
}

export type Booking = Applied | Declined

/** What a command of a list became. */
export type BulkBooking =
  | Booking
  /** Nothing was booked, and no outcome stands: a wrong field, a user who has to sign in. */
  | {
      readonly outcome: 'refused'
      readonly status: number
      readonly code: string
      readonly error: string
      readonly requiresAuth: boolean
    }
  /** No try was answered: send it again with the very same reference, or ask `outcome`. */
  | { readonly outcome: 'unknown' }

/** The answer to a list: as many results as commands, in their order. */
export interface BulkAnswer {
  readonly results: readonly BulkResult[]
}

export interface BulkResult {
  readonly status: number
  readonly body: AppliedAnswer | { readonly error: string; readonly code: string }
  readonly headers?: {
    readonly 'idempotency-replayed'?: 'true'
    readonly 'reference-mismatch'?: string
    readonly 'retry-after'?: string
  }
}

export type KnownOutcome =
  | {
      readonly outcome: 'applied'
      readonly final: true
      readonly status: 200
      readonly answer: AppliedAnswer
    }
  | {
      readonly outcome: 'declined'
      readonly final: true
      readonly status: number
      readonly answer: DeclinedAnswer
    }

export type Outcome = KnownOutcome | { readonly outcome: 'never_seen'; readonly final: false }

export interface WidgetSession {
  readonly sessionToken: string
  readonly expiresAt: string
}

export interface LinkedUser {
  readonly serviceUserId: string
}
