// One test a kind of tampering with checkpoints, and what only a checkpoint can tell.
import t, { type Test } from 'tap'
import { rotateKey } from '../../src/audit/checkpoints.js'
import { verifyWallet } from '../../src/audit/verifier.js'
import { streamOf } from '../../src/domain/ids.js'
import { SignedLedger } from '../support/checkpoints.js'

/** Three checkpoints by two keys; the newest two have leaves. */
async function signedThrice(t: Test): Promise<SignedLedger> {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  await signed.move('pi_2')
  await signed.sign()
  await rotateKey(signed.parts, { isLost: false })
  await signed.move('pi_3')
  await signed.sign()
  t.equal(await signed.divergence(), undefined)
  return signed
}

const flipped = 'set_byte(signature, 5, get_byte(signature, 5) # 1)'
const kinds: Record<string, { change: string; place: string; problem: RegExp }> = {
  'its text': {
    change: `update audit.checkpoints set checkpoint =
      replace(checkpoint, '"walletCount":3', '"walletCount":4') where number = 2`,
    place: 'checkpoint 2',
    problem: /signature/,
  },
  'its layout': {
    change: "update audit.checkpoints set checkpoint = checkpoint || ' ' where number = 2",
    place: 'checkpoint 2',
    problem: /canonical/,
  },
  'its number': {
    change: 'update audit.checkpoints set number = 9 where number = 3',
    place: 'checkpoint 9',
    problem: /checkpoint 3/,
  },
  'its signature': {
    change: `update audit.checkpoints set signature = ${flipped} where number = 1`,
    place: 'checkpoint 1',
    problem: /signature/,
  },
  'that it is there': {
    change: 'delete from audit.checkpoints where number = 2',
    place: 'checkpoint 2',
    problem: /missing/,
  },
  "a leaf's revision": {
    change: 'update audit.checkpoint_leaves set revision = revision + 1 where number = 2',
    place: 'wallet',
    problem: /checkpoint 2/,
  },
  "a leaf's wallet": {
    change: `update audit.checkpoint_leaves set wallet_id = gen_random_uuid() where number = 2
      and wallet_id = (select wallet_id from audit.checkpoint_leaves limit 1)`,
    place: 'wallet',
    problem: /is missing, but checkpoint 2/,
  },
  'a missing leaf': {
    change: `delete from audit.checkpoint_leaves where number = 3
      and wallet_id = (select wallet_id from audit.checkpoint_leaves limit 1)`,
    place: 'the leaves of checkpoint 3',
    problem: /are 2, but 3 were signed/,
  },
  'a public key': {
    change: `update audit.signing_keys set key = replace(key, '"publicKey":"', '"publicKey":"00')
      where number = 2`,
    place: 'signing key 2',
    problem: /hash of its public key/,
  },
  "a key's time": {
    change: `update audit.signing_keys set key = replace(key, '"from":"20', '"from":"21')
      where number = 2`,
    place: 'signing key 2',
    problem: /signature/,
  },
  "a key's signature": {
    change: `update audit.signing_keys set signature = ${flipped} where number = 2`,
    place: 'signing key 2',
    problem: /signature/,
  },
  'a missing key': {
    change: 'delete from audit.signing_keys where number = 1',
    place: 'signing key 2',
    problem: /gap/,
  },
}

for (const [what, { change, place, problem }] of Object.entries(kinds))
  t.test(`a changed checkpoint is named: ${what}`, async (t) => {
    const signed = await signedThrice(t)
    await signed.tamper(change)
    const found = await signed.divergence()
    t.match(found, { kind: 'checkpoint', problem })
    t.equal(found?.place.slice(0, place.length), place)
  })

t.test('leaves that fit their streams but not the signed root are named', async (t) => {
  const signed = await signedThrice(t)
  const [walletId] = signed.wallets
  const first = "(select metadata from ledger.events e where revision = 0 and e.stream = 'wallet-"
  await signed.tamper(
    `update audit.checkpoint_leaves set revision = 0,
       hash = decode(${first}${walletId}')::json->>'hash', 'hex')
     where number = 3 and wallet_id = '${walletId}'`,
  )
  const place = 'the leaves of checkpoint 3'
  t.match(await signed.divergence(), { kind: 'checkpoint', place, problem: /another root/ })
})

t.test('an end of a stream that was deleted with all its rows is missed', async (t) => {
  const signed = await SignedLedger.open(t)
  const [, , walletId] = signed.wallets
  const before = await signed.ledger.rows()
  await signed.move('pi_9', 2)
  await signed.sign()
  // Everything that the entry left behind, except the checkpoint.
  await signed.tamper(
    `delete from ledger.events where stream = '${streamOf(walletId)}' and revision = 7`,
    `delete from read.transactions where wallet_id = '${walletId}' and revision = 7`,
    'delete from read.wallets',
    'delete from read.journal_totals',
    'delete from read.checkpoint',
  )
  const { pool } = signed.ledger
  for (const table of ['wallets', 'journal_totals', 'checkpoint'])
    for (const old of before[table] ?? [])
      await pool.query(
        `insert into read.${table} select * from json_populate_record(null::read.${table}, $1)`,
        [JSON.stringify(old, bytesAsText)],
      )
  const named = { kind: 'checkpoint' }
  const found = await signed.divergence()
  t.match(found, { ...named, place: 'checkpoint 1', problem: /position 22, which the log has not/ })

  // And when other entries have filled the log again since then.
  await signed.move('pi_other', 0)
  const place = `wallet ${walletId}, revision 7`
  t.match(await signed.divergence(), { ...named, place, problem: /is missing/ })
  const one = await verifyWallet(signed.parts, walletId)
  t.match(one.divergence, { ...named, place, problem: /is missing/ })
})

/** A bytea as PostgreSQL reads it from JSON. */
function bytesAsText(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && 'data' in value
  return isBytes ? `\\x${Buffer.from(value.data as number[]).toString('hex')}` : value
}
