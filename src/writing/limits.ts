/**
 * The bounds of writing that one part of it has for itself: holds, forgotten references, and the
 * recent history. What lanes and queues are bounded by is in src/limits.ts.
 */

/**
 * What a process can name should the store lose it: 32 MB, about 50,000 events. A replica is behind
 * by less; of an older backup the newest of them are known, and that there were others.
 */
export const recentBlockBytes = 2 * 1024 * 1024
export const recentBlocksMax = 16

/** Places in the filters of all lanes, 4 bytes each: 32 MB. Without one a lane asks every time. */
export const forgottenReferencesMax = 8 * 1024 * 1024

/** Batches of new references between two look-ups, which also bring the lane's memory down. */
export const batchesBetweenLookUps = 16

/** How often expired holds are looked for: what is due is seen in reads about as soon. */
export const holdSweepMs = 2_000

/** Wallets of one page, all handed to their lanes at once, and pages of one round. */
export const dueWalletsPageRows = 200
export const dueWalletsPagesMax = 20
