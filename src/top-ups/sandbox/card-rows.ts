/**
 * The sandbox's customers and their saved cards: every statement on them, within a transaction or,
 * to read, without. Never: decides what a card does; that is sandbox.ts.
 */
import type { Client, Pool } from '../../platform/postgres.js'
import type { Random } from '../../platform/random.js'
import type { SavedTestCard } from './cards.js'
import type { MethodRow } from './objects.js'

export interface CustomerParameters {
  readonly idempotencyKey: string | undefined
  readonly metadata: Readonly<Record<string, string>>
}

export class SandboxCardRows {
  readonly #client: Client | Pool
  readonly #random: Random

  constructor(parts: { client: Client | Pool; random: Random }) {
    this.#client = parts.client
    this.#random = parts.random
  }

  /** The same key gives the same customer, for ever. */
  async insertCustomer({ idempotencyKey, metadata }: CustomerParameters): Promise<string> {
    const id = this.#newId('cus')
    const key = idempotencyKey ?? id
    await this.#query(
      'insert into sandbox.customers (id, idempotency_key, metadata) values ($1, $2, $3) ' +
        'on conflict (idempotency_key) do nothing',
      [id, key, JSON.stringify(metadata)],
    )
    const [made] = await this.#query<{ id: string }>(
      'select id from sandbox.customers where idempotency_key = $1',
      [key],
    )
    return made?.id ?? id
  }

  async hasCustomer(id: string): Promise<boolean> {
    const found = await this.#query(
      'select 1 from sandbox.customers where id = $1 and not is_deleted',
      [id],
    )
    return found.length > 0
  }

  async deleteCustomer(id: string): Promise<void> {
    await this.#query('update sandbox.customers set is_deleted = true where id = $1', [id])
    await this.#query(
      'update sandbox.payment_methods set customer_id = null where customer_id = $1',
      [id],
    )
  }

  /** Undefined: unknown here. */
  async method(id: string): Promise<MethodRow | undefined> {
    const [method] = await this.#query<MethodRow>(
      'select * from sandbox.payment_methods where id = $1',
      [id],
    )
    return method
  }

  /** What pays this intent; it is nobody's until that has succeeded. */
  async useNew(paymentIntentId: string, card: SavedTestCard): Promise<void> {
    const id = this.#newId('pm')
    await this.#query(
      'insert into sandbox.payment_methods (id, card_number, exp_month, exp_year) ' +
        'values ($1, $2, $3, $4)',
      [id, card.number, card.expiryMonth, card.expiryYear],
    )
    await this.use(paymentIntentId, id)
  }

  async use(paymentIntentId: string, methodId: string): Promise<void> {
    await this.#query('update sandbox.payment_intents set payment_method_id = $2 where id = $1', [
      paymentIntentId,
      methodId,
    ])
  }

  /** Of an intent that was paid: the card stays with its customer, where that was asked for. */
  async attach(paymentIntentId: string): Promise<void> {
    await this.#query(
      'update sandbox.payment_methods m set customer_id = i.customer_id ' +
        'from sandbox.payment_intents i where i.id = $1 and m.id = i.payment_method_id ' +
        'and i.setup_future_usage is not null and i.customer_id is not null',
      [paymentIntentId],
    )
  }

  async detach(methodId: string): Promise<void> {
    await this.#query('update sandbox.payment_methods set customer_id = null where id = $1', [
      methodId,
    ])
  }

  async assign(
    paymentIntentId: string,
    to: { readonly customerId: string; readonly futureUsage: string | null },
  ): Promise<void> {
    await this.#query(
      'update sandbox.payment_intents set customer_id = $2, setup_future_usage = $3 where id = $1',
      [paymentIntentId, to.customerId, to.futureUsage],
    )
  }

  async #query<Row extends object>(sql: string, values: unknown[]): Promise<Row[]> {
    return (await this.#client.query<Row>(sql, values)).rows
  }

  #newId(prefix: string): string {
    return `${prefix}_${this.#random.uuid().replaceAll('-', '')}`
  }
}
