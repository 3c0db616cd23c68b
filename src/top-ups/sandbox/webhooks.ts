/**
 * Delivers the sandbox's webhooks, signed as Stripe signs them, to the route that takes Stripe's,
 * and lets happen what is due. Promises: at least once, with a fresh signature each time, in
 * doubling pauses up to a bound; any number of processes may deliver at once.
 * States: stopped → pausing ⇄ working → stopped. Of a webhook: due → taken (then it is gone) or
 * given up.
 */
import { Stripe } from 'stripe'
import {
  sandboxBatchRows,
  sandboxTickMs,
  sandboxWebhookPauseMs,
  sandboxWebhookTimeoutMs,
  sandboxWebhookTriesMax,
} from '../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import type { Pool } from '../../platform/postgres.js'
import { RepeatingWork } from '../../platform/repeating-work.js'
import type { Sandbox } from './sandbox.js'

export interface SandboxWebhooksParts {
  readonly sandbox: Sandbox
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly webhookSecret: string
}

export class SandboxWebhooks {
  readonly #parts: SandboxWebhooksParts
  #rounds: RepeatingWork | undefined

  constructor(parts: SandboxWebhooksParts) {
    this.#parts = parts
  }

  /** `address`: the whole one of the route. */
  start(address: string): void {
    const { clock, log } = this.#parts
    this.#rounds ??= new RepeatingWork({
      clock,
      pauseMs: sandboxTickMs,
      firstPauseMs: 0,
      round: () => this.tick(address),
      onFault: (err) => log.warn({ err }, 'the sandbox could not work now; it tries again'),
    })
    this.#rounds.start()
  }

  async stop(): Promise<void> {
    await this.#rounds?.stop()
  }

  /** What is due by now, once; how many webhooks were taken. */
  async tick(address: string): Promise<number> {
    await this.#parts.sandbox.runDueActs()
    const { pool, clock } = this.#parts
    const nowMs = clock.now()
    const { rows } = await pool.query<Webhook>(claimDue, [
      new Date(nowMs),
      sandboxBatchRows,
      sandboxWebhookPauseMs,
    ])
    const taken = await Promise.all(rows.map((webhook) => this.#deliver(address, webhook)))
    return taken.filter(Boolean).length
  }

  async #deliver(address: string, webhook: Webhook): Promise<boolean> {
    const { pool, log } = this.#parts
    const isTaken = await this.#post(address, webhook.body)
    const isGivenUp = !isTaken && webhook.tries >= sandboxWebhookTriesMax
    if (isTaken || isGivenUp)
      await pool.query('delete from sandbox.webhooks where id = $1', [webhook.id])
    if (isGivenUp) log.warn({ event: webhook.id }, 'a webhook of the sandbox was given up')
    return isTaken
  }

  async #post(address: string, body: string): Promise<boolean> {
    const { clock, webhookSecret: secret } = this.#parts
    const timestamp = Math.floor(clock.now() / 1_000)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body,
        signal: AbortSignal.timeout(sandboxWebhookTimeoutMs),
      })
      await answer.arrayBuffer()
      return answer.ok
    } catch {
      // Away, closing or too slow: as with Stripe, the webhook comes again.
      return false
    }
  }
}

interface Webhook {
  readonly id: string
  readonly body: string
  /** Counting this one. */
  readonly tries: number
}

// The next try is planned before this one: whoever dies meanwhile loses nothing.
const claimDue = `
  update sandbox.webhooks set tries = tries + 1,
    due_at = $1::timestamptz + make_interval(secs => $3::double precision / 1000 * 2 ^ tries)
  where id = any(array(select id from sandbox.webhooks where due_at <= $1
    order by due_at limit $2 for update skip locked))
  returning id, body, tries`
