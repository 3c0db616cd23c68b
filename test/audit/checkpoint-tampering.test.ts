// One test a kind of tampering with checkpoints, and what only a checkpoint can tell.
import { createPrivateKey, sign } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { canonicalText, keyFormat } from '../../src/audit/proofs/checkpoint-format.js'
import { insertKey, readKeys } from '../../src/audit/proofs/checkpoint-rows.js'
import { makeCheckpoint, rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { verifyWallet } from '../../src/audit/verifying/verifier.js'
import { transaction } from '../../src/platform/postgres.js'
import { SignedLedger } from '../support/checkpoints.js'
import { cutOff, setBack } from './set-back.js'
import { FakeClock } from '../support/fake-clock.js'

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
  const first = "(select hash from ledger.events e where revision = 0 and e.wallet_id = '"
  await signed.tamper(
    `update audit.checkpoint_leaves set revision = 0,
       hash = ${first}${walletId}')
     where number = 3 and wallet_id = '${walletId}'`,
  )
  const place = 'the leaves of checkpoint 3'
  t.match(await signed.divergence(), { kind: 'checkpoint', place, problem: /another root/ })
})

t.test('an end of a stream that was deleted with all its rows is found', async (t) => {
  const signed = await SignedLedger.open(t)
  const [, , walletId] = signed.wallets
  const before = await signed.ledger.rows()
  await signed.move('pi_9', 2)
  await signed.sign()
  // Everything that the entry left behind, except the checkpoint.
  await cutOff(signed, { walletId, revision: 7, before })
  const place = `wallet ${walletId}, revision 7`
  const named = { kind: 'checkpoint', place, problem: /is missing, but checkpoint 1 was signed/ }
  t.match(await signed.divergence(), named)

  // And when other entries have filled the log again since then.
  await signed.move('pi_other', 0)
  t.match(await signed.divergence(), named)
  t.match((await verifyWallet(signed.parts, walletId)).divergence, named)
})

t.test('a whole stream that was deleted with all its rows is found, by its wallet', async (t) => {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  const [, toEndOf, without] = signed.wallets
  await setBack(signed.ledger, { toEndOf, without })
  await signed.tamper(`delete from ledger.events where wallet_id = '${without}'`)
  const place = `wallet ${without}, revision 6`
  const named = { kind: 'checkpoint', place, problem: /is missing, but checkpoint 1 was signed/ }
  t.match(await signed.divergence(), named)
  t.match((await verifyWallet(signed.parts, without)).divergence, named)
})

t.test('read models that were set back behind a checkpoint are found', async (t) => {
  const signed = await SignedLedger.open(t)
  const [other, toEndOf, without] = signed.wallets
  await signed.sign()
  await setBack(signed.ledger, { toEndOf, without })
  const problem = 'is beyond the read models (14)'
  const named = { kind: 'checkpoint', place: 'checkpoint 1', problem }
  t.match(await signed.divergence(), named)
  t.match((await verifyWallet(signed.parts, without)).divergence, named)
  t.match((await verifyWallet(signed.parts, other)).divergence, named)
  // What was rewritten under cover of that is named itself.
  await signed.tamper(
    `update ledger.events set data = replace(data, '"amountMinor":200', '"amountMinor":100')
     where wallet_id = '${without}' and revision = 2`,
  )
  const place = `wallet ${without}, revision 2 (position 17)`
  t.match(await signed.divergence(), { kind: 'event', place })
})

t.test('a checkpoint that was made from another event store is found', async (t) => {
  const signed = await SignedLedger.open(t)
  const [, toEndOf, without] = signed.wallets
  await signed.sign()
  const other = '6f9619ff-8b86-4011-b42d-00cf4fc964ff'
  await signed.tamper(
    'alter table ledger.marker disable trigger user',
    `update ledger.marker set id = '${other}'`,
    `update read.checkpoint set marker = '${other}'`,
  )
  const named = { kind: 'checkpoint', place: 'checkpoint 1', problem: /another event store/ }
  t.match(await signed.divergence(), named)

  // Nor does it let anybody have read models signed that went back.
  await setBack(signed.ledger, { toEndOf, without })
  await signed.tamper('delete from audit.checkpoint_leaves')
  const message = /^checkpoint 1: was made from another event store/
  await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })
})

t.test('that all checkpoints were removed is found, also after the next one', async (t) => {
  const signed = await SignedLedger.open(t)
  const clock = new FakeClock(Date.UTC(2026, 5, 1))
  signed.clock = clock
  await signed.sign()
  await signed.tamper('delete from audit.checkpoint_leaves', 'delete from audit.checkpoints')
  // Also where no witness tells it (witness.test.ts).
  await rm(signed.witnessFile)
  const place = 'signing key 1'
  t.match(await signed.divergence(), { kind: 'checkpoint', place, problem: /were removed/ })
  await clock.advance(60_000)
  await signed.sign()
  const problem = /not the one that key 1 was made with/
  t.match(await signed.divergence(), { kind: 'checkpoint', place: 'checkpoint 1', problem })
})

t.test('a key in place of a lost one is named, until the operator vouches for it', async (t) => {
  const signed = await SignedLedger.open(t)
  const first = (await signed.sign()).checkpoint.keyId
  // Whoever can write the database needs no more than a key file of their own.
  await rm(signed.keyFile)
  const { keyId } = (await rotateKey(signed.parts, { isLost: true })).key
  const named = {
    kind: 'checkpoint',
    place: `signing key 2, ${keyId}`,
    problem: /lost key.*AUDIT_TRUSTED_KEYS, --trust-key/,
  }
  const check = async (signer: string): Promise<void> => {
    t.match(await signed.divergence(), named, `newest by ${signer}, nobody is named`)
    t.match(await signed.divergence([first]), named, `newest by ${signer}, the first is named`)
    t.equal(await signed.divergence([keyId]), undefined, `newest by ${signer}, it is named`)
    t.equal(await signed.divergence([first, keyId]), undefined, `newest by ${signer}, both are`)
  }
  await check('the key before')
  t.equal((await signed.sign()).checkpoint.keyId, keyId)
  await check('the new key')
  await signed.move('pi_2')
  const { key } = await rotateKey(signed.parts, { isLost: false })
  await signed.sign()
  t.equal(await signed.divergence([keyId]), undefined, 'and for the keys that it signs')
  t.equal(await signed.divergence([key.keyId]), undefined, 'or for the newest alone')
})

t.test(
  'a ledger that was signed anew with a key of one’s own differs from a named key',
  async (t) => {
    const signed = await signedThrice(t)
    const [genuine] = await readKeys(signed.ledger.pool)
    const trusted = genuine?.key.keyId ?? ''
    t.equal(await signed.divergence([trusted]), undefined)
    await signed.tamper(
      'delete from audit.checkpoint_leaves',
      'delete from audit.checkpoints',
      'delete from audit.signing_keys',
    )
    await rm(signed.witnessFile)
    const missing = {
      kind: 'checkpoint',
      place: 'the list of signing keys',
      problem: new RegExp(`does not hold the trusted key ${trusted}`),
    }
    t.match(await signed.divergence([trusted]), missing, 'also when all of it is gone')
    await rm(signed.keyFile)
    const forged = await signed.sign()
    t.equal(await signed.divergence(), undefined, 'nothing inside the database tells it')
    t.match(await signed.divergence([trusted]), missing)

    // The named key put behind the other one, which signs that this is its successor.
    const { keyId } = forged.checkpoint
    const statement = {
      format: keyFormat,
      from: new Date(Date.parse(forged.checkpoint.time) + 1).toISOString(),
      keyId: trusted,
      previous: keyId,
      publicKey: genuine?.key.publicKey ?? '',
      signedBy: keyId,
    }
    const privateKey = createPrivateKey(await readFile(signed.keyFile))
    const signature = sign(null, Buffer.from(canonicalText(statement)), privateKey).toString('hex')
    await transaction(signed.ledger.pool, (client) =>
      insertKey(client, { key: statement, signature }, 2),
    )
    t.match(await signed.divergence([trusted]), {
      kind: 'checkpoint',
      place: 'checkpoint 1',
      problem: new RegExp(`is signed by key ${keyId}, which comes from no trusted key`),
    })
  },
)
