/**
 * The bounds of the event stores, each with its reason: what the PostgreSQL store keeps in memory
 * for speed (beyond it, it looks up or reads again; nothing is refused) and gathers for one call,
 * and how soon the client of EventStoreDB notices a frozen node and finds its successor.
 */
import { lanesMax, projectionBatchMax } from '../limits.js'

/** As many streams as there are lanes; about 250 bytes each. */
export const knownHeadsMax = lanesMax

/** Written events kept for who follows the log: more than are written between two batches. */
export const handedEventsMax = 4 * projectionBatchMax

/**
 * A group commit that has gathered so many batches waits for no more of them: by then a call's own
 * cost is shared well, and the server should not stand idle. So long at most, where turns of the
 * event loop are slow.
 */
export const groupBatchesEnough = 32
export const groupGatherMs = 4

/** As an append: a node that says nothing for so long is frozen, and another one leads by then. */
export const readSilenceMs = 3_000

/**
 * After a silence the next EventStoreDB client gets this long for its first answer, twice as long
 * each time in a row: a cluster that still names its frozen leader is asked again soon, and a slow
 * server is given its time in the end. With the append's watchdog and `readSilenceMs` they make the
 * five seconds of test/limits.test.ts.
 */
export const clientTrialMinMs = 500
export const clientTrialMaxMs = 4_000
