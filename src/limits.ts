/**
 * Every bound of the system in one place: unit last, one line of reason each. How they stand to
 * each other is asserted by test/limits.test.ts.
 * Nothing here depends on a deployment; what an operator may choose is in config.ts.
 */

/** Clients give up after 10 s: everyone gets an answer before that. */
export const commandDeadlineMs = 8_000

/** Between two looks at the deadlines: one look at the most that may wait takes a millisecond. */
export const deadlineLookMs = 20

/** How old a time must be for a balance at it to be final: no command of then is under way. */
export const balanceFinalMs = 20_000

/**
 * How far the time in events may be ahead of the database's clock: more than machines that keep
 * their clocks differ by, and far less than what makes a wallet's history wrong.
 */
export const clockLeadMaxMs = 5_000

/** How often the database is asked for its time; in between monotonic time carries it on. */
export const databaseTimeCheckMs = 30_000

/** A store that says nothing for this long has lost the request; the same batch is sent again. */
export const appendWatchdogMs = 3_000

/** How often a store that takes no writes is tried again: it is back within a second or two. */
export const writeTryPauseMs = 1_000

/** Appends that all fail for so long are shown as unready, until none was tried for a while. */
export const appendFailingMs = 3_000
export const appendFailureForgottenMs = 10_000

/** A read that takes longer is given up and reported as "unavailable". */
export const readTimeoutMs = 5_000

/** A sum over a whole table that takes longer is given up: a billion rows take about that. */
export const slowQueryTimeoutMs = 30 * 60_000

/** A migration may write the whole log anew: a hundred million events take about that. */
export const migrationTimeoutMs = 60 * 60_000

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

/**
 * More wallets than are busy at once. A lane is 2 kB, and 15 kB when it remembers all outcomes of a
 * small wallet: 300 MB if all of them do.
 */
export const lanesMax = 20_000

/** Lanes that one eviction looks at: some hundredths of a millisecond. */
export const evictionLooksMax = 200

/** Waiting commands of one wallet: more than 8 s of work on the slowest store. */
export const laneQueueMax = 5_000

/**
 * Waiting commands of the whole process: above it new ones are told at once to come back. One or
 * two seconds of work, and the full shares of four client apps: with more, at twice the load,
 * everybody would wait until the deadline and throughput would be spent on those who gave up.
 */
export const queuedCommandsMax = 8_192

/** A wallet with at most this many events keeps every reference in memory and needs no look-up. */
export const smallWalletEventsMax = 64

/** References one lane may hold while the projections lag; each is about 200 bytes. */
export const laneReferencesMax = 100_000

/** Wallets whose lane found another history since the last round: about 200 bytes each. */
export const suspectWalletsMax = 20_000

/** Looks at a store that was reconnected: how soon, and how long a loss must last to be one. */
export const historyWatchMs = 1_000
export const historySecondLookMs = 1_000

/** Wallets looked at beside each other, so that connections are left for the lanes. */
export const historyLooksAtOnce = 2

/** Lost events of one wallet in one line of the log; all of them are in the database. */
export const lostEventsLoggedMax = 50

/** Events beyond the row that a read or a cold lane folds; more lag than this is an outage. */
export const tailEventsMax = 100_000

/**
 * Look-ups gathered into one statement; pages of at most `pageEntriesStandard`, milliseconds, and
 * how many such statements of readers run beside each other.
 */
export const gatheredLookupsMax = 512
export const gatheredPagesMax = 32
export const gatheredReadsAtOnce = 2

/** Projections: larger batches cost half, and reads are exact whatever the lag. */
export const projectionBatchMax = 1_000
export const projectionWaitMs = 100

/** Between two statements of the lock's holder are milliseconds; else it is frozen or gone. */
export const projectionLockIdleMs = 10_000

/** Lines of the log that are written together: some hundred, or those of a moment. */
export const logTextLengthMax = 32 * 1024
export const logWaitMs = 200

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

/** How long a lock may linger after its connection is gone, until PostgreSQL notices. */
export const embeddedLockReleaseMs = 2_000

/** Between two looks at a server that is starting, stopping or locked. */
export const embeddedPollMs = 50

/** A free port may be taken between our look and the start; three times is a fault. */
export const embeddedStartsMax = 3

/** Only starts, stops and crashes are logged; the file of before is kept once. */
export const embeddedLogBytesMax = 10 * 1024 * 1024

/** initdb is given a minute; what is older than this was cut off. */
export const embeddedAbandonedMs = 10 * 60_000

/** A silent connection is closed. */
export const connectionTimeoutMs = 30_000

/** Load balancers close first, so that they lose no request. */
export const keepAliveTimeoutMs = 65_000

/** How often slow clients are looked for; with Node's default of 30 s, 10 s could become 40. */
export const connectionsCheckMs = 1_000

/** A caller's own request id: room for any tracing scheme, and for nothing else. */
export const requestIdLengthMax = 64

/** After a 503: outages shorter than this are not noticed, and a crowd spreads by itself. */
export const retryAfterSeconds = 1

/** After a signal, running requests get this long; lanes get the rest of `shutdownMs`. */
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

/** Appends in line at the PostgreSQL store: every lane has one. */
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

/**
 * Entries of one page: what a person reads at once, and what one answer may weigh (about 150 kB).
 */
export const pageEntriesStandard = 50
export const pageEntriesMax = 500

/** An admin who is away from the desk is logged out; a day's work needs one login. */
export const adminSessionIdleMs = 30 * 60_000
export const adminSessionLifetimeMs = 12 * 60 * 60_000

/** A search by email or id finds one; the bound is the page's promise. */
export const adminSearchMax = 20

/** A sentence that stands in the ledger for ever. */
export const statusReasonCharactersMax = 200

/** The overview's charts: a month. */
export const overviewDays = 30

/** A day counts as finished this long after its end: clocks differ by less, and so do commits. */
export const overviewDayGraceMs = 60 * 60_000

/** Counting wallets reads them all (about 0.1 s a million): not more often than this. */
export const walletCountsCacheMs = 10_000

/** Client apps of one deployment: the list of all of them still fits one page of memory, ~10 MB. */
export const clientAppsMax = 10_000

/** A name that fits a line of the admin area; people's names are as long. */
export const nameCharactersMax = 100
/** A brand stands in one line of a phone's screen. */
export const brandCharactersMax = 60

/** Origins in one list: more would not fit one Content-Security-Policy header. */
export const originsMax = 50

/** The longest host name, with scheme and port. */
export const originCharactersMax = 280

/** One in use and its successor: a rotation needs no third. */
export const liveSecretsMax = 2

/** A secret's last use is shown to the minute; every debit would otherwise be a write. */
export const secretUsedWriteMs = 60_000

/** Credentials and links are believed 2 s at most after a look; a busy process may be late. */
export const answerCacheMs = 1_800

/** Credentials and then a link: what is left of the command deadline is the lane's. */
export const answerWaitMs = 3_000

/** About 300 bytes each: 30 MB, and more users than are busy at once. */
export const answerCacheEntriesMax = 100_000

/** A dead LISTEN is noticed within both together; until then only the two seconds above hold. */
export const changeFeedHeartbeatMs = 2_000
export const changeFeedAnswerMs = 2_000

/** A sentence is welcome; longer is not a password but an attack on the hash function. */
export const passwordCharactersMin = 10
export const passwordCharactersMax = 200

/** RFC 5321: a longer address cannot be delivered. */
export const emailCharactersMax = 254

/** Each takes 32 MB and one of Node's four worker threads, which files and names need too. */
export const passwordHashesAtOnceMax = 2

/** At about 0.25 s each the last one waits about 4 s: an answer before clients give up. */
export const passwordHashesWaitingMax = 32

/** A link proof travels from frame to page to backend: seconds. */
export const linkProofMs = 5 * 60_000

/** A person reads the mail within the hour; an older link may be in somebody else's hands. */
export const resetTokenMs = 60 * 60_000

/** Links to reset one password that are valid at once: a stranger's request spoils no other. */
export const resetTokensMax = 5

/** The contract's lifetime and entries of the widget; how long an ended one can be explained. */
export const widgetSessionMs = 5 * 60_000
export const widgetEntries = 10
export const widgetSessionKeptMs = 24 * 60 * 60_000

/** Expired rows: removed in short statements, at most this many of them in one round. */
export const sweepBatchRows = 1_000
export const sweepBatchesMax = 100
export const sweepPauseMs = 60_000

/** Seeded users: rows of one statement, and of one command (all their ids are printed). */
export const seedBatchRows = 2_000
export const seedUsersMax = 100_000

/**
 * Wallets that `seed` makes at a time: one full group of the PostgreSQL store, and half a second of
 * what EventStoreDB writes, so that no append waits until its watchdog.
 */
export const seedChunkWallets = 1_024

/** Tries of one append of `seed`, a second apart: a store that is away longer is an outage. */
export const seedTriesMax = 10

/** `seed` waits for projections as long as they move; without a step for this long it gives up. */
export const seedProjectionStallMs = 30_000

/** The password that is made for the first admin: 96 bits. */
export const firstPasswordBytes = 12

/** A mail server that does not answer in this time is away; the person asks again. */
export const mailTimeoutMs = 10_000
/** Mails that wait for the server at the same time; beyond it a request is forgotten. */
export const mailsWaitingMax = 100

/** Reset links to one account in a login window: enough for a person, no flood of mail. */
export const resetMailsPerAccount = 3

/** Open wallets of one process (about 20 kB each), and of one person's tabs and devices. */
export const walletStreamsMax = 5_000
export const walletStreamsPerWalletMax = 20
/** How often all watched wallets are asked about, in one statement. */
export const walletWatchPollMs = 500
/** A sign of life, for us and for proxies; how soon an ended session is noticed. */
export const walletStreamHeartbeatMs = 15_000
export const walletStreamCheckMs = 5_000
/** A client that does not read hundreds of events, or the end, is not there any more. */
export const walletStreamBufferBytesMax = 16 * 1024
export const walletStreamEndMs = 500
/** Browsers come back after this long; a crowd after a restart is spread by its own clocks. */
export const walletStreamRetryMs = 2_000

/** A new loader, and a change of allowed origins, reach every page within this time. */
export const loaderCacheSeconds = 300
export const corsMaxAgeSeconds = 300

/** The example shop starts in a tenth of a second; a stop gives a running payment three seconds. */
export const demoShopStartMs = 20_000
export const demoShopStopMs = 5_000

/** Entries of the admin log that are read at once when its chain is followed. */
export const adminLogPageRows = 1_000
