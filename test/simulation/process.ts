/**
 * A simulated process of the service: the real writer, runner, settlement, sweepers, feeder and
 * sender of webhooks, on the simulated store, rows, processor and receivers. It dies at any moment
 * and begins again with nothing but what the server holds.
 * States: running → frozen or cut off → running; running → dead → running as a new life.
 */
import type { Logger } from 'pino'
import { pino } from 'pino'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { ProjectionRunner } from '../../projections/runner.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import * as limits from '../../src/limits.js'
import { readTimeoutMs } from '../../src/limits.js'
import { Counters } from '../../src/platform/counters.js'
import type { Entry } from '../../src/reading/wallet-reader.js'
import { TopUpSweeper } from '../../src/top-ups/top-up-sweeper.js'
import { HoldSweeper } from '../../src/writing/hold-sweeper.js'
import { holdSweepMs } from '../../src/writing/limits.js'
import { TopUps } from '../../src/top-ups/top-up.js'
import type { Answer } from '../../src/writing/waiting-command.js'
import { HistoryWatch } from '../../src/writing/history-watch.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { TableReader } from '../support/memory-read-tables.js'
import { MemoryTopUpIntents } from '../support/memory-top-up-intents.js'
import { Life, Line, ProcessClock } from './network.js'
import { SimulatedReadModels, SimulatedTables, simulatedIntents } from './rows.js'
import { SimulatedStore } from './store.js'
import type { World } from './world.js'

const dollars = findCurrency('usd') as Currency
const silent = pino({ level: 'silent' })

/** The machine: what outlives the life of a process on it. */
export class SimulatedProcess {
  readonly name: string
  /** How far its clock is from the world's. */
  clockOffsetMs = 0
  readonly #world: World
  #lives = 0
  #running: Parts

  constructor(world: World, name: string) {
    this.#world = world
    this.name = name
    this.#running = this.#begin()
  }

  get life(): Life {
    return this.#running.life
  }

  get contradiction(): string | undefined {
    return this.#running.runner.contradiction
  }

  get topUps(): TopUps {
    return this.#running.topUps
  }

  execute(walletId: WalletId, command: WalletCommand): Promise<Answer> {
    return this.#running.writer.execute(walletId, command)
  }

  /** What a GET would find: the rows, and the stream beyond them. */
  async findEntry(walletId: WalletId, entryId: EntryId): Promise<Entry | undefined> {
    return this.#running.findEntry(walletId, entryId)
  }

  kill(options: { readonly losesRequests: boolean }): void {
    this.life.end(options)
  }

  restart(): void {
    if (this.life.isAlive) this.kill({ losesRequests: false })
    this.#running = this.#begin()
  }

  #begin(): Parts {
    this.#lives += 1
    const world = this.#world
    const { server, plan, chance: random } = world
    const life = new Life(world, `${this.name}.${this.#lives}`)
    const line = new Line(world, life)
    const clock = new ProcessClock(world, life, this)
    const log = logOf(world, life)
    const store = new SimulatedStore(world, line, server.log)
    const tables = new SimulatedTables(world, line, server.tables)
    const readModels = new SimulatedReadModels(world, line)
    const system = { clock, random, log }
    const bounds = { ...limits, ...plan.bounds }
    const verifyRows = () => verifyCheckpoint(store, tables)
    const parts = { store, readModels, verifyRows, currency: 'usd' }
    const writer = new WalletWriter({ ...parts, ...system }, bounds)
    const runner = new ProjectionRunner({ store, tables, ...system })
    const rows = new MemoryTopUpIntents({ table: server.intents, clock, random })
    const intents = simulatedIntents(line, rows)
    const reader = new TableReader({ store, tables: server.tables })
    const findEntry: TableReader['findEntry'] = async (walletId, entryId) => {
      await line.trip(noAnswer, readTimeoutMs)
      return reader.findEntry(walletId, entryId)
    }
    const money = { currency: dollars, dayMaximumMinor: 1_000_000 }
    const processor = world.processor.view(line)
    const ledger = { writer, reader: { findEntry } }
    const topUps = new TopUps({ processor, intents, ...ledger, ...money, ...system })
    const sweeper = new TopUpSweeper({ topUps, intents, ...system })
    const watch = new HistoryWatch({
      ...{ store, recent: writer.recent, clock, log, counters: new Counters() },
      record: (lost) =>
        line.call({ work: () => world.onLost(lost), lost: noAnswer, timeoutMs: readTimeoutMs }),
    })
    // Elsewhere it only costs: nothing can be lost.
    if (plan.faults.goesBack > 0) watch.start()
    runner.start()
    if (plan.topUps > 0) sweeper.start()
    // A world with top-ups lasts for a day.
    const pauseMs = plan.topUps > 0 ? 60_000 : holdSweepMs
    const holds = new HoldSweeper({ due: readModels, writer, pauseMs, ...system })
    if (plan.holds > 0) holds.start()
    world.webhooks?.begin(line, { clock, log, store, findEntry })
    return { life, writer, runner, topUps, findEntry }
  }
}

function noAnswer(): Error {
  return new Error('the database did not answer')
}

interface Parts {
  readonly life: Life
  readonly writer: WalletWriter
  readonly runner: ProjectionRunner
  readonly topUps: TopUps
  readonly findEntry: TableReader['findEntry']
}

/** Stopped wallets, stopped projections and wrong amounts are told as errors: never right here. */
function logOf(world: World, life: Life): Logger {
  const tell = (fields: unknown, message?: string): void => {
    if (!life.isAlive) return
    const cause = isRecord(fields) && fields['err'] instanceof Error ? fields['err'].message : ''
    world.onError(`${life.name}: ${message ?? String(fields)} ${cause}`, message ?? '')
  }
  return Object.assign(Object.create(silent) as Logger, { error: tell, fatal: tell })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
