// The worked example of docs/reference/audit.md, calculated anew: formats are for ever.
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Checkpoint, Head, KeyStatement } from '../../src/audit/proofs/checkpoint-format.js'
import {
  canonicalText,
  checkpointFault,
  checkpointFormat,
  firstFormat,
  hashOf,
  keyFault,
  keyFormat,
  keyIdOf,
  leafOf,
  published,
} from '../../src/audit/proofs/checkpoint-format.js'
import { MerkleTree } from '../../src/audit/proofs/merkle.js'
import { ownerDigest, ownerLeaf } from '../../src/audit/proofs/signed-owners.js'
import { sha256, sha256Hex } from '../../src/domain/digest.js'
import { nextAdminLogHash, textOf } from '../../src/identity/admin-log-chain.js'

const guide = readFileSync(new URL('../../docs/reference/audit.md', import.meta.url), 'utf8')
const privateKey = createPrivateKey({
  key: Buffer.from(
    '302e020100300506032b657004220420' +
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'hex',
  ),
  format: 'der',
  type: 'pkcs8',
})
const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

t.test('the worked example of the reference is what the code makes', async (t) => {
  const heads = ['1', '2', '3'].map((digit, index) => ({
    walletId: `${digit.repeat(8)}-2222-4333-8444-555555555555`,
    revision: [2, 0, 7][index],
    hash: ['a', 'b', 'c'][index]?.repeat(64),
  })) as unknown as Head[]
  const tree = new MerkleTree()
  for (const head of heads) tree.add(leafOf(head))
  const keyId = keyIdOf(Buffer.from(publicKey, 'hex'))
  const key: KeyStatement = {
    format: keyFormat,
    from: '2026-01-02T03:00:00.000Z',
    keyId,
    previous: null,
    publicKey,
    signedBy: keyId,
  }
  const checkpoint: Checkpoint = {
    eventId: '91b7407a-e629-5365-86bf-77c04db2dafb',
    format: firstFormat,
    keyId,
    number: 1,
    position: '12',
    previous: null,
    root: tree.root().toString('hex'),
    storeMarker: '6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    time: '2026-01-02T04:00:00.000Z',
    walletCount: 3,
  }
  const signed = { checkpoint, signature: signatureOf(canonicalText(checkpoint)) }
  const signedKey = { key, signature: signatureOf(canonicalText(key)) }
  const values = [
    keyId,
    ...heads.map((head) => leafOf(head).toString('hex')),
    checkpoint.root,
    `\n${canonicalText(checkpoint)}\n`,
    signed.signature,
    hashOf(signed),
    `\n${canonicalText(key)}\n`,
    signedKey.signature,
  ]
  for (const value of values) t.ok(guide.includes(value), value.slice(0, 40))
  t.equal(keyFault(signedKey, undefined), undefined)
  const keys = new Map(published([signedKey]).map((one) => [one.key.keyId, one]))
  t.equal(checkpointFault(signed, undefined, keys), undefined)
  const early = { ...checkpoint, time: '2026-01-01T00:00:00.000Z' }
  const forged = { checkpoint: early, signature: signatureOf(canonicalText(early)) }
  t.equal(checkpointFault(forged, undefined, keys), 'was not made in the time of its key')

  const second: Checkpoint = { ...checkpoint, ...secondOf(), previous: hashOf(signed) }
  const after = { checkpoint: second, signature: signatureOf(canonicalText(second)) }
  const texts = [`\n${canonicalText(second)}\n`, after.signature, hashOf(after)]
  for (const value of texts) t.ok(guide.includes(value), value.slice(0, 40))
  t.equal(checkpointFault(after, signed, keys), undefined, 'the chain goes on over both')
})

/** The owner of the first wallet and one act of an admin, as version 2 signs them. */
function secondOf() {
  const walletId = '11111111-2222-4333-8444-555555555555'
  const serviceUserId = 'usr_99999999-2222-4333-8444-555555555555'
  const owner = ownerDigest({ salt: Buffer.alloc(32, 0xdd), serviceUserId, walletId })
  const tree = new MerkleTree()
  tree.add(ownerLeaf({ walletId, owner }))
  const act = {
    number: 1,
    logId: 1,
    orderId: null,
    at: '2026-01-02T03:30:00.000Z',
    adminId: 'adm_1',
    action: 'login',
    subject: null,
    details: { zone: 'é', by: ['one', 'two'] },
    outcome: 'done',
  }
  const digest = sha256Hex(Buffer.alloc(0))
  const beginning = sha256(Buffer.from(`{"digest":"${digest}","entries":0}`))
  const head = nextAdminLogHash(beginning, textOf(act)).toString('hex')
  for (const value of [owner, beginning.toString('hex'), `\n${textOf(act)}\n`])
    t.ok(guide.includes(value), value.slice(0, 40))
  return {
    adminLogCount: 1,
    adminLogHead: head,
    format: checkpointFormat as typeof checkpointFormat,
    lostAfter: null,
    lostNumber: null,
    number: 2,
    ownerCount: 1,
    ownersRoot: tree.root().toString('hex'),
    time: '2026-01-02T05:00:00.000Z',
  }
}

function signatureOf(text: string): string {
  return sign(null, Buffer.from(text, 'utf8'), privateKey).toString('hex')
}
