// The witness outside of the database: what it notices and survives, and going on after a loss.
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import type { SignedCheckpoint } from '../../src/audit/proofs/checkpoint-format.js'
import { hashOf } from '../../src/audit/proofs/checkpoint-format.js'
import { listCheckpoints, readPrepared } from '../../src/audit/proofs/checkpoint-rows.js'
import { continueAfterLoss, makeCheckpoint, rotateKey } from '../../src/audit/proofs/checkpoints.js'
import type { Witnessed } from '../../src/audit/proofs/witness.js'
import { witnessLog } from '../../src/audit/proofs/witness-log.js'
import { systemClock } from '../../src/platform/clock.js'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import { SignedLedger } from '../support/checkpoints.js'
import { service } from '../support/given.js'
import { makeOld } from '../support/old-checkpoints.js'
import { CapturedLog } from '../support/served-app.js'
import { nodeCrypto, verifyBundle } from '../../src/verify-bundle/verify-bundle.mjs'
import { cutOff } from './set-back.js'

/** Two checkpoints, which the untouched copy agrees with. */
async function signedTwice(t: Test): Promise<SignedLedger & { second: SignedCheckpoint }> {
  const signed = await SignedLedger.open(t)
  await signed.sign()
  await signed.move('pi_2')
  const second = await signed.sign()
  t.match(await verifyLedger(signed.parts), {
    divergence: undefined,
    witness: { newest: 2, witnessed: 2, unreachable: null },
  })
  return Object.assign(signed, { second })
}

async function witnessed(signed: SignedLedger): Promise<Witnessed> {
  return JSON.parse(await readFile(signed.witnessFile, 'utf8')) as Witnessed
}

const all = [
  'delete from audit.checkpoint_leaves',
  'delete from audit.checkpoints',
  'delete from audit.signing_keys',
]

t.test('number, hash and root of the newest checkpoint stand beside the key', async (t) => {
  const signed = await signedTwice(t)
  const { checkpoint } = signed.second
  const { number, root, position, eventId, storeMarker } = checkpoint
  t.same(await witnessed(signed), {
    format: 'wallet-checkpoint-witness-v1',
    ...{ number, root, position, eventId, storeMarker, hash: hashOf(signed.second) },
    seenPosition: position,
    seenEventId: eventId,
  })
  t.equal((await stat(signed.witnessFile)).mode & 0o777, 0o600)
})

t.test('no checkpoints yet is not the same as that they are gone', async (t) => {
  const young = await SignedLedger.open(t)
  t.match(await verifyLedger(young.parts), {
    divergence: undefined,
    witness: { newest: null, witnessed: null, unreachable: null },
  })
  const signed = await signedTwice(t)
  await signed.tamper(...all)
  t.match(await signed.divergence(), {
    kind: 'checkpoint',
    place: 'checkpoints 1 to 2',
    problem: new RegExp(`^are gone: 2 had hash ${hashOf(signed.second)}.*holds none$`),
  })
})

t.test('a rewritten ledger is not signed as checkpoint 1, whatever rows are deleted', async (t) => {
  const signed = await signedTwice(t)
  await signed.tamper(...all)
  await signed.move('pi_3')
  const message = /^checkpoints 1 to 2: are gone/
  await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message })
  t.same(await listCheckpoints(signed.ledger.pool, { limit: 9 }), [])
  t.equal(await readPrepared(signed.ledger.pool), undefined)
})

t.test(
  'checkpoints that were rolled back are named, and their numbers not used again',
  async (t) => {
    const signed = await signedTwice(t)
    await signed.tamper(
      'delete from audit.checkpoint_leaves where number = 2',
      'delete from audit.checkpoints where number = 2',
    )
    const named = {
      kind: 'checkpoint',
      place: 'checkpoint 2',
      problem: /^is gone: .*database is 1$/,
    }
    t.match(await signed.divergence(), named)
    await signed.move('pi_3')
    await t.rejects(makeCheckpoint(signed.parts), { message: /^checkpoint 2: is gone/ })
  },
)

t.test('a ledger that was signed again with the genuine, pinned key is named', async (t) => {
  const signed = await signedTwice(t)
  const { keyId } = signed.second.checkpoint
  const kept = `${signed.witnessFile}.kept`
  await copyFile(signed.witnessFile, kept)
  await signed.tamper(...all)
  // Somebody who has the key, but not the witness.
  await rm(signed.witnessFile)
  await signed.sign()
  await signed.move('pi_9')
  const again = await signed.sign()
  t.equal(await signed.divergence([keyId]), undefined, 'nothing else tells it')
  signed.witnessPlaces.splice(0, 1, kept)
  const problem = new RegExp(`^was signed again: it has hash ${hashOf(again)}, but had hash`)
  const named = { kind: 'checkpoint', place: 'checkpoint 2', problem }
  t.match(await signed.divergence([keyId]), named)
  await signed.move('pi_10')
  await t.rejects(makeCheckpoint(signed.parts), { message: /^checkpoint 2: was signed again/ })
})

t.test(
  'a crash between witness and row is no attack: the same checkpoint is completed',
  async (t) => {
    const signed = await SignedLedger.open(t)
    const { pool } = signed.ledger
    await signed.sign()
    await signed.move('pi_2')
    await pool.query('alter table audit.checkpoints add constraint crash check (number < 2)')
    await t.rejects(makeCheckpoint(signed.parts), { message: /"crash"/ })
    const ahead = await witnessed(signed)
    t.match(ahead, { number: 2 })
    t.equal((await listCheckpoints(pool, { limit: 9 })).length, 1, 'one ahead')
    t.equal(await signed.divergence(), undefined)

    await pool.query('alter table audit.checkpoints drop constraint crash')
    await signed.move('pi_3')
    const third = await signed.sign()
    const [, second] = await listCheckpoints(pool, { limit: 9 })
    t.equal(second && hashOf(second), ahead.hash, 'the very same')
    t.equal(third.checkpoint.number, 3)
    t.equal(await signed.divergence(), undefined)
  },
)

t.test('a new key completes what the old one has signed, or throws it away with it', async (t) => {
  for (const isLost of [false, true]) {
    const signed = await signedTwice(t)
    const { pool } = signed.ledger
    await signed.move('pi_3')
    const blocked = `${signed.witnessFile}.not/x`
    await writeFile(`${signed.witnessFile}.not`, '')
    signed.witnessPlaces.push(blocked)
    await t.rejects(makeCheckpoint(signed.parts), { name: 'WitnessError' })
    signed.witnessPlaces.pop()
    await pool.query('alter table audit.checkpoints add constraint crash check (number < 3)')
    if (!isLost) await t.rejects(makeCheckpoint(signed.parts), { message: /"crash"/ })
    await pool.query('alter table audit.checkpoints drop constraint crash')
    const { key } = await rotateKey(signed.parts, { isLost })
    t.equal((await listCheckpoints(pool, { limit: 9 })).length, isLost ? 2 : 3)
    t.equal(await readPrepared(pool), undefined)
    await signed.sign()
    t.equal(await signed.divergence(isLost ? [key.keyId] : []), undefined)
  }
})

t.test('a witness that cannot be reached delays signing, never a debit', async (t) => {
  const signed = await signedTwice(t)
  const [walletId] = signed.wallets
  await writeFile(`${signed.witnessFile}.not`, '')
  signed.witnessPlaces.push(`${signed.witnessFile}.not/witness`)
  await signed.move('pi_3')
  const message = /witness\.not\/witness cannot be reached: ENOTDIR$/
  await t.rejects(makeCheckpoint(signed.parts), { name: 'WitnessError', message })
  // Rightly does nothing while somebody else holds the table, such as PostgreSQL's own analysis.
  const witnessed = async (): Promise<void> => {
    for (let tries = 0; tries < 200; tries += 1) {
      await witnessLog(signed.parts)
      await systemClock.sleep(25)
    }
  }
  await t.rejects(witnessed(), { name: 'WitnessError', message })
  const answer = await signed.ledger.send(walletId, service('TopUp', 5, 'pi_4', walletId))
  t.match(answer, { replayed: false, outcome: Object })
  await signed.ledger.project()
  const { divergence, witness } = await verifyLedger(signed.parts)
  t.equal(divergence, undefined)
  t.match(witness, { newest: 2, unreachable: message })

  signed.witnessPlaces.pop()
  t.equal((await signed.sign()).checkpoint.number, 3)
  t.equal(await signed.divergence(), undefined)
})

t.test(
  'a witness that holds something else stops signing; none of it is overwritten',
  async (t) => {
    const signed = await signedTwice(t)
    await writeFile(signed.witnessFile, '{"format":"wallet-checkpoint-witness-v1","number":0}')
    await signed.move('pi_3')
    const message = /holds something else than a witness/
    await t.rejects(makeCheckpoint(signed.parts), { name: 'WitnessError', message })
    t.match((await verifyLedger(signed.parts)).witness, { unreachable: message })
  },
)

t.test('two witnesses: the newest word counts, and a contradiction is named', async (t) => {
  const signed = await signedTwice(t)
  const other = `${signed.witnessFile}.other`
  const captured = new CapturedLog()
  signed.log = captured.log
  signed.witnessPlaces.push(other)
  await makeCheckpoint(signed.parts)
  t.equal(await readFile(other, 'utf8'), await readFile(signed.witnessFile, 'utf8'), 'brought up')
  t.match(captured.lines, [{ msg: /knew of no checkpoint/, witness: other, number: 2 }])

  // Whoever takes one of them away is told by the other.
  await rm(signed.witnessFile)
  await signed.tamper(...all)
  t.match(await signed.divergence(), { place: 'checkpoints 1 to 2', problem: /are gone/ })

  const text = await readFile(other, 'utf8')
  await writeFile(signed.witnessFile, text.replace(/"hash":"\w+"/, `"hash":"${'0'.repeat(64)}"`))
  t.match(await signed.divergence(), { place: 'checkpoint 2', problem: /^is witnessed twice: / })
})

t.test('another host that has not signed for a while catches up', async (t) => {
  const signed = await signedTwice(t)
  const old = `${signed.witnessFile}.old`
  await copyFile(signed.witnessFile, old)
  await signed.move('pi_3')
  await signed.sign()
  signed.witnessPlaces.splice(0, 1, old)
  t.equal(await signed.divergence(), undefined)
  await signed.move('pi_4')
  t.equal((await signed.sign()).checkpoint.number, 4)
  t.match(JSON.parse(await readFile(old, 'utf8')), { number: 4 })
})

t.test(
  'what the commit before has signed is taken over once, with a line in the log',
  async (t) => {
    const signed = await SignedLedger.open(t)
    await signed.sign()
    await signed.move('pi_2')
    await signed.sign()
    const last = await makeOld(signed)
    t.match(await verifyLedger(signed.parts), {
      divergence: undefined,
      witness: { newest: 2, witnessed: null },
    })
    const captured = new CapturedLog()
    signed.log = captured.log
    t.match(await makeCheckpoint(signed.parts), { kind: 'unchanged' })
    t.match(await witnessed(signed), { number: 2, hash: hashOf(last) })
    await makeCheckpoint(signed.parts)
    t.match(captured.lines, [{ level: 'warn', number: 2, msg: /takes this one as it stands/ }])
    t.equal(captured.lines.length, 1, 'once')

    await signed.move('pi_3')
    const third = await signed.sign()
    t.match(third.checkpoint, { format: 'wallet-checkpoint-v2', number: 3, previous: hashOf(last) })
    t.equal(await signed.divergence(), undefined, 'the chain goes on over both formats')
    const result = await verifyBundle(await signed.bundle(), await nodeCrypto())
    t.match(result, { isValid: true, oldestCheckpoint: 1, checkpoint: { number: 3 } })
  },
)

t.test('newest events that were cut off with all their rows are missed', async (t) => {
  const signed = await signedTwice(t)
  const [, , walletId] = signed.wallets
  const before = await signed.ledger.rows()
  await signed.move('pi_9', 2)
  await witnessLog(signed.parts)
  t.match(await witnessed(signed), { number: 2, position: '22', seenPosition: '23' })
  t.equal(await signed.divergence(), undefined)

  await cutOff(signed, { walletId, revision: 7, before })
  const named = {
    kind: 'log',
    place: 'position 23 of the log',
    problem: /^is missing, but event .* was seen there/,
  }
  t.match(await signed.divergence(), named)
  await t.rejects(witnessLog(signed.parts), { message: /^position 23 of the log: is missing/ })
  t.match(await makeCheckpoint(signed.parts), { kind: 'unchanged' })

  // And when other events have filled the log again since then.
  await signed.move('pi_other', 0)
  const holds = /^position 23 of the log: holds event /
  t.match(await signed.divergence(), { kind: 'log', problem: /^holds event / })
  await t.rejects(witnessLog(signed.parts), { message: holds })
  await t.rejects(makeCheckpoint(signed.parts), { name: 'DivergenceError', message: holds })
  t.match(await witnessed(signed), { seenPosition: '23' }, 'it stays witnessed')

  const { newest } = await continueAfterLoss(signed.parts, { number: 2 })
  t.match(newest.checkpoint, { number: 3, lostNumber: 2, position: '23' })
  t.equal(await signed.divergence(), undefined, 'until a person goes on')
})

t.test('after a loss a person goes on, and the next checkpoint says what is gone', async (t) => {
  const signed = await signedTwice(t)
  const stale = `${signed.witnessFile}.stale`
  await t.rejects(continueAfterLoss(signed.parts, { number: 2 }), {
    name: 'NoLossError',
    message: 'checkpoint 2 and all that it was signed with are there',
  })
  const lost = hashOf(signed.second)
  await signed.tamper(
    'delete from audit.checkpoint_leaves where number = 2',
    'delete from audit.checkpoints where number = 2',
  )
  await copyFile(signed.witnessFile, stale)
  await t.rejects(continueAfterLoss(signed.parts, { number: 1 }), {
    name: 'NoLossError',
    message: 'the newest witnessed checkpoint is 2, not 1',
  })
  const [first] = await listCheckpoints(signed.ledger.pool, { limit: 1 })
  const loss = await continueAfterLoss(signed.parts, { number: 2 })
  t.match(loss, { lost: { number: 2, hash: lost }, lastKept: 1, divergence: { problem: /gone/ } })
  t.match(loss.newest.checkpoint, {
    number: 3,
    previous: lost,
    lostNumber: 2,
    lostAfter: first && hashOf(first),
  })
  t.equal(await signed.divergence(), undefined)
  await t.rejects(continueAfterLoss(signed.parts, { number: 3 }), { name: 'NoLossError' })

  await signed.move('pi_5')
  t.match((await signed.sign()).checkpoint, { number: 4, lostNumber: null })
  t.equal(await signed.divergence(), undefined)
  const result = await verifyBundle(await signed.bundle(), await nodeCrypto())
  t.match(result, { isValid: true, losses: [{ number: 3, lostNumber: 2 }] })
  signed.witnessPlaces.splice(0, 1, stale)
  t.equal(await signed.divergence(), undefined, 'another host knows only what is lost')

  await signed.tamper('delete from audit.checkpoints where number = 3')
  t.match(await signed.divergence(), { kind: 'checkpoint', problem: 'is missing' })
})

t.test('after the loss of everything the numbers go on all the same', async (t) => {
  const signed = await signedTwice(t)
  await signed.tamper(...all)
  const { newest } = await continueAfterLoss(signed.parts, { number: 2 })
  t.match(newest.checkpoint, { number: 3, lostNumber: 2, lostAfter: null })
  t.equal(newest.checkpoint.previous, hashOf(signed.second))
  t.equal(await signed.divergence([newest.checkpoint.keyId]), undefined)
  await signed.move('pi_3')
  t.equal((await signed.sign()).checkpoint.number, 4)
  t.equal(await signed.divergence(), undefined)
})

t.test('a row that claims a loss does not make up for one, unless it is signed', async (t) => {
  const signed = await signedTwice(t)
  const { hash } = await witnessed(signed)
  await signed.tamper(
    'delete from audit.checkpoint_leaves where number = 2',
    'delete from audit.checkpoints where number = 2',
    `insert into audit.checkpoints select 3, replace(replace(replace(checkpoint,
       '"lostNumber":null', '"lostNumber":2'), '"number":1', '"number":3'),
       '"previous":null', '"previous":"${hash}"'), signature from audit.checkpoints`,
  )
  await t.rejects(makeCheckpoint(signed.parts), { message: /^checkpoint 2: is gone/ })
  t.match(await signed.divergence(), { kind: 'checkpoint', problem: /signature/ })
})

t.test('a prepared checkpoint that is not ours is never witnessed', async (t) => {
  const signed = await signedTwice(t)
  const before = await witnessed(signed)
  await signed.tamper(
    `insert into audit.prepared_checkpoint (checkpoint, signature)
     select replace(checkpoint, '"number":2', '"number":3'), signature
     from audit.checkpoints where number = 2`,
  )
  t.match(await signed.divergence(), { place: 'the prepared checkpoint', problem: /signature/ })
  await t.rejects(makeCheckpoint(signed.parts), { message: /^the prepared checkpoint: has a sig/ })
  t.same(await witnessed(signed), before)
})
