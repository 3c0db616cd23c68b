// "Explain this balance": every event of a wallet's stream with the rule that applied.
import t from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import { systemRandom } from '../../src/platform/random.js'
import { seal } from '../../src/platform/sealing.js'
import { AdminArea } from '../support/admin-area.js'
import type { AdminBrowser } from '../support/admin-area.js'
import { captureHold, credit, deactivate, debit, placeHold } from '../support/given.js'
import { reactivate, releaseHold, service, voided } from '../support/given.js'

interface Event {
  readonly revision: number
  readonly event: string
  readonly rule: string
  readonly hash: string
  readonly eventId: string
  readonly balanceBefore: number
  readonly balanceAfter: number
  readonly description: string | null
}

async function read(browser: AdminBrowser, walletId: string, query = '') {
  const { status, body } = await browser.get(`/wallets/${walletId}/events${query}`)
  return { status, events: (body['events'] ?? []) as Event[], body }
}

t.test('a hold is explained by what it sets aside, on any page of the stream', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter('auditor')
  const { walletId: of } = await area.parts.users.create({})
  await area.send(of, service('TopUp', 1_000, 'T-1', of))
  await area.send(of, placeHold(600, 'H-1', { of }))
  // So many that a page begins far behind the hold, which is still open there.
  for (let count = 0; count < 70; count += 1) await area.send(of, credit(1, `C-${count}`, { of }))
  await area.send(of, debit(471, 'O-1', { of }))
  await area.send(of, captureHold('H-1', 'K-1', { of, amountMinor: 200 }))
  await area.send(of, captureHold('H-1', 'K-2', { of, amountMinor: 401 }))
  await area.send(of, releaseHold('H-1', 'X-1', { of }))
  const { events, body } = await read(browser, of, '?limit=4')
  t.equal(body['divergence'] ?? null, null)
  t.same(
    events.toReversed().map(({ rule }) => rule),
    [
      'declined: 4.71 was asked for, 10.70 was there, of which 6.00 was held',
      'taken out of what was held for it: 10.70 − 2.00 = 8.70',
      'declined: 4.01 is more than was left of the hold',
      'what was left of the hold is available again; the balance stays: held 4.00, then 0.00',
    ],
  )
  const all = (await read(browser, of, '?limit=500')).events.toReversed()
  t.match(all[2]?.rule, /^set aside, .* held 0\.00, then 6\.00$/)
})

t.test('each event says the balance before and after it, and the rule in words', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter('auditor')
  const { walletId: of } = await area.parts.users.create({})
  t.same((await read(browser, of)).events, [], 'a wallet before its first event')
  const commands = [
    service('TopUp', 1_700, 'T-1', of),
    debit(1_200, 'O-1', { of }),
    debit(1_200, 'O-2', { of }),
    credit(1_300, 'R-1', { of, refundOf: 'O-1' }),
    credit(200, 'R-2', { of, refundOf: 'O-1' }),
    voided('O-3', { of }),
    deactivate,
    debit(100, 'O-4', { of }),
    service('ReverseTopUp', 1_700, 'T-2', of),
    reactivate,
    service('GrantBonus', 5, 'B-1', of),
  ]
  for (const command of commands) await area.send(of, command)
  const { events, body } = await read(browser, of)
  const told = events.toReversed()
  t.same(
    told.map(({ rule }) => rule),
    [
      'opened: a wallet begins empty, in USD',
      'a payment that was received is always booked: 0.00 + 17.00 = 17.00',
      'applied, because at least that much was there: 17.00 − 12.00 = 5.00',
      'declined: 12.00 was asked for, 5.00 was there',
      'declined: 13.00 is more than was left of the debit to refund',
      'applied to an active wallet: 5.00 + 2.00 = 7.00',
      'declined: the client app gave this reference up before it was used',
      'deactivated: from here on debits and credits are declined; the balance stays',
      'declined: 1.00 was asked for, but the wallet was inactive',
      'money that is gone is always booked, also below zero: 7.00 − 17.00 = −10.00',
      'reactivated: from here on debits and credits are decided again; the balance stays',
      'granted by the service: −10.00 + 0.05 = −9.95',
    ],
  )
  t.equal(body['divergence'], null)
  t.equal(body['nextCursor'], undefined, 'that was all')
  for (const [index, event] of told.entries()) {
    t.equal(event.revision, index)
    t.equal(event.balanceBefore, told[index - 1]?.balanceAfter ?? 0, 'each begins where one ended')
    t.match(event, { hash: /^[0-9a-f]{64}$/, eventId: /^[0-9a-f-]{36}$/ })
  }
  t.equal(told[7]?.description, 'fraud', 'the reason of a change of status')
})

t.test('pages meet wherever they begin, also behind changes of status', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const { walletId: of } = await area.parts.users.create({})
  await area.send(of, credit(500, 'C-1', { of }))
  for (let count = 0; count < 30; count += 1) {
    await area.send(of, deactivate)
    await area.send(of, reactivate)
  }
  await area.send(of, deactivate)
  // Whether it was active must be known where each page begins.
  for (let count = 0; count < 6; count += 1) {
    await area.send(of, service('GrantBonus', 1, `B-${count}`, of))
    await area.send(of, debit(1, `I-${count}`, { of }))
  }
  await area.send(of, reactivate)
  await area.send(of, debit(120, 'D-1', { of }))
  const { events: all } = await read(browser, of, '?limit=500')
  t.equal(all.length, 77)
  const paged: Event[] = []
  let cursor = ''
  do {
    const { body, events } = await read(browser, of, `?limit=4${cursor}`)
    t.equal(body['divergence'], null)
    paged.push(...events)
    const { nextCursor } = body as { nextCursor?: string }
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`
  } while (cursor !== '')
  t.same(paged, all)
  t.equal((await read(browser, of, '?limit=0')).status, 400)
  t.equal((await read(browser, '00000000-0000-4000-8000-000000000000')).status, 404)
  t.equal((await read(browser, 'nonsense')).status, 404)
  t.equal((await read(area.browser(), of)).status, 401)
})

t.test('an event that was changed is named, and nothing beyond it is explained', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const { walletId: of } = await area.parts.users.create({})
  for (const id of ['C-1', 'C-2', 'C-3']) await area.send(of, credit(500, id, { of }))
  const { pool } = area.ledger
  await pool.query('alter table ledger.events disable trigger events_only_grow')
  await pool.query("update ledger.events set data = replace(data, 'C-2', 'C-9') where revision = 2")
  const { body, events } = await read(browser, of)
  t.same(
    events.map(({ revision }) => revision),
    [1, 0],
  )
  t.match(body['divergence'], { kind: 'event', place: /revision 2 / })
})

t.test('a text is shown while the person is there, and erased afterwards', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const user = await area.parts.users.create({})
  const { walletId: of, sealingKey: key, serviceUserId } = user
  const command = credit(500, 'C-1', { of })
  const entryId = entryIdOf({ ...command, walletId: of })
  if (key === undefined) throw new Error('a new person has a key')
  const description = seal('A gift for Ada', { key, entryId }, systemRandom)
  await area.send(of, { ...command, description })
  t.equal((await read(browser, of)).events[0]?.description, 'A gift for Ada')
  await area.parts.users.erase(serviceUserId)
  t.equal((await read(browser, of)).events[0]?.description, 'erased')
})
