/** The bounds of the event store's own memory: unit last, one line of reason each. */
import { lanesMax, projectionBatchMax } from '../limits.js'

/** As many streams as there are lanes; about 250 bytes each. */
export const knownHeadsMax = lanesMax

/** Written events kept for who follows the log: more than are written between two batches. */
export const handedEventsMax = 4 * projectionBatchMax
