/**
 * Removes cards and customers at the processor once they are gone here. Promises: what is noted in
 * a transaction is removed at least once, in doubling pauses up to a bound, from however many
 * processes; the last failure is an error in the log, with the processor's id and nothing else.
 * States of a row: due → removed or given up (both: gone).
 */
import { doubledMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Client, Pool } from '../platform/postgres.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { SavedCardProcessor } from './card-processor.js'
import {
  cardRemovalBatchRows,
  cardRemovalPauseMaxMs,
  cardRemovalPauseMs,
  cardRemovalSweepMs,
  cardRemovalTriesMax,
} from './limits.js'

export interface CardRemovalsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly processor: Pick<SavedCardProcessor, 'name' | 'removeCard' | 'removeCustomer'>
}

export interface Removal {
  readonly kind: 'customer' | 'card'
  readonly id: string
}

export class CardRemovals {
  readonly #parts: CardRemovalsParts
  readonly #rounds: RepeatingWork

  constructor(parts: CardRemovalsParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#rounds = new RepeatingWork({
      clock,
      pauseMs: cardRemovalSweepMs,
      round: () => this.sweep(),
      onFault: (err) => log.warn({ err }, 'cards were not removed; the next round tries again'),
    })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** Within the transaction that forgets it here. */
  async note(client: Client | Pool, { kind, id }: Removal): Promise<void> {
    const { processor } = this.#parts
    await client.query(
      'insert into payments.card_removals (processor, kind, id) values ($1, $2, $3)',
      [processor.name, kind, id],
    )
  }

  /** One round; how many were removed. */
  async sweep(): Promise<number> {
    const { pool, clock, processor } = this.#parts
    const now = new Date(clock.now())
    const { rows } = await pool.query<Row>(claimDue, [
      now,
      new Date(now.getTime() + cardRemovalPauseMs),
      processor.name,
      cardRemovalBatchRows,
    ])
    const done = await Promise.all(rows.map((row) => this.#remove(row)))
    return done.filter(Boolean).length
  }

  async #remove({ removal_id, kind, id, tries }: Row): Promise<boolean> {
    const { pool, clock, log, processor } = this.#parts
    let isDone = true
    try {
      await (kind === 'customer' ? processor.removeCustomer(id) : processor.removeCard(id))
    } catch (err) {
      isDone = false
      if (tries >= cardRemovalTriesMax)
        log.error({ err, kind, id }, 'a card could not be removed at the processor: given up')
    }
    if (isDone || tries >= cardRemovalTriesMax)
      await pool.query('delete from payments.card_removals where removal_id = $1', [removal_id])
    else {
      const bounds = { fromMs: cardRemovalPauseMs, toMs: cardRemovalPauseMaxMs }
      const later = new Date(clock.now() + doubledMs(tries, bounds))
      await pool.query('update payments.card_removals set due_at = $2 where removal_id = $1', [
        removal_id,
        later,
      ])
    }
    return isDone
  }
}

interface Row {
  readonly removal_id: number
  readonly kind: Removal['kind']
  readonly id: string
  /** Counting this one. */
  readonly tries: number
}

// The next try is planned before this one: whoever dies meanwhile loses nothing.
const claimDue = `
  update payments.card_removals set tries = tries + 1, due_at = $2
  where removal_id = any(array(
    select removal_id from payments.card_removals where due_at <= $1 and processor = $3
    order by due_at limit $4 for update skip locked))
  returning removal_id, kind, id, tries`
