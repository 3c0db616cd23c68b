/**
 * Saved cards: a card stays with the processor when its person wants that, pays again with one tap,
 * and is removed. Promises: one customer a person, however many processes ask; at most so many
 * cards, and the same card once; a card that was removed does not come back by a late look at its
 * payment, and is never charged again, whatever the processor does.
 * Never: sees a number, or asks whether the person may; the routes do, with the password where it
 * must be. States of a wish to save: none → wished (on the intent's row) → kept or dropped.
 */
import { readFileSync } from 'node:fs'
import type { WalletId } from '../domain/ids.js'
import { holdOwner } from '../identity/wallet-owners.js'
import type { Clock } from '../platform/clock.js'
import { within } from '../platform/deadline.js'
import type { Migration } from '../platform/migrations.js'
import { transaction, type Client, type Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import type { CardRemovals } from './card-removals.js'
import {
  ProcessorUnavailableError,
  type CardFace,
  type ChargeAnswer,
  type Payment,
  type ProcessorCard,
  type SavedCardProcessor,
} from './card-processor.js'
import { processorDeadlineMs, savedCardsMax } from './limits.js'
import type { TopUpIntent } from './top-up-intents.js'

export const savedCardsMigration: Migration = {
  name: '0034-saved-cards',
  sql: sqlOf('saved-cards') + sqlOf('sandbox/saved-cards'),
}

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}

export interface SavedCard extends CardFace {
  readonly cardId: string
  readonly savedAt: string
}

/** What a person is told of by mail. */
export type CardNews = { readonly serviceUserId: string } & (
  | { readonly kind: 'card-saved' | 'card-removed'; readonly card: CardFace }
  | { readonly kind: 'automatic-top-up-on' | 'automatic-top-up-failed' }
)

export interface SavedCardsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly processor: SavedCardProcessor
  readonly removals: CardRemovals
  readonly tell: (news: CardNews) => void
}

export class SavedCards {
  readonly #parts: SavedCardsParts

  constructor(parts: SavedCardsParts) {
    this.#parts = parts
  }

  /** Oldest first; of this processor, as another's cannot be charged here. */
  async list(serviceUserId: string): Promise<SavedCard[]> {
    return (await this.#rowsOf(this.#parts.pool, serviceUserId)).map(cardOf)
  }

  /** False: there are too many. Throws ProcessorUnavailableError. */
  async wish(serviceUserId: string, intent: TopUpIntent): Promise<boolean> {
    const { pool } = this.#parts
    if ((await this.list(serviceUserId)).length >= savedCardsMax) return false
    // First here: a card that stayed there without a wish here would be nobody's.
    await setWish(pool, intent.topUpId, true)
    await this.#inTime(this.#assign({ serviceUserId, intent, savesCard: true }))
    return true
  }

  async unwish(serviceUserId: string, intent: TopUpIntent): Promise<void> {
    await this.#inTime(this.#assign({ serviceUserId, intent, savesCard: false }))
    await setWish(this.#parts.pool, intent.topUpId, false)
  }

  /** Undefined: no such card of this person. What came of it the settlement says. */
  async charge(
    charged: ChargedCard & { readonly intent: TopUpIntent },
  ): Promise<ChargeAnswer | undefined> {
    return this.#inTime(this.#charge(charged))
  }

  /** Undefined: no such card of this person. */
  async remove(
    { serviceUserId, walletId }: CardOwner,
    cardId: string,
  ): Promise<SavedCard | undefined> {
    const { pool, removals, tell } = this.#parts
    const removed = await transaction(pool, async (client) => {
      await holdOwner(client, walletId)
      await client.query(ruleOff, [serviceUserId, cardId])
      const { rows } = await client.query<Row>(
        'delete from payments.saved_cards where card_id = $2 and service_user_id = $1 returning *',
        [serviceUserId, cardId],
      )
      const [row] = rows
      if (row !== undefined)
        await removals.note(client, { kind: 'card', id: row.payment_method_id })
      return row
    })
    if (removed === undefined) return undefined
    const card = cardOf(removed)
    tell({ kind: 'card-removed', serviceUserId, card })
    await this.#removeNow()
    return card
  }

  /** After a payment was booked, as often as it is looked at. Throws ProcessorUnavailableError. */
  async keep({ topUpId, walletId }: TopUpIntent, payment: Payment): Promise<void> {
    const { pool, processor, tell } = this.#parts
    const serviceUserId = await wishedBy(pool, topUpId)
    if (serviceUserId === undefined) return
    const { paymentMethodId } = payment
    const card = paymentMethodId && (await processor.fetchCard(paymentMethodId))
    // Not the customer's yet: the next look at the payment asks again.
    if (!card || card.customerId === undefined) return
    const kept = await transaction(pool, async (client) => {
      // One at a time for one person: two payments at once, or a closing account.
      await holdOwner(client, walletId)
      if (!(await setWish(client, topUpId, false))) return 'dropped'
      return this.#keep(client, { serviceUserId, card })
    })
    if (kept === 'kept') tell({ kind: 'card-saved', serviceUserId, card })
    if (kept === 'too many') await this.#removeNow()
  }

  async #keep(
    client: Client,
    { serviceUserId, card }: { readonly serviceUserId: string; readonly card: ProcessorCard },
  ): Promise<'kept' | 'known' | 'dropped' | 'too many'> {
    const { removals, clock, random, processor } = this.#parts
    const { paymentMethodId } = card
    const customer = await this.#customerOf(client, serviceUserId)
    // The account was closed meanwhile, and its customer goes with all cards.
    if (card.customerId !== customer?.customer_id) return 'dropped'
    const rows = await this.#rowsOf(client, serviceUserId)
    const known = rows.find(({ fingerprint }) => fingerprint === card.fingerprint)
    if (known !== undefined) {
      if (known.payment_method_id !== paymentMethodId)
        await removals.note(client, { kind: 'card', id: known.payment_method_id })
      const { expiryMonth, expiryYear } = card
      await client.query(renewCard, [known.card_id, paymentMethodId, expiryMonth, expiryYear])
      return 'known'
    }
    if (rows.length >= savedCardsMax) {
      await removals.note(client, { kind: 'card', id: paymentMethodId })
      return 'too many'
    }
    await client.query(insertCard, [
      random.uuid(),
      serviceUserId,
      processor.name,
      paymentMethodId,
      card.fingerprint,
      card.brand,
      card.lastFour,
      card.expiryMonth,
      card.expiryYear,
      new Date(clock.now()),
    ])
    return 'kept'
  }

  async #charge({ intent, ...by }: ChargedCard & { readonly intent: TopUpIntent }) {
    const { pool, processor, random } = this.#parts
    const { serviceUserId, cardId, isPersonThere, chargeKey = random.uuid() } = by
    const rows = await this.#rowsOf(pool, serviceUserId)
    const row = rows.find(({ card_id }) => card_id === cardId)
    const { paymentIntentId } = intent
    if (row === undefined || paymentIntentId === undefined) return undefined
    // A saved card is saved already: a wish for another one is over.
    await setWish(pool, intent.topUpId, false)
    await this.#assign({ serviceUserId, intent, savesCard: false })
    const paymentMethodId = row.payment_method_id
    return processor.chargeIntent(paymentIntentId, { paymentMethodId, isPersonThere, chargeKey })
  }

  async #assign(of: {
    readonly serviceUserId: string
    readonly intent: TopUpIntent
    readonly savesCard: boolean
  }): Promise<void> {
    const { serviceUserId, intent, savesCard } = of
    const customerId = await this.#customer(serviceUserId, intent.walletId)
    const { paymentIntentId = '' } = intent
    await this.#parts.processor.assignIntent(paymentIntentId, { customerId, savesCard })
  }

  /** The row first, with a key of its own: whoever asks twice at once asks for the same one. */
  async #customer(serviceUserId: string, walletId: WalletId): Promise<string> {
    const { pool, processor, random, removals } = this.#parts
    await pool.query(
      'insert into payments.customers (service_user_id, processor, customer_key) ' +
        'values ($1, $2, $3) on conflict do nothing',
      [serviceUserId, processor.name, random.uuid()],
    )
    const known = await this.#customerOf(pool, serviceUserId)
    if (known === undefined) throw new ProcessorUnavailableError('the account was just closed')
    if (known.customer_id !== null) return known.customer_id
    const customerKey = known.customer_key
    const customerId = await processor.createCustomer({ customerKey, walletId })
    const { rowCount } = await pool.query(
      'update payments.customers set customer_id = $3 ' +
        'where service_user_id = $1 and customer_key = $2',
      [serviceUserId, customerKey, customerId],
    )
    if (rowCount === 1) return customerId
    await removals.note(pool, { kind: 'customer', id: customerId })
    throw new ProcessorUnavailableError('the account was just closed')
  }

  async #customerOf(client: Client | Pool, serviceUserId: string) {
    const { rows } = await client.query<{ customer_id: string | null; customer_key: string }>(
      'select customer_id, customer_key from payments.customers ' +
        'where service_user_id = $1 and processor = $2',
      [serviceUserId, this.#parts.processor.name],
    )
    return rows[0]
  }

  async #rowsOf(client: Client | Pool, serviceUserId: string): Promise<Row[]> {
    const { rows } = await client.query<Row>(
      'select * from payments.saved_cards where service_user_id = $1 and processor = $2 ' +
        'order by saved_at, card_id',
      [serviceUserId, this.#parts.processor.name],
    )
    return rows
  }

  /** At once if it can be; else the next round does it. */
  async #removeNow(): Promise<void> {
    const { removals } = this.#parts
    await this.#inTime(removals.sweep()).catch(() => undefined)
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const onLate = (): never => {
      throw new ProcessorUnavailableError('the card processor took too long')
    }
    return within(work, { clock: this.#parts.clock, limitMs: processorDeadlineMs, onLate })
  }
}

export interface CardOwner {
  readonly serviceUserId: string
  readonly walletId: WalletId
}

export interface ChargedCard {
  readonly serviceUserId: string
  readonly cardId: string
  readonly isPersonThere: boolean
  /** Left out: each asking is one of its own. */
  readonly chargeKey?: string
}

interface Row {
  readonly card_id: string
  readonly payment_method_id: string
  readonly fingerprint: string
  readonly brand: string
  readonly last_four: string
  readonly expiry_month: number
  readonly expiry_year: number
  readonly saved_at: Date
}

function cardOf(row: Row): SavedCard {
  return {
    cardId: row.card_id,
    brand: row.brand,
    lastFour: row.last_four,
    expiryMonth: row.expiry_month,
    expiryYear: row.expiry_year,
    savedAt: row.saved_at.toISOString(),
  }
}

/** Whose card is to be saved; undefined when nobody wished it. */
async function wishedBy(pool: Pool, topUpId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ service_user_id: string }>(
    'select service_user_id from payments.top_up_intents where top_up_id = $1 and saves_card',
    [topUpId],
  )
  return rows[0]?.service_user_id
}

/** True when it was another before. */
async function setWish(
  client: Client | Pool,
  topUpId: string,
  savesCard: boolean,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'update payments.top_up_intents set saves_card = $2 ' +
      "where top_up_id = $1 and saves_card <> $2 and (not $2 or status = 'open')",
    [topUpId, savesCard],
  )
  return rowCount === 1
}

const ruleOff = `
  update payments.automatic_top_ups set is_on = false, off_because = 'card'
  where service_user_id = $1 and card_id = $2 and is_on`

const renewCard = `
  update payments.saved_cards set payment_method_id = $2, expiry_month = $3, expiry_year = $4
  where card_id = $1`

const insertCard = `
  insert into payments.saved_cards (card_id, service_user_id, processor, payment_method_id,
    fingerprint, brand, last_four, expiry_month, expiry_year, saved_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
