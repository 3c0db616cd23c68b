/**
 * The tables of webhooks as the feeder and the sender ask them: the port between their rules and
 * SQL, so that simulations run both (postgres-tables.ts is the real one). Promises of whoever
 * implements it: a transaction of the feed is alone, and is there whole or not at all; a line is
 * one sender's until its lease ends.
 */
import type { Currency } from '../domain/money.js'
import type { Audience, Listener } from './audience.js'
import type { FeedCheckpoint, FeedPlace } from './checkpoint.js'
import type { ClaimedLine, FinishedLine, LineClaim, WaitingDelivery } from './delivery-rows.js'
import type { OutboxRow } from './outbox.js'
import type { PlannedDelivery } from './planned-deliveries.js'
import type { SealedTarget } from './targets.js'

export interface FeedTables {
  hasEndpoints(): Promise<boolean>
  /** Whether anything waits in the outbox. */
  hasUnfed(): Promise<boolean>
  readCheckpoint(): Promise<FeedCheckpoint>
  /** One at a time in the whole deployment. */
  transaction<T>(work: (tables: OpenFeedTables) => Promise<T>): Promise<T>
}

export interface OpenFeedTables {
  readCheckpoint(): Promise<FeedCheckpoint>
  readListeners(): Promise<readonly Listener[]>
  /** Oldest first. */
  readUnfed(): Promise<readonly OutboxRow[]>
  /** Where the log ended when they were first seen. */
  placeRows(rows: readonly OutboxRow[], position: bigint): Promise<readonly OutboxRow[]>
  markFed(rows: readonly OutboxRow[], now: Date): Promise<void>
  readAudience(given: {
    readonly listeners: readonly Listener[]
    readonly walletIds: readonly string[]
    readonly currency: Currency
  }): Promise<Audience>
  /** One that is there already stays as it is. */
  insertDeliveries(planned: readonly PlannedDelivery[], nowMs: number): Promise<void>
  moveCheckpoint(place: FeedPlace): Promise<void>
}

export interface LineTables {
  /** Lines that are due, at most so many, and of each endpoint no more than it has room for. */
  claimLines(claim: LineClaim): Promise<readonly ClaimedLine[]>
  /** Undefined when there is no such endpoint any more. */
  readTarget(endpointId: string): Promise<SealedTarget | undefined>
  /** Whether the app is active and may read. */
  mayRead(clientId: string): Promise<boolean>
  /** Oldest first. */
  readWaiting(line: ClaimedLine): Promise<readonly WaitingDelivery[]>
  /** What came of the tries, in their order; at most the last one failed. */
  finishLine(finished: FinishedLine): Promise<void>
  /** Not delivered, for a reason that is not the receiver's: nothing counts as a try. */
  putBack(line: ClaimedLine, nextMs: number): Promise<void>
}
