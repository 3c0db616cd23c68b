/**
 * Bounds of the EventStoreDB client: how soon a frozen node is noticed, and how its successor is
 * found. With the append's watchdog they make the five seconds of test/limits.test.ts.
 */

/** As an append: a node that says nothing for so long is frozen, and another one leads by then. */
export const readSilenceMs = 3_000

/**
 * After a silence the next EventStoreDB client gets this long for its first answer, twice as long
 * each time in a row: a cluster that still names its frozen leader is asked again soon, and a slow
 * server is given its time in the end.
 */
export const clientTrialMinMs = 500
export const clientTrialMaxMs = 4_000
