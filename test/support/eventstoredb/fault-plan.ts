/**
 * What is planned to go wrong, and every timer of the stand-in. Tests write it through faults.ts,
 * the handlers of the calls consult it.
 * Promises: a fault with a count is used up by exactly that many calls, in the order planned;
 * after `stop` no timer fires.
 */
import type { status } from '@grpc/grpc-js'

/** Each row says when the connection, the answer or the commit is lost. */
export type AppendFault =
  /** Committed, then the connection is cut: the acknowledgement is lost. */
  | 'cut-after-commit'
  /** The connection is cut and nothing is written. */
  | 'cut-before-commit'
  /** Committed, and never answered. */
  | 'silent-after-commit'
  /** Dropped, and never answered. */
  | 'silent-before-commit'
  /** Committed, then the batch stream ends with OK and without the answer. */
  | 'end-after-commit'
  | 'timeout-after-commit'
  | 'timeout-before-commit'
  /** "Server Is Not Ready", details Empty; not written. */
  | 'not-ready'
  /** The whole batch stream fails with the leader's address; not written. */
  | 'not-leader'
  | 'too-large'
  | 'access-denied'
  /** A detail that client 6.2.1 does not know; not written. */
  | 'bad-request'
  /** On the leader only: dropped, then Timeout. The first append without a fault settles it. */
  | 'not-replicated'
  /** Wrong version because of an event that no reader can see and that then vanishes. */
  | 'unsettled'
  /** The call ends with this gRPC code, with or without the commit. */
  | { readonly failWith: status; readonly isCommitted: boolean }

/** PrepareTimeoutMs, CommitTimeoutMs and WriteTimeoutMs of the server. */
const serverTimeoutDefaultMs = 2_000

export class FaultPlan {
  /** After this long the server answers Timeout for what it dropped or could not replicate. */
  serverTimeoutMs = serverTimeoutDefaultMs
  /** How long every answer waits. */
  answerDelayMs = 0
  gossipFailures = 0
  featureFailures: { code: status; times: number } | undefined
  /** Events before the asked position that the next subscription delivers once more. */
  redeliveredCount = 0
  readonly #appendFaults: AppendFault[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  #isStopped = false

  planAppend(fault: AppendFault, times: number): void {
    for (let count = 0; count < times; count += 1) this.#appendFaults.push(fault)
  }

  takeAppendFault(): AppendFault | undefined {
    return this.#appendFaults.shift()
  }

  takeGossipFailure(): boolean {
    if (this.gossipFailures <= 0) return false
    this.gossipFailures -= 1
    return true
  }

  takeFeatureFailure(): status | undefined {
    const planned = this.featureFailures
    if (planned === undefined || planned.times <= 0) return undefined
    planned.times -= 1
    return planned.code
  }

  takeRedelivery(): number {
    const count = this.redeliveredCount
    this.redeliveredCount = 0
    return count
  }

  clear(): void {
    this.#appendFaults.length = 0
    this.gossipFailures = 0
    this.featureFailures = undefined
    this.redeliveredCount = 0
    this.answerDelayMs = 0
  }

  /** Returns how to call it off. */
  after(delayMs: number, action: () => void): () => void {
    if (this.#isStopped) return () => undefined
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, delayMs)
    this.#timers.add(timer)
    return () => {
      clearTimeout(timer)
      this.#timers.delete(timer)
    }
  }

  /** At once, in the same tick, unless answers are delayed. */
  whenAnswering(action: () => void): void {
    if (this.answerDelayMs > 0) this.after(this.answerDelayMs, action)
    else action()
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}
