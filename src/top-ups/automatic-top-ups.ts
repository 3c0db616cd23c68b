/**
 * The rules of automatic top-ups: "below so much top up so much, at most so much a month", as rows.
 * Promises: one try of a wallet at a time, whatever processes do or die of, and its end is counted
 * once; a month's sum holds, with tries that are under way; two refusals in a row switch the rule
 * off, and it stays to be told until somebody has told it; changes of a rule and tries of it wait
 * for each other.
 * Never: asks a processor or the ledger; automatic-top-up-worker.ts does.
 * States: off ⇄ on (idle) → trying (`open_top_up_id`) → on, or off after the second refusal.
 */
import { walletIdOf, type WalletId } from '../domain/ids.js'
import { holdOwner } from '../identity/wallet-owners.js'
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import { transaction, type Client, type Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import type { ProcessorName } from './card-processor.js'
import {
  automaticAtOnceMax,
  automaticFailurePauseMs,
  automaticFailuresMax,
  automaticLeaseMs,
  automaticPageRows,
  automaticPauseMs,
  automaticRetryMaxMs,
  automaticRetryMs,
  intentCheckMs,
} from './limits.js'
import type { IntentStatus } from './top-up-intents.js'

export interface AutomaticTopUp extends AutomaticRule {
  readonly serviceUserId: string
  readonly walletId: WalletId
  readonly clientId: string
  readonly isOn: boolean
  readonly offBecause: 'person' | 'card' | 'failures' | undefined
  /** How often in a row nothing could be tried. */
  readonly tries: number
}

export interface AutomaticRule {
  /** Undefined once the card was removed: the rule is off then. */
  readonly cardId: string | undefined
  readonly thresholdMinor: number
  readonly amountMinor: number
  readonly monthMaxMinor: number
}

export type BegunTry =
  | { readonly kind: 'begun'; readonly topUpId: string; readonly rule: AutomaticTopUp }
  /** Somebody else was faster, or the rule is off. */
  | { readonly kind: 'not now' }
  | { readonly kind: 'month over' | 'day over' }

/** A try whose end is not counted yet, with what is known of its intent. */
export interface OpenTry {
  readonly rule: AutomaticTopUp
  readonly topUpId: string
  readonly paymentIntentId: string | undefined
  readonly status: IntentStatus
  readonly isProcessing: boolean
  readonly isRefused: boolean
}

export interface AutomaticTopUpsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly processor: { readonly name: ProcessorName }
  readonly currency: { readonly code: string }
  readonly dayMaximumMinor: number
}

export class AutomaticTopUps {
  readonly #parts: AutomaticTopUpsParts

  constructor(parts: AutomaticTopUpsParts) {
    this.#parts = parts
  }

  async find(serviceUserId: string): Promise<AutomaticTopUp | undefined> {
    const { rows } = await this.#parts.pool.query<Row>(
      'select * from payments.automatic_top_ups where service_user_id = $1 and processor = $2',
      [serviceUserId, this.#parts.processor.name],
    )
    return rows[0] && ruleOf(rows[0])
  }

  /** Of this calendar month (UTC), with what is under way. */
  async monthSum(walletId: WalletId): Promise<number> {
    return this.#monthSum(this.#parts.pool, walletId)
  }

  /** On from now on. False: no such card of this person. A try that is under way is left to end. */
  async switchOn(
    of: { readonly serviceUserId: string; readonly walletId: WalletId; readonly clientId: string },
    rule: AutomaticRule,
  ): Promise<boolean> {
    const { pool, processor, clock } = this.#parts
    return transaction(pool, async (client) => {
      await holdOwner(client, of.walletId)
      const { rowCount } = await client.query(upsertRule, [
        of.walletId,
        of.serviceUserId,
        processor.name,
        of.clientId,
        rule.cardId,
        rule.thresholdMinor,
        rule.amountMinor,
        rule.monthMaxMinor,
        new Date(clock.now()),
      ])
      return rowCount === 1
    })
  }

  /** False when it was not on. */
  async switchOff(serviceUserId: string): Promise<boolean> {
    const { rowCount } = await this.#parts.pool.query(
      "update payments.automatic_top_ups set is_on = false, off_because = 'person' " +
        'where service_user_id = $1 and is_on',
      [serviceUserId],
    )
    return rowCount === 1
  }

  /** Rules that are on, idle and due, by wallet; `after` is exclusive. */
  async dueAfter(after: string): Promise<AutomaticTopUp[]> {
    const { pool, clock, processor } = this.#parts
    const { rows } = await pool.query<Row>({
      name: 'automatic-due',
      text: selectDue,
      values: [after, new Date(clock.now()), processor.name, automaticPageRows],
    })
    return rows.map(ruleOf)
  }

  /** The intent's row and the rule's try, in one transaction: one of them alone is nothing. */
  async begin(walletId: WalletId): Promise<BegunTry> {
    const { pool, clock, random, processor, currency } = this.#parts
    const now = clock.now()
    return transaction(pool, async (client) => {
      await holdOwner(client, walletId)
      const { rows } = await client.query<Row>(selectIdle, [walletId, new Date(now)])
      const rule = rows[0] && ruleOf(rows[0])
      if (rule === undefined) return { kind: 'not now' }
      const { amountMinor, monthMaxMinor, serviceUserId, clientId } = rule
      if ((await this.#monthSum(client, walletId)) + amountMinor > monthMaxMinor) {
        await client.query(setNext, [walletId, nextMonth(now)])
        return { kind: 'month over' }
      }
      if ((await this.#daySum(client, walletId)) + amountMinor > this.#parts.dayMaximumMinor)
        return { kind: 'day over' }
      const topUpId = random.uuid()
      const times = [new Date(now), new Date(now + intentCheckMs)]
      const whose = [topUpId, processor.name, walletId, serviceUserId, clientId]
      await client.query(insertIntent, [...whose, amountMinor, currency.code, ...times])
      await client.query(setTry, [walletId, topUpId, new Date(now + automaticLeaseMs)])
      return { kind: 'begun', topUpId, rule }
    })
  }

  /** Whether a try may be charged: read after its payment is named, before a bank is asked. */
  async isWanted(walletId: WalletId, topUpId: string): Promise<boolean> {
    const { rowCount } = await this.#parts.pool.query(
      'select 1 from payments.automatic_top_ups ' +
        'where wallet_id = $1 and open_top_up_id = $2 and is_on',
      [walletId, topUpId],
    )
    return rowCount === 1
  }

  /** Tries whose lease is over, for this process alone while the next one lasts. */
  async claimOpen(): Promise<OpenTry[]> {
    const { pool, clock, processor } = this.#parts
    const now = clock.now()
    const { rows } = await pool.query<Row & OpenRow>(claimOpen, [
      new Date(now),
      new Date(now + automaticLeaseMs),
      processor.name,
      automaticPageRows,
    ])
    return rows.map((row) => ({
      rule: ruleOf(row),
      topUpId: row.top_up_id,
      paymentIntentId: row.payment_intent_id ?? undefined,
      status: row.status,
      isProcessing: row.processing_since !== null,
      isRefused: row.failed_at !== null,
    }))
  }

  /** The end of a try, counted once; when the rule is switched off by it, that is to be told. */
  async count(
    { rule, topUpId }: { readonly rule: AutomaticTopUp; readonly topUpId: string },
    end: 'paid' | 'refused' | 'untried',
  ): Promise<void> {
    const now = this.#parts.clock.now()
    const { walletId, tries } = rule
    const pausesMs = {
      paid: automaticPauseMs,
      refused: automaticFailurePauseMs,
      untried: retryMs(tries),
    }
    const next = new Date(now + pausesMs[end])
    const counted = [walletId, topUpId, end, automaticFailuresMax, next, new Date(now)]
    await this.#parts.pool.query(countEnd, counted)
  }

  /** Whom to tell that their rule was switched off, for this process while the lease lasts. */
  async claimUntold(): Promise<UntoldEnd[]> {
    const { pool, clock, processor } = this.#parts
    const now = clock.now()
    const { rows } = await pool.query<UntoldRow>(claimUntold, [
      new Date(now),
      new Date(now + automaticLeaseMs),
      processor.name,
      automaticAtOnceMax,
    ])
    return rows.map((row) => ({
      walletId: walletIdOf(row.wallet_id),
      serviceUserId: row.service_user_id,
      tries: row.tell_tries,
    }))
  }

  /** When they are told next; undefined: they know, or nobody could tell them. */
  async tellAgain(walletId: WalletId, pauseMs: number | undefined): Promise<void> {
    const at = pauseMs === undefined ? null : new Date(this.#parts.clock.now() + pauseMs)
    await this.#parts.pool.query(
      'update payments.automatic_top_ups set tell_at = $2 ' +
        'where wallet_id = $1 and tell_at is not null',
      [walletId, at],
    )
  }

  /** When an idle rule, or an open try, is looked at next. */
  async putOff(walletId: WalletId, pauseMs: number): Promise<void> {
    await this.#parts.pool.query(setNext, [walletId, new Date(this.#parts.clock.now() + pauseMs)])
  }

  #monthSum(client: Client | Pool, walletId: WalletId): Promise<number> {
    const now = new Date(this.#parts.clock.now())
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
    return sumOf(client, `${sumSince} and is_automatic`, [walletId, from])
  }

  #daySum(client: Client, walletId: WalletId): Promise<number> {
    const from = new Date(this.#parts.clock.now() - 24 * 60 * 60_000)
    return sumOf(client, `${sumSince} and created_at > $2`, [walletId, from])
  }
}

async function sumOf(client: Client | Pool, text: string, values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ sum: number }>(text, values)
  return rows[0]?.sum ?? 0
}

function retryMs(tries: number): number {
  return doubledMs(tries, { fromMs: automaticRetryMs, toMs: automaticRetryMaxMs })
}

function nextMonth(nowMs: number): Date {
  const now = new Date(nowMs)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
}

interface Row {
  readonly wallet_id: string
  readonly service_user_id: string
  readonly client_id: string
  readonly card_id: string | null
  readonly threshold_minor: number
  readonly amount_minor: number
  readonly month_max_minor: number
  readonly is_on: boolean
  readonly off_because: 'person' | 'card' | 'failures' | null
  readonly tries: number
}

/** A rule that refusals have switched off, before its person knows. */
export interface UntoldEnd {
  readonly walletId: WalletId
  readonly serviceUserId: string
  /** Counting this one. */
  readonly tries: number
}

interface UntoldRow {
  readonly wallet_id: string
  readonly service_user_id: string
  readonly tell_tries: number
}

interface OpenRow {
  readonly top_up_id: string
  readonly payment_intent_id: string | null
  readonly status: IntentStatus
  readonly processing_since: Date | null
  readonly failed_at: Date | null
}

function ruleOf(row: Row): AutomaticTopUp {
  return {
    walletId: walletIdOf(row.wallet_id),
    serviceUserId: row.service_user_id,
    clientId: row.client_id,
    cardId: row.card_id ?? undefined,
    thresholdMinor: row.threshold_minor,
    amountMinor: row.amount_minor,
    monthMaxMinor: row.month_max_minor,
    isOn: row.is_on,
    offBecause: row.off_because ?? undefined,
    tries: row.tries,
  }
}

const sumSince = `
  select coalesce(sum(amount_minor), 0)::bigint as sum from payments.top_up_intents
  where wallet_id = $1 and created_at >= $2 and status <> 'cancelled'`

// Only with a card of this very person.
const upsertRule = `
  insert into payments.automatic_top_ups as known (wallet_id, service_user_id, processor, client_id,
    card_id, threshold_minor, amount_minor, month_max_minor, is_on, next_at)
  select $1, $2, $3, $4, card_id, $6, $7, $8, true, $9 from payments.saved_cards
  where card_id = $5 and service_user_id = $2 and processor = $3
  on conflict (wallet_id) do update set processor = excluded.processor,
    client_id = excluded.client_id, card_id = excluded.card_id,
    threshold_minor = excluded.threshold_minor, amount_minor = excluded.amount_minor,
    month_max_minor = excluded.month_max_minor, is_on = true, off_because = null, failures = 0,
    tries = 0, tell_at = null, tell_tries = 0,
    next_at = case when known.open_top_up_id is null then excluded.next_at else known.next_at end`

const selectDue = `
  select * from payments.automatic_top_ups
  where is_on and wallet_id > $1 and open_top_up_id is null and next_at <= $2 and processor = $3
  order by wallet_id limit $4`

const selectIdle = `
  select * from payments.automatic_top_ups
  where wallet_id = $1 and is_on and open_top_up_id is null and next_at <= $2 for update`

const setNext = 'update payments.automatic_top_ups set next_at = $2 where wallet_id = $1'

const setTry = `
  update payments.automatic_top_ups set open_top_up_id = $2, next_at = $3 where wallet_id = $1`

const insertIntent = `
  insert into payments.top_up_intents (top_up_id, processor, wallet_id, service_user_id, client_id,
    amount_minor, currency, status, is_automatic, created_at, check_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'creating', true, $8, $9)`

const claimOpen = `
  update payments.automatic_top_ups r set next_at = $2
  from payments.top_up_intents i
  where i.top_up_id = r.open_top_up_id and r.wallet_id = any(array(
    select wallet_id from payments.automatic_top_ups
    where open_top_up_id is not null and next_at <= $1 and processor = $3
    order by next_at limit $4 for update skip locked))
  returning r.*, i.top_up_id, i.payment_intent_id, i.status, i.processing_since, i.failed_at`

const countEnd = `
  update payments.automatic_top_ups set open_top_up_id = null, next_at = $5,
    failures = case $3 when 'paid' then 0 when 'refused' then failures + 1 else failures end,
    tries = case $3 when 'untried' then tries + 1 else 0 end,
    is_on = is_on and not ($3 = 'refused' and failures + 1 >= $4),
    off_because = case when is_on and $3 = 'refused' and failures + 1 >= $4 then 'failures'
      else off_because end,
    tell_at = case when is_on and $3 = 'refused' and failures + 1 >= $4 then $6 else tell_at end
  where wallet_id = $1 and open_top_up_id = $2`

const claimUntold = `
  update payments.automatic_top_ups set tell_at = $2, tell_tries = tell_tries + 1
  where wallet_id = any(array(
    select wallet_id from payments.automatic_top_ups where tell_at <= $1 and processor = $3
    order by tell_at limit $4 for update skip locked))
  returning wallet_id, service_user_id, tell_tries`
