/**
 * The bounds of the front door: bodies, what strangers may ask for, and the share of a client app.
 * The service's own are in src/limits.ts.
 */
import { groupBatchesMax, pageEntriesMax } from '../limits.js'

/**
 * Levels and values of a body: the largest is a client app with two lists of 50 origins. Both are
 * counted before parsing, which would take 20 ms for 64 KiB of brackets and 14 ms of short names.
 */
export const bodyLevelsMax = 16
export const bodyValuesMax = 500

/**
 * Commands of one list, and what a list may weigh: 4 kB each, as the largest debit alone. It has 12
 * values each at most, and room for fields that we do not know.
 */
export const bulkCommandsMax = 500
export const bulkBodyBytesMax = 2 * 1024 * 1024
export const bulkBodyValuesMax = 10_000

/** Of the service's logo: kept in memory and sent to every page. */
export const logoBytesMax = 100 * 1024

/** Searches of one client app in a wallet's entries: few of the pool's connections. */
export const searchesAtOnceMax = 2
export const searchesWaitingMax = 32

/**
 * Commands of one client app under way: two full groups of the PostgreSQL store, which is how long
 * another app's debit may have to wait. At 10,000 a second an app has some hundreds.
 */
export const appCommandsMax = 2 * groupBatchesMax

/**
 * What an address may ask for in a second without credentials, and for how many seconds it may save
 * that up: an office of people who open a page, not a flood. A body of 64 KiB costs about 0.5 ms,
 * so bodies of one address cost 2 % of a core at most.
 */
export const strangerRequestsPerSecond = 200
export const strangerBytesPerSecond = 2 * 1024 * 1024
export const strangerBurstSeconds = 5

/** Addresses that are remembered, about 200 bytes each: those that failed in the last minutes. */
export const addressesMax = 10_000

/** How long the answer to an address over its budget is held, and how many at once (2 kB each). */
export const refusalHoldMs = 500
export const refusalsHeldMax = 1_000

/** How long right credentials speak for their address, and up to which body: a debit has 4 kB. */
export const trustedAddressMs = 60_000
export const trustedBodyBytesMax = 8 * 1024

/** What an answer weighs, and each entry in it; the texts of most are shorter. */
export const answerBytes = 1_000
export const entryBytes = 300

/**
 * Answers of one client app under way: two of the longest pages, or 18 ordinary ones, or 300
 * balance checks. More wait for a moment, for a page takes some milliseconds; the wait and a read
 * that takes as long as it may still end before clients give up after 10 s.
 */
export const appReadBytesMax = 2 * (answerBytes + pageEntriesMax * entryBytes)
export const appReadsWaitingMax = 200
export const appReadWaitMs = 4_000

/** How long the contract's document and its viewer may be kept: an update shows within minutes. */
export const documentCacheSeconds = 300

/** Entries of a page that are made at a stretch: each may have a sealed text to open (10 µs). */
export const entriesAtAStretch = 25

/** Questions of the doctor in a minute: an integrator who tries things out, not a scan. */
export const doctorCallsPerAddress = 60
export const doctorWindowMs = 60_000

/** One part of a path: every id is shorter. */
export const pathParameterLengthMax = 128

/** Statements and receipts of one wallet, and proofs: a person at a tax return, not a machine. */
export const documentsPerWallet = 40
export const proofsPerWallet = 6
export const documentWindowMs = 10 * 60_000
export const proofsWaitingMax = 10
export const proofWaitMs = 8_000

/** Changes of one account, each with a password hash or a mail. */
export const accountChangesPerPerson = 30
export const accountWindowMs = 15 * 60_000
/** Mails that one person can set going with them. */
export const confirmMailsPerPerson = 5

/** What a person types to find an entry. */
export const searchCharactersMax = 100
/** Entries of one page of a person's list. */
export const listedEntries = 25
