/**
 * Every bound of the webhooks, unit last, one line of reason each; those of the service itself are
 * in src/limits.ts. How they stand to each other is asserted by test/limits.test.ts.
 */

/** Endpoints of one client app, and signing secrets of one endpoint: one, and one to rotate to. */
export const endpointsPerAppMax = 5
export const signingSecretsMax = 2
/** What an address may be long; servers take some 8,000. */
export const urlCharactersMax = 2_000
/** Balances at which one app is told, and where it named none: in major units. */
export const thresholdsMax = 5
export const thresholdStandardMajor = 10

/** Of the log at a time: a step is one transaction, and some 300 bytes a delivery. */
export const feedBatchEvents = 500
/** How long a batch gathers: what an app hears late by. */
export const feedWaitMs = 100
/** How often the outbox, and whether there is any endpoint, is looked at. */
export const feedPollMs = 500
export const outboxBatchRows = 500
/** A process that is frozen while it feeds loses its lock after this. */
export const feedLockIdleMs = 15_000
/** Clocks of several processes differ: a link made so much later than an event still counts. */
export const linkSlackMs = 5_000
/** Status changes in a row that are looked past to find a balance. */
export const balanceLookBackEvents = 64

/** One request in all, from looking the name up to the end of the answer. */
export const requestTimeoutMs = 10_000
/** What is kept of an answer; the rest is not even read. */
export const answerBytesMax = 4_096
/** Characters that are kept of what went wrong. */
export const faultCharactersMax = 300

/** Whoever delivers a line has it for so long; after that, others take it over. */
export const leaseMs = 30_000
/** Deliveries of one line before it goes back: what comes again when a process is killed. */
export const lineDeliveriesMax = 20
/** Lines that one process delivers at once, and to one endpoint: one that hangs is not all. */
export const sendsAtOnceMax = 32
export const sendsPerEndpointMax = 8
/** Lines that a claim looks at, and how often it looks when there was nothing. */
export const claimRowsMax = 256
export const sendPollMs = 250

/** Pauses between tries double from the first to the second, for three days in all. */
export const retryPauseMinMs = 5_000
export const retryPauseMaxMs = 4 * 60 * 60_000
export const giveUpAfterMs = 3 * 24 * 60 * 60_000
/** A line whose secrets this process cannot open is another's, or waits for the right key. */
export const wrongKeyPauseMs = 60_000

/** Deliveries are kept for people to look at. */
export const keptMs = 30 * 24 * 60 * 60_000
export const sweepPauseMs = 10 * 60_000
/** Of an endpoint that is removed: short statements, however many it has. */
export const removalBatchRows = 5_000
export const removalBatchesMax = 20_000

/** Undelivered for longer than this is worth a look: a few tries have failed. */
export const backlogDegradedMs = 60 * 60_000
/** Beyond this a backlog is not counted any more. */
export const backlogCountMax = 100_000
