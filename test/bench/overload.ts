/**
 * What becomes of twice the load that the writer can take: commands come at a fixed rate, whether
 * or not the ones before are answered, behind the share that one client app has of what may be
 * under way. Without HTTP, on a PostgreSQL of its own. Says how many were answered, how many
 * refused and how fast, and how long a debit takes when it is over.
 * `npm run bench -- --overload --seconds 10`.
 */
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import { FairShares } from '../../src/http/fair-shares.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId, quietLog } from '../support/ledger.js'
import { benchCommand, FilledLedger, median } from './filled-ledger.js'
import type { Section } from './report.js'
import { whole } from './report.js'

const walletCount = 1_000
const clients = 256
const tickMs = 10
const fundsMinor = 1_000_000

export async function overloadSection({ seconds }: { seconds: number }): Promise<Section> {
  const ledger = await FilledLedger.open()
  try {
    const wallets = Array.from({ length: walletCount }, newWalletId)
    for (const walletId of wallets) await ledger.fill(walletId, 1, fundsMinor)
    const load = new Commands(ledger, wallets)
    await load.closed(seconds)
    const capacity = await load.closed(seconds)
    const rows = [row('as fast as answered', capacity)]
    for (const times of [0.5, 2, 0.5]) {
      const rate = times * capacity.perSecond
      rows.push(row(`${times} times, ${whole(rate)}/s`, await load.open(rate, seconds)))
    }
    const head = ['load', 'answered/s', 'p50 ms', 'p99 ms', 'refused/s', 'slowest refusal ms']
    const notes = [`${seconds} s each, one after the other; ${whole(walletCount)} wallets.`]
    return { name: 'overload', title: 'Twice the load', tables: [{ head, rows }], notes }
  } finally {
    await ledger.close()
  }
}

interface Outcome {
  readonly perSecond: number
  readonly times: number[]
  readonly refusedPerSecond: number
  readonly refusalMs: number
}

function row(name: string, { perSecond, times, refusedPerSecond, refusalMs }: Outcome): string[] {
  const p99 = times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? NaN
  const answered = [whole(perSecond), median(times).toFixed(1), p99.toFixed(1)]
  return [name, ...answered, whole(refusedPerSecond), refusalMs.toFixed(2)]
}

/** Debits of one client app, closed (each client waits for its answer) or open (nobody waits). */
class Commands {
  readonly #writer: WalletWriter
  readonly #share = new FairShares(systemClock).of({ clientId: 'bench' })
  readonly #wallets: readonly WalletId[]
  #sent = 0

  constructor({ store, pool }: FilledLedger, wallets: readonly WalletId[]) {
    const system = { clock: systemClock, random: systemRandom, log: quietLog }
    const readModels = new PostgresReadModels(pool)
    const tables = new PostgresReadTables(pool)
    const verifyRows = () => verifyCheckpoint(store, tables)
    const parts = { store, readModels, verifyRows, currency: 'usd' }
    this.#writer = new WalletWriter({ ...parts, ...system })
    this.#wallets = wallets
  }

  async closed(seconds: number): Promise<Outcome> {
    const counts = new Counts()
    const endMs = performance.now() + seconds * 1_000
    const client = async (): Promise<void> => {
      while (performance.now() < endMs) await this.#send(counts)
    }
    await Promise.all(Array.from({ length: clients }, client))
    return counts.outcome(seconds)
  }

  async open(perSecond: number, seconds: number): Promise<Outcome> {
    const counts = new Counts()
    const startMs = performance.now()
    const running = new Set<Promise<void>>()
    for (let sent = 0; ;) {
      const elapsedMs = performance.now() - startMs
      if (elapsedMs >= seconds * 1_000) break
      for (const due = (elapsedMs / 1_000) * perSecond; sent < due; sent += 1) {
        const one = this.#send(counts).finally(() => running.delete(one))
        running.add(one)
      }
      await systemClock.sleep(tickMs)
    }
    await Promise.all(running)
    return counts.outcome(seconds)
  }

  async #send(counts: Counts): Promise<void> {
    const startMs = performance.now()
    this.#sent += 1
    const walletId = this.#wallets[this.#sent % this.#wallets.length]
    if (walletId === undefined) return
    try {
      this.#share.beginCommands(1)
    } catch {
      counts.refuse(performance.now() - startMs)
      return
    }
    try {
      await this.#writer.execute(walletId, benchCommand('Debit', walletId, `LOAD-${this.#sent}`))
      counts.times.push(performance.now() - startMs)
    } catch {
      counts.refuse(performance.now() - startMs)
    } finally {
      this.#share.endCommands(1)
    }
  }
}

class Counts {
  readonly times: number[] = []
  #refused = 0
  #refusalMs = 0

  refuse(ms: number): void {
    this.#refused += 1
    this.#refusalMs = Math.max(this.#refusalMs, ms)
  }

  outcome(seconds: number): Outcome {
    return {
      perSecond: this.times.length / seconds,
      times: this.times,
      refusedPerSecond: this.#refused / seconds,
      refusalMs: this.#refusalMs,
    }
  }
}
