/**
 * Deliveries as people look at them: the list of an endpoint, sending one again, a test, and how
 * much waits. Promises: what is sent again has its old id and body, and goes before what came after
 * it; deliveries are removed after 30 days. Never: changes what was sent.
 */
import { deleteInBatches } from '../identity/sweeper.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { insertDeliveries } from './delivery-rows.js'
import { backlogCountMax, giveUpAfterMs, keptMs } from './limits.js'
import { bodyOf } from './planned-deliveries.js'
import { webhookIdOf } from './webhook-id.js'
import { testType } from './webhook-types.js'

export type DeliveryState = 'waiting' | 'delivered' | 'dead'

export interface Delivery {
  readonly deliveryId: number
  readonly webhookId: string
  readonly endpointId: string
  readonly type: string
  readonly state: DeliveryState
  readonly createdAt: string
  readonly tries: number
  readonly lastTryAt: string | null
  /** When it is tried next, while it is the first of its line; null once it has ended. */
  readonly nextTryAt: string | null
  /** As it is sent. */
  readonly payload: string
  readonly answerStatus: number | null
  readonly answerBody: string | null
  readonly fault: string | null
}

export interface Backlog {
  readonly waiting: number
  /** When the oldest undelivered one was made. */
  readonly oldestMs: number | undefined
  readonly deadEndpoints: number
}

export interface DeliveriesParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  /** There is something to deliver. */
  readonly onMade?: () => void
}

export class Deliveries {
  readonly #parts: DeliveriesParts

  constructor(parts: DeliveriesParts) {
    this.#parts = parts
  }

  /** Newest first; `before` is the `deliveryId` of the last one seen. */
  async list(
    endpointId: string,
    page: { readonly limit: number; readonly before?: number; readonly state?: DeliveryState },
  ): Promise<Delivery[]> {
    const { rows } = await this.#parts.pool.query<Row>(
      `${selectRows} where d.endpoint_id = $1 and d.delivery_id < $2 ` +
        'and ($4::text is null or d.state = $4) order by d.delivery_id desc limit $3',
      [endpointId, page.before ?? Number.MAX_SAFE_INTEGER, page.limit, page.state ?? null],
    )
    return rows.map(deliveryOf)
  }

  async find(deliveryId: number): Promise<Delivery | undefined> {
    const { rows } = await this.#parts.pool.query<Row>(`${selectRows} where d.delivery_id = $1`, [
      deliveryId,
    ])
    return rows[0] && deliveryOf(rows[0])
  }

  /** At once, and for three days as if it were new. Undefined when there is no such delivery. */
  async sendAgain(deliveryId: number): Promise<Delivery | undefined> {
    const { pool, clock, onMade } = this.#parts
    const nowMs = clock.now()
    await transaction(pool, async (client) => {
      const now = new Date(nowMs)
      // The line first, as everybody else does.
      await client.query(beginLine, [deliveryId, now])
      await client.query(
        "update webhooks.deliveries set state = 'waiting', give_up_at = $2 where delivery_id = $1",
        [deliveryId, new Date(nowMs + giveUpAfterMs)],
      )
    })
    onMade?.()
    return this.find(deliveryId)
  }

  /** The endpoint must exist. */
  async sendTest(endpointId: string): Promise<Delivery> {
    const { pool, clock, random, onMade } = this.#parts
    const nowMs = clock.now()
    const webhookId = webhookIdOf({ endpointId, sourceId: random.uuid(), type: testType })
    const timestamp = new Date(nowMs).toISOString()
    const body = bodyOf({ type: testType, timestamp, data: { endpointId } })
    const planned = { webhookId, endpointId, walletId: noWallet, type: testType, body }
    await transaction(pool, (client) => insertDeliveries(client, [planned], nowMs))
    onMade?.()
    const { rows } = await pool.query<Row>(`${selectRows} where d.webhook_id = $1`, [webhookId])
    const [row] = rows
    if (row === undefined) throw new Error('a test event vanished while it was being made')
    return deliveryOf(row)
  }

  async backlog(): Promise<Backlog> {
    const { rows } = await this.#parts.pool.query<{
      waiting: number
      oldest: Date | null
      dead: number
    }>(countBacklog, [backlogCountMax])
    const [row] = rows
    return {
      waiting: row?.waiting ?? 0,
      oldestMs: row?.oldest?.getTime(),
      deadEndpoints: row?.dead ?? 0,
    }
  }

  /** Removes what is older than 30 days; how many. */
  async sweep(): Promise<number> {
    const { pool, clock } = this.#parts
    const before = new Date(clock.now() - keptMs)
    const deliveries = { table: 'webhooks.deliveries', column: 'created_at', before }
    const outbox = { table: 'webhooks.outbox', column: 'at', before }
    return (await deleteInBatches(pool, deliveries)) + (await deleteInBatches(pool, outbox))
  }
}

/** The line of test events: they wait for nobody's. */
const noWallet = '00000000-0000-0000-0000-000000000000'

const selectRows =
  'select d.*, l.next_at from webhooks.deliveries d ' +
  'left join webhooks.lines l using (endpoint_id, wallet_id)'

// One that is being delivered keeps its lease: its process looks once more when it has ended.
const beginLine = `
  insert into webhooks.lines as known (endpoint_id, wallet_id, next_at)
  select endpoint_id, wallet_id, $2::timestamptz from webhooks.deliveries where delivery_id = $1
  on conflict (endpoint_id, wallet_id) do update set failures = 0,
    next_at = case when known.lease is null then excluded.next_at else known.next_at end`

const countBacklog = `
  select (select count(*) from (
      select from webhooks.deliveries where state = 'waiting' limit $1) as counted)::int as waiting,
    (select min(created_at) from webhooks.deliveries where state = 'waiting') as oldest,
    (select count(*) from webhooks.endpoints where dead_since is not null)::int as dead`

interface Row {
  readonly delivery_id: number
  readonly webhook_id: string
  readonly endpoint_id: string
  readonly type: string
  readonly state: DeliveryState
  readonly created_at: Date
  readonly tries: number
  readonly last_try_at: Date | null
  readonly next_at: Date | null
  readonly body: string
  readonly answer_status: number | null
  readonly answer_body: string | null
  readonly fault: string | null
}

function deliveryOf(row: Row): Delivery {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    endpointId: row.endpoint_id,
    type: row.type,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    tries: row.tries,
    lastTryAt: row.last_try_at?.toISOString() ?? null,
    nextTryAt: row.state === 'waiting' ? (row.next_at?.toISOString() ?? null) : null,
    payload: row.body,
    answerStatus: row.answer_status,
    answerBody: row.answer_body,
    fault: row.fault,
  }
}
