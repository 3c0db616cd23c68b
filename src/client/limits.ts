/**
 * The bounds of the client: how long a try takes, how many there are, and how long all of them
 * together may keep a caller waiting.
 */

/** The service answers within 8 s: whoever has not heard by then never will. */
export const timeoutMs = 10_000

/** Enough for a restart of the service, few enough that a person still waits. */
export const triesMax = 5

/** All tries and pauses of one call. */
export const totalMs = 60_000

/** Pauses double from the first to the longest, each with a random part. */
export const pauseMinMs = 250
export const pauseMaxMs = 5_000

/** What a service may ask for in Retry-After; whoever asks for more is told again after this. */
export const retryAfterMaxMs = 30_000

/** A double names every decimal of so many digits exactly, and no more. */
export const amountDigitsMax = 15

/** Commands of one request; longer lists go in several, one after the other. */
export const bulkCommandsMax = 500

/** How old a signed webhook may be, or from how far ahead: the five minutes of the convention. */
export const webhookToleranceSeconds = 300
