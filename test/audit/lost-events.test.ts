// What is kept of events that the store has lost: once each, until a person has seen it.
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { LostEvents } from '../../src/audit/verifying/lost-events.js'
import type { LostEvent } from '../../src/event-store/lost-event.js'
import { FakeClock } from '../support/fake-clock.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'

const walletId = newWalletId()
const adminId = randomUUID()

function debited(revision: number, eventId = randomUUID()): LostEvent {
  const reference = { referenceType: 'ORDER', referenceId: `O-${revision}` }
  const entry = { entryId: randomUUID(), ...reference, amountMinor: 100 * revision }
  const details = { type: 'WalletDebited', time: '2025-01-01T00:00:00.000Z', entry }
  return { walletId, revision, eventId, details }
}

t.test('lost events are listed oldest first until they are seen', async (t) => {
  const { pool } = await TestDatabaseLedger.open(t)
  const clock = new FakeClock()
  const lost = new LostEvents({ pool, clock })
  t.equal(await lost.countUnseen(), 0)
  const opened = { type: 'WalletOpened', time: '2025-01-01T00:00:00.000Z' }
  await lost.record([
    { walletId, revision: 0, eventId: randomUUID(), details: opened },
    { walletId, revision: 1, eventId: randomUUID() },
    debited(2),
  ])
  t.equal(await lost.countUnseen(), 3)
  const shown = await lost.unseen({ limit: 2 })
  t.match(shown, [
    { walletId, revision: 0, type: 'WalletOpened', referenceId: null, amountMinor: null },
    { walletId, revision: 1, type: null, time: null },
  ])
  const through = shown[1]?.lostId ?? 0
  t.match(await lost.unseen({ limit: 2, after: through }), [
    { referenceType: 'ORDER', referenceId: 'O-2', amountMinor: 200 },
  ])
  t.equal(await lost.markSeen({ through, adminId }), 2)
  t.equal(await lost.countUnseen(), 1, 'what was not shown is not seen')
  t.equal(await lost.markSeen({ through, adminId }), 0)
})

t.test(
  'an event that two processes name stands once, with the details of who has them',
  async (t) => {
    const { pool } = await TestDatabaseLedger.open(t)
    const lost = new LostEvents({ pool, clock: new FakeClock() })
    const known = debited(5)
    const { walletId: of, revision, eventId } = known
    await lost.record([{ walletId: of, revision, eventId }])
    await lost.record([known])
    await lost.record([{ walletId: of, revision, eventId }])
    t.match(await lost.unseen({ limit: 5 }), [{ revision: 5, referenceId: 'O-5' }])
    t.equal(await lost.countUnseen(), 1)
  },
)
