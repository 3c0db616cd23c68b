/**
 * Makes of the checkpoints of a ledger what the commit before made: the first format, each signed
 * anew with the very key and chained, and nothing of what has come since.
 */
import { createPrivateKey, sign } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import type { Checkpoint, SignedCheckpoint } from '../../src/audit/proofs/checkpoint-format.js'
import { canonicalText, firstFormat, hashOf } from '../../src/audit/proofs/checkpoint-format.js'
import { followCheckpoints } from '../../src/audit/proofs/checkpoint-rows.js'
import type { SignedLedger } from './checkpoints.js'

/** The newest of them. */
export async function makeOld(signed: SignedLedger): Promise<SignedCheckpoint> {
  const { pool } = signed.ledger
  const privateKey = createPrivateKey(await readFile(signed.keyFile))
  let last: SignedCheckpoint | undefined
  for (const { checkpoint } of await followCheckpoints(pool, 0)) {
    const { eventId, keyId, number, position, root, storeMarker, time, walletCount } = checkpoint
    const previous = last === undefined ? null : hashOf(last)
    const heads = { eventId, keyId, number, position, root, storeMarker, time, walletCount }
    const old: Checkpoint = { ...heads, previous, format: firstFormat }
    const text = canonicalText(old)
    const signature = sign(null, Buffer.from(text), privateKey).toString('hex')
    await signed.tamper(
      `update audit.checkpoints set checkpoint = '${text}', signature = '\\x${signature}'
       where number = ${number}`,
    )
    last = { checkpoint: old, signature }
  }
  if (last === undefined) throw new Error('there is no checkpoint to make old')
  await rm(signed.witnessFile)
  return last
}
