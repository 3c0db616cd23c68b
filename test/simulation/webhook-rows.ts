/**
 * The tables of webhooks as one simulated process sees them: those of memory behind a network that
 * delays and loses. A transaction of the feed whose process is gone or frozen ends without a
 * commit; one whose answer is lost may have been committed.
 */
import { readTimeoutMs } from '../../src/limits.js'
import { feedLockIdleMs } from '../../src/webhooks/limits.js'
import type { FeedTables, LineTables, OpenFeedTables } from '../../src/webhooks/webhook-tables.js'
import type { MemoryWebhookTables } from '../support/memory-webhook-tables.js'
import type { Line } from './network.js'
import { throughNetwork } from './transaction.js'
import type { World } from './world.js'

export function simulatedFeedTables(
  world: World,
  line: Line,
  { tables, onCommit }: { readonly tables: MemoryWebhookTables; readonly onCommit: () => void },
): FeedTables {
  const ask = asking(line)
  return {
    hasEndpoints: () => ask(() => tables.hasEndpoints()),
    hasUnfed: () => ask(() => tables.hasUnfed()),
    readCheckpoint: () => ask(() => tables.readCheckpoint()),
    transaction: <T>(work: (open: OpenFeedTables) => Promise<T>) =>
      throughNetwork<OpenFeedTables, T>(world, line, {
        begin: (run) => tables.transaction(run),
        work: (open) => work(openThrough(ask, open)),
        idleMs: feedLockIdleMs,
        onCommit,
        lost,
      }),
  }
}

export function simulatedLineTables(
  line: Line,
  { tables, onCommit }: { readonly tables: MemoryWebhookTables; readonly onCommit: () => void },
): LineTables {
  const ask = asking(line)
  const change = <T>(work: () => Promise<T>): Promise<T> =>
    ask(async () => {
      const result = await work()
      onCommit()
      return result
    })
  return {
    claimLines: (claim) => change(() => tables.claimLines(claim)),
    readTarget: (endpointId) => ask(() => tables.readTarget(endpointId)),
    mayRead: () => tables.mayRead(),
    readWaiting: (claimed) => ask(() => tables.readWaiting(claimed)),
    finishLine: (finished) => change(() => tables.finishLine(finished)),
    putBack: (claimed, nextMs) => change(() => tables.putBack(claimed, nextMs)),
  }
}

/** Small questions go with the one before them, as far as chance is concerned: they cost steps. */
function openThrough(ask: Asking, open: OpenFeedTables): OpenFeedTables {
  return {
    ...open,
    readCheckpoint: () => ask(() => open.readCheckpoint()),
    readAudience: (given) => ask(() => open.readAudience(given)),
    insertDeliveries: (planned, nowMs) => ask(() => open.insertDeliveries(planned, nowMs)),
    moveCheckpoint: (place) => ask(() => open.moveCheckpoint(place)),
  }
}

type Asking = <T>(work: () => Promise<T>) => Promise<T>

function asking(line: Line): Asking {
  return (work) => line.call({ work, lost, timeoutMs: readTimeoutMs })
}

function lost(): Error {
  return new Error('the database did not answer')
}
