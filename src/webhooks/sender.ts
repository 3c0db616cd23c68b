/**
 * The sender: takes lines that are due and delivers what waits in them, oldest first. Any number of
 * processes may run one; a line is one process's for as long as its lease lasts.
 * Promises: at least once, in order per endpoint and wallet; a failure holds back its own line only
 * and comes again with growing pauses for three days; an endpoint that hangs has its share of what
 * is under way and no more. Never: counts a try that could not be made for want of our own key.
 * States: stopped → looking ⇄ delivering → stopped; `stop` waits for requests that are under way.
 */
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Random } from '../platform/random.js'
import type { ClaimedLine, TryResult, WaitingDelivery } from './delivery-rows.js'
import { leaseMs, requestTimeoutMs, sendPollMs, sendsAtOnceMax, wrongKeyPauseMs } from './limits.js'
import type { OutgoingWebhook, RequestOutcome } from './request.js'
import { SecretKeyError } from './secret-key.js'
import type { SecretKey } from './secret-key.js'
import { signatureHeaders } from './signature.js'
import { openTarget } from './targets.js'
import type { Target } from './targets.js'
import type { LineTables } from './webhook-tables.js'

export interface SenderParts {
  readonly lines: LineTables
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly secretKey: SecretKey
  /** Never throws. */
  readonly send: (webhook: OutgoingWebhook) => Promise<RequestOutcome>
  /** How often it looks when there was nothing. */
  readonly pollMs?: number
}

export class Sender {
  readonly #parts: SenderParts
  readonly #stopping = new AbortController()
  readonly #active = new Map<string, number>()
  readonly #underWay = new Set<Promise<number>>()
  #wake = new AbortController()
  #running: Promise<void> | undefined
  #hasWrongKey = false

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** The secrets of some endpoint are sealed with another key than this process has. */
  get hasWrongKey(): boolean {
    return this.#hasWrongKey
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Something is to be delivered: no need to wait for the next look. */
  wake(): void {
    this.#wake.abort()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#running
    await Promise.all(this.#underWay)
  }

  /** What is due by now, once; how many deliveries were tried. */
  async sendDue(): Promise<number> {
    await this.#claim()
    const counts = await Promise.all(this.#underWay)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async #run(): Promise<void> {
    const { log } = this.#parts
    const { signal } = this.#stopping
    for (let isFailing = false; !signal.aborted;) {
      try {
        const claimed = await this.#claim()
        isFailing = false
        if (claimed === 0) await this.#pause()
      } catch (err) {
        if (!isFailing) log.warn({ err }, 'webhooks cannot be delivered now; the next look tries')
        isFailing = true
        await this.#pause()
      }
    }
  }

  async #pause(): Promise<void> {
    const { clock, pollMs = sendPollMs } = this.#parts
    await clock.sleep(pollMs, this.#wake.signal)
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
  }

  /** Begins with what there is room for; how many lines. */
  async #claim(): Promise<number> {
    const { clock, random } = this.#parts
    const max = sendsAtOnceMax - this.#underWay.size
    if (max <= 0) {
      await Promise.race(this.#underWay)
      return 1
    }
    const claim = { nowMs: clock.now(), lease: random.uuid(), max, active: this.#active }
    const lines = await this.#parts.lines.claimLines(claim)
    for (const line of lines) this.#begin(line)
    return lines.length
  }

  #begin(line: ClaimedLine): void {
    const { endpointId } = line
    const { log } = this.#parts
    this.#active.set(endpointId, (this.#active.get(endpointId) ?? 0) + 1)
    const work = this.#deliver(line)
      .catch((err: unknown) => {
        // The lease ends by itself, and whoever takes the line then delivers the same again.
        log.warn({ err, endpointId }, 'deliveries of a webhook endpoint come again after a fault')
        return 0
      })
      .finally(() => {
        this.#underWay.delete(work)
        const left = (this.#active.get(endpointId) ?? 1) - 1
        if (left === 0) this.#active.delete(endpointId)
        else this.#active.set(endpointId, left)
      })
    this.#underWay.add(work)
  }

  async #deliver(line: ClaimedLine): Promise<number> {
    const { lines, clock, random, secretKey } = this.#parts
    let target: Target | undefined
    try {
      const sealed = await lines.readTarget(line.endpointId)
      target = sealed && (await openTarget(sealed, secretKey))
      this.#hasWrongKey = false
    } catch (error) {
      if (!(error instanceof SecretKeyError)) throw error
      this.#hasWrongKey = true
      await lines.putBack(line, clock.now() + wrongKeyPauseMs)
      return 0
    }
    // Removed meanwhile, with all of its deliveries.
    if (target === undefined) return 0
    const results = await this.#tryAll(line, target)
    await lines.finishLine({ line, results, nowMs: clock.now(), random })
    return results.length
  }

  async #tryAll(line: ClaimedLine, target: Target): Promise<TryResult[]> {
    const { lines, clock } = this.#parts
    const waiting = await lines.readWaiting(line)
    const mayRead = await lines.mayRead(target.clientId)
    const results: TryResult[] = []
    for (const delivery of waiting) {
      // A try that outlasts the lease would be another process's too.
      if (results.length > 0 && clock.now() > line.untilMs - lastTryMs) break
      if (results.length > 0 && this.#stopping.signal.aborted) break
      const atMs = clock.now()
      const { status, answer, fault } = mayRead
        ? await this.#parts.send(webhookOf(delivery, target, atMs))
        : noReader
      const { deliveryId } = delivery
      results.push({ deliveryId, isDelivered: fault === null, atMs, status, answer, fault })
      if (fault !== null) break
    }
    return results
  }
}

/** The time of a try and some for the database: nothing is begun later before a lease ends. */
const lastTryMs = Math.min(2 * requestTimeoutMs, leaseMs)

const noReader: RequestOutcome = {
  status: null,
  answer: null,
  fault: 'the client app is not active, or may not read',
}

function webhookOf(delivery: WaitingDelivery, target: Target, atMs: number): OutgoingWebhook {
  const { webhookId, body } = delivery
  const { url, secrets } = target
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'wallet-service-webhooks',
    ...signatureHeaders({ webhookId, body, atMs, secrets }),
  }
  return { url, headers, body }
}
