// GET /metrics: who may read it, and that it is what Prometheus reads.
import t from 'tap'
import type { Test } from 'tap'
import type { IntegrityCheck } from '../../src/audit/verifying/integrity-checks.js'
import { registerMetrics } from '../../src/http/routes/metrics.js'
import { systemClock } from '../../src/platform/clock.js'
import { Counters } from '../../src/platform/counters.js'
import { serve } from '../support/served-app.js'

const agreed: IntegrityCheck = {
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:00.000Z',
  events: 4_711,
  wallets: 12,
  position: '4711',
  divergence: null,
}

async function open(t: Test, { token, check }: { token?: string; check?: IntegrityCheck }) {
  const counters = new Counters()
  counters.increment('reference_mismatches_total')
  const { origin } = await serve(t, {}, (app) => {
    registerMetrics(app, {
      counters,
      clock: systemClock,
      projectionLagMs: () => Promise.resolve(250),
      unseenLostEvents: () => Promise.resolve(3),
      webhookBacklog: () => Promise.resolve({ waiting: 7, oldestMs: undefined, deadEndpoints: 1 }),
      lastCheck: () => Promise.resolve(check),
      isSigning: () => check !== undefined,
      token,
    })
  })
  return async (authorization?: string) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const answer = await fetch(`${origin}/metrics`, { headers })
    const type = answer.headers.get('content-type')
    return { status: answer.status, type, text: await answer.text() }
  }
}

t.test('counts, lag and the last integrity check, one line each', async (t) => {
  const ask = await open(t, { check: agreed })
  const { status, type, text } = await ask()
  t.equal(status, 200)
  t.equal(type, 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of [
    'wallet_reference_mismatches_total 1',
    'wallet_checkpoint_signing_ok 1',
    'wallet_projection_lag_seconds 0.25',
    'wallet_lost_events_total 0',
    'wallet_lost_events_unseen 3',
    'wallet_integrity_ok 1',
    'wallet_integrity_checked_events 4711',
    '# TYPE wallet_integrity_ok gauge',
  ])
    t.ok(text.split('\n').includes(line), line)
})

t.test('a divergence is 0, and before the first check nothing is claimed', async (t) => {
  const divergence = { kind: 'log', place: 'position 3', problem: 'is missing' } as const
  const differs = await open(t, { check: { ...agreed, divergence } })
  t.match((await differs()).text, /^wallet_integrity_ok 0$/m)
  const unknown = await open(t, {})
  t.notMatch((await unknown()).text, /integrity/)
})

t.test('with a token only who knows it may read', async (t) => {
  const ask = await open(t, { token: 'a-long-secret-token' })
  for (const wrong of [undefined, 'a-long-secret-token', 'Bearer another', 'Bearer '])
    t.match(await ask(wrong), { status: 401, text: /INVALID_TOKEN/ })
  t.match(await ask('Bearer a-long-secret-token'), { status: 200 })
})
