/**
 * The load: shops that debit, credit and refund through either service, repeat what got no answer
 * with the very same reference, and now and then repeat what did. Promises: every answer that was
 * given is recorded; a repeat that differs is a fault at once; so many commands at a time, no more.
 */
import { setTimeout as pause } from 'node:timers/promises'

export interface Acknowledged {
  readonly serviceUserId: string
  readonly referenceId: string
  readonly verb: 'debit' | 'credit'
  readonly amountMinor: number
  /** The code of a decline; undefined: booked. */
  readonly code: string | undefined
  /** As the answer said; undefined where a decline says none. */
  readonly balance: number | undefined
}

export interface Shop {
  readonly clientId: string
  readonly clientSecret: string
  readonly serviceUserIds: readonly string[]
}

const declines = ['INSUFFICIENT_BALANCE', 'WALLET_INACTIVE', 'REFUND_EXCEEDS_DEBIT', 'VOIDED']
const workersCount = 16
/** A command is given up after this many tries: about two minutes. */
const triesMax = 200

export class Shops {
  readonly acknowledged: Acknowledged[] = []
  readonly problems: string[] = []
  /** The longest time between two answers. */
  silenceMs = 0
  repeats = 0
  unanswered = 0
  #lastMs = Date.now()
  #isOpen = true
  readonly #origins: readonly string[]
  readonly #shop: Shop
  readonly #workers: Promise<void>[]

  constructor(origins: readonly string[], shop: Shop) {
    this.#origins = origins
    this.#shop = shop
    this.#workers = Array.from({ length: workersCount }, (_, worker) => this.#work(worker))
  }

  takeSilence(): number {
    const { silenceMs } = this
    this.silenceMs = 0
    this.#lastMs = Date.now()
    return silenceMs
  }

  async close(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#workers)
  }

  async #work(worker: number): Promise<void> {
    for (let number = 0; this.#isOpen; number += 1) {
      const ids = this.#shop.serviceUserIds
      const serviceUserId = ids[Math.floor(Math.random() * ids.length)] ?? ''
      const verb = Math.random() < 0.6 ? 'debit' : 'credit'
      const amountMinor = 1 + Math.floor(Math.random() * 500)
      const order = {
        serviceUserId,
        verb,
        amountMinor,
        referenceId: `w${worker}-${number}`,
      } as const
      const first = await this.#untilAnswered(order)
      if (first === undefined) continue
      this.acknowledged.push(first)
      if (Math.random() < 0.1) await this.#repeat(order, first)
    }
  }

  async #repeat(order: Order, first: Acknowledged): Promise<void> {
    const again = await this.#untilAnswered(order)
    this.repeats += 1
    if (again !== undefined && JSON.stringify(again) !== JSON.stringify(first))
      this.problems.push(`${JSON.stringify(first)} was repeated as ${JSON.stringify(again)}`)
  }

  async #untilAnswered(order: Order): Promise<Acknowledged | undefined> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer = await this.#send(order).catch(() => undefined)
      const code = typeof answer?.body['code'] === 'string' ? answer.body['code'] : undefined
      const isDecline = code !== undefined && declines.includes(code)
      if (answer?.status === 200 || isDecline) {
        this.silenceMs = Math.max(this.silenceMs, Date.now() - this.#lastMs)
        this.#lastMs = Date.now()
        const balance = answer?.body['balance']
        return { ...order, code, balance: typeof balance === 'number' ? balance : undefined }
      }
      if (answer !== undefined && answer.status < 500 && answer.status !== 429)
        this.problems.push(`status ${answer.status} ${code ?? ''} for ${order.referenceId}`)
      await pause(50 + Math.random() * 500)
    }
    this.unanswered += 1
    return undefined
  }

  async #send({ serviceUserId, verb, amountMinor, referenceId }: Order) {
    const { clientId, clientSecret } = this.#shop
    const origin = this.#origins[Math.floor(Math.random() * this.#origins.length)] ?? ''
    const amount = amountMinor / 100
    const pair = { referenceType: 'CHAOS', referenceId }
    const answer = await fetch(`${origin}/api/server/wallet/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, serviceUserId, amount, ...pair }),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
}

type Order = Pick<Acknowledged, 'serviceUserId' | 'referenceId' | 'verb' | 'amountMinor'>
