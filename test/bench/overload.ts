/**
 * What becomes of twice the load that the writer can take: commands come at a fixed rate, whether
 * or not the ones before are answered, of one client app, whose share of what may be under way is
 * bounded, and of so many that only the process's own bound is left. Without HTTP, on a PostgreSQL
 * of its own. Says how many were answered, how many refused and how fast, how long it took until
 * the last one was answered, and how long a debit takes when it is over.
 * `npm run bench -- --overload --seconds 10`.
 */
import type { WalletId } from '../../src/domain/ids.js'
import type { Share } from '../../src/http/fair-shares.js'
import { FairShares } from '../../src/http/fair-shares.js'
import { systemClock } from '../../src/platform/clock.js'
import type { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId } from '../support/ledger.js'
import { benchCommand, FilledLedger } from './filled-ledger.js'
import { placed, writerOn } from './growth.js'
import type { Section } from './report.js'
import { whole } from './report.js'

const walletCount = 1_000
const clients = 256
const tickMs = 10
const fundsMinor = 1_000_000

/** More apps than their shares fit into what a process lets wait. */
const manyApps = 64

export async function overloadSection({ seconds }: { seconds: number }): Promise<Section> {
  const ledger = await FilledLedger.open()
  try {
    const wallets = Array.from({ length: walletCount }, newWalletId)
    for (const walletId of wallets) await ledger.fill(walletId, 1, fundsMinor)
    const rows: string[][] = []
    const notes = [`${seconds} s each, one after the other; ${whole(walletCount)} wallets.`, '']
    for (const apps of [1, manyApps]) {
      const load = new Commands(ledger, wallets, apps)
      await load.closed(seconds)
      const capacity = await load.closed(seconds)
      const name = apps === 1 ? 'one app' : `${apps} apps`
      rows.push(row(`${name}, as fast as answered`, capacity))
      const outcomes: Outcome[] = []
      for (const times of [0.5, 2, 0.5]) {
        const rate = times * capacity.perSecond
        const outcome = await load.open(rate, seconds)
        outcomes.push(outcome)
        rows.push(row(`${name}, ${times} times, ${whole(rate)}/s`, outcome))
      }
      notes.push(`- ${verdictOf(name, capacity, outcomes)}`)
    }
    return { name: 'overload', title: 'Twice the load', tables: [{ head, rows }], notes }
  } finally {
    await ledger.close()
  }
}

const head = [
  'load',
  'answered/s',
  'p50 ms',
  'p99 ms',
  'refused/s',
  'refusal p99 ms',
  'all answered after ms',
]

interface Outcome {
  /** Until the last one was answered, those after the end of the load too. */
  readonly perSecond: number
  readonly times: readonly number[]
  readonly refusals: readonly number[]
  readonly refusedPerSecond: number
  /** How long after the end of the load the last command had its answer. */
  readonly drainMs: number
}

function row(name: string, outcome: Outcome): string[] {
  const { perSecond, times, refusals, refusedPerSecond, drainMs } = outcome
  const answered = [whole(perSecond), placed(times, 0.5).toFixed(1), placed(times, 0.99).toFixed(1)]
  const refused = refusals.length === 0 ? '–' : placed(refusals, 0.99).toFixed(2)
  return [name, ...answered, whole(refusedPerSecond), refused, whole(drainMs)]
}

function verdictOf(name: string, capacity: Outcome, outcomes: readonly Outcome[]): string {
  const [before, twice, after] = outcomes
  if (before === undefined || twice === undefined || after === undefined) return name
  const kept = twice.perSecond / capacity.perSecond
  const later = placed(after.times, 0.5) / placed(before.times, 0.5)
  return (
    `${name}: at twice the load × ${kept.toFixed(2)} of the throughput; of the answers ` +
    `99 % within ${whole(placed(twice.times, 0.99))} ms, of the refusals within ` +
    `${placed(twice.refusals, 0.99).toFixed(1)} ms; all had their answer ` +
    `${whole(twice.drainMs)} ms after it ended, and then a debit took × ${later.toFixed(2)} of ` +
    'what it took before'
  )
}

/** Debits of some client apps, closed (each client waits for its answer) or open (nobody waits). */
class Commands {
  readonly #writer: WalletWriter
  readonly #shares: readonly Share[]
  readonly #wallets: readonly WalletId[]
  #sent = 0

  constructor(ledger: FilledLedger, wallets: readonly WalletId[], apps: number) {
    runs += 1
    const shares = new FairShares(systemClock)
    this.#writer = writerOn(ledger)
    this.#shares = Array.from({ length: apps }, (_, app) => shares.of({ clientId: `app-${app}` }))
    this.#wallets = wallets
  }

  async closed(seconds: number): Promise<Outcome> {
    const counts = new Counts()
    const endMs = performance.now() + seconds * 1_000
    const client = async (): Promise<void> => {
      while (performance.now() < endMs) await this.#send(counts)
    }
    await Promise.all(Array.from({ length: clients }, client))
    return counts.outcome(seconds, 0)
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
    const endMs = performance.now()
    await Promise.all(running)
    return counts.outcome(seconds, performance.now() - endMs)
  }

  async #send(counts: Counts): Promise<void> {
    const startMs = performance.now()
    this.#sent += 1
    const id = `LOAD-${runs}-${this.#sent}`
    const walletId = this.#wallets[this.#sent % this.#wallets.length]
    const share = this.#shares[this.#sent % this.#shares.length]
    if (walletId === undefined || share === undefined) return
    try {
      share.beginCommands(1)
    } catch {
      counts.refusals.push(performance.now() - startMs)
      return
    }
    try {
      await this.#writer.execute(walletId, benchCommand('Debit', walletId, id))
      counts.times.push(performance.now() - startMs)
    } catch {
      counts.refusals.push(performance.now() - startMs)
    } finally {
      share.endCommands(1)
    }
  }
}

let runs = 0

class Counts {
  readonly times: number[] = []
  readonly refusals: number[] = []

  outcome(seconds: number, drainMs: number): Outcome {
    const { times, refusals } = this
    const perSecond = times.length / (seconds + drainMs / 1_000)
    return { perSecond, times, refusals, refusedPerSecond: refusals.length / seconds, drainMs }
  }
}
