/**
 * The server-to-server API as a client backend calls it: plain HTTP and JSON, nothing of the
 * service's own code. An Account is one user as one client app sees it. References are drawn at
 * random, so that the suite can run again and again on the same deployment.
 */
import { randomUUID } from 'node:crypto'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

export type Fields = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown>
}

export interface Reference {
  readonly referenceType: string
  readonly referenceId: string
}

export interface Transaction {
  readonly id: string
  readonly type: 'credit' | 'debit'
  readonly amount: number
  readonly balanceAfter: number
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly description: string | null
  readonly createdAt: string
}

export interface WalletBody {
  readonly balance: number
  readonly available?: number
  readonly held?: number
  readonly transactions: readonly Transaction[]
  readonly isActive: boolean
  readonly nextCursor?: string
  readonly at?: string
  readonly final?: boolean
}

/** A label that no earlier run on the same deployment has used. */
export function freshLabel(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}`
}

/** A reference that nobody has used; the label defaults to one of the contract's examples. */
export function freshReference(referenceType = 'ORDER_PAYMENT'): Reference {
  return { referenceType, referenceId: `order-${randomUUID()}` }
}

export class WalletApi {
  readonly baseUrl: string
  /** The longest that any answer took: nobody may wait beyond the service's own deadline. */
  slowestMs = 0

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace(/\/$/, '')
  }

  get(path: string, query: Fields = {}): Promise<Answer> {
    const text = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join('&')
    return this.send('GET', text === '' ? path : `${path}?${text}`)
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.postRaw(path, JSON.stringify(body))
  }

  /** A body as it stands, also one that is no JSON. */
  postRaw(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
    return this.send('POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  }

  async send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const startedMs = performance.now()
    const response = await fetch(this.baseUrl + path, { ...init, method })
    const text = await response.text()
    // Only these have a deadline; a password's hash takes as long as it takes.
    if (path.startsWith('/api/server/'))
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs)
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
}

type Verb = 'credit' | 'debit' | 'hold' | 'hold/capture' | 'hold/release' | 'outcome/void'

/** One user as one client app sees it. */
export class Account {
  readonly api: WalletApi
  readonly app: Credentials
  readonly serviceUserId: string

  constructor(api: WalletApi, app: Credentials, serviceUserId: string) {
    this.api = api
    this.app = app
    this.serviceUserId = serviceUserId
  }

  /** What every request on this account carries. */
  get identity(): Fields {
    const { clientId, clientSecret } = this.app
    return { clientId, clientSecret, serviceUserId: this.serviceUserId }
  }

  /** The same user as another client app, or another secret of the same one, sees them. */
  as(app: Credentials): Account {
    return new Account(this.api, app, this.serviceUserId)
  }

  /** Another user as the same client app sees them. */
  of(serviceUserId: string): Account {
    return new Account(this.api, this.app, serviceUserId)
  }

  /** The same user at another process of the deployment. */
  at(api: WalletApi): Account {
    return new Account(api, this.app, this.serviceUserId)
  }

  wallet(query: Fields = {}): Promise<Answer> {
    return this.api.get('/api/server/wallet', { ...this.identity, ...query })
  }

  /** The body of a wallet read that must succeed. */
  async read(query: Fields = {}): Promise<WalletBody> {
    return body(await this.wallet(query)) as unknown as WalletBody
  }

  async balance(): Promise<number> {
    return (await this.read({ limit: 1 })).balance
  }

  checkBalance(requiredAmount: unknown): Promise<Answer> {
    const query = { ...this.identity, requiredAmount }
    return this.api.get('/api/server/wallet/check-balance', query)
  }

  debit(amount: unknown, reference: Reference = freshReference(), more: Fields = {}) {
    return this.command('debit', { amount, ...reference, ...more })
  }

  credit(amount: unknown, reference: Reference = freshReference('REFILL'), more: Fields = {}) {
    return this.command('credit', { amount, ...reference, ...more })
  }

  hold(amount: unknown, reference: Reference = freshReference('HOLD'), more: Fields = {}) {
    return this.command('hold', { amount, ...reference, ...more })
  }

  /** All that is left, unless an amount is among `more`. */
  capture(holdOf: Reference, reference: Reference = freshReference('CAPTURE'), more: Fields = {}) {
    return this.command('hold/capture', { holdOf, ...reference, ...more })
  }

  release(holdOf: Reference, reference: Reference = freshReference('RELEASE')) {
    return this.command('hold/release', { holdOf, ...reference })
  }

  command(verb: Verb, fields: Fields): Promise<Answer> {
    return this.api.post(`/api/server/wallet/${verb}`, { ...this.identity, ...fields })
  }

  outcome(reference: Reference): Promise<Answer> {
    return this.api.get('/api/server/wallet/outcome', { ...this.identity, ...reference })
  }

  void(reference: Reference): Promise<Answer> {
    return this.command('outcome/void', { ...reference })
  }

  /** Brings the wallet to exactly this balance, whatever happened to it before. */
  async setBalance(balance: number): Promise<void> {
    // At most the largest amount at a time.
    for (;;) {
      const cents = Math.round(balance * 100) - Math.round((await this.balance()) * 100)
      if (cents === 0) return
      const amount = Math.min(Math.abs(cents), amountMaxCents) / 100
      body(await (cents > 0 ? this.credit(amount) : this.debit(amount)))
    }
  }
}

/** Asks again and again until it is so; how long that took. Fails beyond the limit. */
export async function until(limitMs: number, isSo: () => Promise<boolean>): Promise<number> {
  const startedMs = performance.now()
  for (;;) {
    if (await isSo()) return performance.now() - startedMs
    if (performance.now() - startedMs > limitMs) throw new Error(`not so within ${limitMs} ms`)
  }
}

/** Another process trusts what it knows about apps and links for so long. */
export const changesReachAllMs = 2_000

/** The default of AMOUNT_MAX, in cents. */
const amountMaxCents = 100_000_000

/** Well-formed, and nobody's. */
export const nobody = 'usr_00000000-0000-4000-8000-000000000000'

/** The body of an answer that must be a success. */
export function body(answer: Answer): Answer['body'] {
  if (answer.status !== 200) throw new Error(`expected a 200, got ${answer.status} ${answer.text}`)
  return answer.body
}

/** What two answers have in common when one is the replay of the other. */
export function essence({ status, text }: Answer): { status: number; text: string } {
  return { status, text }
}

/** Whether the service says that this answer was given before. */
export function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true'
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return { notJson: text }
  }
}
