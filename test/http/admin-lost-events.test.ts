/** Lost events in the admin area: shown to everyone there, marked as seen by an admin, logged. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { AdminArea } from '../support/admin-area.js'
import { newWalletId } from '../support/ledger.js'

t.test('what the store has lost is on the overview until an admin has seen it', async (t) => {
  const area = await AdminArea.open(t)
  const walletId = newWalletId()
  const entry = { entryId: randomUUID(), referenceType: 'ORDER', referenceId: 'O-1' }
  const time = '2026-01-01T00:00:00.000Z'
  const details = { type: 'WalletDebited', time, entry: { ...entry, amountMinor: 1250 } }
  await area.parts.lostEvents.record([{ walletId, revision: 7, eventId: randomUUID(), details }])
  const auditor = await area.enter('auditor')
  const { body: overview } = await auditor.get('/overview')
  const expected = { walletId, revision: 7, ...entry, type: 'WalletDebited', amount: 12.5, time }
  t.match(overview, { lostEvents: { unseen: 1, events: [expected] } })
  const { body: list } = await auditor.get('/lost-events')
  const { events } = list as { events: { lostId: number }[] }
  const through = events[0]?.lostId
  t.match(await auditor.post('/lost-events/seen', { through }), { status: 403 })

  const admin = await area.enter('admin')
  for (const wrong of [undefined, 0, -1, 1.5, '1', true])
    t.match(await admin.post('/lost-events/seen', { through: wrong }), {
      status: 400,
      body: { error: /^The field 'through'/ },
    })
  const answer = await admin.post('/lost-events/seen', { through })
  t.match(answer, { status: 200, body: { unseen: 0, events: [] } })
  const { body: log } = await admin.get('/log')
  const [newest] = (log as { entries: unknown[] }).entries
  const logged = { through, count: 1 }
  t.match(newest, { action: 'lost-events.seen', outcome: 'done', details: logged })
})
