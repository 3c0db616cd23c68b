/**
 * The writing calls of one stand-in: Streams/BatchAppend, Append, Delete and Tombstone, with every
 * append fault.
 * Promises: an append is decided once its last message is here, in the order of arrival; it is
 * answered only when it is replicated. Never answers twice.
 * States of an append: gathering, decided, waiting for replication, answered or left unanswered.
 */
import type {
  Metadata,
  ServerDuplexStream,
  ServerReadableStream,
  sendUnaryData,
} from '@grpc/grpc-js'
import { status } from '@grpc/grpc-js'
import type { Expected } from './commit-check.js'
import * as failures from './failures.js'
import type { AppendFault, FaultPlan } from './fault-plan.js'
import { sizeOnDisk, type Log, type ProposedEvent } from './log.js'
import type { WireRecorder } from './recording.js'
import type * as stubs from './stubs.js'
import * as wire from './wire-append.js'

export type BatchCall = ServerDuplexStream<stubs.BatchAppendReq, stubs.BatchAppendResp>
export type SingleCall = ServerReadableStream<stubs.AppendReq, stubs.AppendResp>

/** What a node does with a writing call: serve it, wait in vain for the leader, or refuse it. */
export type Standing =
  | 'serving'
  | 'leader-unreachable'
  | 'no-leader'
  | { readonly refusal: failures.Failure }

/** The node that took the call. */
export interface Host {
  standing(requiresLeader: boolean): Standing
  /** The failure with which a follower would send the client to the leader. */
  notLeader(): failures.Failure
  cut(peer: string): void
  readonly recorder: WireRecorder | undefined
}

export interface ReceivedAppend {
  readonly stream: string
  readonly expected: Expected
  readonly eventIds: readonly string[]
}

interface Gathering {
  readonly stream: string
  readonly expected: Expected
  readonly deadlineMs: number
  readonly events: ProposedEvent[]
  bytes: number
}

/** The ways out of one append. */
interface Reply {
  readonly answer: (answer: wire.AppendAnswer) => void
  readonly fail: (failure: failures.Failure) => void
  readonly end: () => void
  readonly cut: () => void
}

interface Waiting {
  readonly neededCount: number
  readonly settle: (isReplicated: boolean) => void
}

/** Enough for every test to look at, and no leak in a long simulation. */
const receivedMax = 10_000

export class Appending {
  readonly #log: Log
  readonly #plan: FaultPlan
  readonly #received: ReceivedAppend[] = []
  #receivedCount = 0
  readonly #watchers = new Set<() => void>()
  readonly #waiting = new Set<Waiting>()

  constructor(log: Log, plan: FaultPlan) {
    this.#log = log
    this.#plan = plan
    log.onReplicated(() => {
      for (const waiting of this.#waiting)
        if (waiting.neededCount <= log.replicatedCount) waiting.settle(true)
    })
  }

  /** Every append that arrived complete, whatever became of it. */
  get receivedCount(): number {
    return this.#receivedCount
  }

  /** Resolves when so many have arrived and been dealt with. */
  async untilReceived(count: number): Promise<void> {
    if (this.#receivedCount >= count) return
    await new Promise<void>((resolve) => {
      const watch = () => {
        if (this.#receivedCount < count) return
        this.#watchers.delete(watch)
        resolve()
      }
      this.#watchers.add(watch)
    })
  }

  /** The latest of them, oldest first. */
  get received(): readonly ReceivedAppend[] {
    return this.#received
  }

  /** A resigning leader answers everything that still waits with Timeout. */
  timeOutWaiting(): void {
    for (const waiting of this.#waiting) waiting.settle(false)
  }

  batch(call: BatchCall, host: Host): void {
    const gathered = new Map<string, Gathering>()
    let isOpen = true
    const close = () => {
      isOpen = false
    }
    call.on('cancelled', close).on('error', close)
    call.on('end', () => {
      if (isOpen) call.end()
      close()
    })
    call.on('data', (message: stubs.BatchAppendReq) => {
      host.recorder?.message('BatchAppend', 'client', message)
      const correlationId = message.getCorrelationId()
      const key = correlationId?.getString() ?? ''
      const started = gathered.get(key) ?? gatheringOf(message)
      if (started === undefined) return
      const { stream, expected } = started
      const reply = guarded(() => isOpen, {
        answer: (answer) => {
          const response = wire.batchAnswer(answer, { correlationId, stream, expected })
          host.recorder?.message('BatchAppend', 'server', response)
          call.write(response)
        },
        fail: (failure) => {
          host.recorder?.status('BatchAppend', failure)
          close()
          call.emit('error', failure)
        },
        end: () => {
          close()
          call.end()
        },
        cut: () => host.cut(call.getPeer()),
      })
      gathered.set(key, started)
      for (const proposed of message.getProposedMessagesList())
        gather(started, wire.proposedEventOf(proposed))
      const isTooLarge = started.bytes > wire.appendBytesMax
      if (isTooLarge || message.getIsFinal()) gathered.delete(key)
      if (isTooLarge) reply.answer({ kind: 'too-large' })
      else if (message.getIsFinal()) this.#take(started, { reply, host, headers: call.metadata })
    })
  }

  single(call: SingleCall, respond: sendUnaryData<stubs.AppendResp>, host: Host): void {
    let append: Gathering | undefined
    let isOpen = true
    call.on('cancelled', () => {
      isOpen = false
    })
    call.on('data', (message: stubs.AppendReq) => {
      host.recorder?.message('Append', 'client', message)
      const options = message.getOptions()
      const proposed = message.getProposedMessage()
      if (options !== undefined)
        append = {
          stream: wire.streamNameOf(options.getStreamIdentifier()),
          expected: wire.expectedOf(options, options.getRevision()),
          deadlineMs: Number.POSITIVE_INFINITY,
          events: [],
          bytes: 0,
        }
      if (append !== undefined && proposed !== undefined)
        gather(append, wire.proposedEventOf(proposed))
    })
    call.on('end', () => {
      if (append === undefined) return
      const { stream, expected } = append
      const finish = (outcome: stubs.AppendResp | failures.Failure) => {
        isOpen = false
        if ('code' in outcome) {
          respond(outcome)
        } else {
          host.recorder?.message('Append', 'server', outcome)
          respond(null, outcome)
        }
      }
      const reply = guarded(() => isOpen, {
        answer: (answer) => finish(wire.singleAnswer(answer, { stream, expected })),
        fail: finish,
        // A unary call cannot end with OK and no message.
        end: () => finish(failures.failure(status.CANCELLED, 'ended')),
        cut: () => host.cut(call.getPeer()),
      })
      if (append.bytes > wire.appendBytesMax) reply.answer({ kind: 'too-large' })
      else this.#take(append, { reply, host, headers: call.metadata })
    })
  }

  /** Soft delete or tombstone. Returns the position of the event that says so. */
  remove(
    stream: string,
    how: { expected: Expected; isForEver: boolean; headers: Metadata; host: Host },
  ): bigint | failures.Failure {
    const standing = how.host.standing(requiresLeader(how.headers))
    if (typeof standing === 'object') return standing.refusal
    if (standing !== 'serving') return failures.serverNotReady()
    if (this.#log.stateOf(stream) === 'deleted') return failures.streamDeleted(stream)
    const head = this.#log.headOf(stream)
    const expected = how.expected === 'no-stream' ? -1n : how.expected
    if (typeof expected === 'bigint' && expected !== head)
      return failures.wrongVersion(how.isForEver ? 'Tombstone' : 'Delete', {
        stream,
        expected: expected.toString(),
        actual: head.toString(),
      })
    const event = how.isForEver ? this.#log.tombstone(stream) : this.#log.softDelete(stream)
    return event?.position ?? failures.serverNotReady()
  }

  #take(append: Gathering, from: { reply: Reply; host: Host; headers: Metadata }): void {
    const { reply, host } = from
    const standing = host.standing(requiresLeader(from.headers))
    if (typeof standing === 'object') {
      reply.fail(standing.refusal)
    } else if (append.deadlineMs <= Date.now()) {
      // The client's clock is far behind, or the request lay in a frozen node: not written.
      reply.answer({ kind: 'timeout' })
    } else if (standing === 'no-leader') {
      reply.answer({ kind: 'not-ready' })
    } else if (standing === 'leader-unreachable') {
      this.#timeOutLater(reply)
    } else {
      const fault = this.#plan.takeAppendFault()
      if (fault === undefined) this.#commit(append, reply)
      else this.#misbehave(fault, { append, reply, host })
    }
    this.#note(append)
  }

  #note({ stream, expected, events }: Gathering): void {
    this.#receivedCount += 1
    this.#received.push({ stream, expected, eventIds: events.map((event) => event.id) })
    if (this.#received.length > receivedMax) this.#received.shift()
    for (const watch of this.#watchers) watch()
  }

  #commit(append: Gathering, reply: Reply): void {
    this.#log.settle()
    const result = this.#log.append(append)
    if (result.kind === 'dropped') {
      this.#timeOutLater(reply)
    } else if (result.kind !== 'success' || result.neededCount <= this.#log.replicatedCount) {
      this.#plan.whenAnswering(() => reply.answer(result))
    } else {
      const waiting: Waiting = {
        neededCount: result.neededCount,
        settle: (isReplicated) => {
          forgetTimeout()
          this.#waiting.delete(waiting)
          reply.answer(isReplicated ? result : { kind: 'timeout' })
        },
      }
      const forgetTimeout = this.#plan.after(this.#plan.serverTimeoutMs, () =>
        waiting.settle(false),
      )
      this.#waiting.add(waiting)
    }
  }

  #misbehave(fault: AppendFault, at: { append: Gathering; reply: Reply; host: Host }): void {
    const { append, reply, host } = at
    if (typeof fault === 'object') {
      if (fault.isCommitted) this.#commitUnanswered(append)
      reply.fail(failures.failure(fault.failWith, 'planned by the test'))
      return
    }
    switch (fault) {
      case 'cut-after-commit':
        this.#commitUnanswered(append)
        reply.cut()
        return
      case 'cut-before-commit':
        reply.cut()
        return
      case 'silent-after-commit':
        this.#commitUnanswered(append)
        return
      case 'silent-before-commit':
        return
      case 'end-after-commit':
        this.#commitUnanswered(append)
        reply.end()
        return
      case 'timeout-after-commit':
        this.#commitUnanswered(append)
        reply.answer({ kind: 'timeout' })
        return
      case 'timeout-before-commit':
        reply.answer({ kind: 'timeout' })
        return
      case 'not-leader':
        reply.fail(host.notLeader())
        return
      case 'not-replicated':
        this.#leaveOnLeader(append, reply)
        return
      case 'unsettled': {
        const isExact = typeof append.expected === 'bigint'
        reply.answer({ kind: 'wrong-version', current: isExact ? append.expected + 1n : 0n })
        return
      }
      case 'bad-request':
        reply.answer({ kind: 'bad-request', reason: 'planned by the test' })
        return
      case 'not-ready':
      case 'too-large':
      case 'access-denied':
        reply.answer({ kind: fault })
    }
  }

  #commitUnanswered(append: Gathering): void {
    this.#log.settle()
    this.#log.append(append)
  }

  #leaveOnLeader(append: Gathering, reply: Reply): void {
    const result = this.#log.appendToLeaderOnly(append)
    if (result.kind === 'wrong-version' || result.kind === 'stream-deleted') reply.answer(result)
    else this.#timeOutLater(reply)
  }

  #timeOutLater(reply: Reply): void {
    this.#plan.after(this.#plan.serverTimeoutMs, () => reply.answer({ kind: 'timeout' }))
  }
}

export function requiresLeader(headers: Metadata): boolean {
  return headers.get('requires-leader').at(0) === 'true'
}

function gatheringOf(message: stubs.BatchAppendReq): Gathering | undefined {
  const options = message.getOptions()
  if (options === undefined) return undefined
  const deadline = options.getDeadline()
  return {
    stream: wire.streamNameOf(options.getStreamIdentifier()),
    expected: wire.expectedOf(options, options.getStreamPosition()),
    deadlineMs: deadline === undefined ? Number.POSITIVE_INFINITY : deadline.toDate().getTime(),
    events: [],
    bytes: 0,
  }
}

function gather(append: Gathering, event: ProposedEvent): void {
  append.events.push(event)
  append.bytes += sizeOnDisk(event)
}

// An answer may come late, when the call it belongs to is long gone.
function guarded(isOpen: () => boolean, reply: Reply): Reply {
  const ifOpen =
    <Argument extends unknown[]>(action: (...argument: Argument) => void) =>
    (...argument: Argument) => {
      if (isOpen()) action(...argument)
    }
  return {
    answer: ifOpen(reply.answer),
    fail: ifOpen(reply.fail),
    end: ifOpen(reply.end),
    cut: ifOpen(reply.cut),
  }
}
