/**
 * Every bound of the system in one place: unit last, one line of reason each.
 * Nothing here depends on a deployment; what an operator may choose is in config.ts.
 */

/** Clients give up after 10 s: everyone gets an answer before that. */
export const commandDeadlineMs = 8_000

/** A store that says nothing for this long has lost the request; the same batch is sent again. */
export const appendWatchdogMs = 3_000

/** A read that takes longer is given up and reported as "unavailable". */
export const readTimeoutMs = 5_000

/** One append of 256 commands of ~700 bytes stays far below every store's limit. */
export const batchCommandsMax = 256

/** EventStoreDB 23 and 24 refuse an append above 1 MiB. */
export const batchBytesMax = 512 * 1024

/** One group commit of the PostgreSQL store: large enough to share one fsync among all lanes. */
export const groupBatchesMax = 1_024

/** Keeps one group's statement well below what PostgreSQL parses in a few milliseconds. */
export const groupBytesMax = 4 * 1024 * 1024

/**
 * More than one other process can write during one lost append; the next conflict brings the rest.
 */
export const conflictEventsMax = 512

/** First pauses after a fault; they double up to the maximum, each with a random part. */
export const retryPauseMinMs = 50
export const retryPauseMaxMs = 1_000

/** Losses of the race for a revision before a lane pauses: the first two are ordinary. */
export const conflictsWithoutPause = 2

/** A lane is about 2 kB: this many are about 40 MB, and more wallets than are busy at once. */
export const lanesMax = 20_000

/** Waiting commands of one wallet: more than 8 s of work on the slowest store. */
export const laneQueueMax = 5_000

/** Waiting commands of the whole process: above it new ones are told to come back. */
export const queuedCommandsMax = 50_000

/** A wallet with at most this many events keeps every reference in memory and needs no look-up. */
export const smallWalletEventsMax = 64

/** References one lane may hold while the projections lag; each is about 200 bytes. */
export const laneReferencesMax = 100_000

/** Events beyond the row that a read or a cold lane folds; more lag than this is an outage. */
export const tailEventsMax = 100_000

/** Look-ups gathered into one statement. */
export const gatheredLookupsMax = 512

/** Projections: larger batches cost half, and reads are exact whatever the lag. */
export const projectionBatchMax = 1_000
export const projectionWaitMs = 100

/** A lag above this is shown as `degraded`. */
export const projectionLagDegradedMs = 10_000

/** A request body: the largest debit is about 4 kB. */
export const bodyBytesMax = 64 * 1024

/** A client that sends slower than this is cut off. */
export const requestTimeoutMs = 10_000

/** After a signal: requests and lanes get this long, then the process ends anyway. */
export const shutdownMs = 15_000

/** Embedded PostgreSQL: one small command (status, id, --version) answers within milliseconds. */
export const embeddedCommandMs = 10_000

/** A start after a crash replays at most 1 GB of log, which a slow disk reads in a minute. */
export const embeddedStartMs = 60_000

/** A fast stop writes at most the 128 MB of shared buffers. */
export const embeddedStopMs = 30_000

/** From first look to connection: another process may stop it once, and it may recover once. */
export const embeddedOpenMs = 120_000

/** A server that refuses us for this long is stopped and started again. */
export const embeddedAdoptMs = 10_000

/** Loopback: a connection or one of the few lock statements takes a millisecond. */
export const embeddedConnectMs = 5_000

/** How long a killed owner's lock may linger until PostgreSQL notices the closed connection. */
export const embeddedServeLockMs = 2_000

/** Between two looks at a server that is starting, stopping or locked. */
export const embeddedPollMs = 50

/** A free port may be taken between our look and the start; three times is a fault. */
export const embeddedStartsMax = 3

/** Only starts, stops and crashes are logged; the file of before is kept once. */
export const embeddedLogBytesMax = 10 * 1024 * 1024

/** initdb is given a minute; what is older than this was cut off. */
export const embeddedAbandonedMs = 10 * 60_000

/** A silent connection is closed: well above the slowest answer (`commandDeadlineMs`). */
export const connectionTimeoutMs = 30_000

/** Longer than the 60 s of common load balancers, so that they close first and lose no request. */
export const keepAliveTimeoutMs = 65_000

/** How often slow clients are looked for; with Node's default of 30 s, 10 s could become 40. */
export const connectionsCheckMs = 1_000

/** One part of a path: every id is shorter. */
export const pathParameterLengthMax = 128

/** A caller's own request id: room for any tracing scheme, and for nothing else. */
export const requestIdLengthMax = 64

/** After a 503: outages shorter than this are not noticed, and a crowd spreads by itself. */
export const retryAfterSeconds = 1

/** After a signal, running requests get this long: above their deadline; lanes get the rest. */
export const requestDrainMs = 9_000

/** Orchestrators give a probe a few seconds; a part that is slower than this does not answer. */
export const healthCheckTimeoutMs = 2_000

/** However many probes arrive, the parts are asked about once a second. */
export const healthCacheMs = 1_000

/** A health check that hangs is begun anew after this; until then no second one is under way. */
export const healthCheckAbandonMs = 10_000

/** Giving up an EventStoreDB client: its streams get this long to end, then they are destroyed. */
export const clientDisposeMs = 500

/** Failures in a row, each begun after the one before, that replace an EventStoreDB client. */
export const clientFailuresMax = 3

/** Tries of one EventStoreDB read: the second goes to the leader that the first was told about. */
export const readTriesMax = 3

/** Tries to write the store's marker: with pauses about as long as an election takes. */
export const markerTriesMax = 10

/**
 * System events after the last ledger event that are looked through: about a month of statistics.
 */
export const lastEventScanMax = 100_000

/** Looks for the last seen event before a subscription is resumed: a node behind catches up. */
export const resumeLooksMax = 10

/**
 * Events an EventStoreDB stream buffers on our side; the client's default of 16 halves the speed.
 */
export const streamBufferEvents = 256

/** The server gives an append up before the watchdog does, so that none goes on unattended. */
export const appendStatementMs = 2_500
export const appendLockMs = 2_000

/** A PostgreSQL that takes no connection within this is away; whoever waits for it is told so. */
export const storeConnectMs = 2_000

/**
 * Appends in line at the PostgreSQL store: every lane has one, so this is never the first bound.
 */
export const appendsWaitingMax = 20_000

/**
 * Reads of the PostgreSQL store: tail, cold lanes and GETs beside each other, and those in line.
 */
export const storeReadConnections = 4
export const storeReadsWaitingMax = 10_000

/** One page of a stream read: about 1 MB. */
export const readPageEvents = 1_000

/** What all losers of one group get together (about 16 MB); each gets its share, at least one. */
export const groupMissingEventsMax = 16_384

/** A database or event store that starts beside us gets this long to answer. */
export const startWaitMs = 30_000
export const startRetryMs = 500
