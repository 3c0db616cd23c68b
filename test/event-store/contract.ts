/**
 * The contract of every event store: the same cases for memory, PostgreSQL and EventStoreDB.
 * Every case owns its streams, so the cases also run on a store that others have written to.
 */
import type { Test } from 'tap'
import type { EventStore } from '../../src/event-store/event-store.js'
import { appendCases } from './contract-appends.js'
import { historyCases } from './contract-history.js'
import { raceCases } from './contract-races.js'
import { readCases } from './contract-reads.js'
import { tailCases } from './contract-tail.js'

export interface StoreUnderTest {
  readonly store: EventStore
  /** A second instance on the same data, as another process would have. */
  readonly another: () => Promise<EventStore>
  /** Data that this store refuses, where it refuses any. */
  readonly refusedData?: string
  /** Keeps every JSON text; others may refuse one that they could not give back unaltered. */
  readonly keepsAnyText?: boolean
  /** False: an append at the very head is not compared with the event there. */
  readonly comparesIds?: boolean
  /** Takes the connections of all stores away, as a server that goes and comes back. */
  readonly loseConnections?: () => Promise<unknown>
  /** Sends appends so that the first is finished only when the last has arrived. */
  readonly atOnce?: (appends: number, send: () => Promise<void>) => Promise<void>
  /** Every opening gives the same store, whose log may hold anything. */
  readonly isShared?: boolean
}

export type OpenStore = (t: Test) => Promise<StoreUnderTest>

export interface Case {
  readonly sentence: string
  /** `open` makes further stores, for the cases that need one of their own. */
  readonly check: (t: Test, subject: StoreUnderTest, open: OpenStore) => Promise<void>
}

export function eventStoreContract(t: Test, name: string, open: OpenStore): void {
  void t.test(`the contract of an event store, kept by ${name}`, async (t) => {
    const subject = await open(t)
    const cases = [...appendCases, ...historyCases, ...raceCases, ...readCases, ...tailCases]
    for (const { sentence, check } of cases) await t.test(sentence, (t) => check(t, subject, open))
  })
}
