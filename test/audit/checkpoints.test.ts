// Making checkpoints: what they say, who may make one, keys and their rotation, the schedule.
import { copyFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import t from 'tap'
import {
  canonicalText,
  hashOf,
  leafOf,
  published,
} from '../../src/audit/proofs/checkpoint-format.js'
import type { Head } from '../../src/audit/proofs/checkpoint-format.js'
import { listCheckpoints, readKeys, readLeaves } from '../../src/audit/proofs/checkpoint-rows.js'
import { CheckpointSchedule } from '../../src/audit/proofs/checkpoint-schedule.js'
import { makeCheckpoint, rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { MerkleTree } from '../../src/audit/proofs/merkle.js'
import { SigningKeys } from '../../src/audit/proofs/signing-keys.js'
import { systemRandom } from '../../src/platform/random.js'
import { SignedLedger } from '../support/checkpoints.js'
import { FakeClock } from '../support/fake-clock.js'
import { quietLog, TestDatabaseLedger } from '../support/ledger.js'
import { CapturedLog } from '../support/served-app.js'

t.test('a checkpoint holds the head of every wallet and where in the log that was', async (t) => {
  const signed = await SignedLedger.open(t)
  const { pool, store } = signed.ledger
  const { checkpoint } = await signed.sign()
  const last = await store.lastEvent()
  t.match(checkpoint, {
    format: 'wallet-checkpoint-v2',
    number: 1,
    previous: null,
    position: '21',
    eventId: last?.id,
    storeMarker: await store.readMarker(),
    walletCount: 3,
  })
  t.match(
    canonicalText(checkpoint),
    /^\{"adminLogCount":0,"adminLogHead":".*","eventId":".*","format":".*,"walletCount":3\}$/,
  )
  const heads: Head[] = []
  for await (const page of readLeaves(pool, 1)) heads.push(...page)
  t.same(
    heads.map(({ walletId }) => walletId),
    [...signed.wallets].sort(),
  )
  const tree = new MerkleTree()
  for (const head of heads) {
    const event = await store.readHead(`wallet-${head.walletId}`)
    t.equal(event?.metadata, `{"hash":"${head.hash}"}`)
    t.equal(event?.revision, head.revision)
    tree.add(leafOf(head))
  }
  t.equal(tree.root().toString('hex'), checkpoint.root)
  t.equal(await signed.divergence(), undefined)
})

t.test('one is made only when the log has moved, and names the one before it', async (t) => {
  const signed = await SignedLedger.open(t)
  const first = await signed.sign()
  t.match(await makeCheckpoint(signed.parts), { kind: 'unchanged', newest: first })
  await signed.move('pi_2')
  const young = await makeCheckpoint(signed.parts, { ageMinMs: 60_000 })
  t.match(young, { kind: 'too-early', newest: first })
  const second = await signed.sign()
  t.match(second.checkpoint, { number: 2, previous: hashOf(first), position: '22' })
  await signed.move('pi_3')
  await signed.sign()
  const kept = await signed.ledger.pool.query<{ number: number }>(
    'select distinct number from audit.checkpoint_leaves order by number',
  )
  t.same(kept.rows, [{ number: 2 }, { number: 3 }], 'leaves of the newest two')
  t.equal(await signed.divergence(), undefined)
})

t.test('an empty ledger has nothing to sign', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const signed = await SignedLedger.open(t)
  const result = await makeCheckpoint({ ...signed.parts, pool: ledger.pool })
  t.same(result, { kind: 'empty' })
})

t.test('of makers at the same moment each waits, and one checkpoint is made', async (t) => {
  const signed = await SignedLedger.open(t)
  const other = await TestDatabaseLedger.join(t, signed.ledger.url)
  const makers = [signed.parts, { ...signed.parts, pool: other.pool }, signed.parts]
  const results = await Promise.all(makers.map((parts) => makeCheckpoint(parts)))
  t.same(results.map(({ kind }) => kind).sort(), ['made', 'unchanged', 'unchanged'])
  t.equal((await listCheckpoints(signed.ledger.pool, { limit: 10 })).length, 1)
})

t.test('checkpoints and keys only grow', async (t) => {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  const { pool } = signed.ledger
  for (const statement of [
    'delete from audit.checkpoints',
    "update audit.checkpoints set checkpoint = ''",
    'truncate audit.signing_keys',
    'delete from audit.signing_keys',
    'update audit.checkpoint_leaves set revision = 0',
  ])
    await t.rejects(pool.query(statement), { message: /only grows/ }, statement)
})

t.test('a head that went back since the last checkpoint is not signed', async (t) => {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  await signed.move('pi_2', 0)
  const [, walletId] = signed.wallets
  await signed.tamper(`update read.wallets set revision = 3 where wallet_id = '${walletId}'`)
  const message = new RegExp(`^wallet ${walletId}, revision 6: was at hash .* in checkpoint 1`)
  await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })
  await signed.tamper(`delete from read.wallets where wallet_id = '${walletId}'`)
  await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })
  t.equal((await listCheckpoints(signed.ledger.pool, { limit: 10 })).length, 1)
})

t.test(
  'the private key is in its file, for its owner alone, and never in the database',
  async (t) => {
    const signed = await SignedLedger.open(t)
    await signed.sign()
    t.equal((await stat(signed.keyFile)).mode & 0o777, 0o600)
    const pem = await readFile(signed.keyFile, 'utf8')
    t.match(pem, /^-----BEGIN PRIVATE KEY-----/)
    const body = Buffer.from(pem.split('\n')[1] ?? '', 'base64')
      .subarray(-32)
      .toString('hex')
    t.equal(body.length, 64)
    const rows = await signed.ledger.pool.query('select * from audit.signing_keys')
    t.notMatch(JSON.stringify(rows.rows), body)
  },
)

t.test(
  'a folder for the key that cannot be made is an error, and not tried for ever',
  { skip: process.platform === 'linux' ? false : 'there is no /proc' },
  async (t) => {
    const { parts } = await SignedLedger.open(t)
    const keys = new SigningKeys({ file: '/proc/nowhere/key.pem', random: systemRandom })
    await t.rejects(makeCheckpoint({ ...parts, keys }), { code: 'ENOENT', path: '/proc/nowhere' })
  },
)

t.test('a new key is signed by the old one, and old checkpoints still hold', async (t) => {
  const signed = await SignedLedger.open(t)
  const first = await signed.sign()
  const made = await rotateKey(signed.parts, { isLost: false })
  t.match(made.key, { previous: first.checkpoint.keyId, signedBy: first.checkpoint.keyId })
  const second = await signed.sign()
  t.equal(second.checkpoint.keyId, made.key.keyId, 'a new key is worth a checkpoint')
  const keys = published(await readKeys(signed.ledger.pool))
  t.match(keys, [{ until: made.key.from }, { until: null }])
  t.equal(await signed.divergence(), undefined)
})

t.test('a rotation that was cut off before the old file was replaced is finished', async (t) => {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  await copyFile(signed.keyFile, `${signed.keyFile}.old`)
  const made = await rotateKey(signed.parts, { isLost: false })
  await rename(signed.keyFile, `${signed.keyFile}.next`)
  await rename(`${signed.keyFile}.old`, signed.keyFile)
  const { checkpoint } = await signed.sign()
  t.equal(checkpoint.keyId, made.key.keyId)
  t.equal(await signed.divergence(), undefined)
})

t.test('without the private key nothing is signed, until a new one is made for it', async (t) => {
  const signed = await SignedLedger.open(t)
  const { checkpoint } = await signed.sign()
  await rm(signed.keyFile)
  await signed.move('pi_2')
  const lost = { name: 'SigningKeyError', message: /is not in / }
  await t.rejects(makeCheckpoint(signed.parts), lost)
  await t.rejects(rotateKey(signed.parts, { isLost: false }), lost)
  await t.rejects(stat(signed.keyFile), { code: 'ENOENT' }, 'and no other key is made by itself')
  const { key } = await rotateKey(signed.parts, { isLost: true })
  t.match(key, { previous: checkpoint.keyId, signedBy: key.keyId })
  t.equal((await signed.sign()).checkpoint.keyId, key.keyId)
  t.equal(await signed.divergence([key.keyId]), undefined, 'once the operator vouches for it')

  await writeFile(signed.keyFile, 'no key at all')
  await t.rejects(makeCheckpoint(signed.parts), { message: /cannot be read as an Ed25519/ })
})

t.test('the clock may be set back: time never does in checkpoints', async (t) => {
  const signed = await SignedLedger.open(t)
  const clock = new FakeClock(Date.UTC(2026, 5, 1))
  signed.clock = clock
  const first = await signed.sign()
  clock.set(Date.UTC(2026, 4, 1))
  await signed.move('pi_2')
  t.equal((await signed.sign()).checkpoint.time, first.checkpoint.time)
  const { key } = await rotateKey(signed.parts, { isLost: false })
  t.equal(key.from, first.checkpoint.time)
  clock.set(Date.UTC(2026, 6, 1))
  const later = await rotateKey(signed.parts, { isLost: false })
  clock.set(Date.UTC(2026, 6, 1) - 2_000)
  const last = await rotateKey(signed.parts, { isLost: false })
  t.equal(last.key.from, later.key.from, 'nor in keys')
  t.equal(await signed.divergence(), undefined)
})

t.test('the schedule asks soon after the start and then every so many minutes', async (t) => {
  const clock = new FakeClock()
  const asked: number[] = []
  const startMs = clock.now()
  const make = async ({ ageMinMs }: { ageMinMs: number }) => {
    asked.push((clock.now() - startMs) / 60_000)
    t.equal(ageMinMs, 54 * 60_000)
    if (asked.length === 2) throw new Error('the database is away')
    return { kind: 'empty' } as const
  }
  const captured = new CapturedLog()
  const witnessLog = async (): Promise<void> => undefined
  const parts = { clock, make, witnessLog, log: captured.log }
  const schedule = new CheckpointSchedule({ ...parts, everyMinutes: 60 })
  schedule.start()
  await clock.advance(59_000)
  t.same(asked, [])
  await clock.advance(60_000)
  t.same(asked, [1])
  await clock.advance(2 * 3_600_000)
  t.same(asked, [1, 61, 121], 'a failure is followed by the next try')
  t.match(captured.text, 'the next round tries again')
  await schedule.stop()
  t.equal(clock.waiting, 0)

  const off = new CheckpointSchedule({ ...parts, log: quietLog, everyMinutes: 0 })
  off.start()
  t.equal(clock.waiting, 1, 'the log is witnessed all the same')
  await clock.advance(24 * 3_600_000)
  t.equal(asked.length, 3)
  await off.stop()
})
