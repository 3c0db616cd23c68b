/**
 * The rows of card returns: what is to go back to which payment's card, and how far it is.
 * Promises: returns of one wallet are planned one after the other, whatever processes do; an open
 * one is one process's while its lease lasts; one that was refused is never asked for again.
 * Never: asks the ledger or a processor; card-returns.ts does.
 * States: open → sent, nothing, or refusing → refused.
 */
import { readFileSync } from 'node:fs'
import { walletIdOf, type WalletId } from '../domain/ids.js'
import { holdOwner } from '../identity/wallet-owners.js'
import type { Clock } from '../platform/clock.js'
import type { Migration } from '../platform/migrations.js'
import { transaction, type Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import type { ProcessorName } from './card-processor.js'
import { returnBatchRows, returnLeaseMs, returnPaymentsMax } from './limits.js'

export const cardReturnsMigration: Migration = {
  name: '0035-card-returns',
  sql: sqlOf('card-returns') + sqlOf('sandbox/card-returns'),
}

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}

export interface CardReturn {
  readonly returnId: string
  readonly walletId: WalletId
  readonly paymentIntentId: string
  /** At most so much. */
  readonly amountMinor: number
  /** What the wallet had of it; undefined until that is known. */
  readonly takenMinor: number | undefined
  readonly status: 'open' | 'refusing' | 'sent' | 'refused' | 'nothing'
  /** How often it was tried, with the one under way. */
  readonly tries: number
}

/** So much of this payment. */
export type PlannedReturn = Pick<CardReturn, 'paymentIntentId' | 'amountMinor'>

export interface CardReturnRowsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly processor: { readonly name: ProcessorName }
}

export class CardReturnRows {
  readonly #parts: CardReturnRowsParts

  constructor(parts: CardReturnRowsParts) {
    this.#parts = parts
  }

  /** Paid, newest first; not those that the processor has refused to refund. */
  async paidOf(walletId: WalletId): Promise<string[]> {
    const { pool, processor } = this.#parts
    const { rows } = await pool.query<{ payment_intent_id: string }>(selectPaid, [
      walletId,
      processor.name,
      returnPaymentsMax,
    ])
    return rows.map((row) => row.payment_intent_id)
  }

  /**
   * Nothing is added to what was begun after `plannedMs`: the plan did not know of it.
   * The new ones are this process's while the lease lasts.
   */
  async begin(
    walletId: WalletId,
    { plan, plannedMs }: { readonly plan: readonly PlannedReturn[]; readonly plannedMs: number },
  ): Promise<CardReturn[]> {
    const { pool, clock, random, processor } = this.#parts
    const now = clock.now()
    return transaction(pool, async (client) => {
      await holdOwner(client, walletId)
      const { rowCount } = await client.query(selectLater, [walletId, new Date(plannedMs)])
      if (rowCount !== 0) return []
      const { rows } = await client.query<Row>(insertReturns, [
        walletId,
        processor.name,
        new Date(now),
        new Date(now + returnLeaseMs),
        plan.map(() => random.uuid()),
        plan.map(({ paymentIntentId }) => paymentIntentId),
        plan.map(({ amountMinor }) => amountMinor),
      ])
      return rows.map(returnOf)
    })
  }

  /** Whose time has come, for this process alone while the lease lasts. */
  async claimDue(): Promise<CardReturn[]> {
    const { pool, clock, processor } = this.#parts
    const now = clock.now()
    const { rows } = await pool.query<Row>(claimDue, [
      new Date(now),
      new Date(now + returnLeaseMs),
      processor.name,
      returnBatchRows,
    ])
    return rows.map(returnOf)
  }

  /** From now on nobody asks for it any more: what was taken is given back. */
  async refuse(returnId: string): Promise<void> {
    await this.#parts.pool.query(
      "update payments.card_returns set status = 'refusing' " +
        "where return_id = $1 and status = 'open'",
      [returnId],
    )
  }

  async end(
    { returnId }: CardReturn,
    to: { readonly status: 'sent' | 'refused' | 'nothing'; readonly takenMinor: number },
  ): Promise<void> {
    await this.#parts.pool.query(
      'update payments.card_returns set status = $2, taken_minor = $3, due_at = null ' +
        "where return_id = $1 and (status = 'open' or status = 'refusing' and $2 = 'refused')",
      [returnId, to.status, to.takenMinor],
    )
  }

  async putOff(returnId: string, pauseMs: number): Promise<void> {
    await this.#parts.pool.query(
      'update payments.card_returns set due_at = $2 ' +
        'where return_id = $1 and due_at is not null',
      [returnId, new Date(this.#parts.clock.now() + pauseMs)],
    )
  }

  /** How many have not ended; of whatever processor, as their money may still come back. */
  async countOpen(walletId: WalletId): Promise<number> {
    const { rows } = await this.#parts.pool.query<{ count: number }>(
      'select count(*)::integer as count from payments.card_returns ' +
        'where wallet_id = $1 and due_at is not null',
      [walletId],
    )
    return rows[0]?.count ?? 0
  }

  /** Those begun since then, and whatever has not ended. */
  async since(walletId: WalletId, fromMs: number): Promise<CardReturn[]> {
    const { rows } = await this.#parts.pool.query<Row>(
      'select * from payments.card_returns ' +
        'where wallet_id = $1 and (created_at >= $2 or due_at is not null)',
      [walletId, new Date(fromMs)],
    )
    return rows.map(returnOf)
  }
}

interface Row {
  readonly return_id: string
  readonly wallet_id: string
  readonly payment_intent_id: string
  readonly amount_minor: number
  readonly taken_minor: number | null
  readonly status: CardReturn['status']
  readonly tries: number
}

function returnOf(row: Row): CardReturn {
  return {
    returnId: row.return_id,
    walletId: walletIdOf(row.wallet_id),
    paymentIntentId: row.payment_intent_id,
    amountMinor: row.amount_minor,
    takenMinor: row.taken_minor ?? undefined,
    status: row.status,
    tries: row.tries,
  }
}

const selectPaid = `
  select payment_intent_id from payments.top_up_intents i
  where wallet_id = $1 and processor = $2 and status = 'paid' and not exists (
    select from payments.card_returns r
    where r.wallet_id = $1 and r.payment_intent_id = i.payment_intent_id
      and r.status in ('refusing', 'refused'))
  order by created_at desc limit $3`

const selectLater = `
  select from payments.card_returns
  where wallet_id = $1 and (created_at >= $2 or due_at is not null) limit 1`

const insertReturns = `
  insert into payments.card_returns (return_id, wallet_id, processor, payment_intent_id,
    amount_minor, status, created_at, due_at, tries)
  select planned.return_id, $1, $2, planned.payment_intent_id, planned.amount_minor,
    'open', $3, $4, 1
  from unnest($5::uuid[], $6::text[], $7::bigint[])
    as planned (return_id, payment_intent_id, amount_minor)
  returning *`

const claimDue = `
  update payments.card_returns set due_at = $2, tries = tries + 1
  where return_id = any(array(
    select return_id from payments.card_returns where due_at <= $1 and processor = $3
    order by due_at limit $4 for update skip locked))
  returning *`
