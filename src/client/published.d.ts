/**
 * The types of `wallet-service/client`, made of the sources beside this file.
 * Never edited: test/client/types.test.ts writes it.
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
  | ({
      readonly verb: 'debit'
    } & DebitOrder)
  | ({
      readonly verb: 'credit'
    } & CreditOrder & {
        readonly refundOf?: Reference
      })
  | ({
      readonly verb: 'hold'
    } & HoldOrder)
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
  | {
      readonly outcome: 'unknown'
    }
/** The answer to a list: as many results as commands, in their order. */
export interface BulkAnswer {
  readonly results: readonly BulkResult[]
}
export interface BulkResult {
  readonly status: number
  readonly body:
    | AppliedAnswer
    | {
        readonly error: string
        readonly code: string
      }
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
export type Outcome =
  | KnownOutcome
  | {
      readonly outcome: 'never_seen'
      readonly final: false
    }
export interface WidgetSession {
  readonly sessionToken: string
  readonly expiresAt: string
}
export interface LinkedUser {
  readonly serviceUserId: string
}
export interface Runtime {
  readonly fetch: (address: string, request: RequestInit) => Promise<Response>
  /** Milliseconds that only go forward. */
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
  /** From 0 up to 1. */
  readonly fraction: () => number
}
export declare const systemRuntime: Runtime
/** Milliseconds since 1970: what others have signed is of this time. */
export declare function timeOfDayMs(): number
export declare abstract class WalletError extends Error {
  /**
   * True: a debit, credit or void may have been booked, for some try of it got no answer. Repeat
   * it later with the very same reference, or ask `outcome`; never take a new reference.
   */
  abstract readonly isOutcomeUnknown: boolean
}
/** The service refused, with one of its codes. */
export declare class WalletRefusedError extends WalletError {
  readonly name = 'WalletRefusedError'
  readonly status: number
  /** Of the service; NOT_THE_SERVICE when something else answered in its place. */
  readonly code: string
  /** The person has to log in inside the widget. */
  readonly requiresAuth: boolean
  readonly isOutcomeUnknown: boolean
  constructor(refusal: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly requiresAuth: boolean
    readonly isOutcomeUnknown: boolean
  })
}
/** Why a try ended without a final answer. */
export type Fault = 'timeout' | 'connection' | 'busy' | 'unavailable'
/** All tries ended without a final answer. */
export declare class WalletUnavailableError extends WalletError {
  readonly name = 'WalletUnavailableError'
  /** One for each try. */
  readonly faults: readonly Fault[]
  readonly isOutcomeUnknown: boolean
  constructor(faults: readonly Fault[], isOutcomeUnknown: boolean)
}
/** An amount that no number of the contract can be: nothing was sent. */
export declare class InvalidAmountError extends WalletError {
  readonly name = 'InvalidAmountError'
  readonly isOutcomeUnknown = false
}
export type WebhookType =
  | 'wallet.topped_up'
  | 'wallet.top_up_failed'
  | 'wallet.top_up_reversed'
  | 'wallet.entry'
  | 'wallet.low_balance'
  | 'wallet.deactivated'
  | 'wallet.reactivated'
  | 'hold.expired'
  | 'link.created'
  | 'link.removed'
  | 'webhook.test'
/** The same webhook may come more than once: `webhookId` is the same then. */
export interface WebhookEvent {
  readonly webhookId: string
  readonly type: WebhookType
  /** When it happened, ISO 8601. */
  readonly timestamp: string
  readonly data: WebhookData
}
export interface WebhookData {
  /** Missing in a test event. */
  readonly serviceUserId?: string
  readonly balance?: number
  readonly amount?: number
  readonly entryId?: string
  readonly entryType?: 'credit' | 'debit'
  readonly referenceType?: string
  readonly referenceId?: string
  readonly refundOf?: {
    readonly referenceType: string
    readonly referenceId: string
  }
  readonly holdOf?: {
    readonly referenceType: string
    readonly referenceId: string
  }
  readonly threshold?: number
  readonly paymentIntentId?: string
  readonly endpointId?: string
}
/** Not of the service, changed on the way, or too old: answer it with 400. */
export declare class WebhookRefusedError extends Error {
  readonly name = 'WebhookRefusedError'
}
/** Of `Request`, of Node's own server, or a plain object. */
export type WebhookHeaders =
  | {
      get(name: string): string | null
    }
  | Readonly<Record<string, string | readonly string[] | undefined>>
export interface SignedWebhook {
  /** As it came: parsed and written again it is another text. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** `whsec_…`, or several while one is exchanged for another. */
  readonly secret: string | readonly string[]
  /** Milliseconds since 1970; the runtime's when left out. */
  readonly nowMs?: number
}
/** The event, or WebhookRefusedError is thrown. */
export declare function verifyWebhook(webhook: SignedWebhook): Promise<WebhookEvent>
export interface WalletClientOptions {
  /** Of the service, such as https://wallet.example. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  /** Of one try; 10,000. */
  readonly timeoutMs?: number
  /** 5. */
  readonly triesMax?: number
  /** All tries and pauses of one call; 60,000. */
  readonly totalMs?: number
  /** Instead of the runtime's own fetch, clock and pauses. */
  readonly runtime?: Partial<Runtime>
}
export declare class WalletClient {
  #private
  constructor(options: WalletClientOptions)
  /** The wallet, now or at a date, with a page of its transactions. */
  wallet(question: WalletQuestion): Promise<Wallet>
  /** Every transaction that there is, newest first, a page at a time as they are asked for. */
  transactions(
    question: Omit<WalletQuestion, 'at' | 'cursor'>,
  ): AsyncGenerator<TransactionRecord, void, undefined>
  checkBalance({ requiredAmount, ...user }: BalanceQuestion): Promise<BalanceCheck>
  debit(order: DebitOrder): Promise<Booking>
  credit(order: CreditOrder): Promise<Booking>
  /** A credit that gives a debit back, under a reference of its own. */
  refund(order: RefundOrder): Promise<Booking>
  /** Sets an amount aside: it is no longer available, and taken only by a capture. */
  hold(order: HoldOrder): Promise<Booking>
  /** Takes of a hold; without an amount all that it has left. */
  capture(order: CaptureOrder): Promise<Booking>
  /** Makes what a hold has left available again. */
  release(order: ReleaseOrder): Promise<Booking>
  /**
   * Many debits and credits, each with an outcome of its own, in the order of the list; those of
   * one wallet are decided in that order. One that got no answer is sent again after the others.
   */
  bulk(orders: readonly BulkOrder[]): Promise<readonly BulkBooking[]>
  /** What became of a reference. */
  outcome(question: User & Reference): Promise<Outcome>
  /** Closes a reference for ever, or tells what became of it before. */
  void(order: User & Reference): Promise<KnownOutcome>
  /** A session of the widget, for one of your users. */
  createSession(order: SessionOrder): Promise<WidgetSession>
  /** For which user a link proof was made; it is good once. */
  verifyLink(proof: LinkProof): Promise<LinkedUser>
}
