/**
 * The bounds of what the event store keeps in memory for speed: unit last, one line of reason each.
 * Beyond them it looks up or reads again; nothing is refused.
 */
import { lanesMax, projectionBatchMax } from '../limits.js'

/** As many streams as there are lanes; about 250 bytes each. */
export const knownHeadsMax = lanesMax

/** Written events kept for who follows the log: more than are written between two batches. */
export const handedEventsMax = 4 * projectionBatchMax
