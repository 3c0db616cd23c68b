/**
 * The health page as an orchestrator and an operator see it: which part does not answer, what is
 * only a lag, and that a flood of probes or a hanging part does no harm.
 */
import t from 'tap'
import type { HealthCheck } from '../../src/http/routes/health.js'
import type { PartHealth } from '../../src/http/schemas/health.js'
import { healthCacheMs, healthCheckAbandonMs, healthCheckTimeoutMs } from '../../src/limits.js'
import { FakeClock } from '../support/fake-clock.js'
import { serve } from '../support/served-app.js'

type Answers = Partial<Record<HealthCheck['name'], () => Promise<PartHealth>>>

const ok = async (): Promise<PartHealth> => ({ state: 'ok' })
const never = (): Promise<PartHealth> => new Promise(() => undefined)

function checks(answers: Answers): HealthCheck[] {
  const fine = { 'event store': ok, database: ok, projections: ok, checkpoints: ok, webhooks: ok }
  const all = { ...fine, ...answers }
  const names = ['event store', 'database', 'projections', 'checkpoints', 'webhooks'] as const
  return names.map((name) => ({ name, check: () => all[name]() }))
}

async function ready(
  origin: string,
  path = '/health/ready',
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${origin}${path}`)
  return { status: answer.status, body: await answer.json() }
}

t.test('a process that runs is live, whatever its parts do', async (t) => {
  const { origin } = await serve(t, { healthChecks: checks({ database: never }) })
  const answer = await fetch(`${origin}/health/live`)
  t.equal(answer.status, 200)
  t.same(await answer.json(), { status: 'live' })
})

t.test('a service whose parts all answer is ready', async (t) => {
  const { origin } = await serve(t, { healthChecks: checks({}) })
  t.same(await ready(origin), {
    status: 200,
    body: {
      status: 'ready',
      parts: {
        'event store': { state: 'ok' },
        database: { state: 'ok' },
        projections: { state: 'ok' },
        checkpoints: { state: 'ok' },
        webhooks: { state: 'ok' },
      },
    },
  })
})

t.test('/health alone answers as /health/ready does, well or not', async (t) => {
  const failing = async (): Promise<PartHealth> => ({ state: 'down' })
  for (const answers of [{}, { database: failing }]) {
    const { origin } = await serve(t, { healthChecks: checks(answers) })
    t.same(await ready(origin, '/health'), await ready(origin))
  }
})

t.test('lagging or missing projections are degraded, never unready', async (t) => {
  const lag: PartHealth = { state: 'degraded', detail: 'behind', lagMs: 12_000 }
  const lagging = await serve(t, { healthChecks: checks({ projections: async () => lag }) })
  t.match(await ready(lagging.origin), {
    status: 200,
    body: { status: 'degraded', parts: { projections: lag } },
  })
  const down = async (): Promise<PartHealth> => ({ state: 'down', detail: 'stopped' })
  const missing = await serve(t, { healthChecks: checks({ projections: down }) })
  t.match(await ready(missing.origin), {
    status: 200,
    body: { status: 'degraded', parts: { projections: { state: 'down', detail: 'stopped' } } },
  })
})

t.test('a part that fails makes the service unready, and its error stays inside', async (t) => {
  const failing = async (): Promise<PartHealth> => {
    throw new Error('connect ECONNREFUSED postgres://wallet:s3cr3t@db:5432')
  }
  for (const name of ['event store', 'database'] as const) {
    const { origin, captured } = await serve(t, { healthChecks: checks({ [name]: failing }) })
    const answer = await ready(origin)
    t.match(answer, {
      status: 503,
      body: { status: 'unready', parts: { [name]: { state: 'down', detail: 'the check failed' } } },
    })
    t.notMatch(JSON.stringify(answer), /s3cr3t|ECONNREFUSED/)
    const line = await captured.line(({ msg }) => msg === 'a part is not well')
    t.match(line, { part: name, state: 'down', err: { message: /ECONNREFUSED/ } })
    t.notMatch(captured.text, /s3cr3t/)
  }
})

t.test(
  'a part that hangs is named after its time-out, and asked once while it hangs',
  async (t) => {
    const clock = new FakeClock()
    let asked = 0
    const hanging = (): Promise<PartHealth> => {
      asked += 1
      return never()
    }
    const { app } = await serve(t, { clock, healthChecks: checks({ 'event store': hanging }) })
    const probe = async (): Promise<{ status: number; body: unknown }> => {
      const answering = app.inject('/health/ready')
      await clock.advance(healthCheckTimeoutMs)
      const answer = await answering
      return { status: answer.statusCode, body: answer.json() }
    }
    const detail = `no answer within ${healthCheckTimeoutMs} ms`
    const unready = {
      status: 503,
      body: {
        status: 'unready',
        parts: { 'event store': { state: 'down', detail }, database: { state: 'ok' } },
      },
    }
    t.match(await probe(), unready)
    t.match(await probe(), unready)
    t.equal(asked, 1, 'no second check beside the hanging one')
    await clock.advance(healthCheckAbandonMs)
    t.match(await probe(), unready)
    t.equal(asked, 2, 'a check that hangs for very long is given up')
    t.equal(clock.waiting, 0)
  },
)

t.test('a flood of probes asks the parts once a second', async (t) => {
  const clock = new FakeClock()
  let asked = 0
  const counting = async (): Promise<PartHealth> => {
    asked += 1
    return { state: 'ok' }
  }
  const { origin } = await serve(t, { clock, healthChecks: checks({ database: counting }) })
  await Promise.all(Array.from({ length: 50 }, () => ready(origin)))
  await ready(origin)
  t.equal(asked, 1)
  t.equal(clock.waiting, 0, 'no time-out is left behind')
  await clock.advance(healthCacheMs)
  await ready(origin)
  t.equal(asked, 2)
})

t.test('the log has a line when a part changes, not one a probe', async (t) => {
  const clock = new FakeClock()
  let state: PartHealth['state'] = 'ok'
  const database = async (): Promise<PartHealth> => ({ state })
  const { origin, captured } = await serve(t, { clock, healthChecks: checks({ database }) })
  for (const next of ['ok', 'down', 'down', 'down', 'ok', 'ok'] as const) {
    state = next
    await ready(origin)
    await clock.advance(healthCacheMs)
  }
  const lines = captured.lines.filter(({ part }) => part === 'database')
  t.same(
    lines.map((line) => [line['level'], line['state']]),
    [
      ['warn', 'down'],
      ['info', 'ok'],
    ],
  )
})
