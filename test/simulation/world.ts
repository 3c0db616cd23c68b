/**
 * A simulated world: some processes, what they share, a card processor, clients and a storm of
 * faults, all from one seed. First the storm, with the invariants after every step; then a calm in
 * which everything must come to its end; then everything is checked once more.
 * Promises: the same seed gives the same trace, byte for byte (`digest`), in every run.
 */
import { isDeepStrictEqual } from 'node:util'
import { project } from '../../projections/projector.js'
import { entryIdOf, streamOf, walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { intentOpenMs, paidCheckMs } from '../../src/top-ups/limits.js'
import type { LostEvent } from '../../src/event-store/lost-event.js'
import { MemoryReadTables } from '../support/memory-read-tables.js'
import { Chance } from './chance.js'
import { Checker } from './checker.js'
import { hold, Violation } from './violation.js'
import { Clients } from './clients.js'
import { holdsOf, noFaults, planOf, webhooksOf } from './plan.js'
import type { Faults, Plan } from './plan.js'
import { bookingsOf, SimulatedProcessor } from './processor.js'
import { SimulatedProcess } from './process.js'
import { SimulatedServer } from './server.js'
import { Trace } from './trace.js'
import { VirtualTime } from './virtual-time.js'
import { SimulatedWebhooks } from './webhooks.js'

export interface SimulationOptions {
  readonly commands: number
  /** Called with every line of the trace. */
  readonly onTrace?: ((line: string) => void) | undefined
}

export interface Report {
  readonly seed: number
  readonly commands: number
  readonly answers: number
  readonly events: number
  readonly steps: number
  /** Events that processes knew and named as gone. */
  readonly lostNamed: number
  readonly faults: ReadonlyMap<string, number>
  readonly digest: string
  /** What was not as it must be; undefined: everything was. */
  readonly violation: string | undefined
}

export async function simulate(seed: number, options: SimulationOptions): Promise<Report> {
  return new World(seed, options).run()
}

/** What may be logged as an error, because it is one of the world and not of the service. */
const rightErrors: ReadonlySet<string> = new Set([
  'the store refused a batch',
  'the event store has lost what was acknowledged: it was set back to an older copy',
])

const startMs = Date.UTC(2026, 0, 1)
/** A seed that takes longer has clients that never come to an end. */
const stormMaxMs = 60 * 60_000
/** All sweeps that the calm must bring, and some minutes for leases and rounds. */
const calmMs = Math.max(intentOpenMs, paidCheckMs) + 15 * 60_000
const calmWithoutTopUpsMs = 30_000
/** A hold of seconds, placed late by a fast clock and released by a slow one, and rows that lag. */
const calmWithHoldsMs = 90_000
/** Pauses of a line that failed all through the storm, and the lease of whoever died with it. */
const webhooksMaxMs = 60 * 60_000

export class World {
  readonly seed: number
  readonly chance: Chance
  readonly time = new VirtualTime(startMs)
  readonly plan: Plan
  readonly server: SimulatedServer
  readonly processor = new SimulatedProcessor()
  readonly checker: Checker
  readonly wallets: readonly WalletId[]
  readonly processes: SimulatedProcess[] = []
  readonly counts = { commands: 0 }
  faults: Faults
  webhooks: SimulatedWebhooks | undefined
  /** How often the server's history went back: connections of before are broken. */
  generation = 0
  readonly #faultsSeen = new Map<string, number>()
  readonly #trace: Trace
  readonly #clients: Clients
  #traced = 0
  #lostNamed = 0
  /** The length of the log after each append. */
  readonly #commits: number[] = []
  #failure: string | undefined

  constructor(seed: number, options: SimulationOptions) {
    this.seed = seed
    this.chance = new Chance(seed)
    this.#trace = new Trace(options.onTrace)
    const planned = planOf(this.chance, options.commands)
    this.plan = { ...planned, holds: holdsOf(seed), webhooks: webhooksOf(seed) }
    this.faults = this.plan.faults
    this.wallets = Array.from({ length: this.plan.wallets }, () => walletIdOf(this.chance.uuid()))
    const known = new Set<string>(this.wallets)
    this.server = new SimulatedServer((walletId) => known.has(walletId))
    this.server.log.comparesIds = this.plan.storeComparesIds
    this.checker = new Checker(this.server.log, this.server.tables)
    this.#clients = new Clients(this)
  }

  async run(): Promise<Report> {
    try {
      this.processor.onChange = ({ paymentIntentId }) => {
        for (let times = this.chance.integer(0, 2); times > 0; times -= 1)
          this.hint(paymentIntentId)
      }
      if (this.plan.webhooks !== undefined)
        this.webhooks = await SimulatedWebhooks.open(this, this.plan.webhooks)
      for (let number = 1; number <= this.plan.processes; number += 1)
        this.processes.push(new SimulatedProcess(this, `P${number}`))
      this.#clients.start()
      this.#storm()
      await this.#until(() => this.#clients.areDone)
      await this.#calm()
      if (this.#failure === undefined) this.#checkEnd()
    } catch (error) {
      this.fail(error)
    }
    for (const { life } of this.processes) life.end({ losesRequests: true })
    return this.#report()
  }

  trace(line: string): void {
    this.#trace.add(`${this.time.nowMs.toFixed(3)} ${line}`)
  }

  /** The first one ends the run. */
  fail(error: unknown): void {
    const text =
      error instanceof Violation
        ? error.message
        : `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    if (this.#failure === undefined) this.trace(`violation ${text}`)
    this.#failure ??= text
  }

  fault(name: string): void {
    this.#faultsSeen.set(name, (this.#faultsSeen.get(name) ?? 0) + 1)
  }

  /** A process logs an error. Content that no store takes is the only thing that may be refused. */
  onError(line: string, message: string): void {
    this.trace(`error ${line}`)
    if (!rightErrors.has(message)) this.fail(new Violation(line))
  }

  onUnavailable(reason: string): void {
    this.trace(`unavailable ${reason}`)
    if (reason === 'broken') this.fail(new Violation('a wallet has stopped'))
  }

  onReadFailed(error: unknown): void {
    if (error instanceof Error && error.name === 'InvariantError') this.fail(error)
  }

  /** The rows have changed. */
  onCommit(): void {
    this.trace(`rows at ${this.server.tables.checkpoint.position}`)
    this.#check(() => this.checker.checkRows())
  }

  /** A process names events that it knew and that are gone: they must be. */
  onLost(lost: readonly LostEvent[]): void {
    for (const { walletId, revision, eventId } of lost) {
      this.trace(`lost ${walletId} ${revision} ${eventId}`)
      this.#lostNamed += 1
      if (this.server.log.stream(streamOf(walletId))[revision]?.id === eventId)
        this.fail(new Violation(`revision ${revision} of ${walletId} is called lost, and is there`))
    }
  }

  /** Tells some process, sooner or later, that it might look at a payment. */
  hint(paymentIntentId: string): void {
    this.time.after(this.chance.fraction() * 3_000, () => {
      const { life, topUps } = this.chance.pick(this.processes)
      this.trace(`hint ${life.name} ${paymentIntentId}`)
      if (life.isAlive) topUps.settle(paymentIntentId).catch(() => undefined)
    })
  }

  async #until(
    isDone: () => boolean,
    limitMs = stormMaxMs,
    otherwise = () => 'no end came',
  ): Promise<void> {
    const endMs = this.time.nowMs + limitMs
    await this.time.run(() => {
      this.#check(() => this.checker.foldLog())
      this.#traceEvents()
      return this.#failure !== undefined || isDone() || this.time.nowMs > endMs
    })
    if (this.#failure === undefined && !isDone()) this.fail(new Violation(otherwise()))
  }

  #check(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.fail(error)
    }
  }

  #traceEvents(): void {
    const { events } = this.server.log
    // One step is one append at most.
    if (events.length > this.#traced) this.#commits.push(events.length)
    for (; this.#traced < events.length; this.#traced += 1) {
      const event = events[this.#traced]
      if (event !== undefined) this.trace(`event ${event.position} ${event.id} ${event.data}`)
    }
  }

  /** About once a second, until the calm. */
  #storm(): void {
    this.time.after(this.chance.fraction() * 2_000, () => {
      if (this.faults === noFaults) return
      for (const process of this.processes) this.#trouble(process)
      const { events } = this.server.log
      if (this.chance.happens(this.faults.staleRows))
        this.server.refreshReplica(this.chance.integer(0, events.length))
      if (this.chance.happens(this.faults.rebuild)) void this.#rebuild()
      if (this.chance.happens(this.faults.goesBack)) this.#goBack()
      this.#storm()
    })
  }

  #trouble(process: SimulatedProcess): void {
    const { chance, time, faults } = this
    if (process.life.isAlive && chance.happens(faults.crash)) {
      this.#tell('crash', process.life.name)
      process.kill({ losesRequests: chance.happens(0.5) })
      time.after(chance.fraction() * 5_000, () => process.restart())
    }
    if (chance.happens(faults.freeze)) {
      this.#tell('freeze', process.life.name)
      process.life.freeze(chance.fraction() * 12_000)
    }
    if (!process.life.isCutOff && chance.happens(faults.partition)) {
      const { life } = process
      this.#tell('partition', life.name)
      life.isCutOff = true
      life.disconnect()
      time.after(chance.fraction() * 10_000, () => (life.isCutOff = false))
    }
    if (chance.happens(faults.clockJump)) {
      this.#tell('clock jump', process.life.name)
      process.clockOffsetMs = chance.integer(-10_000, 10_000)
    }
  }

  #tell(fault: string, where: string): void {
    this.fault(fault)
    this.trace(`${fault} ${where}`)
  }

  /** Rows made anew, in other batches, must be the same rows. */
  async #rebuild(): Promise<void> {
    this.#tell('rebuild', '')
    const { tables, log } = this.server
    const made = new MemoryReadTables()
    const { generation } = this
    await tables.transaction(async () => {
      const count = Number(tables.checkpoint.position)
      while (Number(made.checkpoint.position) < count) {
        const after = made.checkpoint
        const start = Number(after.position)
        const end = Math.min(count, start + this.chance.integer(1, 20))
        await project(made, { after, events: log.events.slice(start, end) })
      }
      if (generation !== this.generation) return
      const isSame =
        isDeepStrictEqual(made.wallets, tables.wallets) &&
        isDeepStrictEqual(made.transactions, tables.transactions) &&
        isDeepStrictEqual(made.totals, tables.totals)
      if (!isSame) this.fail(new Violation('a rebuild gives other rows'))
    })
  }

  /**
   * Log, rows and intents together, or only the rows, whose database may be another one; what was
   * answered beyond is forgiven, what comes is not.
   */
  #goBack(): void {
    // An append is one commit: it is there whole, or not at all.
    const isOfRowsAlone = this.chance.happens(0.4)
    const back = isOfRowsAlone ? 0 : this.chance.integer(0, Math.min(12, this.#commits.length))
    const kept = this.#commits.length - back
    const events = kept === 0 ? 0 : (this.#commits[kept - 1] ?? 0)
    this.#commits.length = kept
    this.#tell('goes back', `to ${events}`)
    this.generation += 1
    this.server.goBackTo(events, this.chance.integer(0, events))
    this.#traced = Math.min(this.#traced, events)
    this.checker.startAgain()
    this.webhooks?.goBackTo(events)
    for (const { life } of this.processes) life.disconnect()
  }

  /** Nothing breaks any more, and whoever is left brings everything to its end. */
  async #calm(): Promise<void> {
    if (this.#failure !== undefined) return
    this.trace('calm')
    this.faults = noFaults
    const [first, ...others] = this.processes
    if (first === undefined) throw new Error('a world has a process')
    first.life.isCutOff = false
    if (!first.life.isAlive || this.chance.happens(0.5)) first.restart()
    for (const { life } of others) life.end({ losesRequests: true })
    this.processes.length = 1
    const hasTopUps = this.processor.payments.size > 0
    // Who was set back may not know of a payment at all; the processor tells again and again.
    for (const delayMs of this.generation > 0 ? [0, 60_000, 600_000] : [])
      this.time.after(delayMs, () => {
        for (const id of this.processor.payments.keys()) this.hint(id)
      })
    const shortMs = this.plan.holds > 0 ? calmWithHoldsMs : calmWithoutTopUpsMs
    const endMs = this.time.nowMs + (hasTopUps ? calmMs : shortMs)
    // Something must be due at the end, or time would stand still before it.
    this.time.after(endMs - this.time.nowMs, () => undefined)
    await this.#until(() => this.time.nowMs >= endMs, calmMs + stormMaxMs)
    // They last for seconds here, so a sweeper that works has released all of them by now; where
    // top-ups were planned and none came, it has not had its turn in so short a calm.
    if (hasTopUps || this.plan.topUps === 0) this.#requireNothingHeld()
    for (const [number, walletId] of this.wallets.entries()) {
      let isAnswered = false
      const probe = this.#clients.probe(walletId, first, number)
      probe.then(() => (isAnswered = true)).catch((error: unknown) => this.fail(error))
      await this.#until(() => isAnswered)
    }
    const { log, tables } = this.server
    await this.#until(() => Number(tables.checkpoint.position) === log.events.length)
    const missing = (): string[] => this.webhooks?.missing() ?? []
    const neverCame = (): string => `webhooks never came: ${missing().slice(0, 5).join(', ')}`
    await this.#until(() => missing().length === 0, webhooksMaxMs, neverCame)
    hold(first.contradiction === undefined, () => `stopped: ${first.contradiction ?? ''}`)
  }

  #requireNothingHeld(): void {
    for (const walletId of this.wallets) {
      const heldMinor = this.checker.wallet(walletId)?.heldMinor ?? 0
      hold(heldMinor === 0, () => `${heldMinor} are held for ever in ${walletId}`)
    }
  }

  #checkEnd(): void {
    this.checker.checkAll()
    for (const payment of this.processor.payments.values()) {
      const { walletId } = payment.tag
      const bookings = bookingsOf(payment)
      const isBooked = (reference: { referenceType: string; referenceId: string }) =>
        this.checker.outcome(
          entryIdOf({ issuer: 'service', walletId: walletIdOf(walletId), reference }),
        )
      for (const { reference, type, amountMinor, onlyWith } of bookings) {
        const outcome = isBooked(reference)
        const isWanted = onlyWith === undefined || isBooked(onlyWith) !== undefined
        const name = `${reference.referenceType} ${reference.referenceId}`
        hold((outcome !== undefined) === isWanted, () => `${name} is booked or not, wrongly`)
        if (outcome === undefined) continue
        const isRight = outcome.type === type && outcome.amountMinor === amountMinor
        hold(isRight, () => `${name} is booked as ${outcome.type} of ${outcome.amountMinor}`)
      }
    }
    this.#checkNoOtherBookings()
  }

  /** Nothing is booked that the processor does not know of. */
  #checkNoOtherBookings(): void {
    const expected = new Set<string>()
    for (const payment of this.processor.payments.values())
      for (const { reference } of bookingsOf(payment)) expected.add(reference.referenceId)
    for (const row of this.server.tables.transactions.values())
      if (row.reference_type.startsWith('TOPUP'))
        hold(expected.has(row.reference_id), () => `nobody paid ${row.reference_id}`)
  }

  #report(): Report {
    return {
      seed: this.seed,
      commands: this.counts.commands,
      answers: this.checker.answers,
      events: this.server.log.events.length,
      steps: this.time.steps,
      faults: this.#faultsSeen,
      lostNamed: this.#lostNamed,
      digest: this.#trace.digest,
      violation: this.#failure,
    }
  }
}
