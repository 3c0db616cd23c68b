/**
 * The writer: finds or makes the lane of a wallet and hands it the command, in one tick.
 * Promises: lanes and queues are bounded, and beyond a bound a command is refused before it queues;
 * only an idle lane is evicted; after `close` begins nothing new is taken and everything taken is
 * answered.
 * Never: decides anything; that is the lane's.
 */
import { walletIdOf } from '../domain/ids.js'
import type { WalletId } from '../domain/ids.js'
import type { ExpireHolds } from '../domain/holds.js'
import type { EntryCommand, StatusCommand } from '../domain/wallet.js'
import * as limits from '../limits.js'
import { Lane } from './lane.js'
import type { LaneBounds, LaneParts, SharedParts } from './lane.js'
import { OutcomeShelf } from './outcome-shelf.js'
import { ReferenceRoom } from './past-references.js'
import { RecentHistory } from './recent-history.js'
import { RowsProof } from './rows-proof.js'
import { CommandUnavailableError, WaitingCommand } from './waiting-command.js'
import type { Answer, EntryAnswer, LaneCommand, StatusAnswer } from './waiting-command.js'
import { WaitingCommands } from './waiting-commands.js'

export interface WriterBounds extends LaneBounds {
  readonly lanesMax: number
  readonly laneQueueMax: number
  readonly queuedCommandsMax: number
}

export class WalletWriter {
  /** What its lanes have lately written or folded. */
  readonly recent = new RecentHistory()
  readonly #parts: SharedParts
  readonly #bounds: WriterBounds
  /** In the order in which eviction looks at them. */
  readonly #lanes = new Map<string, Lane>()
  readonly #waiting: WaitingCommands
  readonly #onEnd = (): void => this.#waiting.end()
  #closing = false

  constructor(parts: LaneParts, bounds: WriterBounds = limits) {
    const rowsProof = new RowsProof(parts.store, parts.verifyRows)
    const shared = { recent: this.recent, room: new ReferenceRoom(), shelf: new OutcomeShelf() }
    this.#parts = { ...parts, ...shared, rowsProof }
    this.#bounds = bounds
    this.#waiting = new WaitingCommands(parts.clock)
  }

  /**
   * Throws CommandUnavailableError, within the command deadline, which began at `sinceMs`: when the
   * request arrived; now when left out.
   */
  execute(walletId: string, command: EntryCommand, sinceMs?: number): Promise<EntryAnswer>
  execute(
    walletId: string,
    command: StatusCommand | ExpireHolds,
    sinceMs?: number,
  ): Promise<StatusAnswer>
  execute(walletId: string, command: LaneCommand, sinceMs?: number): Promise<Answer>
  execute(walletId: string, command: LaneCommand, sinceMs?: number): Promise<Answer> {
    const deadlineMs = (sinceMs ?? this.#parts.clock.now()) + limits.commandDeadlineMs
    return new Promise((resolve, reject) => {
      const caller = { resolve, reject, onEnd: this.#onEnd }
      this.#enqueue(walletId, new WaitingCommand(command, deadlineMs, caller))
    })
  }

  /** Resolves when what this process was told about the wallet before has its answer. */
  async settled(walletId: WalletId): Promise<void> {
    await this.#lanes.get(walletId)?.settled()
  }

  /** Lanes finish what they have; every command is answered at its deadline at the latest. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#waiting.ended()
  }

  #enqueue(walletId: string, waiting: WaitingCommand): void {
    if (this.#closing) throw new CommandUnavailableError('shutting-down')
    if (this.#waiting.size >= this.#bounds.queuedCommandsMax)
      throw new CommandUnavailableError('overloaded')
    // Taking the lane and queueing happen in this tick, so an eviction never comes in between.
    const lane = this.#laneOf(walletId)
    if (lane.queueLength >= this.#bounds.laneQueueMax)
      throw new CommandUnavailableError('overloaded')
    this.#waiting.add(waiting)
    lane.enqueue(waiting)
  }

  #laneOf(walletId: string): Lane {
    const known = this.#lanes.get(walletId)
    if (known !== undefined) {
      known.wasUsed = true
      return known
    }
    if (this.#lanes.size >= this.#bounds.lanesMax) this.#evictOne()
    const lane = new Lane(walletIdOf(walletId), this.#parts, this.#bounds)
    this.#lanes.set(walletId, lane)
    return lane
  }

  /**
   * An idle lane that was not used since eviction last looked at it; a used one is spared once and
   * goes to the end. (Moving a lane at every use is what a Map is bad at: a hot wallet's key leaves
   * a chain of deleted entries that each next use walks along.) Among the few that one eviction
   * looks at, a used one must do when there is no other: looking at all would cost milliseconds,
   * and all of them when every lane is busy.
   */
  #evictOne(): void {
    let spared: string | undefined
    let looked = 0
    for (const [walletId, lane] of this.#lanes) {
      this.#lanes.delete(walletId)
      if (lane.isIdle && !lane.wasUsed) {
        lane.forget()
        return
      }
      if (lane.isIdle) spared ??= walletId
      lane.wasUsed = false
      this.#lanes.set(walletId, lane)
      looked += 1
      if (looked >= limits.evictionLooksMax) break
    }
    if (spared === undefined) throw new CommandUnavailableError('overloaded')
    this.#lanes.get(spared)?.forget()
    this.#lanes.delete(spared)
  }
}
