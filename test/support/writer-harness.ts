/**
 * A writer on a memory store, memory read models and a fake clock, with the words that the writer's
 * tests are written in. `another()` is a second process on the same log.
 */
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { EntryCommand, Wallet, WalletCommand } from '../../src/domain/wallet.js'
import { readNext } from '../../src/domain/wallet-stream.js'
import * as limits from '../../src/limits.js'
import type { Answer, EntryAnswer } from '../../src/writing/waiting-command.js'
import { CommandUnavailableError } from '../../src/writing/waiting-command.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import type { WriterBounds } from '../../src/writing/wallet-writer.js'
import { FakeClock } from './fake-clock.js'
import { credit, debit } from './given.js'
import type { EntryOptions } from './given.js'
import { MemoryReadModels } from './memory-read-models.js'
import { MemoryEventStore, MemoryLog } from './memory-store.js'

export interface LogLine {
  readonly level: string
  readonly msg: string
}

export class WriterHarness {
  readonly walletId: WalletId = walletIdOf(randomUUID())
  readonly clock = new FakeClock()
  readonly log = new MemoryLog()
  readonly store = new MemoryEventStore(this.log)
  readonly readModels = new MemoryReadModels(this.log)
  readonly lines: LogLine[] = []
  /** Whether the rows are known to be the log's: a cold lane then decides on its row. */
  rowsAreProven = true
  /** What events are stamped with, where it is not the clock's. */
  stampMs: number | undefined
  readonly writer: WalletWriter

  constructor(bounds: Partial<WriterBounds> = {}) {
    this.writer = this.#writer(this.store, this.readModels, bounds)
  }

  /** Another process on the same store and rows. */
  another(): { writer: WalletWriter; store: MemoryEventStore; readModels: MemoryReadModels } {
    const store = new MemoryEventStore(this.log)
    const readModels = new MemoryReadModels(this.log)
    return { store, readModels, writer: this.#writer(store, readModels, {}) }
  }

  debit(amountMinor: number, referenceId: string, options: EntryOptions = {}): EntryCommand {
    return debit(amountMinor, referenceId, { of: this.walletId, ...options })
  }

  credit(amountMinor: number, referenceId: string, options: EntryOptions = {}): EntryCommand {
    return credit(amountMinor, referenceId, { of: this.walletId, ...options })
  }

  send(command: EntryCommand, writer?: WalletWriter): Promise<EntryAnswer>
  send(command: WalletCommand, writer?: WalletWriter): Promise<Answer>
  send(command: WalletCommand, writer = this.writer): Promise<Answer> {
    const answer = writer.execute(this.walletId, command)
    // Whoever looks later must not be late: a rejection without a listener ends the process.
    answer.catch(() => undefined)
    return answer
  }

  /** As many credits as it takes for the wallet to have this many entries. */
  async fill(entries: number): Promise<void> {
    const sent = []
    for (let index = 0; index < entries; index += 1)
      sent.push(this.send(this.credit(100, `FILL-${index}`)))
    await Promise.all(sent)
  }

  /** The types of the wallet's events, and the fold that proves the chain. */
  stream(): { types: string[]; wallet: Wallet } {
    const events = this.log.stream(streamOf(this.walletId))
    let wallet: Wallet = emptyWallet(this.walletId)
    for (const event of events) wallet = readNext(wallet, event).wallet
    return { types: events.map((event) => event.type), wallet }
  }

  #writer(
    store: MemoryEventStore,
    readModels: MemoryReadModels,
    bounds: Partial<WriterBounds>,
  ): WalletWriter {
    const write = (line: string): number =>
      this.lines.push(JSON.parse(line) as (typeof this.lines)[number])
    const log = pino({ formatters: { level: (level) => ({ level }) } }, { write })
    const random = { uuid: randomUUID, fraction: () => 0.5, bytes: () => Buffer.alloc(12) }
    const time = { now: () => this.stampMs ?? this.clock.now() }
    const verifyRows = async (): Promise<void> => {
      if (!this.rowsAreProven) throw new Error('the rows are of another store')
    }
    return new WalletWriter(
      { store, readModels, verifyRows, clock: this.clock, time, random, log, currency: 'usd' },
      { ...limits, ...bounds },
    )
  }
}

/** What became of a command: its answer, or why there was none. */
export async function result(answer: Promise<Answer>): Promise<string> {
  try {
    const { replayed, ...told } = await answer
    if (!('outcome' in told)) return 'recorded'
    const name = told.outcome.code ?? told.outcome.type
    return replayed ? `replayed ${name}` : name
  } catch (error) {
    if (error instanceof CommandUnavailableError) return `unavailable: ${error.reason}`
    throw error
  }
}
