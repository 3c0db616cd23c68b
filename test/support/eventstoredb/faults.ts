/**
 * Everything that a test can let go wrong with the stand-in: appends, reads, discovery,
 * connections, nodes, replication, and the database itself.
 * Promises: nothing goes wrong unless planned here; nodes are numbered from 0 in the order of the
 * connection string.
 */
import { status } from '@grpc/grpc-js'
import type { Appending } from './appending.js'
import { failure } from './failures.js'
import type { AppendFault, FaultPlan } from './fault-plan.js'
import type { Log } from './log.js'
import type { Reading } from './reading.js'

export type { AppendFault } from './fault-plan.js'

/** What the stand-in lets be done to its nodes. `undefined` means all of them. */
export interface Machines {
  cutConnections(node: number | undefined): void
  freeze(node: number | undefined): void
  thaw(node: number | undefined): void
  kill(node: number): Promise<void>
  revive(node: number): Promise<void>
  elect(node: number | undefined): number
}

export class Faults {
  readonly #plan: FaultPlan
  readonly #log: Log
  readonly #appending: Appending
  readonly #reading: Reading
  readonly #machines: Machines

  constructor(parts: {
    plan: FaultPlan
    log: Log
    appending: Appending
    reading: Reading
    machines: Machines
  }) {
    this.#plan = parts.plan
    this.#log = parts.log
    this.#appending = parts.appending
    this.#reading = parts.reading
    this.#machines = parts.machines
  }

  /** The next appends, in order of arrival, each meet one planned fault; the others are served. */
  nextAppend(fault: AppendFault, times = 1): void {
    this.#plan.planAppend(fault, times)
  }

  /** Forgets what is planned and not yet used. */
  clear(): void {
    this.#plan.clear()
  }

  /** After how long the server answers Timeout by itself; 2,000 ms on the real one. */
  setServerTimeout(timeoutMs: number): void {
    this.#plan.serverTimeoutMs = timeoutMs
  }

  /** Every answer (append, first message of a read, features) waits this long; 0 ends it. */
  delayAnswers(delayMs: number): void {
    this.#plan.answerDelayMs = delayMs
  }

  /** The next GetSupportedMethods calls fail; the client caches that failure for ever. */
  failFeatureCalls(times = 1, code: status = status.INTERNAL): void {
    this.#plan.featureFailures = { code, times }
  }

  /** The next Gossip/Read calls, on whatever node, fail as unavailable. */
  failGossip(times = Number.POSITIVE_INFINITY): void {
    this.#plan.gossipFailures = times
  }

  healGossip(): void {
    this.#plan.gossipFailures = 0
  }

  /** Every subscription ends with this status. */
  dropSubscriptions(code: status): void {
    this.#reading.endSubscriptions(failure(code, 'planned by the test'))
  }

  /** Every subscription ends with OK, which a client could take for an end. */
  endSubscriptions(): void {
    this.#reading.endSubscriptions(undefined)
  }

  /** The next subscription delivers this many events once more that lie before its position. */
  redeliverOnSubscription(eventCount: number): void {
    this.#plan.redeliveredCount = eventCount
  }

  /** Every connection is reset; the ports stay open. */
  killConnections(node?: number): void {
    this.#machines.cutConnections(node)
  }

  /** Like SIGSTOP: connections stay, nothing is answered. All nodes unless one is named. */
  freeze(node?: number): void {
    this.#machines.freeze(node)
  }

  /** What arrived meanwhile is processed now. */
  thaw(node?: number): void {
    this.#machines.thaw(node)
  }

  /** Like kill -9. A majority that is left elects a leader at once. */
  async killNode(node: number): Promise<void> {
    await this.#machines.kill(node)
  }

  /** On the same port, as a follower if there is a leader. */
  async startNode(node: number): Promise<void> {
    await this.#machines.revive(node)
  }

  /** Unreplicated events are lost, appends that wait time out. Returns the new leader. */
  changeLeader(to?: number): number {
    return this.#machines.elect(to)
  }

  /** From now on appends reach the leader only: unanswered, invisible to readers, then Timeout. */
  holdReplication(): void {
    this.#log.holdReplication()
  }

  /** What was held becomes visible, and what still waits for it is acknowledged. */
  replicate(): void {
    this.#log.replicate()
  }

  /** What was held is gone for ever. */
  loseUnreplicated(): void {
    this.#appending.timeOutWaiting()
    this.#log.loseUnreplicated()
  }

  /** Another database stands at the same address: empty, with its own history. */
  wipe(): void {
    this.#appending.timeOutWaiting()
    this.#log.wipe()
    this.#machines.cutConnections(undefined)
  }

  /** An older copy of the database: the first events that clients wrote, and none after them. */
  restoreTo(eventCount: number): void {
    this.#appending.timeOutWaiting()
    this.#log.restoreTo(eventCount)
    this.#machines.cutConnections(undefined)
  }
}
