// One test a kind of tampering: the audit must name the very place that was touched.
import t from 'tap'
import { verifyLedger, verifyWallet } from '../../src/audit/verifying/verifier.js'
import { streamOf } from '../../src/domain/ids.js'
import { systemClock } from '../../src/platform/clock.js'
import { AuditedLedger } from '../support/audited-ledger.js'
import { reactivate, service } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { setBack, setPosition } from './set-back.js'

t.test('an honest ledger agrees, in one pass or many, and while it is written', async (t) => {
  const audited = await AuditedLedger.open(t)
  const report = await verifyLedger(audited.parts)
  t.match(report, { events: 21, wallets: 3, position: 21n, divergence: undefined })
  const many = await verifyLedger(audited.parts, { walletsPerPass: 1 })
  t.match(many, { events: 21, wallets: 3, divergence: undefined })

  const [of] = audited.wallets
  await audited.ledger.send(of, service('TopUp', 5, 'pi_2', of))
  const other = newWalletId()
  await audited.ledger.send(other, service('TopUp', 5, 'pi_2', other))
  const lags = { events: 24, wallets: 4, position: 24n, unprojectedEvents: 3 }
  for (const walletsPerPass of [100, 2, 1])
    t.strictSame(await verifyLedger(audited.parts, { walletsPerPass }), {
      ...lags,
      unrememberedOutcomes: 0,
      uncheckedTopUps: 0,
      isViewCompared: true,
      divergence: undefined,
    })
  const one = { events: 8, wallets: 1, unprojectedEvents: 1, divergence: undefined }
  t.match(await verifyWallet(audited.parts, of), one)
  await audited.ledger.project()
  const caughtUp = { events: 24, unprojectedEvents: 0, divergence: undefined }
  t.match(await verifyLedger(audited.parts), caughtUp)
  t.match(await verifyWallet(audited.parts, of), { events: 8, wallets: 1, divergence: undefined })
})

t.test('an empty ledger agrees', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const parts = { store: ledger.store, pool: ledger.pool, clock: systemClock }
  t.match(await verifyLedger(parts), { events: 0, wallets: 0, divergence: undefined })
})

t.test('progress rises to 1, and an abort stops it', async (t) => {
  const audited = await AuditedLedger.open(t)
  const seen: number[] = []
  const onProgress = ({ done }: { done: number }) => seen.push(done)
  await verifyLedger(audited.parts, { walletsPerPass: 1, onProgress })
  t.same(seen, [...seen].sort(), 'it never falls')
  t.equal(seen.at(-1), 1)
  const signal = AbortSignal.abort(new Error('enough'))
  await t.rejects(verifyLedger(audited.parts, { signal }), { message: 'enough' })
})

t.test('an event that the read models have not reached is checked like any other', async (t) => {
  const changed = await AuditedLedger.open(t)
  const [, of] = changed.wallets
  await changed.ledger.send(of, service('TopUp', 5, 'pi_2', of))
  await changed.ledger.send(of, service('TopUp', 5, 'pi_3', of))
  await changed.tamper(
    `update ledger.events set data = replace(data, '"amountMinor":5', '"amountMinor":9')
     where wallet_id = $1 and revision = 7`,
    [of],
  )
  t.match(await changed.divergence(), { kind: 'event', place: changed.at(7) })

  const added = await AuditedLedger.open(t)
  await added.tamper(
    `insert into ledger.events (position, wallet_id, revision, id, type, data, metadata)
     select 22, wallet_id, 7, gen_random_uuid(), 'Nonsense', '{}', '{}'
     from ledger.events where wallet_id = $1 and revision = 0`,
    [added.wallets[1]],
  )
  t.match(await added.divergence(), { kind: 'event', place: added.at(7) })
})

t.test('read models that were set back hide nothing that is in the log', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, toEndOf, without] = audited.wallets
  await setBack(audited.ledger, { toEndOf, without })
  // Without a checkpoint that is an honest lag, and told as one.
  const lags = { events: 21, wallets: 3, unprojectedEvents: 7, divergence: undefined }
  t.match(await verifyLedger(audited.parts), lags)
  await audited.tamper(
    `update ledger.events set data = replace(data, '"amountMinor":200', '"amountMinor":100')
     where wallet_id = $1 and revision = 2`,
    [without],
  )
  t.match(await audited.divergence(), { kind: 'event', place: audited.at(2, 2) })
})

t.test('a position of the read models that lies behind their rows is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, of, last] = audited.wallets
  const event = await audited.ledger.store.readHead(streamOf(of))
  if (event === undefined) throw new Error('the wallet has events')
  await setPosition(audited.ledger, event)
  const place = `the row of wallet ${last}`
  const problem = 'holds the event at 21, but the read models are at 14'
  t.match(await audited.divergence(), { kind: 'wallet-row', place, problem })
  const one = await verifyWallet(audited.parts, last)
  t.match(one.divergence, { kind: 'wallet-row', place, problem })
})

const eventColumns = {
  data: `data = replace(data, '"amountMinor":200', '"amountMinor":100')`,
  type: "type = 'WalletCredited'",
  'event id': "id = '00000000-0000-4000-8000-000000000000'",
  hash: 'hash = set_byte(hash, 0, get_byte(hash, 0) # 1)',
  metadata: "hash = null, metadata = '{}'",
} as const

for (const [what, change] of Object.entries(eventColumns))
  t.test(`a changed event is named: its ${what}`, async (t) => {
    const audited = await AuditedLedger.open(t)
    const where = 'where wallet_id = $1 and revision = 2'
    await audited.tamper(`update ledger.events set ${change} ${where}`, [audited.wallets[1]])
    const named = { kind: 'event', place: audited.at(2) }
    t.match(await audited.divergence(), named)
    t.match((await verifyWallet(audited.parts, audited.wallets[1])).divergence, named)
    t.match((await verifyWallet(audited.parts, audited.wallets[0])).divergence, undefined)
  })

t.test('two events in another order are named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, walletId] = audited.wallets
  // In three steps, because each pair of wallet and revision exists once at any moment.
  for (const [from, to] of [
    [2, 90],
    [3, 2],
    [90, 3],
  ])
    await audited.tamper(
      'update ledger.events set revision = $3 where wallet_id = $1 and revision = $2',
      [walletId, from, to],
    )
  t.match(await audited.divergence(), { kind: 'event', place: audited.at(3) })
})

t.test('two exchanged streams are named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, one, two] = audited.wallets
  const other = newWalletId()
  for (const [from, to] of [
    [one, other],
    [two, one],
    [other, two],
  ])
    await audited.tamper('update ledger.events set wallet_id = $2 where wallet_id = $1', [from, to])
  t.match(await audited.divergence(), { kind: 'event', place: /, revision 0 / })
})

t.test('a deleted event is named: in the middle and at the tail', async (t) => {
  const middle = await AuditedLedger.open(t)
  await middle.tamper('delete from ledger.events where position = 10')
  t.match(await middle.divergence(), { kind: 'log', problem: /no event at 10/ })
  const one = await verifyWallet(middle.parts, middle.wallets[1])
  t.match(one.divergence, { kind: 'event', place: middle.at(3), problem: /no event 2/ })

  const tail = await AuditedLedger.open(t)
  await tail.tamper('delete from ledger.events where position = 21')
  t.match(await tail.divergence(), { kind: 'log', place: 'position 21 of the log' })
})

t.test('an event that moved up into the gap of a deleted one is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, walletId] = audited.wallets
  const where = 'where wallet_id = $1 and revision = 2'
  const { rows } = await audited.ledger.pool.query<{ position: number }>(
    `select position from ledger.events ${where}`,
    [walletId],
  )
  const position = rows[0]?.position
  await audited.tamper(`delete from ledger.events ${where}`, [walletId])
  await audited.tamper('update ledger.events set position = position - 1 where position > $1', [
    position,
  ])
  const divergence = await audited.divergence()
  t.match(divergence, { kind: 'log' }, 'the log is shorter than the read models say')
})

const transactionColumns = {
  amount_minor: 'amount_minor = amount_minor + 1',
  balance_minor: 'balance_minor = balance_minor + 1',
  reference_id: "reference_id = reference_id || 'x'",
  issuer: "issuer = 'client-app:thief'",
  type: "type = 'WalletCredited'",
  time: "time = time + interval '1 millisecond'",
} as const

for (const [column, change] of Object.entries(transactionColumns))
  t.test(`a changed transaction row is named: ${column}`, async (t) => {
    const audited = await AuditedLedger.open(t)
    const values = [audited.wallets[1]]
    const where = 'where wallet_id = $1 and revision = 2'
    await audited.tamper(`update read.transactions set ${change} ${where}`, values)
    const named = { kind: 'transaction-row', place: audited.at(2), problem: new RegExp(column) }
    t.match(await audited.divergence(), named)
    t.match((await verifyWallet(audited.parts, audited.wallets[1])).divergence, named)
  })

t.test('a transaction row too few or too many is named', async (t) => {
  const few = await AuditedLedger.open(t)
  const where = 'where wallet_id = $1 and revision = 2'
  await few.tamper(`delete from read.transactions ${where}`, [few.wallets[1]])
  t.match(await few.divergence(), { kind: 'transaction-row', place: few.at(2) })

  const many = await AuditedLedger.open(t)
  const columns = 'type, code, amount_minor, balance_minor, reference_type, reference_id, issuer'
  await many.tamper(
    `insert into read.transactions (entry_id, wallet_id, revision, ${columns}, time)
     select gen_random_uuid(), wallet_id, 0, ${columns}, time from read.transactions ${where}`,
    [many.wallets[1]],
  )
  const place = `the transaction rows of wallet ${many.wallets[1]}`
  t.match(await many.divergence(), { kind: 'transaction-row', place })

  for (const owner of ['wallet_id', 'gen_random_uuid()']) {
    const beyond = await AuditedLedger.open(t)
    await beyond.tamper(
      `insert into read.transactions (entry_id, wallet_id, revision, ${columns}, time)
       select gen_random_uuid(), ${owner}, 999, ${columns}, time from read.transactions ${where}`,
      [beyond.wallets[1]],
    )
    const stray = {
      kind: 'transaction-row',
      place: /revision 999$/,
      problem: /beyond the wallet's/,
    }
    t.match(await beyond.divergence(), stray)
  }
})

t.test('a wrong refunded amount is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const where = "where reference_id = 'O-1' and wallet_id = $1"
  await audited.tamper(`update read.transactions set refunded_minor = 49 ${where}`, [
    audited.wallets[1],
  ])
  t.match(await audited.divergence(), {
    kind: 'refunded-amount',
    problem: /says that 49 .* to 50 \(minor units\)$/,
  })
})

t.test('a debit that was refunded further than it took is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, of] = audited.wallets
  await audited.ledger.send(of, reactivate)
  // 50 of 200 are refunded already.
  await audited.forge(3, { amountMinor: 151, referenceId: 'R-2' })
  await audited.ledger.project()
  const problem = 'refunds more than its debit has left'
  const named = { kind: 'event', place: audited.at(8), problem }
  t.match(await audited.divergence(), named)
  t.match((await verifyWallet(audited.parts, of)).divergence, named)
})

t.test('a second outcome that the read models refuse is named as well', async (t) => {
  for (const earlier of ['projected', 'not yet']) {
    const audited = await AuditedLedger.open(t)
    const [, of] = audited.wallets
    if (earlier === 'not yet') await audited.ledger.send(of, service('TopUp', 70, 'pi_2', of))
    await audited.forge(earlier === 'projected' ? 5 : 7)
    await t.rejects(audited.ledger.project())
    const place = audited.at(earlier === 'projected' ? 7 : 8)
    const expected = { kind: 'event', place, problem: /is a second outcome/ }
    t.match(await audited.divergence(), expected, earlier)
    t.match((await verifyWallet(audited.parts, of)).divergence, expected, earlier)
  }
})

const walletColumns = [
  ['revision = revision - 1', /^says revision \d+, but the stream says \d+$/],
  ['balance_minor = 7', /^says a balance of 7, but the stream says \d+ \(minor units\)$/],
  ['is_active = true', /^says that it is active, but the stream says inactive$/],
  ["status_reason = 'another'", /^says the reason another, but the stream says /],
  ['status_reason = null', /^says the reason none, but the stream says /],
  ["hash = decode('00', 'hex')", /^says the hash 00, but the stream says [0-9a-f]{64}$/],
] as const

for (const [change, problem] of walletColumns)
  t.test(`a changed wallet row is named: ${change}`, async (t) => {
    const audited = await AuditedLedger.open(t)
    const values = [audited.wallets[1]]
    await audited.tamper(`update read.wallets set ${change} where wallet_id = $1`, values)
    const place = `the row of wallet ${audited.wallets[1]}`
    const named = { kind: 'wallet-row', place, problem }
    t.match(await audited.divergence(), named)
  })

t.test('a wallet row without a stream, and a stream without a row, are named', async (t) => {
  const forged = await AuditedLedger.open(t)
  const walletId = newWalletId()
  await forged.tamper(
    `insert into read.wallets (wallet_id, revision, balance_minor, is_active, hash, time)
     select $1, revision, balance_minor, is_active, hash, time from read.wallets limit 1`,
    [walletId],
  )
  t.match(await forged.divergence(), { place: `the row of wallet ${walletId}` })

  const lost = await AuditedLedger.open(t)
  await lost.tamper('delete from read.wallets where wallet_id = $1', [lost.wallets[1]])
  const none = { kind: 'wallet-row', place: `wallet ${lost.wallets[1]}`, problem: 'has no row' }
  t.match(await lost.divergence(), none)
  t.match((await verifyWallet(lost.parts, lost.wallets[1])).divergence, none)
})

t.test('a wallet row of an earlier moment is named, also by the check of one wallet', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, of] = audited.wallets
  const columns = 'revision, balance_minor, hash, time'
  const kept = `create table kept as select ${columns} from read.wallets where wallet_id = '${of}'`
  await audited.ledger.pool.query(kept)
  await audited.ledger.send(of, service('TopUp', 5, 'pi_2', of))
  await audited.ledger.project()
  await audited.tamper(
    `update read.wallets set (${columns}) = (select ${columns} from kept) where wallet_id = $1`,
    [of],
  )
  const place = `the row of wallet ${of}`
  const problem = 'says revision 6, but the stream says 7'
  t.match(await audited.divergence(), { kind: 'wallet-row', place, problem })
  const one = await verifyWallet(audited.parts, of)
  t.match(one.divergence, { kind: 'wallet-row', place, problem })
})

t.test('a view that was changed together with the total of its postings is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  const { rows } = await audited.ledger.pool.query<{ text: string }>(
    "select pg_get_viewdef('read.journal'::regclass) as text",
  )
  const text = rows[0]?.text ?? ''
  const changed = text.replace("'processor'", "'bonus'")
  t.not(changed, text)
  await audited.ledger.pool.query(`create or replace view read.journal as ${changed}`)
  await audited.tamper(
    "update read.journal_totals set account = 'bonus' where account = 'processor'",
  )
  const problem = 'is defined otherwise than it was made'
  const place = 'the view of the journal'
  t.match(await audited.divergence(), { kind: 'journal-view', place, problem })
})

t.test('a changed journal total is named', async (t) => {
  const audited = await AuditedLedger.open(t)
  await audited.tamper(
    "update read.journal_totals set amount_minor = amount_minor + 1 where account = 'processor'",
  )
  const place = "the journal's total of account processor"
  t.match(await audited.divergence(), { kind: 'journal-total', place })
})
