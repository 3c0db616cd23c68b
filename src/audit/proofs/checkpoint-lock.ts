/**
 * One maker of checkpoints at a time, over all processes. Promises: a transaction that sees one
 * snapshot, taken after the lock is held. A lock on the table and not an advisory one: taking that
 * is a query, and would freeze the snapshot before the wait.
 */
import type { Clock } from '../../platform/clock.js'
import type { Client, Pool } from '../../platform/postgres.js'
import { transaction } from '../../platform/postgres.js'
import { checkpointRetryMs, checkpointWaitMs } from '../limits.js'

/** Another process is making a checkpoint, and takes longer than anybody waits. */
export class CheckpointRunningError extends Error {
  override readonly name = 'CheckpointRunningError'
}

/** Waits for the lock up to `waitMs`. */
export async function locked<T>(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  work: (client: Client) => Promise<T>,
  waitMs = checkpointWaitMs,
): Promise<T> {
  const giveUpMs = clock.now() + waitMs
  for (;;) {
    try {
      return await transaction(pool, async (client) => {
        await client.query('set transaction isolation level repeatable read')
        await client.query('lock table audit.checkpoints in exclusive mode nowait')
        return work(client)
      })
    } catch (error) {
      if (!isLockTaken(error)) throw error
      if (clock.now() >= giveUpMs)
        throw new CheckpointRunningError('another process is making a checkpoint')
      await clock.sleep(checkpointRetryMs)
    }
  }
}

function isLockTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
