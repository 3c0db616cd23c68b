/**
 * Debits through the client on a way full of faults, to a service that restarts meanwhile; and the
 * verdict, read from the service itself: every reference booked once, and none left unknown.
 */
import { randomUUID } from 'node:crypto'
import { WalletClient, WalletUnavailableError } from '../../src/client/wallet-client.js'
import type { Runtime } from '../../src/client/runtime.js'
import { randomNumbers } from '../support/property.js'
import { FaultyProxy } from './faulty-proxy.js'

export interface FaultRunOptions {
  readonly seed: number
  readonly debits: number
  readonly atOnce: number
  readonly restarts: number
  readonly users: readonly string[]
  readonly credentials: { readonly clientId: string; readonly clientSecret: string }
  readonly timeoutMs: number
  readonly runtime?: Partial<Runtime>
  /** Where the service listens. */
  readonly port: number
  /** Stops the service and starts it again; answers where it listens then. */
  readonly restart: () => Promise<number>
}

export interface Verdict {
  /** References that were booked not exactly once. */
  readonly wrong: readonly string[]
  /** Debits whose first call ended with an unknown outcome, and which were asked again. */
  readonly askedAgain: number
  /** Tries that met a fault, by its kind. */
  readonly faults: Readonly<Record<string, number>>
  readonly balances: readonly number[]
  readonly expectedBalances: readonly number[]
}

const start = 100_000

export async function runWithFaults(options: FaultRunOptions): Promise<Verdict> {
  const { seed, users, credentials, timeoutMs, runtime = {} } = options
  const draw = randomNumbers(seed)
  const proxy = await FaultyProxy.open({ draw, faultsPercent: 35, lateMs: 2 * timeoutMs })
  proxy.targetPort = options.port
  const direct = (): WalletClient =>
    new WalletClient({ ...credentials, url: `http://127.0.0.1:${proxy.targetPort}`, runtime })
  const client = new WalletClient({ ...credentials, url: proxy.url, timeoutMs, runtime })
  try {
    for (const serviceUserId of users)
      await direct().credit({ serviceUserId, amount: start, ...reference('START', randomUUID()) })
    const run = new Run(client, users, `run-${randomUUID()}`)
    const restarting = restartOften(options, run, (port) => (proxy.targetPort = port))
    const worker = async (): Promise<void> => {
      while (run.begun < options.debits) await run.debitOnce()
    }
    await Promise.all([restarting, ...Array.from({ length: options.atOnce }, worker)])
    return { ...(await run.verdict(direct())), faults: Object.fromEntries(proxy.counts) }
  } finally {
    await proxy.close()
  }
}

/** Spread over the run, by how many debits are done. */
async function restartOften(
  { debits, restarts, restart }: FaultRunOptions,
  run: Run,
  onPort: (port: number) => void,
): Promise<void> {
  for (let done = 1; done <= restarts; done += 1) {
    await run.reached(Math.floor((debits * done) / (restarts + 1)))
    onPort(await restart())
  }
}

const referenceType = 'FAULTS'

function reference(type: string, referenceId: string) {
  return { referenceType: type, referenceId }
}

class Run {
  begun = 0
  readonly #client: WalletClient
  readonly #users: readonly string[]
  readonly #label: string
  readonly #wrong: string[] = []
  readonly #waiting: { readonly count: number; readonly resume: () => void }[] = []
  #ended = 0
  #askedAgain = 0

  constructor(client: WalletClient, users: readonly string[], label: string) {
    this.#client = client
    this.#users = users
    this.#label = label
  }

  async reached(count: number): Promise<void> {
    if (this.#ended >= count) return
    await new Promise<void>((resume) => this.#waiting.push({ count, resume }))
  }

  async debitOnce(): Promise<void> {
    const number = this.begun
    this.begun += 1
    const order = { ...this.#owner(number), ...reference(referenceType, this.#idOf(number)) }
    // As the guide says: unknown is asked again, with the same reference, and never given up.
    for (let asked = 1; ; asked += 1)
      try {
        const { outcome } = await this.#client.debit({ ...order, amount: '0.07' })
        if (outcome !== 'applied') this.#wrong.push(`${order.referenceId} was ${outcome}`)
        break
      } catch (error) {
        if (!(error instanceof WalletUnavailableError) || asked > 50) throw error
        this.#askedAgain += 1
      }
    this.#ended += 1
    for (const { count, resume } of this.#waiting) if (this.#ended >= count) resume()
  }

  async verdict(client: WalletClient): Promise<Omit<Verdict, 'faults'>> {
    const times = new Map<string, number>()
    const balances: number[] = []
    for (const serviceUserId of this.#users) {
      const question = { serviceUserId, referenceType, limit: 200 }
      for await (const { referenceId } of client.transactions(question))
        if (referenceId?.startsWith(this.#label))
          times.set(referenceId, (times.get(referenceId) ?? 0) + 1)
      balances.push((await client.wallet({ serviceUserId, limit: 1 })).balance)
    }
    const counts = this.#users.map(() => 0)
    for (let number = 0; number < this.begun; number += 1) {
      const count = times.get(this.#idOf(number)) ?? 0
      if (count !== 1) this.#wrong.push(`${this.#idOf(number)} was booked ${count} times`)
      const user = number % this.#users.length
      counts[user] = (counts[user] ?? 0) + 1
    }
    const expectedBalances = counts.map((count) => (start * 100 - count * 7) / 100)
    return { wrong: this.#wrong, askedAgain: this.#askedAgain, balances, expectedBalances }
  }

  #owner(number: number): { readonly serviceUserId: string } {
    return { serviceUserId: this.#users[number % this.#users.length] ?? '' }
  }

  #idOf(number: number): string {
    return `${this.#label}-${number}`
  }
}
