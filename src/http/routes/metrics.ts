/**
 * GET /metrics in the text format of Prometheus: what an operator wants an alarm for.
 * Promises: answers only who knows METRICS_TOKEN; without one it exists in development only. Counts
 * are of this process; lag and the last integrity check are of the whole deployment.
 * Never: shows an id, a name or an amount of anybody.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IntegrityCheck } from '../../audit/verifying/integrity-checks.js'
import { sha256 } from '../../domain/digest.js'
import type { Clock } from '../../platform/clock.js'
import type { Counters } from '../../platform/counters.js'
import type { Backlog } from '../../webhooks/deliveries.js'
import type { App } from '../app.js'
import { ApiError } from '../errors.js'
import { metricsSchema } from '../schemas/public.js'

export interface MetricsParts {
  readonly counters: Counters
  readonly clock: Clock
  readonly projectionLagMs: () => Promise<number>
  /** Of all processes, that nobody has seen yet. */
  readonly unseenLostEvents: () => Promise<number>
  readonly webhookBacklog: () => Promise<Backlog>
  readonly lastCheck: () => Promise<IntegrityCheck | undefined>
  /** False while a witness does not answer, or contradicts what would be signed. */
  readonly isSigning: () => boolean
  /** Undefined: anyone may ask; the composition leaves the route out in production then. */
  readonly token: string | undefined
}

export function registerMetrics(app: App, parts: MetricsParts): void {
  const startedMs = parts.clock.now()
  app.get('/metrics', { schema: metricsSchema }, async (request, reply) => {
    if (!isAllowed(request.headers.authorization, parts.token)) throw new ApiError('INVALID_TOKEN')
    const text = await describe(parts, startedMs)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text)
  })
}

function isAllowed(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true
  // Of equal length whatever was sent, so that the comparison tells nothing by its time.
  const [given, wanted] = [`${header}`, `Bearer ${token}`].map((text) => sha256(Buffer.from(text)))
  return given !== undefined && wanted !== undefined && timingSafeEqual(given, wanted)
}

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  /** Left out while nobody knows it. */
  readonly value: number | undefined
}

async function describe(parts: MetricsParts, startedMs: number): Promise<string> {
  const [lagMs, check, unseen, backlog] = await Promise.all([
    parts.projectionLagMs(),
    parts.lastCheck(),
    parts.unseenLostEvents(),
    parts.webhookBacklog(),
  ])
  const metrics: Metric[] = [
    {
      name: 'wallet_uptime_seconds',
      type: 'gauge',
      help: 'Since this process started.',
      value: (parts.clock.now() - startedMs) / 1_000,
    },
    {
      name: 'wallet_reference_mismatches_total',
      type: 'counter',
      help: 'Repeats that differed from their original.',
      value: parts.counters.get('reference_mismatches_total'),
    },
    {
      name: 'wallet_projection_lag_seconds',
      type: 'gauge',
      help: 'Age of the first event that the read models do not hold.',
      value: lagMs / 1_000,
    },
    {
      name: 'wallet_lost_events_total',
      type: 'counter',
      help: 'Acknowledged events that this process found gone from the event store.',
      value: parts.counters.get('lost_events_total'),
    },
    {
      name: 'wallet_lost_events_unseen',
      type: 'gauge',
      help: 'Acknowledged events that are gone and that no admin has marked as seen.',
      value: unseen,
    },
    {
      name: 'wallet_memory_bytes',
      type: 'gauge',
      help: 'Resident memory of this process.',
      value: process.memoryUsage.rss(),
    },
    {
      name: 'wallet_checkpoint_signing_ok',
      type: 'gauge',
      help: '0 while checkpoints wait for their witness, or what was signed is contradicted.',
      value: Number(parts.isSigning()),
    },
    ...webhookMetrics(backlog, parts.clock),
    ...integrityMetrics(check),
  ]
  return metrics.flatMap(lines).join('\n') + '\n'
}

function webhookMetrics({ waiting, oldestMs, deadEndpoints }: Backlog, clock: Clock): Metric[] {
  return [
    {
      name: 'wallet_webhooks_waiting',
      type: 'gauge',
      help: 'Webhooks that are not delivered yet.',
      value: waiting,
    },
    {
      name: 'wallet_webhooks_oldest_waiting_seconds',
      type: 'gauge',
      help: 'Age of the oldest webhook that is not delivered yet.',
      value: oldestMs === undefined ? 0 : Math.max(0, clock.now() - oldestMs) / 1_000,
    },
    {
      name: 'wallet_webhook_endpoints_dead',
      type: 'gauge',
      help: 'Endpoints of which deliveries were given up, and none has arrived since.',
      value: deadEndpoints,
    },
  ]
}

function integrityMetrics(check: IntegrityCheck | undefined): Metric[] {
  return [
    {
      name: 'wallet_integrity_ok',
      type: 'gauge',
      help: '1 when the last check of the whole ledger agreed, 0 when something differed.',
      value: check && Number(check.divergence === null),
    },
    {
      name: 'wallet_integrity_checked_timestamp_seconds',
      type: 'gauge',
      help: 'When the last check of the whole ledger ended.',
      value: check && Date.parse(check.endedAt) / 1_000,
    },
    {
      name: 'wallet_integrity_checked_events',
      type: 'gauge',
      help: 'Events that the last check of the whole ledger covered.',
      value: check?.events,
    },
  ]
}

function lines({ name, type, help, value }: Metric): string[] {
  if (value === undefined) return []
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`]
}
