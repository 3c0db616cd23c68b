/**
 * The log of admin actions, as checkpoints sign it: the hash of its last entry, which covers all
 * before it (src/identity/admin-log-chain.ts). Promises: names the entry that was changed, and that
 * some are missing; memory for a page. What was added after the newest checkpoint is chained but
 * not signed yet: that its end was cut off only the next checkpoint would tell.
 */
import type { AdminLogBeginning, ChainLink } from '../../identity/admin-log-chain.js'
import {
  digestUnchained,
  nextAdminLogHash,
  readBeginning,
  readChain,
  readHashAt,
  readHead,
  textOf,
} from '../../identity/admin-log-chain.js'
import type { Client, Pool } from '../../platform/postgres.js'
import { diverges } from '../verifying/divergence.js'
import type { Checkpoint } from './checkpoint-format.js'
import { checkpointFormat } from './checkpoint-format.js'

export interface SignedAdminLog {
  readonly adminLogCount: number
  readonly adminLogHead: string
}

/** What the checkpoint before has signed must still be there: an emptied log is never signed. */
export async function signAdminLog(
  client: Client,
  previous: Checkpoint | undefined,
): Promise<SignedAdminLog> {
  if (previous?.format === checkpointFormat) {
    const { adminLogCount, adminLogHead, number } = previous
    const hash = await readHashAt(client, adminLogCount)
    if (hash !== adminLogHead) refuse({ adminLogCount, isShort: hash === undefined, number })
  }
  const { count, hash } = await readHead(client, await readBeginning(client))
  return { adminLogCount: count, adminLogHead: hash }
}

/** The whole chain, entry by entry, and what the newest checkpoint says of it. */
export async function verifyAdminLog(
  client: Client,
  newest: Checkpoint | undefined,
): Promise<AdminLogBeginning> {
  const beginning = await readBeginning(client)
  let { hash } = beginning
  let number = 0
  const signed = newest?.format === checkpointFormat ? newest : undefined
  const compare = (): void => {
    if (signed?.adminLogCount !== number || signed.adminLogHead === hash.toString('hex')) return
    refuse({ adminLogCount: number, isShort: false, number: signed.number })
  }
  compare()
  for await (const page of readChain(client))
    for (const link of page) {
      number += 1
      if (link.act.number !== number)
        diverges('admin-log', `entry ${number} of the admin log's chain`, 'is missing')
      const fault = linkFault(hash, link)
      if (fault !== undefined) diverges('admin-log', `admin log entry ${link.act.logId}`, fault)
      hash = link.hash
      compare()
    }
  if (signed !== undefined && number < signed.adminLogCount)
    refuse({ adminLogCount: signed.adminLogCount, isShort: true, number: signed.number })
  return beginning
}

/** Apart from the snapshot of the rest, for it may take long, and these never change. */
export async function verifyUnchained(pool: Pool, beginning: AdminLogBeginning): Promise<void> {
  const { entries, digest } = await digestUnchained(pool)
  if (digest === beginning.digest) return
  const problem =
    entries === beginning.entries
      ? 'are not as they were when the chain began: they have another digest'
      : `are ${entries}, but were ${beginning.entries} when the chain began`
  diverges('admin-log', "the admin log's entries from before its chain", problem)
}

function linkFault(previous: Buffer, { act, text, hash }: ChainLink): string | undefined {
  if (textOf(act) !== text) return 'is not as it was written: it differs from its chained text'
  if (nextAdminLogHash(previous, text).equals(hash)) return undefined
  return 'does not continue the hash chain: it, or the one before it, was changed or exchanged'
}

function refuse(of: { adminLogCount: number; isShort: boolean; number: number }): never {
  const { adminLogCount, isShort, number } = of
  const problem = isShort
    ? `is cut off: checkpoint ${number} was signed with ${adminLogCount} entries`
    : `is not the one that checkpoint ${number} was signed with, up to entry ${adminLogCount}`
  return diverges('admin-log', 'the admin log', problem)
}
