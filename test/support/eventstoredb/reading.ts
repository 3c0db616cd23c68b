/**
 * Streams/Read of one stand-in: reads of a stream or of `$all`, and subscriptions that catch up in
 * pages of 32 as 23.10 does (checkpoints included) and then stay live.
 * Promises: each subscription has a place in the log and no queue, so a slow reader costs nothing.
 * States of a subscription: catching up, live, ended (by the client, by a fault, by a cut
 * connection).
 */
import { randomUUID } from 'node:crypto'
import type { ServerWritableStream } from '@grpc/grpc-js'
import * as failures from './failures.js'
import type { FaultPlan } from './fault-plan.js'
import type { Log, LogEvent } from './log.js'
import type { WireRecorder } from './recording.js'
import type * as stubs from './stubs.js'
import * as wire from './wire-read.js'

export type ReadCall = ServerWritableStream<stubs.ReadReq, stubs.ReadResp>

export class Reading {
  readonly #log: Log
  readonly #plan: FaultPlan
  readonly #subscriptions = new Set<Outlet>()
  #streamReads = 0

  constructor(log: Log, plan: FaultPlan) {
    this.#log = log
    this.#plan = plan
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size
  }

  /** Reads of one stream that arrived, whatever they found. */
  get streamReads(): number {
    return this.#streamReads
  }

  /** `refusal` is what the node has to say instead of reading. */
  handle(
    call: ReadCall,
    node: { refusal: failures.Failure | undefined; recorder: WireRecorder | undefined },
  ): void {
    const outlet = new Outlet(call, node.recorder)
    if (node.refusal !== undefined) {
      outlet.end(node.refusal)
      return
    }
    const request = wire.readRequestOf(call.request)
    if (!request.isSubscription && request.stream !== undefined) this.#streamReads += 1
    this.#plan.whenAnswering(() => {
      void (request.isSubscription ? this.#subscribe(request, outlet) : this.#read(request, outlet))
    })
  }

  /** Ends every subscription: with a failure, or without one as a clean OK. */
  endSubscriptions(failure: failures.Failure | undefined): void {
    for (const outlet of this.#subscriptions) outlet.end(failure)
  }

  async #read(request: wire.ReadRequest, outlet: Outlet): Promise<void> {
    const { stream } = request
    if (stream === undefined) {
      if (this.#isInvalid(request.from)) outlet.end(failures.invalidPosition())
      else await sendAll(this.#eventsOfAll(request), request.count, outlet)
      return
    }
    switch (this.#log.stateOf(stream)) {
      case 'missing':
        await outlet.send(wire.streamNotFoundMessage(stream))
        outlet.end()
        return
      case 'deleted':
        outlet.end(failures.streamDeleted(stream))
        return
      case 'readable':
        await sendAll(eventsOfStream(this.#log.read(stream), request), request.count, outlet)
    }
  }

  *#eventsOfAll(request: wire.ReadRequest): Iterable<LogEvent> {
    const { filter, isBackwards } = request
    const step = isBackwards ? -1 : 1
    // Forwards the event at the position is the first, backwards the one before it.
    let index = this.#indexOf(request.from) - (isBackwards ? 1 : 0)
    for (;;) {
      const event = index < 0 ? undefined : this.#log.eventAt(index)
      if (event === undefined) return
      if (filter === undefined || filter.matches(event)) yield event
      index += step
    }
  }

  async #subscribe(request: wire.ReadRequest, outlet: Outlet): Promise<void> {
    if (request.stream === undefined && this.#isInvalid(request.from)) {
      outlet.end(failures.invalidPosition())
      return
    }
    this.#subscriptions.add(outlet)
    await outlet.send(wire.confirmationMessage(randomUUID()))
    const { stream } = request
    const matches = (event: LogEvent): boolean =>
      stream === undefined ? (request.filter?.matches(event) ?? true) : event.stream === stream
    const cursor = { index: this.#firstIndex(request, matches), considered: 0, matches }
    await this.#catchUp(cursor, { filter: request.filter, outlet })
    await outlet.send(wire.caughtUpMessage())
    await this.#stayLive(cursor, { filter: request.filter, outlet })
    this.#subscriptions.delete(outlet)
  }

  async #catchUp(cursor: Cursor, target: Target): Promise<void> {
    const { filter, outlet } = target
    const windowSize = Math.min(filter?.windowSize ?? wire.pageSize, wire.pageSize)
    while (!outlet.isClosed) {
      let checkpoint = { commit: this.#log.positionOf(cursor.index), prepare: 0n }
      let count = 0
      for (; count < windowSize; count += 1) {
        const event = this.#log.eventAt(cursor.index)
        if (event === undefined) break
        cursor.index += 1
        if (!cursor.matches(event)) continue
        await outlet.send(wire.eventMessage(event))
        checkpoint = { commit: event.position, prepare: event.position }
      }
      cursor.considered += count
      if (count < windowSize) return
      if (filter === undefined || cursor.considered < filter.checkpointInterval) continue
      cursor.considered %= filter.checkpointInterval
      await outlet.send(wire.checkpointMessage(checkpoint))
    }
  }

  async #stayLive(cursor: Cursor, target: Target): Promise<void> {
    const { filter, outlet } = target
    while (!outlet.isClosed) {
      const event = this.#log.eventAt(cursor.index)
      if (event === undefined) {
        await this.#growth(outlet)
        continue
      }
      cursor.index += 1
      cursor.considered += 1
      if (cursor.matches(event)) await outlet.send(wire.eventMessage(event))
      if (filter === undefined || cursor.considered < filter.checkpointInterval) continue
      cursor.considered = 0
      const { position } = event
      await outlet.send(wire.checkpointMessage({ commit: position, prepare: position }))
    }
  }

  async #growth(outlet: Outlet): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        forget()
        forgetClosing()
        resolve()
      }
      const forget = this.#log.onReplicated(wake)
      const forgetClosing = outlet.whenClosed(wake)
    })
  }

  // The given place is exclusive. A place beyond the end is accepted: what comes next is delivered.
  #firstIndex(request: wire.ReadRequest, matches: (event: LogEvent) => boolean): number {
    const { from, stream } = request
    let index = 0
    if (from === 'end') index = this.#log.replicatedCount
    else if (from !== 'start' && stream === undefined) {
      const isBeyondEnd = this.#indexOf(from) >= this.#log.replicatedCount
      index = isBeyondEnd ? this.#log.replicatedCount : this.#indexOf(from) + 1
    } else if (from !== 'start') {
      const passed = this.#log.read(stream ?? '').findLast((event) => event.revision <= from)
      index = passed === undefined ? 0 : this.#indexOf(passed.position) + 1
    }
    let redelivered = this.#plan.takeRedelivery()
    while (redelivered > 0 && index > 0) {
      index -= 1
      const event = this.#log.eventAt(index)
      if (event !== undefined && matches(event)) redelivered -= 1
    }
    return index
  }

  #indexOf(place: wire.Place): number {
    if (place === 'start') return 0
    return place === 'end' ? this.#log.replicatedCount : this.#log.find(place).index
  }

  #isInvalid(place: wire.Place): boolean {
    return typeof place === 'bigint' && !this.#log.find(place).isExact
  }
}

interface Cursor {
  index: number
  /** Events looked at since the last checkpoint. */
  considered: number
  readonly matches: (event: LogEvent) => boolean
}

interface Target {
  readonly filter: wire.EventFilter | undefined
  readonly outlet: Outlet
}

/** One call's way out: waits while the client is slow, and knows when it is gone. */
class Outlet {
  readonly #call: ReadCall
  readonly #recorder: WireRecorder | undefined
  readonly #closers = new Set<() => void>()
  #isClosed = false

  constructor(call: ReadCall, recorder: WireRecorder | undefined) {
    this.#call = call
    this.#recorder = recorder
    call.on('cancelled', () => {
      recorder?.cancel('Read')
      this.#close()
    })
    call.on('error', () => this.#close())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async send(message: stubs.ReadResp): Promise<void> {
    if (this.#isClosed) return
    this.#recorder?.message('Read', 'server', message)
    if (this.#call.write(message)) return
    await new Promise<void>((resolve) => {
      const forgetClosing = this.whenClosed(resolve)
      this.#call.once('drain', () => {
        forgetClosing()
        resolve()
      })
    })
  }

  end(failure?: failures.Failure): void {
    if (this.#isClosed) return
    this.#close()
    this.#recorder?.status('Read', failure)
    if (failure === undefined) this.#call.end()
    else this.#call.emit('error', failure)
  }

  /** The call must be open. Returns how to forget the action. */
  whenClosed(action: () => void): () => void {
    this.#closers.add(action)
    return () => this.#closers.delete(action)
  }

  #close(): void {
    this.#isClosed = true
    for (const action of this.#closers) action()
    this.#closers.clear()
  }
}

async function sendAll(
  events: Iterable<LogEvent>,
  countMax: number,
  outlet: Outlet,
): Promise<void> {
  let count = 0
  for (const event of events) {
    if (count >= countMax || outlet.isClosed) break
    count += 1
    await outlet.send(wire.eventMessage(event))
  }
  outlet.end()
}

function* eventsOfStream(
  events: readonly LogEvent[],
  request: wire.ReadRequest,
): Iterable<LogEvent> {
  const { from, isBackwards } = request
  if (isBackwards) {
    if (from === 'start') yield* events.slice(0, 1)
    else if (from === 'end') yield* events.toReversed()
    else yield* events.filter((event) => event.revision <= from).reverse()
  } else if (from === 'start') yield* events
  else if (from !== 'end') yield* events.filter((event) => event.revision >= from)
}
