/**
 * What an address may ask for without saying who it is: so many requests and bytes a second.
 * Promises: whoever proves to be a client app, an admin or a person in a session costs the address
 * nothing, and an address from which client credentials were right within the last minute is not
 * refused (only its large bodies are: a list of many commands then waits); the table is bounded.
 * Never: looks at anything while nobody has failed; a debit then costs one comparison.
 * States of an address: not known (nothing spent) → within its budget ⇄ over it → forgotten.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../platform/clock.js'
import { ApiError } from './errors.js'
import * as limits from './limits.js'

/**
 * `stranger`: nothing is proven. `person`: a live widget session, which anyone can have by signing
 * up. `trusted`: the credentials of a client app, or an admin's session. `refused`: nobody asked.
 */
export type Caller = 'stranger' | 'person' | 'trusted' | 'refused'

declare module 'fastify' {
  interface FastifyRequest {
    /** Said by whoever checks credentials; until then a stranger. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Answered whatever the address has spent, at no cost to it: the probes of a load balancer. */
    readonly isAlwaysAnswered?: true
  }
}

/** What is left, at a time; both grow back by the second. */
interface Account {
  requests: number
  bytes: number
  atMs: number
  trustedUntilMs: number
}

export class AddressBudget {
  readonly #clock: Clock
  readonly #holdMs: number
  readonly #accounts = new Map<string, Account>()
  #held = 0

  constructor(
    app: FastifyInstance,
    { clock, refusalHoldMs }: { clock: Clock; refusalHoldMs?: number },
  ) {
    this.#clock = clock
    this.#holdMs = refusalHoldMs ?? limits.refusalHoldMs
    app.decorateRequest('caller', 'stranger')
  }

  /** Before the body is read: the answer to an address that is over its budget. */
  refusal(request: FastifyRequest): ApiError | undefined {
    // A socket forgets its address when it is gone, unless it was asked before: `settle` needs it.
    if (request.socket.remoteAddress === undefined || this.#accounts.size === 0) return undefined
    const account = this.#accounts.get(placeOf(request.ip))
    if (account === undefined) return undefined
    const nowMs = this.#refill(account)
    const missingSeconds = Math.max(
      (1 - account.requests) / limits.strangerRequestsPerSecond,
      (1 - account.bytes) / limits.strangerBytesPerSecond,
    )
    if (missingSeconds <= 0 || request.routeOptions.config.isAlwaysAnswered === true)
      return undefined
    const isSmall = bodyBytes(request) <= limits.trustedBodyBytesMax
    if (nowMs < account.trustedUntilMs && isSmall) return undefined
    // It costs the address nothing: its budget would never be good again.
    request.caller = 'refused'
    const headers = { 'retry-after': String(Math.ceil(missingSeconds)) }
    return new ApiError('TOO_MANY_REQUESTS', { headers })
  }

  /**
   * Answers a refused request after a while: a flood over some connections then is a trickle, and
   * its bodies stay where they are. Too many at once are answered at once.
   */
  hold(answer: () => void): void {
    if (this.#holdMs === 0 || this.#held >= limits.refusalsHeldMax) {
      answer()
      return
    }
    this.#held += 1
    this.#clock.after(this.#holdMs, () => {
      this.#held -= 1
      answer()
    })
  }

  /** When the answer is out: a stranger's is paid for. */
  settle(request: FastifyRequest): void {
    if (request.routeOptions.config.isAlwaysAnswered === true) return
    if (request.caller === 'stranger') this.#spend(placeOf(request.ip), bodyBytes(request))
    else if (request.caller === 'trusted' && this.#accounts.size > 0) this.#trust(request)
  }

  #trust({ ip }: FastifyRequest): void {
    const account = this.#accounts.get(placeOf(ip))
    if (account !== undefined) account.trustedUntilMs = this.#clock.now() + limits.trustedAddressMs
  }

  #spend(place: string, bytes: number): void {
    const account = this.#accounts.get(place) ?? this.#open(place)
    this.#refill(account)
    account.requests -= 1
    account.bytes -= bytes
  }

  #open(place: string): Account {
    if (this.#accounts.size >= limits.addressesMax) this.#forgetOldest()
    const account = { ...full, atMs: this.#clock.now(), trustedUntilMs: 0 }
    this.#accounts.set(place, account)
    return account
  }

  /** Whoever has thousands of addresses gets a fresh budget for each anyway. */
  #forgetOldest(): void {
    for (const place of this.#accounts.keys()) {
      this.#accounts.delete(place)
      return
    }
  }

  /** A clock that was set back gives nothing, and takes nothing. */
  #refill(account: Account): number {
    const nowMs = this.#clock.now()
    const seconds = Math.max(0, nowMs - account.atMs) / 1_000
    const { strangerRequestsPerSecond, strangerBytesPerSecond } = limits
    account.requests = Math.min(
      full.requests,
      account.requests + seconds * strangerRequestsPerSecond,
    )
    account.bytes = Math.min(full.bytes, account.bytes + seconds * strangerBytesPerSecond)
    account.atMs = nowMs
    return nowMs
  }
}

const full = {
  requests: limits.strangerRequestsPerSecond * limits.strangerBurstSeconds,
  bytes: limits.strangerBytesPerSecond * limits.strangerBurstSeconds,
}

/** As announced; what comes in pieces may be as long as a body can be. */
function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const { bodyLimit } = routeOptions
  if (headers['transfer-encoding'] !== undefined) return bodyLimit
  const announced = headers['content-length']
  return announced === undefined ? 0 : Math.min(Number(announced), bodyLimit)
}

/** An IPv4 address, or the network of an IPv6 one: its owner has all 2^64 addresses in it. */
export function placeOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail === undefined) return groups.slice(0, 4).join(':')
  const zeros = 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail.split(':')]
  return all.slice(0, 4).join(':')
}
