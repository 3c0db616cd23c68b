/**
 * The health page: /health/live says that the process runs; /health/ready, also as /health, whether
 * it can serve, and which part does not answer. Promises: an answer within `healthCheckTimeoutMs`,
 * whatever hangs; a flood of calls asks each part once a second at most.
 * Never: shows the text of an error.
 * States: ready; degraded (it serves, but something lags); unready (503).
 */
import { healthCacheMs, healthCheckAbandonMs, healthCheckTimeoutMs } from '../../limits.js'
import type { Clock } from '../../platform/clock.js'
import { within } from '../../platform/deadline.js'
import type { Log } from '../../platform/log.js'
import type { App } from '../app.js'
import { liveSchema, readySchema, type PartHealth, type Readiness } from '../schemas/health.js'

/** Without the first two nothing can be booked; projections may lag, for reads are exact anyway. */
const isNeeded = {
  'event store': true,
  database: true,
  projections: false,
  checkpoints: false,
  webhooks: false,
} as const

export type PartName = keyof typeof isNeeded

export interface HealthCheck {
  readonly name: PartName
  /** Must settle in the end; a rejection means `down`. */
  check(): Promise<PartHealth>
}

export interface HealthOptions {
  readonly checks: readonly HealthCheck[]
  readonly clock: Clock
  readonly log: Log
}

export function registerHealthRoutes(app: App, options: HealthOptions): void {
  const health = new Health(options)
  const config = { isAlwaysAnswered: true } as const

  app.get('/health/live', { config, schema: liveSchema }, () => ({ status: 'live' as const }))

  for (const path of ['/health', '/health/ready'])
    app.get(path, { config, schema: readySchema }, async (_request, reply) => {
      const answer = await health.read()
      return reply.code(answer.status === 'unready' ? 503 : 200).send(answer)
    })
}

class Health {
  readonly #parts: readonly Part[]
  readonly #clock: Clock
  #latest: { readonly answer: Promise<Readiness>; readonly sinceMs: number } | undefined

  constructor({ checks, clock, log }: HealthOptions) {
    this.#parts = checks.map((check) => new Part(check, clock, log))
    this.#clock = clock
  }

  /** Calls that arrive together, or within a second of each other, share one answer. */
  read(): Promise<Readiness> {
    const nowMs = this.#clock.now()
    // A clock that was set back must not keep an old answer alive.
    const ageMs = this.#latest === undefined ? Infinity : Math.abs(nowMs - this.#latest.sinceMs)
    if (this.#latest === undefined || ageMs >= healthCacheMs)
      this.#latest = { answer: this.#ask(), sinceMs: nowMs }
    return this.#latest.answer
  }

  async #ask(): Promise<Readiness> {
    const asked = this.#parts.map(async (part) => ({ part, health: await part.ask() }))
    const answers = await Promise.all(asked)
    const isUnready = answers.some(
      ({ part, health }) => isNeeded[part.name] && health.state === 'down',
    )
    const isDegraded = answers.some(({ health }) => health.state !== 'ok')
    return {
      status: isUnready ? 'unready' : isDegraded ? 'degraded' : 'ready',
      parts: Object.fromEntries(answers.map(({ part, health }) => [part.name, health])),
    }
  }
}

/** What a check said, and for the log alone what it threw. */
interface CheckResult {
  readonly health: PartHealth
  readonly error?: unknown
}

/** One part and its running check: at most one is under way, unless it hangs for very long. */
class Part {
  readonly name: PartName
  readonly #check: HealthCheck
  readonly #clock: Clock
  readonly #log: Log
  #running: { readonly result: Promise<CheckResult>; readonly sinceMs: number } | undefined
  #lastState: PartHealth['state'] = 'ok'

  constructor(check: HealthCheck, clock: Clock, log: Log) {
    this.name = check.name
    this.#check = check
    this.#clock = clock
    this.#log = log
  }

  async ask(): Promise<PartHealth> {
    const limitMs = healthCheckTimeoutMs
    const detail = `no answer within ${limitMs} ms`
    const onLate = (): CheckResult => ({ health: { state: 'down', detail } })
    const result = await within(this.#start(), { clock: this.#clock, limitMs, onLate })
    this.#logChange(result)
    return result.health
  }

  #start(): Promise<CheckResult> {
    const nowMs = this.#clock.now()
    if (this.#running !== undefined && nowMs - this.#running.sinceMs < healthCheckAbandonMs)
      return this.#running.result
    const running = { result: this.#run(), sinceMs: nowMs }
    this.#running = running
    void running.result.then(() => {
      if (this.#running === running) this.#running = undefined
    })
    return running.result
  }

  /** Never rejects: a check that throws has given its answer. */
  async #run(): Promise<CheckResult> {
    try {
      return { health: await this.#check.check() }
    } catch (error) {
      return { health: { state: 'down', detail: 'the check failed' }, error }
    }
  }

  /** A line when something changes, not one a probe. */
  #logChange({ health: { state, detail }, error }: CheckResult): void {
    if (state === this.#lastState) return
    this.#lastState = state
    const fields = { part: this.name, state, detail, err: error }
    if (state === 'ok') this.#log.info(fields, 'a part is well again')
    else this.#log.warn(fields, 'a part is not well')
  }
}
