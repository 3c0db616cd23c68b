/**
 * The tables of webhooks in PostgreSQL, for the feeder and the sender: each question is a function
 * of the file that owns its statement. Promises what webhook-tables.ts asks for.
 */
import { readReadingApps } from '../identity/linked-wallets.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import { Audience, readListeners } from './audience.js'
import { lockFeed, moveCheckpoint, readCheckpoint } from './checkpoint.js'
import { claimLines, finishLine, insertDeliveries, putBack, readWaiting } from './delivery-rows.js'
import { hasEndpoints } from './endpoints.js'
import { hasUnfed, markFed, placeRows, readUnfed } from './outbox.js'
import { readTarget } from './targets.js'
import type { FeedTables, LineTables, OpenFeedTables } from './webhook-tables.js'

export function postgresFeedTables(pool: Pool): FeedTables {
  return {
    hasEndpoints: () => hasEndpoints(pool),
    hasUnfed: () => hasUnfed(pool),
    readCheckpoint: () => readCheckpoint(pool),
    transaction: (work) =>
      transaction(pool, async (client) => {
        await lockFeed(client)
        return work(openTables(client))
      }),
  }
}

export function postgresLineTables(pool: Pool): LineTables {
  return {
    claimLines: (claim) => claimLines(pool, claim),
    readTarget: (endpointId) => readTarget(pool, endpointId),
    mayRead: async (clientId) => (await readReadingApps(pool, [clientId])).has(clientId),
    readWaiting: (line) => readWaiting(pool, line),
    finishLine: (finished) => finishLine(pool, finished),
    putBack: (line, nextMs) => putBack(pool, line, nextMs),
  }
}

function openTables(client: Client): OpenFeedTables {
  return {
    readCheckpoint: () => readCheckpoint(client),
    readListeners: () => readListeners(client),
    readUnfed: () => readUnfed(client),
    placeRows: (rows, position) => placeRows(client, rows, position),
    markFed: (rows, now) => markFed(client, rows, now),
    readAudience: (given) => Audience.read(client, given),
    insertDeliveries: (planned, nowMs) => insertDeliveries(client, planned, nowMs),
    moveCheckpoint: (place) => moveCheckpoint(client, place),
  }
}
