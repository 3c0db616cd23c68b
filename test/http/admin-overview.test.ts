/** The overview of the admin area: days, balances and debts, from entries of many days. */
import t from 'tap'
import { readStanding, readVolumes } from '../../projections/queries/admin.js'
import { entryIdOf } from '../../src/domain/ids.js'
import type { Issuer, WalletId } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { walletCountsCacheMs } from '../../src/limits.js'
import type { Pool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { AdminArea, startMs } from '../support/admin-area.js'
import type { AdminBrowser } from '../support/admin-area.js'
import { FakeClock } from '../support/fake-clock.js'
import { newWalletId, quietLog, TestDatabaseLedger } from '../support/ledger.js'

const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000
const nothing = { count: 0, amount: 0 }

type EntryType = 'Debit' | 'Credit' | 'TopUp' | 'ReverseTopUp' | 'ReinstateTopUp' | 'GrantBonus'

let references = 0

function entry(type: EntryType, walletId: WalletId, amountMinor: number, issuer: Issuer) {
  const pair = reference('TEST', `R-${(references += 1)}`)
  const entryId = entryIdOf({ issuer, walletId, reference: pair })
  return { type, issuer, reference: pair, entryId, amountMinor }
}

interface Day {
  readonly day: string
  readonly heldBalance: number
  readonly debits: unknown
}

interface OverviewBody extends Record<string, unknown> {
  readonly days: readonly Day[]
}

async function read(browser: AdminBrowser): Promise<OverviewBody> {
  const { status, body } = await browser.get('/overview')
  if (status !== 200) throw new Error(`the overview answered ${status}`)
  return body as unknown as OverviewBody
}

t.test('a service without entries has a month of empty days', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter('auditor')
  const overview = await read(browser)
  const { days, today, ...rest } = overview
  t.same(rest, {
    currency: { code: 'usd', decimals: 2 },
    heldBalance: 0,
    projectionLagMs: 0,
    owed: [],
    wallets: { count: 0, inactive: 0 },
    integrity: null,
    lostEvents: { unseen: 0, events: [] },
  })
  t.equal(days.length, 30)
  t.equal(days[0]?.day, '2026-02-14')
  t.equal(days[29]?.day, '2026-03-15')
  const volumes = {
    debits: nothing,
    credits: nothing,
    topUps: nothing,
    reversals: nothing,
    reinstatements: nothing,
    bonuses: nothing,
    declines: nothing,
  }
  t.same(today, volumes)
  for (const { day, ...rest } of days) t.same(rest, { ...volumes, heldBalance: 0 }, day)
})

t.test('each day has what it moved and what was held at its end', async (t) => {
  const area = await AdminArea.open(t)
  const create = (name: string) =>
    area.parts.clientApps.create({
      name,
      allowedOrigins: [],
      allowedIframeParents: [],
      scopes: ['wallet:write'],
    })
  const shop = (await create('Shop')).clientApp.clientId
  const market = (await create('Market')).clientApp.clientId
  const wallet = newWalletId()
  const send = async (atMs: number, type: EntryType, amount: number, issuer: Issuer) => {
    area.clock.set(atMs)
    await area.send(wallet, entry(type, wallet, amount, issuer))
  }
  const midnightMs = startMs - (startMs % dayMs)
  await send(midnightMs - 40 * dayMs, 'TopUp', 10_000, 'service')
  await send(midnightMs - 2 * dayMs - 1, 'Debit', 3_000, `client-app:${shop}`)
  await send(midnightMs - 2 * dayMs, 'Debit', 1_001, `client-app:${shop}`)
  await send(midnightMs - dayMs, 'Debit', 1_000_000, `client-app:${market}`)
  await send(midnightMs, 'TopUp', 500, 'service')
  await send(midnightMs + 1, 'ReverseTopUp', 400, 'service')
  await send(midnightMs + 2, 'ReinstateTopUp', 100, 'service')
  await send(midnightMs + 3, 'GrantBonus', 50, 'service')
  await send(midnightMs + 4, 'Credit', 20, `client-app:${market}`)
  await area.ledger.project()
  area.clock.set(startMs)
  const browser = await area.enter()

  const overview = await read(browser)
  t.match(overview, {
    heldBalance: 62.69,
    projectionLagMs: 0,
    owed: [
      { clientId: market, name: 'Market', amount: -0.2 },
      { clientId: shop, name: 'Shop', amount: 40.01 },
    ],
    wallets: { count: 1, inactive: 0 },
  })
  const today = {
    debits: nothing,
    credits: { count: 1, amount: 0.2 },
    topUps: { count: 1, amount: 5 },
    reversals: { count: 1, amount: 4 },
    reinstatements: { count: 1, amount: 1 },
    bonuses: { count: 1, amount: 0.5 },
    declines: nothing,
  }
  t.same(overview['today'], today)
  const last = overview.days.slice(-5)
  t.same(
    last.map(({ day, heldBalance }) => [day, heldBalance]),
    [
      ['2026-03-11', 100],
      ['2026-03-12', 70],
      ['2026-03-13', 59.99],
      ['2026-03-14', 59.99],
      ['2026-03-15', 62.69],
    ],
  )
  t.match(last, [
    { debits: nothing },
    { debits: { count: 1, amount: 30 }, declines: nothing },
    { debits: { count: 1, amount: 10.01 }, declines: nothing },
    { debits: nothing, declines: { count: 1, amount: 10_000 } },
    today,
  ])
  t.equal(overview.days[0]?.heldBalance, 100, 'what came before the month is held too')

  await area.ledger.pool.query('update read.transactions set amount_minor = 1 where code is null')
  const again = await read(browser)
  t.match(again.days.at(-4), { debits: { count: 1, amount: 30 } }, 'a finished day is remembered')
  t.match(again['today'], { topUps: { count: 1, amount: 0.01 } }, 'today is read each time')
})

t.test('a late entry still counts for the day before, and the sums still add up', async (t) => {
  const area = await AdminArea.open(t)
  const { pool, store } = area.ledger
  const wallet = newWalletId()
  const midnightMs = startMs - (startMs % dayMs)
  area.clock.set(midnightMs + hourMs / 2)
  const browser = await area.enter()
  await area.send(wallet, entry('TopUp', wallet, 100, 'service'))
  await area.ledger.project()
  t.match((await read(browser)).days.at(-2), { heldBalance: 0, topUps: nothing })

  // Another process, whose clock is behind.
  const late = newWalletId()
  const writer = new WalletWriter({
    store,
    readModels: new PostgresReadModels(pool),
    clock: new FakeClock(midnightMs - 1),
    random: systemRandom,
    log: quietLog,
    currency: 'usd',
  })
  await writer.execute(late, entry('TopUp', late, 700, 'service'))
  const behind = await read(browser)
  t.match(behind.days.at(-2), { topUps: nothing })
  t.equal(behind['projectionLagMs'], hourMs / 2 + 1)
  await area.ledger.project()
  const overview = await read(browser)
  t.match(overview.days.at(-2), { heldBalance: 7, topUps: { count: 1, amount: 7 } })
  t.match(overview.days.at(-3), { heldBalance: 0 })
  t.match(overview, { heldBalance: 8, today: { topUps: { count: 1, amount: 1 } } })

  await writer.execute(late, entry('TopUp', late, 200, 'service'))
  await area.ledger.project()
  t.match((await read(browser)).days.at(-2), { heldBalance: 9, topUps: { count: 2, amount: 9 } })
  await writer.close()
})

t.test('an entry that is stamped tomorrow counts as today', async (t) => {
  const area = await AdminArea.open(t)
  const wallet = newWalletId()
  const midnightMs = startMs - (startMs % dayMs) + dayMs
  area.clock.set(midnightMs + 1)
  await area.send(wallet, entry('TopUp', wallet, 100, 'service'))
  await area.ledger.project()
  area.clock.set(midnightMs - 1)
  const browser = await area.enter()
  const overview = await read(browser)
  t.match(overview, { heldBalance: 1, today: { topUps: { count: 1, amount: 1 } } })
  t.match(overview.days.at(-2), { heldBalance: 0 })
})

t.test('wallets are counted, those that are not active too', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  for (const isOff of [false, false, true]) {
    const wallet = newWalletId()
    await area.send(wallet, entry('TopUp', wallet, 100, 'service'))
    if (isOff)
      await area.send(wallet, { type: 'Deactivate', issuer: 'service', reason: 'lost card' })
  }
  t.match(await read(browser), { wallets: { count: 0, inactive: 0 } })
  await area.ledger.project()
  t.match(await read(browser), { wallets: { count: 0 } }, 'not more often than every ten seconds')
  area.clock.set(area.clock.now() + walletCountsCacheMs)
  t.match(await read(browser), { wallets: { count: 3, inactive: 1 } })
})

t.test('the entries of a day are found over an index', async (t) => {
  const { pool } = await TestDatabaseLedger.open(t)
  await pool.query(`
    insert into read.transactions (entry_id, wallet_id, revision, type, amount_minor,
      balance_minor, reference_type, reference_id, issuer, time)
    select gen_random_uuid(), gen_random_uuid(), n, 'WalletDebited', 1, 0, 'X', n::text, 'service',
      timestamptz '2026-01-01 00:00Z' + n * interval '5 minutes'
    from generate_series(1, 20000) n`)
  await pool.query('analyze read.transactions')
  const plans: string[] = []
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return { rows: [] }
    },
  } as unknown as Pool
  const fromTime = new Date('2026-02-10T00:00:00Z')
  await readVolumes(explaining, { fromTime, toTime: new Date('2026-02-11T00:00:00Z') })
  await readStanding(explaining, new Date('2026-03-10T00:00:00Z'))
  t.equal(plans.length, 2)
  for (const plan of plans) {
    t.match(plan, /transactions_by_time/)
    t.notMatch(plan, /Seq Scan on transactions/)
  }
})
