// Forged events and changed tables, each on a copy of a small ledger: the audit names every one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { makeCheckpoint } from '../../src/audit/proofs/checkpoints.js'
import { openWitnesses } from '../../src/audit/proofs/witness-places.js'
import { systemRandom } from '../../src/platform/random.js'
import { nodeCrypto, verifyBundle } from '../../src/verify-bundle/verify-bundle.mjs'
import { forgeries, hashed, history } from '../support/forgeries.js'
import type { MakeEvent } from '../support/given.js'
import { booked, debited, walletId } from '../support/given.js'
import { quietLog } from '../support/ledger.js'
import { people, SmallLedger } from '../support/small-ledger.js'
import { signedBundle } from './forged-bundle.js'
import { cutOff } from './set-back.js'

const small = await SmallLedger.make(t)
const [ada, ben, eve] = small.signed.wallets
const crypto = await nodeCrypto()

/** Those of the corpus that the history of the copies is the history of. */
const events = Object.entries(forgeries).filter(([, { before }]) => before === history)

t.test('the untouched copy agrees', async (t) => {
  const copy = await small.copy(t)
  const agrees = { events: 20, uncheckedTopUps: 0, isViewCompared: true, divergence: undefined }
  t.match(await copy.verify(), agrees)
})

t.test('forged events: no command could have made them', async (t) => {
  t.ok(events.length > 25, 'refunds, issuers, codes, amounts, declines, reinstatements, …')
  // One copy for all: what was forged is taken back before the next, at the end of one stream.
  const copy = await small.copy(t)
  for (const [what, { forged, audit, bundle }] of events) {
    const revision = await copy.forge(ben, now(forged))
    const place = new RegExp(`^wallet ${ben}, revision ${revision} \\(`)
    const { divergence } = await copy.verify()
    t.match(divergence, { kind: 'event', place, problem: audit }, what)
    await takeBack(copy, revision)
    const stream = hashed(walletId, [...history, forged])
    const result = await verifyBundle(signedBundle(walletId, stream), crypto)
    t.match(result, { isValid: false, problem: bundle }, `${what}, in a signed bundle`)
  }
  t.equal((await copy.verify()).divergence, undefined, 'and all of it was the forged event')
})

const anHour = 60 * 60_000

/** Rules that need the clock, identity and payments: an audit finds them, a wallet goes on. */
const outside: Record<string, { forged: MakeEvent; named: Named }> = {
  'a time in the future': {
    forged: now(debited(1, 'O-9'), anHour),
    named: { kind: 'event', problem: /^has a time in the future: 2/ },
  },
  'an app that nobody knows': {
    forged: now(debited(1, 'O-9', { issuer: 'client-app:thief' })),
    named: { kind: 'event', problem: /^is issued by client-app:thief, which nobody knows/ },
  },
  'a top-up without intent and payment': {
    forged: now(booked('WalletToppedUp', 5, 'pi_404')),
    named: { kind: 'top-up', problem: /^has no intent, and the processor knows no such payment$/ },
  },
  'a top-up that names no payment': {
    forged: now(booked('WalletToppedUp', 5, 'pi_404', 'CASH')),
    named: { kind: 'top-up', problem: /^names no payment$/ },
  },
  "a top-up with another wallet's intent": {
    forged: now(booked('WalletToppedUp', 70, 'pi_0')),
    named: { kind: 'top-up', problem: new RegExp(`^has the intent of wallet ${ada}$`) },
  },
  "a top-up with another wallet's payment": {
    forged: now(booked('WalletToppedUp', 70, 'pi_stray')),
    named: { kind: 'top-up', problem: new RegExp(`the processor knows it as one for .* ${ada}$`) },
  },
  'a top-up of more than was paid': {
    forged: now(booked('WalletToppedUp', 71, 'pi_small')),
    named: { kind: 'top-up', problem: /^has no intent, and the processor says that 70 was rec/ },
  },
}

t.test('forged events that only clock, identity and payments tell', async (t) => {
  const copy = await small.copy(t)
  copy.processor = new Map([
    ['pi_stray', { walletId: ada, receivedMinor: 70 }],
    ['pi_small', { walletId: ben, receivedMinor: 70 }],
  ])
  for (const [what, { forged, named }] of Object.entries(outside)) {
    const revision = await copy.forge(ben, forged)
    const place = new RegExp(`^wallet ${ben}, revision ${revision} \\(`)
    t.match((await copy.verify()).divergence, { place, ...named }, what)
    await takeBack(copy, revision)
  }
})

t.test('a top-up without an intent is legal when the processor confirms it', async (t) => {
  const copy = await small.copy(t)
  await copy.forge(ben, now(booked('WalletToppedUp', 5, 'pi_adopted')))
  copy.processor = new Map([['pi_adopted', { walletId: ben, receivedMinor: 5 }]])
  t.match(await copy.verify(), { uncheckedTopUps: 0, divergence: undefined })
  copy.processor = 'away'
  t.match(await copy.verify(), { uncheckedTopUps: 1, divergence: undefined }, 'not checked')
})

t.test('a top-up whose intent is not marked as paid yet is confirmed too', async (t) => {
  const copy = await small.copy(t)
  await change(copy, "update payments.top_up_intents set status = 'open'")
  const named = { kind: 'top-up', problem: /^has an intent that is not paid, and the processor k/ }
  t.match((await copy.verify()).divergence, named, 'the third is known to nobody')
  copy.processor = 'away'
  t.match(await copy.verify(), { uncheckedTopUps: 3, divergence: undefined })
})

const ofBen = `wallet_id = '${ben}'`
const inEvents = `wallet_id = '${ben}'`

/** Each statement touches something. */
const tables: Record<string, { changes: readonly string[]; named: Named }> = {
  'a view of the journal with another account': {
    changes: [
      `do $$ begin execute 'create or replace view read.journal as ' ||
        replace(pg_get_viewdef('read.journal'::regclass), '''processor''', '''bonus'''); end $$`,
      "update read.journal_totals set account = 'bonus' where account = 'processor'",
    ],
    named: { kind: 'journal-view', place: 'the view of the journal', problem: /^is defined other/ },
  },
  'a view of the journal that hides the newest day': {
    changes: [
      `do $$ begin execute 'create or replace view read.journal as select * from (' ||
        rtrim(pg_get_viewdef('read.journal'::regclass), ';') ||
        ') j where time < ''2999-01-01'''; end $$`,
    ],
    named: { kind: 'journal-view', problem: /^is defined otherwise/ },
  },
  'a table in place of the view of the journal': {
    changes: [
      'create table read.copied as select * from read.journal',
      'alter view read.journal rename to hidden',
      'alter table read.copied rename to journal',
    ],
    named: { kind: 'journal-view', problem: /^is no view any more$/ },
  },
  'owners that were exchanged': {
    changes: [
      'alter table payments.top_up_intents drop constraint top_up_intents_service_user_id_fkey',
      `update identity.users set service_user_id = case service_user_id
         when '${people[0]}' then '${people[1]}' else '${people[0]}' end || '.'
       where service_user_id in ('${people[0]}', '${people[1]}')`,
      "update identity.users set service_user_id = rtrim(service_user_id, '.')",
    ],
    named: { kind: 'owner', place: /^the owner of wallet /, problem: /^is another one than the/ },
  },
  'an admin log that was emptied': {
    changes: ['delete from identity.admin_log'],
    named: { kind: 'admin-log', place: 'the admin log', problem: /^is cut off: checkpoint 2 / },
  },
  'an admin log that was changed': {
    changes: ["update identity.admin_log set subject = 'other' where subject = 'market'"],
    named: { kind: 'admin-log', place: /^admin log entry \d+$/, problem: /^is not as it was/ },
  },
  'checkpoints and keys that are gone': {
    changes: [
      'delete from audit.checkpoint_leaves',
      'delete from audit.checkpoints',
      'delete from audit.signing_keys',
    ],
    named: { kind: 'checkpoint', place: 'checkpoints 1 to 2', problem: /^are gone/ },
  },
  'the newest checkpoint that is gone': {
    changes: [
      'delete from audit.checkpoint_leaves where number = 2',
      'delete from audit.checkpoints where number = 2',
    ],
    named: { kind: 'checkpoint', place: 'checkpoint 2', problem: /^is gone/ },
  },
  'a checkpoint with another signature': {
    changes: ["update audit.checkpoints set signature = decode(repeat('00', 64), 'hex')"],
    named: { kind: 'checkpoint', place: /^checkpoint \d$/ },
  },
  "an intent that became another wallet's": {
    changes: [`update payments.top_up_intents set wallet_id = '${ada}' where ${ofBen}`],
    named: { kind: 'top-up', place: new RegExp(`^wallet ${ben}, `), problem: /^has the intent of/ },
  },
  'an intent that is gone, of a payment that nobody knows': {
    changes: [`delete from payments.top_up_intents where wallet_id = '${eve}'`],
    named: {
      kind: 'top-up',
      place: new RegExp(`^wallet ${eve}, `),
      problem: /^has no intent, and/,
    },
  },
  'an app that is gone': {
    changes: [
      'delete from payments.top_up_intents',
      "delete from identity.client_apps where client_id = 'shop'",
    ],
    named: { kind: 'event', problem: /^is issued by client-app:shop, which nobody knows/ },
  },
  'a balance that was changed': {
    changes: [`update read.wallets set balance_minor = 7 where ${ofBen}`],
    named: { kind: 'wallet-row', place: `the row of wallet ${ben}`, problem: /a balance of 7,/ },
  },
  'an entry that was changed': {
    changes: [`update read.transactions set amount_minor = 1 where revision = 2 and ${ofBen}`],
    named: { kind: 'transaction-row', place: new RegExp(`^wallet ${ben}, revision 2 `) },
  },
  'an entry that is gone': {
    changes: [`delete from read.transactions where revision = 2 and ${ofBen}`],
    named: { kind: 'transaction-row', place: new RegExp(`^wallet ${ben}, revision 2 `) },
  },
  'a refunded amount that was changed': {
    changes: [`update read.transactions set refunded_minor = 0 where revision = 2 and ${ofBen}`],
    named: { kind: 'refunded-amount', problem: /^says that 0 was refunded/ },
  },
  'a total that was changed': {
    changes: ["update read.journal_totals set amount_minor = 1 where account = 'processor'"],
    named: { kind: 'journal-total', place: "the journal's total of account processor" },
  },
  'an event that was changed': {
    changes: [`update ledger.events set data = replace(data, ':200', ':20') where revision = 2`],
    named: { kind: 'event', place: /, revision 2 / },
  },
  'an event that is gone': {
    changes: [`delete from ledger.events where revision = 2 and ${inEvents}`],
    named: { kind: 'log', problem: /no event at / },
  },
}

for (const [what, { changes, named }] of Object.entries(tables))
  t.test(`a changed copy is named: ${what}`, async (t) => {
    const copy = await small.copy(t)
    await change(copy, ...changes)
    t.match((await copy.verify()).divergence, named)
  })

t.test(
  'a changed copy is named: newest events that were cut off with all their rows',
  async (t) => {
    const copy = await small.copy(t)
    await cutOff(copy.signed, { walletId: eve, revision: 6, before: copy.rowsBefore })
    const named = {
      kind: 'log',
      place: 'position 20 of the log',
      problem: /^is missing, but event/,
    }
    t.match((await copy.verify()).divergence, named)
  },
)

t.test('a changed copy is named: signed again with the genuine key', async (t) => {
  const copy = await small.copy(t)
  const { signed } = copy
  await change(copy, ...(tables['checkpoints and keys that are gone']?.changes ?? []))
  const folder = await mkdtemp(join(tmpdir(), 'another-witness-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const witnesses = openWitnesses([join(folder, 'other')], { random: systemRandom, log: quietLog })
  t.match(await makeCheckpoint({ ...signed.parts, witnesses }), { kind: 'made' })
  const { divergence } = await copy.verify()
  t.match(divergence, { kind: 'checkpoint', place: 'checkpoint 2', problem: /^is gone/ })
})

interface Named {
  readonly kind: Divergence['kind']
  readonly place?: RegExp | string
  readonly problem?: RegExp
}

/** At this moment, or so much later: an event is never older than the one before it. */
function now(make: MakeEvent, laterMs = 0): MakeEvent {
  return (wallet) => {
    const event = make(wallet)
    const isTime = /^\d{4}-.*Z$/.test(event.data.time)
    const time = isTime ? new Date(Date.now() + laterMs).toISOString() : event.data.time
    return { ...event, data: { ...event.data, time } } as typeof event
  }
}

async function takeBack(copy: SmallLedger, revision: number): Promise<void> {
  await change(copy, `delete from ledger.events where ${inEvents} and revision = ${revision}`)
}

async function change({ signed }: SmallLedger, ...statements: readonly string[]): Promise<void> {
  const [first = '', ...others] = statements
  if (first.startsWith('do') || first.startsWith('create')) {
    for (const statement of statements) await signed.ledger.pool.query(statement)
    return
  }
  await signed.tamper(first, ...others)
}
