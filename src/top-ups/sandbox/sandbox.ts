/**
 * The sandbox: a card processor of test cards, with its memory in PostgreSQL rows, so that it
 * survives a restart and is the same for every process. Our adapter reaches it over HTTP in
 * Stripe's API (sandbox-server.ts); here is what that API, the form of the test cards, a bank and a
 * card holder do. Promises: a change and the webhooks that tell of it commit together; what happens
 * later is a row with its time, done once. Never: touches the ledger, or takes real money.
 * States of an intent: requires_payment_method ⇄ requires_action → processing → succeeded, or
 * canceled while nothing is taken. Of a refund: succeeded → failed. Of a dispute: open → won, lost.
 */
import { readFileSync } from 'node:fs'
import { sandboxBatchRows, sandboxLaterMs, sandboxProcessingMs } from '../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Migration } from '../../platform/migrations.js'
import { transaction, type Pool } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import {
  declinedCard,
  readCard,
  savedCardFault,
  savedCardOf,
  testCards,
  type CardData,
  type CardFault,
  type TestCard,
} from './cards.js'
import type { CustomerParameters } from './card-rows.js'
import { customerObject, intentObject, methodObject, refundObject } from './objects.js'
import type { IntentRow, MethodRow } from './objects.js'
import { missing, SandboxRefusal, SandboxRows } from './rows.js'
import type { IntentParameters, RefundParameters } from './rows.js'

export const sandboxMigration: Migration = {
  name: '0013-sandbox',
  sql: readFileSync(new URL('./sandbox.sql', import.meta.url), 'utf8'),
}

/** Whoever has the secret may pay the intent. */
export interface PaymentKey {
  readonly paymentIntentId: string
  readonly paymentSecret: string
}

export type PayAnswer =
  | { readonly status: 'succeeded' | 'requires_action' | 'processing' }
  | ({ readonly status: 'declined' } & CardFault)
  /** The connection ends here, without an answer. */
  | { readonly status: 'cut' }

export interface SandboxKeys {
  readonly secretKey: string
  readonly webhookSecret: string
}

export class Sandbox {
  readonly #parts: { pool: Pool; clock: Clock; random: Random }
  readonly #reading: SandboxRows

  constructor(parts: { pool: Pool; clock: Clock; random: Random }) {
    this.#parts = parts
    this.#reading = new SandboxRows({ ...parts, client: parts.pool })
  }

  /** Made once a deployment: what one process signs, another one must believe. */
  async keys(): Promise<SandboxKeys> {
    const { pool, random } = this.#parts
    const secret = (): string => random.bytes(24).toString('base64url')
    await pool.query(
      'insert into sandbox.keys (secret_key, webhook_secret) values ($1, $2) ' +
        'on conflict do nothing',
      [`sk_test_${secret()}`, `whsec_${secret()}`],
    )
    const { rows } = await pool.query<{ secret_key: string; webhook_secret: string }>(
      'select secret_key, webhook_secret from sandbox.keys',
    )
    return { secretKey: rows[0]?.secret_key ?? '', webhookSecret: rows[0]?.webhook_secret ?? '' }
  }

  async createIntent(parameters: IntentParameters): Promise<object> {
    const { amount, currency } = parameters
    if (!Number.isSafeInteger(amount) || amount < 1)
      throw new SandboxRefusal('parameter_invalid_integer', 'The amount is not valid.')
    return this.#within(async (rows) => {
      const intent = await rows.insertIntent(parameters)
      if (intent.amount !== amount || intent.currency !== currency)
        throw new SandboxRefusal('idempotency_error', 'The key was used with other parameters.')
      return intentObject(intent)
    })
  }

  async intent(id: string): Promise<object> {
    return intentObject(await this.#reading.intent(id))
  }

  async cancelIntent(id: string): Promise<object> {
    return this.#within(async (rows) => {
      const { status } = await rows.lockIntent(id)
      if (status !== 'requires_payment_method' && status !== 'requires_action')
        throw new SandboxRefusal(
          'payment_intent_unexpected_state',
          `A payment that is ${status} cannot be cancelled.`,
        )
      const to = { status: 'canceled', type: 'payment_intent.canceled' } as const
      return intentObject(await rows.moveIntent(id, to))
    })
  }

  /** Newest first. */
  refunds(paymentIntentId: string): Promise<{ readonly id: string }[]> {
    return this.#reading.refunds(paymentIntentId)
  }

  /** Newest first. */
  disputes(paymentIntentId: string): Promise<{ readonly id: string }[]> {
    return this.#reading.disputes(paymentIntentId)
  }

  /** What the form of the test cards does; undefined for a wrong id or secret. */
  async pay(key: PaymentKey, card: CardData): Promise<PayAnswer | undefined> {
    return this.#withSecret(key, async (rows, intent) => {
      const ended = endOf(intent)
      if (ended !== undefined) return ended
      const found = readCard(card, this.#parts.clock.now())
      if (!('end' in found)) return decline(rows, intent, found)
      if (intent.setup_future_usage !== null)
        await rows.cards.useNew(intent.id, savedCardOf(found, card))
      return charge(rows, intent, found)
    })
  }

  /** What the bank's page of 3-D Secure does. */
  async authenticate(key: PaymentKey, isApproved: boolean): Promise<PayAnswer | undefined> {
    return this.#withSecret(key, async (rows, intent) => {
      const ended = endOf(intent)
      if (ended !== undefined) return ended
      if (intent.status !== 'requires_action') return decline(rows, intent, nothingToApprove)
      return isApproved ? succeed(rows, intent) : decline(rows, intent, notApproved)
    })
  }

  async createCustomer(parameters: CustomerParameters): Promise<object> {
    const id = await this.#within((rows) => rows.cards.insertCustomer(parameters))
    return customerObject(id, { isDeleted: false })
  }

  async deleteCustomer(id: string): Promise<object> {
    return this.#within(async ({ cards }) => {
      if (!(await cards.hasCustomer(id))) return missing('customer', id)
      await cards.deleteCustomer(id)
      return customerObject(id, { isDeleted: true })
    })
  }

  async method(id: string): Promise<object> {
    return methodObject(await methodOf(this.#reading, id))
  }

  async detachMethod(id: string): Promise<object> {
    return this.#within(async (rows) => {
      const method = await methodOf(rows, id)
      await rows.cards.detach(id)
      return methodObject({ ...method, customer_id: null })
    })
  }

  async assignIntent(
    id: string,
    to: { readonly customerId: string; readonly futureUsage: string | null },
  ): Promise<object> {
    return this.#within(async (rows) => {
      await rows.lockIntent(id)
      if (!(await rows.cards.hasCustomer(to.customerId))) missing('customer', to.customerId)
      await rows.cards.assign(id, to)
      return intentObject(await rows.intent(id))
    })
  }

  /** A saved card pays. Off session nobody is there to approve anything. */
  async confirmIntent(
    id: string,
    { methodId, isOffSession }: { readonly methodId: string; readonly isOffSession: boolean },
  ): Promise<{ readonly answer: PayAnswer; readonly intent: object }> {
    return this.#within(async (rows) => {
      const intent = await rows.lockIntent(id)
      const method = await methodOf(rows, methodId)
      if (intent.customer_id === null || method.customer_id !== intent.customer_id)
        missing('payment_method', methodId)
      if (endOf(intent) !== undefined)
        throw new SandboxRefusal('payment_intent_unexpected_state', `It is ${intent.status}.`)
      await rows.cards.use(id, methodId)
      const fault = savedCardFault(savedOf(method), this.#parts.clock.now())
      const answer =
        fault === undefined
          ? await chargeSaved(rows, intent, { method, isOffSession })
          : await decline(rows, intent, fault)
      return { answer, intent: intentObject(await rows.intent(id)) }
    })
  }

  /** As the API makes one: not of what is disputed, and once a key. */
  async createRefund(
    paymentIntentId: string,
    { amount, ...parameters }: RefundParameters & { readonly amount: number },
  ): Promise<object> {
    return this.#within(async (rows) => {
      const intent = await rows.lockIntent(paymentIntentId)
      const known = await rows.refundByKey(parameters.idempotencyKey)
      if (known !== undefined && known.payment_intent_id === intent.id && known.amount === amount)
        return refundObject(known)
      if (known !== undefined)
        throw new SandboxRefusal('idempotency_error', 'The key was used with other parameters.')
      const disputes = await rows.disputes(intent.id)
      if (disputes.some(({ status }) => status !== 'won'))
        throw new SandboxRefusal('charge_disputed', 'What is disputed cannot be refunded.')
      requireRefundable(amount, await rows.refundable(intent))
      const id = await rows.insertRefund(intent, amount, parameters)
      const [made] = await rows.refunds(id)
      return made ?? missing('refund', id)
    })
  }

  /** All that is left, or a part of it; the refund's id. */
  async refund(paymentIntentId: string, amountMinor?: number): Promise<string> {
    return this.#within(async (rows) => {
      const intent = await rows.lockIntent(paymentIntentId)
      const leftMinor = await rows.refundable(intent)
      const amount = amountMinor ?? leftMinor
      requireRefundable(amount, leftMinor)
      return rows.insertRefund(intent, amount)
    })
  }

  /** The bank sends a refund back, as it does when the card's account is closed. */
  async failRefund(refundId: string): Promise<void> {
    await this.#within((rows) => rows.failRefund(refundId))
  }

  /** Disputed in full, the funds withdrawn; the dispute's id. */
  async dispute(paymentIntentId: string): Promise<string> {
    return this.#within(async (rows) => {
      const intent = await rows.lockIntent(paymentIntentId)
      if (intent.status !== 'succeeded')
        throw new SandboxRefusal('charge_disputed', 'Only what was paid can be disputed.')
      return rows.insertDispute(intent)
    })
  }

  /** Won: the funds come back. Lost: nothing moves, they are gone already. */
  async closeDispute(disputeId: string, end: 'won' | 'lost'): Promise<void> {
    await this.#within((rows) => rows.closeDispute(disputeId, end))
  }

  /** Does what is due by now; how much that was. */
  async runDueActs(): Promise<number> {
    let done = 0
    while (done < sandboxBatchRows && (await this.#within(runDueAct))) done += 1
    return done
  }

  async #withSecret(
    { paymentIntentId, paymentSecret }: PaymentKey,
    work: (rows: SandboxRows, intent: IntentRow) => Promise<PayAnswer>,
  ): Promise<PayAnswer | undefined> {
    try {
      return await this.#within(async (rows) => {
        const intent = await rows.lockIntent(paymentIntentId)
        return intent.secret === paymentSecret ? work(rows, intent) : undefined
      })
    } catch (error) {
      if (error instanceof SandboxRefusal && error.code === 'resource_missing') return undefined
      throw error
    }
  }

  #within<T>(work: (rows: SandboxRows) => Promise<T>): Promise<T> {
    return transaction(this.#parts.pool, (client) =>
      work(new SandboxRows({ ...this.#parts, client })),
    )
  }
}

function requireRefundable(amount: number, leftMinor: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > leftMinor)
    throw new SandboxRefusal('charge_already_refunded', 'That much is not left to refund.')
}

const notApproved: CardFault = {
  code: 'payment_intent_authentication_failure',
  message: 'The payment was not approved with your bank.',
}
const authenticationRequired: CardFault = {
  code: 'authentication_required',
  message: 'Your bank wants you to approve this payment yourself.',
}
const nothingToApprove: CardFault = {
  code: 'payment_intent_unexpected_state',
  message: 'There is nothing to approve. Enter the card again.',
}
const cancelled: CardFault = {
  code: 'payment_intent_canceled',
  message: 'This payment was cancelled. Start a new one.',
}

/** What a card can no longer change. */
function endOf({ status }: IntentRow): PayAnswer | undefined {
  if (status === 'canceled') return { status: 'declined', ...cancelled }
  return status === 'succeeded' || status === 'processing' ? { status } : undefined
}

async function charge(rows: SandboxRows, intent: IntentRow, card: TestCard): Promise<PayAnswer> {
  switch (card.end) {
    case 'network-failure':
      return { status: 'cut' }
    case 'declined':
      return decline(rows, intent, declinedCard)
    case 'always-authentication':
    case 'authentication': {
      const to = { status: 'requires_action', type: 'payment_intent.requires_action' } as const
      await rows.moveIntent(intent.id, to)
      return { status: to.status }
    }
    case 'processing': {
      const to = { status: 'processing', type: 'payment_intent.processing' } as const
      await rows.moveIntent(intent.id, to)
      await rows.plan(intent.id, { kind: 'succeed', inMs: sandboxProcessingMs })
      return { status: to.status }
    }
    case 'later-refund':
      await rows.plan(intent.id, { kind: 'refund', inMs: sandboxLaterMs })
      return succeed(rows, intent)
    case 'later-dispute':
      await rows.plan(intent.id, { kind: 'dispute', inMs: sandboxLaterMs })
      return succeed(rows, intent)
    case 'declined-later':
    case 'success':
      return succeed(rows, intent)
  }
}

function savedOf({ card_number, exp_month, exp_year }: MethodRow) {
  return { number: card_number, expiryMonth: exp_month, expiryYear: exp_year }
}

async function methodOf(rows: SandboxRows, id: string): Promise<MethodRow> {
  return (await rows.cards.method(id)) ?? missing('payment_method', id)
}

/** What was set up with an approval needs none while its holder is away; one card always does. */
async function chargeSaved(
  rows: SandboxRows,
  intent: IntentRow,
  { method, isOffSession }: { readonly method: MethodRow; readonly isOffSession: boolean },
): Promise<PayAnswer> {
  const card = testCards.find(({ number }) => number === method.card_number)
  if (card === undefined) return decline(rows, intent, declinedCard)
  if (isOffSession && card.end === 'always-authentication')
    return decline(rows, intent, authenticationRequired)
  if (isOffSession && card.end === 'authentication') return succeed(rows, intent)
  return charge(rows, intent, card)
}

async function succeed(rows: SandboxRows, { id }: IntentRow): Promise<PayAnswer> {
  await rows.cards.attach(id)
  await rows.moveIntent(id, { status: 'succeeded', type: 'payment_intent.succeeded' })
  return { status: 'succeeded' }
}

async function decline(rows: SandboxRows, { id }: IntentRow, fault: CardFault): Promise<PayAnswer> {
  const type = 'payment_intent.payment_failed'
  await rows.moveIntent(id, { status: 'requires_payment_method', type, fault })
  return { status: 'declined', ...fault }
}

async function runDueAct(rows: SandboxRows): Promise<boolean> {
  const act = await rows.takeDueAct()
  if (act === undefined) return false
  const intent = await rows.lockIntent(act.paymentIntentId)
  if (act.kind === 'succeed') await succeed(rows, intent)
  else if (act.kind === 'dispute') await rows.insertDispute(intent)
  else {
    const leftMinor = await rows.refundable(intent)
    // Somebody has refunded it in between: there is nothing left to do.
    if (leftMinor > 0) await rows.insertRefund(intent, leftMinor)
  }
  return true
}
