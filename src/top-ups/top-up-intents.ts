/**
 * Top-up intents: rows that say whose a payment is, and when to look at it again.
 * Promises: a row stands before the processor hears of the top-up, and a payment's secret is handed
 * out only after the row names the payment, so nobody can pay what we do not know; a wallet's limit
 * holds however many processes make intents at once. Never: holds the secret, or money; the ledger
 * says what was booked.
 * States: creating → open → paid or cancelled; creating → cancelled. Paid and cancelled are ends.
 */
import { readFileSync } from 'node:fs'
import { isUuid, walletIdOf, type WalletId } from '../domain/ids.js'
import { holdOwner, ownerOf } from '../identity/wallet-owners.js'
import {
  intentBatchRows,
  intentCheckMs,
  intentLeaseMs,
  paidCheckMs,
  pendingTopUpsMax,
  supersededIntentsMax,
} from './limits.js'
import { gatheredLookupsMax } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import { Gatherer } from '../platform/gather.js'
import type { Migration } from '../platform/migrations.js'
import { transaction, type Client, type Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import type { ProcessorName, TopUpTag } from './card-processor.js'

export const topUpIntentsMigrations: readonly Migration[] = [
  { name: '0012-top-up-intents', sql: sqlOf('top-up-intents') },
  { name: '0024-top-ups-pending', sql: sqlOf('top-ups-pending') },
  { name: '0031-top-up-failures', sql: sqlOf('top-up-failures') },
]

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}

export interface TopUpIntent {
  readonly topUpId: string
  /** Missing until the processor has answered. */
  readonly paymentIntentId: string | undefined
  readonly walletId: WalletId
  readonly clientId: string
  readonly amountMinor: number
  readonly currencyCode: string
  readonly status: IntentStatus
  readonly createdMs: number
  /** How often the sweeper has looked. */
  readonly checks: number
  /** The bank was at it when it was last looked at. */
  readonly isProcessing: boolean
  /** A bank has refused the last try. */
  readonly isFailed: boolean
}

/** Paid for the person, while the bank has not said its last word. */
export interface PendingTopUp {
  readonly paymentIntentId: string
  readonly amountMinor: number
  readonly createdMs: number
}

export type IntentStatus = 'creating' | 'open' | 'paid' | 'cancelled'

export interface NewIntent {
  readonly walletId: WalletId
  readonly serviceUserId: string
  readonly clientId: string
  readonly amountMinor: number
  readonly currencyCode: string
}

export type Begun =
  | { readonly kind: 'begun'; readonly topUpId: string }
  | {
      readonly kind: 'over-limit'
      readonly leftMinor: number
      /** Unpaid ones that count too and could make room. */
      readonly open: readonly string[]
    }

export interface TopUpIntentsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly processor: ProcessorName
}

/** What top-ups and their sweeper need of the rows: SQL stands behind it, or a test's own rows. */
export type IntentRows = Pick<TopUpIntents, keyof TopUpIntents>

export class TopUpIntents {
  readonly #parts: TopUpIntentsParts
  /** Every read of a wallet asks: those of a moment share one statement. */
  readonly #pending: Gatherer<WalletId, PendingTopUp[]>

  constructor(parts: TopUpIntentsParts) {
    this.#parts = parts
    const ask = (walletIds: readonly WalletId[]) => this.#pendingOfAll(walletIds)
    this.#pending = new Gatherer(ask, { max: gatheredLookupsMax })
  }

  /** Counts what was paid or may still be paid of the last 24 hours, and adds this one to it. */
  async begin(intent: NewIntent, { dayMaximumMinor }: { dayMaximumMinor: number }): Promise<Begun> {
    const { pool, clock, random, processor } = this.#parts
    const now = clock.now()
    return transaction(pool, async (client) => {
      const counted = await this.#countDay(client, intent.walletId, new Date(now - dayMs))
      const leftMinor = Math.max(0, dayMaximumMinor - counted.sumMinor)
      if (intent.amountMinor > leftMinor) return { kind: 'over-limit', leftMinor, ...counted }
      const topUpId = random.uuid()
      await client.query(insertIntent, [
        topUpId,
        processor,
        intent.walletId,
        intent.serviceUserId,
        intent.clientId,
        intent.amountMinor,
        intent.currencyCode,
        new Date(now),
        new Date(now + intentCheckMs),
      ])
      return { kind: 'begun', topUpId }
    })
  }

  /** False when the row has ended meanwhile: then the payment's secret must not be handed out. */
  async open(topUpId: string, paymentIntentId: string): Promise<boolean> {
    const { rowCount } = await this.#parts.pool.query(
      "update payments.top_up_intents set payment_intent_id = $2, status = 'open' " +
        // A webhook may have been faster and named it already.
        "where top_up_id = $1 and (status = 'creating' " +
        "or status = 'open' and payment_intent_id = $2)",
      [topUpId, paymentIntentId],
    )
    return rowCount === 1
  }

  /** This processor's only: another one's payments cannot be asked about here. */
  async find(paymentIntentId: string): Promise<TopUpIntent | undefined> {
    const { pool, processor } = this.#parts
    const { rows } = await pool.query<Row>(
      'select * from payments.top_up_intents where payment_intent_id = $1 and processor = $2',
      [paymentIntentId, processor],
    )
    return rows[0] && intentOf(rows[0])
  }

  /**
   * The row of a payment that no row names, by what the payment itself carries: found by its own
   * id, or made anew for a wallet that exists. Undefined: the payment is somebody else's.
   */
  async adopt(payment: AdoptedPayment): Promise<TopUpIntent | undefined> {
    const { pool, clock, processor } = this.#parts
    const { topUpId, clientId } = payment.tag
    if (!isUuid(topUpId) || !isUuid(payment.tag.walletId)) return undefined
    const walletId = walletIdOf(payment.tag.walletId)
    const serviceUserId = await ownerOf(pool, { walletId, clientId })
    if (serviceUserId === undefined) return undefined
    const now = clock.now()
    const { rows } = await pool.query<Row>(adoptIntent, [
      topUpId,
      processor,
      payment.paymentIntentId,
      walletId,
      serviceUserId,
      clientId,
      payment.amountMinor,
      payment.currencyCode,
      new Date(now),
      new Date(now + intentCheckMs),
    ])
    return rows[0] && intentOf(rows[0])
  }

  /** What a look has seen of one that has not ended. */
  async setProcessing(topUpId: string, isProcessing: boolean): Promise<void> {
    const since = isProcessing ? new Date(this.#parts.clock.now()) : null
    await this.#parts.pool.query(
      'update payments.top_up_intents set processing_since = $2, ' +
        'failed_at = case when $2::timestamptz is null then failed_at end ' +
        "where top_up_id = $1 and status = 'open'",
      [topUpId, since],
    )
  }

  /** A bank has refused it; noted once, until a bank is at it again. */
  async noteFailure(topUpId: string): Promise<void> {
    await this.#parts.pool.query(
      'update payments.top_up_intents set failed_at = $2 ' +
        "where top_up_id = $1 and status <> 'paid' and failed_at is null",
      [topUpId, new Date(this.#parts.clock.now())],
    )
  }

  /** Newest first; of this processor, as nobody could say what became of another's. */
  pendingOf(walletId: WalletId): Promise<PendingTopUp[]> {
    return this.#pending.ask(walletId)
  }

  async #pendingOfAll(walletIds: readonly WalletId[]): Promise<PendingTopUp[][]> {
    const { pool, processor } = this.#parts
    const { rows } = await pool.query<PendingRow>({
      name: 'top-ups-pending',
      text: pendingStatement,
      values: [walletIds, processor, pendingTopUpsMax],
    })
    const all = walletIds.map((): PendingTopUp[] => [])
    for (const row of rows)
      all[row.place - 1]?.push({
        paymentIntentId: row.payment_intent_id,
        amountMinor: row.amount_minor,
        createdMs: row.created_at.getTime(),
      })
    return all
  }

  /** Those that might still be paid and no bank is at; they end by themselves in an hour. */
  async openOf(walletId: WalletId): Promise<string[]> {
    const { pool, processor } = this.#parts
    const { rows } = await pool.query<{ payment_intent_id: string }>(
      'select payment_intent_id from payments.top_up_intents where wallet_id = $1 ' +
        "and processor = $2 and status = 'open' and processing_since is null " +
        'and payment_intent_id is not null order by created_at limit $3',
      [walletId, processor, supersededIntentsMax],
    )
    return rows.map((row) => row.payment_intent_id)
  }

  /** What came of it. A paid one stays paid, whatever an older look has seen. */
  async end(topUpId: string, status: 'paid' | 'cancelled'): Promise<void> {
    const checkAt = status === 'paid' ? new Date(this.#parts.clock.now() + paidCheckMs) : null
    await this.#parts.pool.query(
      'update payments.top_up_intents set status = $2, checks = 0, check_at = $3, ' +
        'processing_since = null ' +
        "where top_up_id = $1 and status <> $2 and status <> 'paid'",
      [topUpId, status, checkAt],
    )
  }

  /** Ends one for which the processor gave no payment, so that it counts no longer. */
  async giveUpCreating(topUpId: string): Promise<void> {
    await this.#parts.pool.query(
      "update payments.top_up_intents set status = 'cancelled', check_at = null " +
        "where top_up_id = $1 and status = 'creating'",
      [topUpId],
    )
  }

  /** Those whose time has come, for this process alone while the lease lasts. */
  async claimDue(): Promise<TopUpIntent[]> {
    const { pool, clock, processor } = this.#parts
    const now = clock.now()
    const { rows } = await pool.query<Row>(claimDue, [
      new Date(now),
      new Date(now + intentLeaseMs),
      processor,
      intentBatchRows,
    ])
    return rows.map(intentOf)
  }

  /** When to look next; undefined: never again. */
  async checkAt(topUpId: string, atMs: number | undefined): Promise<void> {
    await this.#parts.pool.query(
      'update payments.top_up_intents set check_at = $2 where top_up_id = $1',
      [topUpId, atMs === undefined ? null : new Date(atMs)],
    )
  }

  async #countDay(
    client: Client,
    walletId: WalletId,
    since: Date,
  ): Promise<{ sumMinor: number; open: string[] }> {
    // A statement of its own: the next one then sees what the one before us has added.
    await holdOwner(client, walletId)
    const { rows } = await client.query<{ sum: number; open: string[] }>(countDay, [
      walletId,
      since,
      this.#parts.processor,
    ])
    const [counted] = rows
    const open = counted?.open ?? []
    return { sumMinor: counted?.sum ?? 0, open: open.slice(0, supersededIntentsMax) }
  }
}

/** Of these payments, whoever's: each row names its processor. Those without a row are left out. */
export async function readIntents(
  pool: Pool,
  paymentIntentIds: readonly string[],
): Promise<(TopUpIntent & { readonly processor: ProcessorName })[]> {
  const { rows } = await pool.query<Row & { readonly processor: ProcessorName }>({
    name: 'top-up-intents-by-payment',
    text: 'select * from payments.top_up_intents where payment_intent_id = any($1)',
    values: [paymentIntentIds],
  })
  return rows.map((row) => ({ ...intentOf(row), processor: row.processor }))
}

const dayMs = 24 * 60 * 60_000

export interface AdoptedPayment {
  readonly paymentIntentId: string
  readonly amountMinor: number
  readonly currencyCode: string
  readonly tag: TopUpTag
}

interface Row {
  readonly top_up_id: string
  readonly payment_intent_id: string | null
  readonly wallet_id: string
  readonly client_id: string
  readonly amount_minor: number
  readonly currency: string
  readonly status: IntentStatus
  readonly created_at: Date
  readonly checks: number
  readonly processing_since: Date | null
  readonly failed_at: Date | null
}

type PendingRow = Pick<Row, 'amount_minor' | 'created_at'> & {
  readonly place: number
  readonly payment_intent_id: string
}

const pendingStatement = `
  select asked.place, found.payment_intent_id, found.amount_minor, found.created_at
  from unnest($1::uuid[]) with ordinality as asked (wallet_id, place)
  cross join lateral (
    select payment_intent_id, amount_minor, created_at from payments.top_up_intents
    where wallet_id = asked.wallet_id and processor = $2
      and processing_since is not null and payment_intent_id is not null
    order by created_at desc limit $3
  ) found
  order by asked.place, found.created_at desc`

const insertIntent = `
  insert into payments.top_up_intents (top_up_id, processor, wallet_id, service_user_id, client_id,
    amount_minor, currency, status, created_at, check_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'creating', $8, $9)`

const countDay = `
  select coalesce(sum(amount_minor), 0)::bigint as sum,
    coalesce(array_agg(payment_intent_id order by created_at) filter (where status = 'open'), '{}')
      as open
  from payments.top_up_intents
  where wallet_id = $1 and created_at > $2 and processor = $3 and status <> 'cancelled'`

const adoptIntent = `
  insert into payments.top_up_intents as known (top_up_id, processor, payment_intent_id, wallet_id,
    service_user_id, client_id, amount_minor, currency, status, created_at, check_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $10)
  on conflict (top_up_id) do update
    set payment_intent_id = excluded.payment_intent_id, check_at = excluded.check_at,
      status = case when known.status = 'paid' then 'paid' else 'open' end
    where known.wallet_id = excluded.wallet_id and known.processor = excluded.processor
      and (known.payment_intent_id is null
        or known.payment_intent_id = excluded.payment_intent_id)
  returning *`

const claimDue = `
  update payments.top_up_intents set check_at = $2, checks = checks + 1
  where top_up_id = any(array(
    select top_up_id from payments.top_up_intents
    where check_at <= $1 and processor = $3
    order by check_at limit $4 for update skip locked))
  returning *`

function intentOf(row: Row): TopUpIntent {
  return {
    topUpId: row.top_up_id,
    paymentIntentId: row.payment_intent_id ?? undefined,
    walletId: walletIdOf(row.wallet_id),
    clientId: row.client_id,
    amountMinor: row.amount_minor,
    currencyCode: row.currency,
    status: row.status,
    createdMs: row.created_at.getTime(),
    checks: row.checks,
    isProcessing: row.processing_since !== null,
    isFailed: row.failed_at !== null,
  }
}
