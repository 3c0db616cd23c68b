// What checkpoints sign beside the heads: who owns which wallet, and what admins did.
import t, { type Test } from 'tap'
import { makeCheckpoint, continueAfterLoss } from '../../src/audit/proofs/checkpoints.js'
import { ownerDigest } from '../../src/audit/proofs/signed-owners.js'
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { AdminLog } from '../../src/identity/admin-log.js'
import { systemClock } from '../../src/platform/clock.js'
import { SignedLedger } from '../support/checkpoints.js'

const [ada, ben, eve] = ['usr_ada', 'usr_ben', 'usr_eve'] as const

class Peopled {
  readonly signed: SignedLedger
  readonly adminLog: AdminLog

  private constructor(signed: SignedLedger) {
    this.signed = signed
    this.adminLog = new AdminLog({ pool: signed.ledger.pool, clock: systemClock })
  }

  /** Three people and four entries of the admin log, signed; the untouched copy agrees. */
  static async open(t: Test): Promise<Peopled> {
    const people = new Peopled(await SignedLedger.open(t))
    for (const [index, serviceUserId] of [ada, ben, eve].entries())
      await people.signed.ledger.pool.query(
        'insert into identity.users (service_user_id, wallet_id, sealing_key) values ($1, $2, $3)',
        [serviceUserId, people.signed.wallets[index], Buffer.alloc(32)],
      )
    for (const action of ['one', 'two']) await people.act(action)
    const { checkpoint } = await people.signed.sign()
    t.match(checkpoint, { ownerCount: 3, adminLogCount: 4 })
    t.equal(await people.divergence(), undefined)
    return people
  }

  async act(action: string): Promise<void> {
    const details = { zebra: ['é', '"'], apple: 1, isDone: true, nothing: null }
    const act = { adminId: null, action, subject: 'a subject', details }
    await this.adminLog.finish(await this.adminLog.order(act), act, { outcome: 'done' })
  }

  divergence(): Promise<Divergence | undefined> {
    return this.signed.divergence()
  }

  erase(serviceUserId: string): Promise<void> {
    return this.signed.tamper(
      `update identity.users set sealing_key = null, owner_salt = null, erased_at = now()
       where service_user_id = '${serviceUserId}'`,
    )
  }
}

function exchange(one: string, other: string): string {
  return `update identity.users set service_user_id = case service_user_id
      when '${one}' then '${other}' else '${one}' end || '.'
    where service_user_id in ('${one}', '${other}')`
}
const settle = "update identity.users set service_user_id = rtrim(service_user_id, '.')"

t.test('the digest of an owner is SHA-256 of the salt, the person and the wallet', async (t) => {
  const { signed } = await Peopled.open(t)
  const { rows } = await signed.ledger.pool.query<{ salt: Buffer; id: string; digest: Buffer }>(
    `select owner_salt as salt, wallet_id as id, digest
     from identity.users join audit.owners using (wallet_id) where service_user_id = $1`,
    [ada],
  )
  const [row] = rows
  t.equal(row?.salt.length, 32)
  const of = { salt: row?.salt ?? Buffer.alloc(0), serviceUserId: ada, walletId: row?.id ?? '' }
  t.equal(row?.digest.toString('hex'), ownerDigest(of))
})

t.test('owners that were exchanged are named', async (t) => {
  const people = await Peopled.open(t)
  await people.signed.tamper(exchange(ada, ben), settle)
  t.match(await people.divergence(), {
    kind: 'owner',
    place: /^the owner of wallet /,
    problem: 'is another one than the one that was signed (checkpoint 1)',
  })
})

t.test('an owner that vanished, or lost only the salt, is named', async (t) => {
  const people = await Peopled.open(t)
  await people.signed.tamper(
    `update identity.users set owner_salt = null where service_user_id = '${ben}'`,
  )
  t.match(await people.divergence(), { kind: 'owner', problem: /^has no salt any more/ })
  await people.signed.tamper(`delete from identity.users where service_user_id = '${ben}'`)
  t.match(await people.divergence(), { kind: 'owner', problem: /^is gone, but one was signed/ })
})

t.test(
  'digests that were changed to fit other owners have another root, and are not signed',
  async (t) => {
    const people = await Peopled.open(t)
    const { signed } = people
    await signed.tamper(exchange(ada, ben), settle, 'delete from audit.owners')
    const named = { kind: 'owner', place: "the digests of wallets' owners" }
    t.match(await people.divergence(), named)
    await signed.move('pi_2')
    const message = /^the digests of wallets' owners: are not those that checkpoint 1/
    await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })
    t.match(await people.divergence(), named)
  },
)

t.test(
  'erasure destroys the salt and keeps the digest; the rest is checked as before',
  async (t) => {
    const people = await Peopled.open(t)
    await people.erase(ada)
    t.equal(await people.divergence(), undefined)
    await people.signed.move('pi_2')
    t.match((await people.signed.sign()).checkpoint, { ownerCount: 3 })
    t.equal(await people.divergence(), undefined)
    await people.signed.tamper(exchange(ben, eve), settle)
    t.match(await people.divergence(), { kind: 'owner', problem: /another one/ })
  },
)

t.test('who was erased before anything was signed has a digest that nobody can tell', async (t) => {
  const people = await Peopled.open(t)
  const { pool } = people.signed.ledger
  await pool.query(
    `insert into identity.users (service_user_id, wallet_id, owner_salt, erased_at)
     values ('usr_old', gen_random_uuid(), null, now())`,
  )
  await people.signed.move('pi_2')
  t.match((await people.signed.sign()).checkpoint, { ownerCount: 4 })
  t.equal(await people.divergence(), undefined)
})

const changes: Record<
  string,
  { change: string; named: Partial<Record<keyof Divergence, RegExp>> }
> = {
  'a changed entry': {
    change: "update identity.admin_log set action = 'nothing' where chain_number = 2",
    named: { place: /^admin log entry \d+$/, problem: /^is not as it was written/ },
  },
  'an entry that was changed with its text': {
    change: `update identity.admin_log set subject = null,
      chain_text = replace(chain_text, '"subject":"a subject"', '"subject":null')
      where chain_number = 3`,
    named: { place: /^admin log entry \d+$/, problem: /^does not continue the hash chain/ },
  },
  'details that were changed': {
    change: `update identity.admin_log set details = details || '{"apple":2}'
      where chain_number = 1`,
    named: { problem: /^is not as it was written/ },
  },
  'an entry that was removed': {
    change: 'delete from identity.admin_log where chain_number = 2',
    named: { place: /^entry 2 of the admin log's chain$/, problem: /^is missing$/ },
  },
  'an end that was cut off': {
    change: 'delete from identity.admin_log where chain_number > 2',
    named: {
      place: /^the admin log$/,
      problem: /^is cut off: checkpoint 1 was signed with 4 entries$/,
    },
  },
  'that it was emptied': {
    change: 'delete from identity.admin_log',
    named: {
      place: /^the admin log$/,
      problem: /^is cut off: checkpoint 1 was signed with 4 entries$/,
    },
  },
}

for (const [what, { change, named }] of Object.entries(changes))
  t.test(`a changed admin log is named: ${what}`, async (t) => {
    const people = await Peopled.open(t)
    await people.signed.tamper(change)
    t.match(await people.divergence(), { kind: 'admin-log', ...named })
  })

t.test(
  'an emptied admin log that was filled and chained again is named, and not signed',
  async (t) => {
    const people = await Peopled.open(t)
    const { signed } = people
    await signed.tamper('delete from identity.admin_log')
    for (const action of ['three', 'four']) await people.act(action)
    const problem = 'is not the one that checkpoint 1 was signed with, up to entry 4'
    t.match(await people.divergence(), { kind: 'admin-log', place: 'the admin log', problem })
    await signed.move('pi_2')
    const message = `the admin log: ${problem}`
    await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })

    const loss = await continueAfterLoss(signed.parts, { number: 1 })
    t.match(loss.newest.checkpoint, { number: 2, lostNumber: 1, adminLogCount: 4 })
    t.equal(await people.divergence(), undefined, 'until a person goes on')
  },
)

t.test('acts at the same moment are chained one after the other', async (t) => {
  const people = await Peopled.open(t)
  await Promise.all(Array.from({ length: 8 }, (_, index) => people.act(`act ${index}`)))
  t.equal(await people.divergence(), undefined)
  const { rows } = await people.signed.ledger.pool.query<{ last: number }>(
    'select max(chain_number) as last from identity.admin_log',
  )
  t.equal(rows[0]?.last, 20)
})
