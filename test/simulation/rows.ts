/**
 * The rows as one simulated process sees them: the tables, the lanes' questions and the intents of
 * memory, each behind a network that delays and loses. A transaction whose process is gone or
 * frozen ends without a commit; one whose answer is lost may have been committed.
 */
import type { Checkpoint, OpenTables, ReadTables } from '../../projections/read-tables.js'
import type { WalletId } from '../../src/domain/ids.js'
import { projectionLockIdleMs, readTimeoutMs } from '../../src/limits.js'
import type { DueHolds, DueWallet, LoadedRow } from '../../src/reading/read-models.js'
import type { LookUpRequest } from '../../src/reading/read-models.js'
import type { LookUpResult, ReadModels } from '../../src/reading/read-models.js'
import type { IntentRows } from '../../src/top-ups/top-up-intents.js'
import { TableReadModels } from '../support/memory-read-tables.js'
import type { MemoryReadTables } from '../support/memory-read-tables.js'
import type { Line } from './network.js'
import { throughNetwork } from './transaction.js'
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

  transaction<T>(work: (tables: OpenTables) => Promise<T>): Promise<T> {
    return throughNetwork<OpenTables, T>(this.#world, this.#line, {
      begin: (run) => this.#tables.transaction(run),
      work: (tables) =>
        work({
          readCheckpoint: () => this.#ask(() => tables.readCheckpoint()),
          readStates: (walletIds) => this.#ask(() => tables.readStates(walletIds)),
          write: (rows, last) => this.#ask(() => tables.write(rows, last)),
        }),
      idleMs: projectionLockIdleMs,
      onCommit: () => this.#world.onCommit(),
      lost,
    })
  }

  #ask<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#line.call({ work, lost, timeoutMs: readTimeoutMs })
  }
}

export class SimulatedReadModels implements ReadModels, DueHolds {
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

  dueHolds(page: Parameters<DueHolds['dueHolds']>[0]): Promise<readonly DueWallet[]> {
    return this.#ask((readModels) => readModels.dueHolds(page))
  }

  #ask<T>(question: (readModels: TableReadModels) => Promise<T>): Promise<T> {
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
