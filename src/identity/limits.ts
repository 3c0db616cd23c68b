/**
 * The bounds of logins: tries and delays, the line before the password hashes, known browsers, and
 * what is kept of logins that were refused; and those of a person's own account. The other bounds
 * of identity are in src/limits.ts.
 */
import { passwordHashesAtOnceMax } from '../limits.js'

/**
 * Tries of one address for one account in a window, and of one known browser: a person who forgot
 * a password, not a machine.
 */
export const loginTriesPerPair = 10
/**
 * Many people share one address at work or on a phone network: so many logins without a delay, and
 * so many sign-ups.
 */
export const loginTriesPerAddress = 100
export const loginWindowMs = 15 * 60_000

/** Far fewer admins than customers share an address; for a pair the widget's bound holds. */
export const adminLoginTriesPerAddress = 30

/** Delayed are accounts that somebody guesses at; a person gets it right or wrong three times. */
export const loginTriesWithoutDelay = 3
/** The delay doubles with each try; a person under attack still waits for the longest. */
export const loginDelayMinMs = 250
export const loginDelayMaxMs = 4_000
/** Delay and turn together end before clients give up after 10 s. */
export const loginTurnWaitMs = 4_000
/** Counted no further: the longest delay and the last rank are reached long before. */
export const loginTriesCountedMax = 1_000

/** Known browsers: an admin who logs in twice a year keeps theirs. */
export const knownBrowserMs = 180 * 24 * 60 * 60_000

/** Refused logins: three months for who looks into an attack; one day fills 0.5 MB at most. */
export const refusedLoginsKeptMs = 90 * 24 * 60 * 60_000
export const refusedLoginRowsPerDay = 2_000
export const refusedLoginRowsPerAddress = 100
/** The longest text of an IPv6 network; a proxy may say anything. */
export const refusedLoginAddressCharactersMax = 64

/** Logins and sign-ups that run: two that hash, and two that ask the database before or after. */
export const loginsAtOnceMax = 2 * passwordHashesAtOnceMax
/**
 * Logins that wait, with their connections about 5 kB each; of one address as many as an office
 * has at nine o'clock. Over 4 s they make it at most four guesses a second.
 */
export const loginsWaitingMax = 1_000
export const loginsWaitingPerAddressMax = 16

/** How long a password that was given opens one's account: to look through it, not to forget it. */
export const loginLifeMs = 30 * 60_000

/** Sessions that a person is shown: more are a client app that makes them by the dozen. */
export const openSessionsMax = 50

/** A person reads a mail within the day; ones that are valid at once, as for a password. */
export const emailProofMs = 24 * 60 * 60_000
export const emailProofsMax = 5

/** Where one logs in once a quarter is still known; places of one person, 60 bytes each. */
export const knownLoginsKeptMs = 90 * 24 * 60 * 60_000
export const knownLoginsMax = 50

/** Closed accounts can be opened again so long; those erased, or put off by a day, in one round. */
export const closedAccountMs = 30 * 24 * 60 * 60_000
export const erasurePutOffMs = 24 * 60 * 60_000
export const erasuresPerRound = 100
