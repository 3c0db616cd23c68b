/**
 * The read models of lane tests: what the projector would have written of a MemoryLog up to some
 * position. It passes the same contract as the PostgreSQL ones (test/reading/read-models.test.ts).
 * By default it is always up to date; `holdAt` freezes it, which may be behind anything.
 */
import { decodeHash, eventIdOf } from '../../src/domain/hash-chain.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet, evolve, outcomeOf } from '../../src/domain/wallet.js'
import type { Outcome, Wallet } from '../../src/domain/wallet.js'
import { decodeEvent, isEntry } from '../../src/domain/wallet-events.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import type {
  Hit,
  LoadedRow,
  LookUpRequest,
  LookUpResult,
  ReadModels,
} from '../../src/reading/read-models.js'
import type { MemoryLog } from './memory-store.js'

export class MemoryReadModels implements ReadModels {
  readonly #log: MemoryLog
  #position: bigint | undefined
  #faults = 0
  loads = 0
  readonly lookUps: LookUpRequest[] = []
  /** A row that belongs to another store. */
  forged: LoadedRow | undefined

  constructor(log: MemoryLog) {
    this.#log = log
  }

  /** The rows stand still here; undefined lets them follow the log again. */
  holdAt(position: bigint | undefined): void {
    this.#position = position
  }

  /** The next questions get no answer. */
  failNext(count: number): void {
    this.#faults = count
  }

  async load(walletId: WalletId): Promise<LoadedRow | undefined> {
    this.loads += 1
    this.#fault()
    if (this.forged !== undefined) return this.forged
    const { wallet, outcomes } = this.#rows(walletId)
    if (wallet.revision === -1) return undefined
    const last = outcomes.at(-1)
    const namespace = last?.revision === wallet.revision ? last.entryId : walletId
    const row = { ...wallet, headId: eventIdOf(namespace, wallet.hash) }
    const isSmall = wallet.revision < smallWalletEventsMax
    return isSmall ? { ...row, allOutcomes: outcomes } : row
  }

  async lookUp(request: LookUpRequest): Promise<LookUpResult> {
    this.lookUps.push(request)
    this.#fault()
    const { wallet, outcomes } = this.#rows(request.walletId)
    const wanted = new Set(request.entryIds)
    const hits = outcomes
      .filter((outcome) => wanted.has(outcome.entryId))
      .map((outcome): [EntryId, Hit] => [
        outcome.entryId,
        { outcome, refundedMinor: refundedMinor(outcomes, outcome.entryId) },
      ])
    return { revision: wallet.revision, hits: new Map(hits) }
  }

  #fault(): void {
    if (this.#faults === 0) return
    this.#faults -= 1
    throw new Error('the database did not answer')
  }

  #rows(walletId: WalletId): { wallet: Wallet; outcomes: Outcome[] } {
    let wallet: Wallet = emptyWallet(walletId)
    const outcomes: Outcome[] = []
    for (const recorded of this.#log.stream(streamOf(walletId))) {
      if (this.#position !== undefined && recorded.position > this.#position) break
      const event = decodeEvent(recorded.type, recorded.data)
      wallet = { ...evolve(wallet, event), hash: decodeHash(recorded.metadata) }
      if (isEntry(event)) outcomes.push(outcomeOf(walletId, event, recorded.revision))
    }
    return { wallet, outcomes }
  }
}

function refundedMinor(outcomes: readonly Outcome[], debit: EntryId): number {
  return outcomes
    .filter((outcome) => outcome.refundedEntryId === debit)
    .reduce((sum, outcome) => sum + outcome.amountMinor, 0)
}
