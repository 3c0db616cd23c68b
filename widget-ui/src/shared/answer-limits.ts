/**
 * How long a page waits for an answer, then the service is away: more than it needs for an answer
 * or a refusal (test/limits.test.ts).
 */
export const widgetAnswerMs = 12_000
export const adminAnswerMs = 15_000
