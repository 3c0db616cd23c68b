// What no command could have made is found by `audit verify`, whether it is projected or not.
import t, { type Test } from 'tap'
import { ProjectionStoppedError } from '../../projections/projector.js'
import { project } from '../../projections/projector.js'
import { verifyLedger, verifyWallet } from '../../src/audit/verifying/verifier.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf, walletIdOf } from '../../src/domain/ids.js'
import { isContradiction } from '../../src/event-store/contradiction.js'
import { noStream, startOfLog } from '../../src/event-store/event-store.js'
import { systemClock } from '../../src/platform/clock.js'
import { storeUnderFault } from '../support/eventstoredb/store-under-fault.js'
import type { Forgery } from '../support/forgeries.js'
import { forgeries, hashed, honest } from '../support/forgeries.js'
import type { MakeEvent } from '../support/given.js'
import { booked } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'

/** Of the log. */
const start = { position: startOfLog, eventId: null }

t.test('PostgreSQL: what no command could have made is named, projected or not', async (t) => {
  const ledger = await TestDatabaseLedger.audited(t)
  for (const [what, forgery] of Object.entries(forgeries)) {
    await nameIt(t, ledger, what, forgery)
    await empty(ledger)
  }
})

// The rules are the same whatever the store: these need the rows, the memory, and neither.
const onEventStoreDb = [
  'a reference booked twice',
  'a refund above what its debit has left',
  'a decline for want of money that is there',
]
for (const what of onEventStoreDb)
  t.test(`EventStoreDB: ${what} is named, projected or not`, async (t) => {
    const ledger = await TestDatabaseLedger.audited(
      t,
      await storeUnderFault(t, { isPatient: true }),
    )
    await nameIt(t, ledger, what, forgeries[what] ?? none)
  })

for (const name of ['PostgreSQL', 'EventStoreDB'])
  t.test(`${name}: what commands made agrees, however much is projected`, async (t) => {
    const isOwn = name === 'PostgreSQL'
    const given = isOwn ? undefined : await storeUnderFault(t, { isPatient: true })
    const ledger = await TestDatabaseLedger.audited(t, given)
    for (const stream of Object.values(honest)) await write(ledger, stream)
    const events = await ledger.events()
    for (let projected = 0; projected <= events.length; projected += isOwn ? 5 : 20) {
      await project(ledger.tables, { after: start, events: events.slice(0, projected) })
      const report = await verifyLedger(partsOf(ledger))
      t.match(report, { events: events.length, unrememberedOutcomes: 0, divergence: undefined })
    }
  })

t.test('beyond what is remembered a check says so, and accuses nobody', async (t) => {
  const ledger = await TestDatabaseLedger.audited(t)
  const wallets: WalletId[] = []
  for (const stream of Object.values(honest)) wallets.push(await write(ledger, stream))
  const parts = partsOf(ledger)
  const report = await verifyLedger(parts, { unprojectedOutcomesMax: 3 })
  t.match(report, { divergence: undefined, wallets: wallets.length })
  t.ok(report.unrememberedOutcomes > 0, 'one wallet has more than a pass remembers')
  await ledger.project()
  const caughtUp = await verifyLedger(parts, { unprojectedOutcomesMax: 3 })
  t.match(caughtUp, { divergence: undefined, unrememberedOutcomes: 0 }, 'rows need no memory')
})

t.test('a long lag is checked in passes that each remember little', async (t) => {
  const ledger = await TestDatabaseLedger.audited(t)
  // Spread evenly: shares are cut by the ids, and by chance one could hold too many.
  for (let count = 0; count < 40; count += 1) {
    const start = (count * 6).toString(16).padStart(2, '0')
    const of = walletIdOf(`${start}${newWalletId().slice(2)}`)
    await append(ledger, of, hashed(of, honest['a refund of all that is left'] ?? []))
  }
  const { before, forged, audit } = forgeries['a refund above what its debit has left'] ?? none
  const parts = partsOf(ledger)
  const options = { unprojectedOutcomesMax: 100 }
  const agrees = { wallets: 40, unrememberedOutcomes: 0, divergence: undefined }
  t.match(await verifyLedger(parts, options), agrees)
  const of = await write(ledger, [...before, forged])
  const place = new RegExp(`^wallet ${of}, revision ${before.length} `)
  const { divergence } = await verifyLedger(parts, options)
  t.match(divergence, { kind: 'event', place, problem: audit })
})

t.test('refunds of entries that are written meanwhile are no forgeries', async (t) => {
  const ledger = await TestDatabaseLedger.audited(t)
  const stream = honest['refunds in parts, and one too much that is declined'] ?? []
  const of = newWalletId()
  const events = hashed(of, [...stream, booked('WalletToppedUp', 1, 'pi_9')])
  await append(ledger, of, events)
  const logged = await ledger.events()
  // The rows move on while the check runs, so they count refunds that it has not come to.
  await project(ledger.tables, { after: start, events: logged.slice(0, 3) })
  const onProgress = () => void project(ledger.tables, { after: start, events: logged })
  const report = await verifyLedger(partsOf(ledger), { onProgress })
  t.match(report, { events: events.length, divergence: undefined })
})

const none: Forgery = {
  ...{ before: [], forged: booked('WalletToppedUp', 1, 'none') },
  ...{ audit: /none/, bundle: /none/ },
}

/** In a wallet of its own, alone in the log: a check ends at the first that it finds. */
async function nameIt(t: Test, ledger: TestDatabaseLedger, what: string, forgery: Forgery) {
  const { before, forged, audit } = forgery
  const of = await write(ledger, [...before, forged])
  const place = new RegExp(`^wallet ${of}, revision ${before.length} \\(`)
  const named = { kind: 'event', place, problem: audit }
  await hold(t, ledger, of, named, `${what}: nothing is projected`)
  const events = await ledger.events()
  await project(ledger.tables, { after: start, events: events.slice(0, -1) })
  // The whole ledger in this state: changed-copies.test.ts.
  const { divergence } = await verifyWallet(partsOf(ledger), of)
  t.match(divergence, named, `${what}: all before it is projected`)
  // Some stop the projector.
  if (await isProjected(ledger)) await hold(t, ledger, of, named, `${what}: it is projected`)
}

/** As a new ledger, without the cost of a new database. */
async function empty({ pool }: TestDatabaseLedger): Promise<void> {
  await pool.query('alter table ledger.events disable trigger events_only_grow')
  for (const table of ['ledger.events', 'read.wallets', 'read.transactions', 'read.journal_totals'])
    await pool.query(`delete from ${table}`)
  await pool.query('update read.checkpoint set position = 0, event_id = null')
}

async function write(ledger: TestDatabaseLedger, stream: readonly MakeEvent[]): Promise<WalletId> {
  const of = newWalletId()
  await append(ledger, of, hashed(of, stream))
  return of
}

async function append(
  { store }: TestDatabaseLedger,
  of: WalletId,
  events: ReturnType<typeof hashed>,
): Promise<void> {
  const written = await store.append({ stream: streamOf(of), expectedRevision: noStream, events })
  if (written.kind !== 'written') throw new Error('the forged stream is not written')
}

async function isProjected(ledger: TestDatabaseLedger): Promise<boolean> {
  try {
    await ledger.project()
    return true
  } catch (error) {
    const isDuplicate = error instanceof Error && 'code' in error && error.code === '23505'
    if (isContradiction(error) || error instanceof ProjectionStoppedError || isDuplicate)
      return false
    throw error
  }
}

async function hold(
  t: Test,
  ledger: TestDatabaseLedger,
  of: WalletId,
  named: object,
  when: string,
): Promise<void> {
  t.match((await verifyLedger(partsOf(ledger))).divergence, named, when)
  t.match((await verifyWallet(partsOf(ledger), of)).divergence, named, `${when}, one wallet`)
}

function partsOf({ store, pool }: TestDatabaseLedger) {
  return { store, pool, clock: systemClock }
}
