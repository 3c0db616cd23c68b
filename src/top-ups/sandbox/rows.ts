/**
 * The sandbox's tables, within a transaction or, to read, without: every statement on them, and the
 * webhooks that a change leaves behind in the same transaction. Never: decides what a card or a
 * bank does; that is sandbox.ts.
 */
import type { Clock } from '../../platform/clock.js'
import type { Client, Pool } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import { SandboxCardRows } from './card-rows.js'
import type { CardFault } from './cards.js'
import {
  chargeObject,
  disputeObject,
  eventObject,
  intentObject,
  refundObject,
  type DisputeRow,
  type IntentRow,
  type IntentRowStatus,
  type RefundRow,
} from './objects.js'

/** Stripe would refuse this, with this code. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface IntentParameters {
  readonly idempotencyKey: string | undefined
  readonly amount: number
  readonly currency: string
  readonly description: string | undefined
  readonly metadata: Readonly<Record<string, string>>
}

export interface RefundParameters {
  readonly idempotencyKey?: string | undefined
  readonly metadata?: Readonly<Record<string, string>>
}

export type ActKind = 'succeed' | 'refund' | 'dispute'

export class SandboxRows {
  readonly cards: SandboxCardRows
  readonly #client: Client | Pool
  readonly #clock: Clock
  readonly #random: Random

  constructor(parts: { client: Client | Pool; clock: Clock; random: Random }) {
    this.cards = new SandboxCardRows(parts)
    this.#client = parts.client
    this.#clock = parts.clock
    this.#random = parts.random
  }

  /** The same key gives the same intent, for ever. */
  async insertIntent(parameters: IntentParameters): Promise<IntentRow> {
    const id = this.#newId('pi')
    const key = parameters.idempotencyKey ?? id
    const [made] = await this.#query<IntentRow>(insertIntent, [
      id,
      key,
      `${id}_secret_${this.#random.uuid().replaceAll('-', '')}`,
      parameters.amount,
      parameters.currency,
      parameters.description ?? null,
      JSON.stringify(parameters.metadata),
      this.#now(),
    ])
    if (made !== undefined) return made
    const [known] = await this.#query<IntentRow>(
      'select * from sandbox.payment_intents where idempotency_key = $1',
      [key],
    )
    return known ?? missing('payment_intent', key)
  }

  async intent(id: string): Promise<IntentRow> {
    const [intent] = await this.#query<IntentRow>(selectIntent, [id])
    return intent ?? missing('payment_intent', id)
  }

  /** Held until the transaction ends: whoever changes it next waits. */
  async lockIntent(id: string): Promise<IntentRow> {
    const [intent] = await this.#query<IntentRow>(`${selectIntent} for update`, [id])
    return intent ?? missing('payment_intent', id)
  }

  async moveIntent(
    id: string,
    to: { readonly status: IntentRowStatus; readonly type: string; readonly fault?: CardFault },
  ): Promise<IntentRow> {
    const [moved] = await this.#query<IntentRow>(moveIntent, [
      id,
      to.status,
      to.fault?.code ?? null,
      to.fault?.message ?? null,
    ])
    if (moved === undefined) return missing('payment_intent', id)
    await this.#tell(to.type, intentObject(moved))
    return moved
  }

  /** What is received and not refunded; a refund that failed is as if it never was. */
  async refundable(intent: IntentRow): Promise<number> {
    const [sum] = await this.#query<{ refunded: number }>(
      'select coalesce(sum(amount), 0)::bigint as refunded from sandbox.refunds ' +
        "where payment_intent_id = $1 and status <> 'failed'",
      [intent.id],
    )
    return intent.amount_received - (sum?.refunded ?? 0)
  }

  async insertRefund(
    intent: IntentRow,
    amount: number,
    { idempotencyKey, metadata = {} }: RefundParameters = {},
  ): Promise<string> {
    const id = this.#newId('re')
    await this.#query(insertRefund, [
      id,
      intent.id,
      amount,
      this.#now(),
      idempotencyKey ?? null,
      JSON.stringify(metadata),
    ])
    const refundedMinor = intent.amount_received - (await this.refundable(intent))
    await this.#tellRefund(id, 'refund.created')
    await this.#tell('charge.refunded', chargeObject(intent, refundedMinor))
    return id
  }

  /** What was made with this key, of whatever payment. */
  async refundByKey(idempotencyKey: string | undefined): Promise<RefundRow | undefined> {
    const [refund] = await this.#query<RefundRow>(selectRefundByKey, [idempotencyKey ?? null])
    return refund
  }

  async failRefund(id: string): Promise<void> {
    const failed = await this.#query(
      "update sandbox.refunds set status = 'failed' " +
        "where id = $1 and status <> 'failed' returning 1",
      [id],
    )
    if (failed.length === 0) missing('refund', id)
    await this.#tellRefund(id, 'refund.failed')
  }

  async insertDispute(intent: IntentRow): Promise<string> {
    const id = this.#newId('dp')
    await this.#query(
      'insert into sandbox.disputes (id, payment_intent_id, amount, status, created_at) ' +
        "values ($1, $2, $3, 'needs_response', $4)",
      [id, intent.id, intent.amount_received, this.#now()],
    )
    await this.#tellDispute(id, 'charge.dispute.created')
    await this.#moveFunds(id, -intent.amount_received)
    await this.#tellDispute(id, 'charge.dispute.funds_withdrawn')
    return id
  }

  async closeDispute(id: string, end: 'won' | 'lost'): Promise<void> {
    const [closed] = await this.#query<{ amount: number }>(
      "update sandbox.disputes set status = $2 where id = $1 and status = 'needs_response' " +
        'returning amount',
      [id, end],
    )
    if (closed === undefined) return missing('open dispute', id)
    await this.#tellDispute(id, 'charge.dispute.closed')
    if (end === 'lost') return
    await this.#moveFunds(id, closed.amount)
    await this.#tellDispute(id, 'charge.dispute.funds_reinstated')
  }

  /** Newest first. */
  async refunds(paymentIntentId: string) {
    return (await this.#query<RefundRow>(selectRefunds, [paymentIntentId])).map(refundObject)
  }

  /** Newest first. */
  async disputes(paymentIntentId: string) {
    return (await this.#query<DisputeRow>(selectDisputes, [paymentIntentId])).map(disputeObject)
  }

  async plan(paymentIntentId: string, act: { kind: ActKind; inMs: number }): Promise<void> {
    await this.#query(
      'insert into sandbox.acts (payment_intent_id, kind, due_at) values ($1, $2, $3)',
      [paymentIntentId, act.kind, new Date(this.#clock.now() + act.inMs)],
    )
  }

  /** Taken by this transaction: done when it commits, free again when it does not. */
  async takeDueAct(): Promise<{ paymentIntentId: string; kind: ActKind } | undefined> {
    const [act] = await this.#query<{ payment_intent_id: string; kind: ActKind }>(takeDueAct, [
      this.#now(),
    ])
    return act && { paymentIntentId: act.payment_intent_id, kind: act.kind }
  }

  async #moveFunds(disputeId: string, amount: number): Promise<void> {
    await this.#query(
      'insert into sandbox.balance_transactions (id, dispute_id, amount, created_at) ' +
        'values ($1, $2, $3, $4)',
      [this.#newId('txn'), disputeId, amount, this.#now()],
    )
  }

  async #tellRefund(id: string, type: string): Promise<void> {
    for (const refund of await this.refunds(id)) await this.#tell(type, refund)
  }

  async #tellDispute(id: string, type: string): Promise<void> {
    for (const dispute of await this.disputes(id)) await this.#tell(type, dispute)
  }

  async #tell(type: string, object: object): Promise<void> {
    const id = this.#newId('evt')
    const event = eventObject({ id, type, nowMs: this.#clock.now(), object })
    await this.#query('insert into sandbox.webhooks (id, body, due_at) values ($1, $2, $3)', [
      id,
      JSON.stringify(event),
      this.#now(),
    ])
  }

  async #query<Row extends object>(sql: string, values: unknown[]): Promise<Row[]> {
    return (await this.#client.query<Row>(sql, values)).rows
  }

  #newId(prefix: string): string {
    return `${prefix}_${this.#random.uuid().replaceAll('-', '')}`
  }

  #now(): Date {
    return new Date(this.#clock.now())
  }
}

export function missing(what: string, id: string): never {
  throw new SandboxRefusal('resource_missing', `No such ${what}: '${id}'`)
}

const selectIntent = 'select * from sandbox.payment_intents where id = $1'

const insertIntent = `
  insert into sandbox.payment_intents (id, idempotency_key, secret, amount, currency, description,
    metadata, status, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'requires_payment_method', $8)
  on conflict (idempotency_key) do nothing
  returning *`

const moveIntent = `
  update sandbox.payment_intents set status = $2, failure_code = $3, failure_message = $4,
    amount_received = case when $2 = 'succeeded' then amount else 0 end
  where id = $1
  returning *`

const insertRefund = `
  insert into sandbox.refunds (id, payment_intent_id, amount, status, created_at, idempotency_key,
    metadata)
  values ($1, $2, $3, 'succeeded', $4, $5, $6)`

const selectRefundByKey = `
  select r.*, i.currency from sandbox.refunds r
  join sandbox.payment_intents i on i.id = r.payment_intent_id
  where r.idempotency_key = $1`

// By the payment or by itself: the beginnings of the ids keep them apart.
const selectRefunds = `
  select r.*, i.currency from sandbox.refunds r
  join sandbox.payment_intents i on i.id = r.payment_intent_id
  where r.payment_intent_id = $1 or r.id = $1
  order by r.place desc`

const selectDisputes = `
  select d.*, i.currency, coalesce((
    select jsonb_agg(jsonb_build_object('id', b.id, 'amount', b.amount,
      'created', floor(extract(epoch from b.created_at))) order by b.place)
    from sandbox.balance_transactions b where b.dispute_id = d.id), '[]') as movements
  from sandbox.disputes d
  join sandbox.payment_intents i on i.id = d.payment_intent_id
  where d.payment_intent_id = $1 or d.id = $1
  order by d.place desc`

const takeDueAct = `
  delete from sandbox.acts where act_id = (
    select act_id from sandbox.acts where due_at <= $1
    order by due_at limit 1 for update skip locked)
  returning payment_intent_id, kind`
