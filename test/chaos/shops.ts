/**
 * The load: shops that debit, credit, hold, capture and release through either service, repeat what
 * got no answer with the very same reference, and now and then repeat what did. Promises: every
 * answer that was given is recorded; a repeat that differs is a fault at once; so many commands at
 * a time, no more.
 */
import { setTimeout as pause } from 'node:timers/promises'

export type Verb = 'debit' | 'credit' | 'hold' | 'hold/capture' | 'hold/release'

export interface Acknowledged {
  readonly serviceUserId: string
  readonly referenceId: string
  readonly verb: Verb
  /** Of a release: what the hold has left. */
  readonly amountMinor: number
  /** The reference of the hold that it is about. */
  readonly holdOf?: string
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

const declines = [
  ...['INSUFFICIENT_BALANCE', 'WALLET_INACTIVE', 'REFUND_EXCEEDS_DEBIT', 'VOIDED'],
  ...['HOLD_CLOSED', 'CAPTURE_EXCEEDS_HOLD', 'TOO_MANY_HOLDS'],
]
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
      const chance = Math.random()
      const verb: Verb = chance < 0.2 ? 'hold' : chance < 0.6 ? 'debit' : 'credit'
      const amountMinor = 1 + Math.floor(Math.random() * 500)
      const order = {
        serviceUserId,
        verb,
        amountMinor,
        referenceId: `w${worker}-${number}`,
      }
      const first = await this.#order(order)
      if (verb === 'hold' && first !== undefined && first.code === undefined)
        await this.#endHold(order)
    }
  }

  async #order(order: Order): Promise<Acknowledged | undefined> {
    const first = await this.#untilAnswered(order)
    if (first === undefined) return undefined
    this.acknowledged.push(first)
    if (Math.random() < 0.1) await this.#repeat(order, first)
    return first
  }

  /** Captures a part and releases the rest, or one of them; some stay open. */
  async #endHold({ serviceUserId, referenceId: holdOf, amountMinor }: Order): Promise<void> {
    const common = { serviceUserId, holdOf }
    let leftMinor = amountMinor
    if (Math.random() < 0.6) {
      const partMinor = 1 + Math.floor(Math.random() * leftMinor)
      const capture = { ...common, verb: 'hold/capture', amountMinor: partMinor } as const
      await this.#order({ ...capture, referenceId: `${holdOf}-capture` })
      leftMinor -= partMinor
    }
    if (leftMinor > 0 && Math.random() < 0.9)
      await this.#order({
        ...{ ...common, verb: 'hold/release', amountMinor: leftMinor },
        referenceId: `${holdOf}-release`,
      })
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

  async #send({ serviceUserId, verb, amountMinor, referenceId, holdOf }: Order) {
    const { clientId, clientSecret } = this.#shop
    const origin = this.#origins[Math.floor(Math.random() * this.#origins.length)] ?? ''
    const amount = amountMinor / 100
    const pair = { referenceType: 'CHAOS', referenceId }
    const fields = {
      ...(verb !== 'hold/release' && { amount }),
      ...(holdOf !== undefined && { holdOf: { referenceType: 'CHAOS', referenceId: holdOf } }),
    }
    const answer = await fetch(`${origin}/api/server/wallet/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, serviceUserId, ...fields, ...pair }),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
}

type Order = Omit<Acknowledged, 'code' | 'balance'>
