/**
 * The client for backends, `wallet-service/client`: the server-to-server API and widget sessions,
 * with fetch and nothing else, in Node ≥ 20 and in edge runtimes. Promises: a try takes at most
 * 10 s; after time-outs, connection faults, 429 and 5xx the same request goes again, with the very
 * same reference, so it books once; a decline is an answer, and what is thrown (wallet-errors.ts)
 * says whether the outcome is unknown. For a backend alone: it holds the secret.
 * Never: logs or throws an address, for the one of a GET holds the secret and the user.
 */
import { amountNumber, amountText } from './amounts.js'
import { appliedIn, declinedIn, successOf } from './answers.js'
import { bulkBookings } from './bulk.js'
import { answerOf, type Answer, type CallBounds } from './calls.js'
import type {
  Amount,
  BalanceCheck,
  BalanceQuestion,
  Booking,
  BulkAnswer,
  BulkBooking,
  BulkOrder,
  CaptureOrder,
  CreditOrder,
  DebitOrder,
  HoldOrder,
  KnownOutcome,
  LinkedUser,
  LinkProof,
  Outcome,
  Reference,
  RefundOrder,
  ReleaseOrder,
  SessionOrder,
  TransactionRecord,
  User,
  Wallet,
  WalletQuestion,
  WidgetSession,
} from './contract.js'
import * as limits from './limits.js'
import { systemRuntime, type Runtime } from './runtime.js'

export type * from './contract.js'
export * from './wallet-errors.js'
export * from './webhooks.js'

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

type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string | number | undefined>>

export class WalletClient {
  readonly #url: string
  readonly #credentials: { readonly clientId: string; readonly clientSecret: string }
  readonly #bounds: CallBounds
  readonly #runtime: Runtime

  constructor(options: WalletClientOptions) {
    const { url, clientId, clientSecret } = options
    if (!/^https?:\/\//.test(url))
      throw new TypeError('The url must begin with https:// or http://')
    this.#url = url.replace(/\/+$/, '')
    this.#credentials = { clientId, clientSecret }
    const { timeoutMs, triesMax, totalMs } = { ...limits, ...options }
    this.#bounds = { timeoutMs, triesMax, totalMs }
    this.#runtime = { ...systemRuntime, ...options.runtime }
  }

  /** The wallet, now or at a date, with a page of its transactions. */
  wallet(question: WalletQuestion): Promise<Wallet> {
    return this.#get('/api/server/wallet', { ...question })
  }

  /** Every transaction that there is, newest first, a page at a time as they are asked for. */
  async *transactions(
    question: Omit<WalletQuestion, 'at' | 'cursor'>,
  ): AsyncGenerator<TransactionRecord, void, undefined> {
    let cursor: string | undefined
    do {
      const page: Wallet = await this.wallet({
        ...question,
        ...(cursor !== undefined && { cursor }),
      })
      yield* page.transactions
      // The same place twice would be the same page for ever.
      cursor = page.nextCursor === cursor ? undefined : page.nextCursor
    } while (cursor !== undefined)
  }

  checkBalance({ requiredAmount, ...user }: BalanceQuestion): Promise<BalanceCheck> {
    const query = { ...user, requiredAmount: amountText(requiredAmount) }
    return this.#get('/api/server/wallet/check-balance', query)
  }

  debit(order: DebitOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/debit', order)
  }

  credit(order: CreditOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/credit', order)
  }

  /** A credit that gives a debit back, under a reference of its own. */
  refund(order: RefundOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/credit', order)
  }

  /** Sets an amount aside: it is no longer available, and taken only by a capture. */
  hold(order: HoldOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/hold', order)
  }

  /** Takes of a hold; without an amount all that it has left. */
  capture(order: CaptureOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/hold/capture', order)
  }

  /** Makes what a hold has left available again. */
  release(order: ReleaseOrder): Promise<Booking> {
    return this.#book('/api/server/wallet/hold/release', order)
  }

  /**
   * Many debits and credits, each with an outcome of its own, in the order of the list; those of
   * one wallet are decided in that order. One that got no answer is sent again after the others.
   */
  bulk(orders: readonly BulkOrder[]): Promise<readonly BulkBooking[]> {
    const send = async (commands: readonly BulkOrder[]): Promise<BulkAnswer> =>
      successOf(await this.#post('/api/server/wallet/bulk', { commands }, true)) as BulkAnswer
    return bulkBookings(orders, send, this.#bounds, this.#runtime)
  }

  /** What became of a reference. */
  outcome(question: User & Reference): Promise<Outcome> {
    return this.#get('/api/server/wallet/outcome', { ...question })
  }

  /** Closes a reference for ever, or tells what became of it before. */
  async void(order: User & Reference): Promise<KnownOutcome> {
    return successOf(
      await this.#post('/api/server/wallet/outcome/void', { ...order }, true),
    ) as KnownOutcome
  }

  /** A session of the widget, for one of your users. */
  async createSession(order: SessionOrder): Promise<WidgetSession> {
    return successOf(await this.#post('/api/widget/session', { ...order })) as WidgetSession
  }

  /** For which user a link proof was made; it is good once. */
  async verifyLink(proof: LinkProof): Promise<LinkedUser> {
    return successOf(await this.#post('/api/server/links/verify', { ...proof })) as LinkedUser
  }

  async #book(path: string, order: User & { readonly amount?: Amount }): Promise<Booking> {
    const { amount } = order
    const body = amount === undefined ? order : { ...order, amount: amountNumber(amount) }
    const answer = await this.#post(path, { ...body }, true)
    return declinedIn(answer.body) ?? appliedIn(successOf(answer))
  }

  async #get<Success>(path: string, fields: Query): Promise<Success> {
    const query = new URLSearchParams(this.#credentials)
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) query.set(name, String(value))
    const address = `${this.#url}${path}?${query.toString()}`
    const call = { address, request: { method: 'GET' }, isCommand: false }
    return successOf(await answerOf(call, this.#bounds, this.#runtime)) as Success
  }

  #post(path: string, fields: Fields, isCommand = false): Promise<Answer> {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...this.#credentials, ...fields }),
    }
    const call = { address: this.#url + path, request, isCommand }
    return answerOf(call, this.#bounds, this.#runtime)
  }
}
