/**
 * Webhooks with everything they need. States: open → started (feeding, sending, sweeping) →
 * stopped. Only a service starts them; a command opens them to look and to change.
 * Promises: what the health page and the metrics say is of the whole deployment.
 */
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import { Deliveries } from './deliveries.js'
import type { Backlog } from './deliveries.js'
import { Endpoints } from './endpoints.js'
import { Feeder } from './feeder.js'
import type { FeedingParts } from './feeding.js'
import { backlogDegradedMs, sweepPauseMs } from './limits.js'
import { sendWebhook } from './request.js'
import { postgresFeedTables, postgresLineTables } from './postgres-tables.js'
import { SecretKey } from './secret-key.js'
import { Sender } from './sender.js'
import type { WebhooksConfig } from './webhooks-config.js'
import type { Random } from '../platform/random.js'

export interface WebhookParts {
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  /** Whether endpoints may lead into a private network here. */
  readonly allowPrivate: boolean
  health(): Promise<WebhookHealth>
  backlog(): Promise<Backlog>
  start(): void
  /** Requests that are under way end; everything else waits for the next start. */
  stop(): Promise<void>
}

export interface WebhookHealth {
  readonly state: 'ok' | 'degraded'
  readonly detail?: string
}

export interface WebhookSurroundings extends Omit<FeedingParts, 'tables'> {
  readonly pool: Pool
  readonly random: Random
  readonly log: Log
}

export function openWebhooks(config: WebhooksConfig, system: WebhookSurroundings): WebhookParts {
  const { clock, log } = system
  const { allowPrivate } = config
  const secretKey = new SecretKey({ config, random: system.random })
  const sender = new Sender({
    ...system,
    lines: postgresLineTables(system.pool),
    secretKey,
    send: (webhook) => sendWebhook(webhook, { allowPrivate, clock }),
  })
  const wake = (): void => sender.wake()
  const deliveries = new Deliveries({ ...system, onMade: wake })
  const feeder = new Feeder({
    ...system,
    tables: postgresFeedTables(system.pool),
    onFed: wake,
  })
  const sweeper = new RepeatingWork({
    clock,
    pauseMs: sweepPauseMs,
    round: () => deliveries.sweep(),
    onFault: (err) => log.warn({ err }, 'old deliveries of webhooks were not removed'),
  })
  return {
    endpoints: new Endpoints({ ...system, secretKey }),
    deliveries,
    allowPrivate,
    backlog: () => deliveries.backlog(),
    health: async () =>
      healthOf(await deliveries.backlog(), {
        contradiction: feeder.contradiction,
        hasWrongKey: sender.hasWrongKey,
        clock,
      }),
    start: () => {
      for (const part of [feeder, sender, sweeper]) part.start()
    },
    stop: async () => {
      await Promise.all([feeder.stop(), sweeper.stop()])
      await sender.stop()
    },
  }
}

/** The worst it says is `degraded`: nothing that is booked or read waits for a webhook. */
export function healthOf(
  { oldestMs, deadEndpoints }: Backlog,
  seen: {
    readonly contradiction: string | undefined
    readonly hasWrongKey: boolean
    readonly clock: Pick<Clock, 'now'>
  },
): WebhookHealth {
  const faults = [
    seen.contradiction !== undefined && 'stopped by a contradiction, see the log',
    seen.hasWrongKey && 'this process cannot open signing secrets, see WEBHOOKS_KEY',
    deadEndpoints > 0 && 'deliveries were given up, see the client apps in the admin area',
    oldestMs !== undefined &&
      seen.clock.now() - oldestMs > backlogDegradedMs &&
      'some have waited for more than an hour',
  ].filter((fault) => fault !== false)
  return faults.length === 0 ? { state: 'ok' } : { state: 'degraded', detail: faults.join('; ') }
}
