/**
 * The rows as one simulated process sees them: the tables, the lanes' questions and the intents of
 * memory, each behind a network that delays and loses. A transaction whose process is gone or
 * frozen ends without a commit; one whose answer is lost may have been committed.
 */
import type { Checkpoint, OpenTables, ReadTables } from '../../projections/read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import { projectionLockIdleMs, readTimeoutMs } from '../../src/limits.js'
import type { LoadedRow, LookUpRequest } from '../../src/reading/read-models.js'
import type { LookUpResult, ReadModels } from '../../src/reading/read-models.js'
import type { IntentRows } from '../../src/top-ups/top-up-intents.js'
import { TableReadModels } from '../support/memory-read-tables.js'
import type { MemoryReadTables } from '../support/memory-read-tables.js'
import type { Line } from './network.js'
import type { World } from './world.js'

export class SimulatedTables implements ReadTables {
  readonly #world: World
  readonly #line: Line
  readonly #tables: MemoryReadTables

  constructor(world: World, line: Line, tables: MemoryReadTables) {
    this.#world = world
    this.#line = line
    this.#tables = tables
  }

  readCheckpoint(): Promise<Checkpoint> {
    return this.#ask(() => this.#tables.readCheckpoint())
  }

  noteMarker(marker: string): Promise<void> {
    return this.#ask(() => this.#tables.noteMarker(marker))
  }

  async transaction<T>(work: (tables: OpenTables) => Promise<T>): Promise<T> {
    await this.#line.connect(lost)
    const { generation } = this.#world
    const isOver = (): boolean => !this.#line.life.isAlive || this.#world.generation !== generation
    const result = await this.#tables.transaction(async (tables) => {
      // It may have waited for its turn longer than it lived.
      if (isOver()) throw lost()
      const connection = this.#connection()
      try {
        const done = this.#throughNetwork(tables, work)
        // Told by the race, if it is not over by then.
        done.catch(() => undefined)
        const value = await Promise.race([done, connection.broken])
        if (isOver()) throw lost()
        return value
      } finally {
        connection.end()
      }
    })
    this.#world.onCommit()
    await this.#ask(() => undefined)
    return result
  }

  async #throughNetwork<T>(
    tables: OpenTables,
    work: (tables: OpenTables) => Promise<T>,
  ): Promise<T> {
    const result = await work({
      readCheckpoint: () => this.#ask(() => tables.readCheckpoint()),
      readStates: (walletIds) => this.#ask(() => tables.readStates(walletIds)),
      write: (rows, last) => this.#ask(() => tables.write(rows, last)),
    })
    // The way of the word "commit".
    await this.#ask(() => undefined)
    return result
  }

  /** The server's view of it: it breaks with the process, or after a long silence. */
  #connection(): { readonly broken: Promise<never>; readonly end: () => void } {
    let give: () => void = () => undefined
    const broken = new Promise<never>((_, reject) => (give = () => reject(lost())))
    broken.catch(() => undefined)
    const stopListening = this.#line.life.onBreak(give)
    const cancel = this.#world.time.after(projectionLockIdleMs, give)
    const end = (): void => {
      stopListening()
      cancel()
    }
    return { broken, end }
  }

  #ask<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#line.call({ work, lost, timeoutMs: readTimeoutMs })
  }
}

export class SimulatedReadModels implements ReadModels {
  readonly #world: World
  readonly #line: Line
  readonly #current: TableReadModels
  readonly #stale: TableReadModels

  constructor(world: World, line: Line) {
    const { server, plan } = world
    this.#world = world
    this.#line = line
    this.#current = new TableReadModels(server.tables, plan.bounds)
    this.#stale = new TableReadModels(server.replica, plan.bounds)
  }

  load(walletId: WalletId): Promise<LoadedRow | undefined> {
    return this.#ask((readModels) => readModels.load(walletId))
  }

  lookUp(request: LookUpRequest): Promise<LookUpResult> {
    return this.#ask((readModels) => readModels.lookUp(request))
  }

  #ask<T>(question: (readModels: ReadModels) => Promise<T>): Promise<T> {
    const isStale = this.#world.chance.happens(this.#world.faults.staleRows)
    if (isStale) this.#world.fault('stale rows')
    const readModels = isStale ? this.#stale : this.#current
    return this.#line.call({ work: () => question(readModels), lost, timeoutMs: readTimeoutMs })
  }
}

/** Every question to the intents over the network. */
export function simulatedIntents(line: Line, intents: IntentRows): IntentRows {
  const ask = <T>(work: () => Promise<T>): Promise<T> =>
    line.call({ work, lost, timeoutMs: readTimeoutMs })
  return {
    begin: (intent, limits) => ask(() => intents.begin(intent, limits)),
    open: (topUpId, paymentIntentId) => ask(() => intents.open(topUpId, paymentIntentId)),
    find: (paymentIntentId) => ask(() => intents.find(paymentIntentId)),
    adopt: (payment) => ask(() => intents.adopt(payment)),
    setProcessing: (topUpId, isProcessing) =>
      ask(() => intents.setProcessing(topUpId, isProcessing)),
    noteFailure: (topUpId) => ask(() => intents.noteFailure(topUpId)),
    pendingOf: (walletId) => ask(() => intents.pendingOf(walletId)),
    openOf: (walletId) => ask(() => intents.openOf(walletId)),
    end: (topUpId, status) => ask(() => intents.end(topUpId, status)),
    giveUpCreating: (topUpId) => ask(() => intents.giveUpCreating(topUpId)),
    claimDue: () => ask(() => intents.claimDue()),
    checkAt: (topUpId, atMs) => ask(() => intents.checkAt(topUpId, atMs)),
  }
}

function lost(): Error {
  return new Error('the database did not answer')
}
