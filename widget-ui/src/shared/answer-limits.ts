/**
 * How long a page waits for an answer, then the service is away: more than it needs for an answer
 * or a refusal (test/limits.test.ts).
 */
export const widgetAnswerMs = 12_000
export const adminAnswerMs = 15_000
/** A statement waits for its turn, is drawn, and comes over a slow line. */
export const fileAnswerMs = 60_000
