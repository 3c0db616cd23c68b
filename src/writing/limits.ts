/**
 * The bounds of writing that one part of it has for itself: those of holds. What lanes and queues
 * are bounded by is in src/limits.ts.
 */

/** How often expired holds are looked for: what is due is seen in reads about as soon. */
export const holdSweepMs = 2_000

/** Wallets of one page, all handed to their lanes at once, and pages of one round. */
export const dueWalletsPageRows = 200
export const dueWalletsPagesMax = 20
