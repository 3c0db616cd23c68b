/** The EventStoreDB store keeps the contract, on whatever server this run has. */
import t from 'tap'
import type { Test } from 'tap'
import { EventStoreDbStore } from '../../src/event-store/eventstoredb.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { eventStoreForTests } from '../support/eventstoredb/server.js'
import { eventStoreContract } from './contract.js'
import type { StoreUnderTest } from './contract.js'

eventStoreContract(t, 'the EventStoreDB store', async (t: Test): Promise<StoreUnderTest> => {
  const { url, kind, loseConnections, atOnce } = await eventStoreForTests(t)
  const open = async (): Promise<EventStoreDbStore> => {
    const store = new EventStoreDbStore({ url, clock: systemClock, random: systemRandom })
    t.teardown(() => store.close())
    return store
  }
  const subject = { store: await open(), another: open, comparesIds: false }
  if (kind === 'server named by EVENTSTORE_URL') return { ...subject, isShared: true }
  if (kind === 'container') return subject
  // Above 1 MiB, the largest append of versions 23 and 24, as the stand-in has it.
  const refusedData = `{"text":"${'x'.repeat(1024 * 1024)}"}`
  return { ...subject, refusedData, ...(loseConnections && { loseConnections, atOnce }) }
})
