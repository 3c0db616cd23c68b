/**
 * Every bound of the audit, unit last, one line of reason each; those of the service itself are in
 * src/limits.ts. How they stand to each other is asserted by test/limits.test.ts.
 */

/** Events that an audit reads and compares at once: more would outlive the young generation. */
export const auditBatchEvents = 500

/** Outcomes beyond the read models that one pass of an audit remembers: about 80 MB. */
export const unprojectedOutcomesMax = 300_000

/** Shares of the wallets are of about one size, and one that is larger must fit too. */
export const unprojectedShareFill = 0.8

/** Wallets whose state one pass of an audit holds: about 50 MB. */
export const auditWalletsPerPass = 100_000

/** Rows of wallets that an audit reads at once. */
export const auditRowsPerPage = 1_000

/** The longest an audit that keeps a pace sleeps before it looks whether it was stopped. */
export const auditPauseMs = 1_000

/** An event loop that is busy for half of the time has better things to do: a tenth of the pace. */
export const auditBusyShare = 0.5
export const auditBusyDivisor = 10

/** Between two checks of a running service: a small ledger is not checked all day long. */
export const integrityPauseMs = 60_000

/** Results of checks that are kept: a month of one an hour. */
export const integrityChecksKept = 1_000

/** Rows that a checkpoint reads and writes at once: a statement of some milliseconds. */
export const checkpointPageRows = 2_000

/** Another process that makes a checkpoint of a million wallets needs about half a minute. */
export const checkpointWaitMs = 60_000
export const checkpointRetryMs = 200

/** How often a maker finishes the checkpoint of another one before its own is made. */
export const checkpointRounds = 5

/** Checkpoints whose leaves are kept: the newest, and the one before as its witness. */
export const checkpointLeavesKept = 2

/** After a start the service has other things to do, and a short run needs no checkpoint. */
export const checkpointStartMs = 60_000

/** The schedule's due time in shares of its pause: timers that are a little early still count. */
export const checkpointDueShare = 0.9

/** How long others may keep the list of checkpoints; they change about once an hour. */
export const checkpointCacheSeconds = 60

/** Rotations in the life of a deployment: all keys are in every bundle, at 500 bytes each. */
export const signingKeysMax = 1_000

/** Checkpoints that a bundle brings along: four days of hourly ones, about 60 kB. */
export const bundleCheckpointsMax = 100

/** A bundle is checked as one text, which a browser holds up to about 500 MB: ~600 bytes each. */
export const bundleEventsMax = 200_000

/** Entries of an export that are read, opened and written at once: about 1 MB. */
export const exportPageRows = 2_000

/** How long a command waits for the projections of a running service, looking this often. */
export const exportCatchUpMs = 5_000
export const exportCatchUpPauseMs = 100

/** How far back an explanation looks for a balance to begin with: status changes are few. */
export const explainStartEventsMax = 50

/** A witness at a URL: longer than this is as good as no answer, and signing is tried again. */
export const witnessTimeoutMs = 5_000

/** What a witness holds is one object of about 700 bytes. */
export const witnessBytesMax = 4_096

/** How often the end of the log is witnessed; what comes and goes within this time nobody knows. */
export const witnessLogEveryMs = 60_000

/** Lost events that nobody has seen yet: what two processes can name at once, at 300 bytes each. */
export const lostEventsUnseenMax = 100_000

/** Lost events that the overview shows at once: what a person reads before "seen". */
export const lostEventsShownMax = 50

/** How long what was seen can still be looked up in the database. */
export const lostEventsKeptDays = 365

/** Top-ups without an intent that one check asks the card processor about, and for how long. */
export const paymentsAskedMax = 1_000
export const paymentsAskingMs = 60_000

/**
 * Events of a wallet that are replayed for a document of its person: two seconds beside all else.
 * Other wallets are an operator's, who has the command line.
 */
export const documentEventsMax = 100_000

/** Entries of a statement: what prints on a hundred pages, and what a spreadsheet opens at once. */
export const statementPdfEntriesMax = 2_000
export const statementCsvEntriesMax = 50_000

/** Documents that are drawn: one at a time, beside debits; each takes about a second. */
export const documentsAtOnceMax = 1
export const documentsWaitingMax = 10
export const documentWaitMs = 8_000
export const documentDrawingMs = 20_000
export const documentMemoryMb = 256

/** How often proofs of people may lead to a new checkpoint, and over how many wallets at most. */
export const proofCheckpointMs = 10 * 60_000
export const proofCheckpointWalletsMax = 100_000
