/**
 * Every bound of the card payments, unit last, one line of reason each; those of the service itself
 * are in src/limits.ts. How they stand to each other is asserted by test/limits.test.ts.
 */

/** Stripe takes amounts of at most eight digits. */
export const topUpMaxMinor = 99_999_999
/** One try of one request to the card processor, and how often it is repeated. */
export const processorTimeoutMs = 2_500
export const processorRetriesMax = 1
/** What a person waits for the processor. */
export const processorDeadlineMs = 7_000
/** Refunds or disputes of one payment, each; more than a person makes, and never read in part. */
export const paymentPartsMax = 1_000
/** How old a signed webhook may be, or from how far ahead; Stripe's largest are some 10 kB. */
export const webhookToleranceSeconds = 300
export const webhookBytesMax = 256 * 1024

/** Payments that one process looks into at the same moment; a burst beyond it comes again. */
export const settlementsAtOnceMax = 200
/** A refund may fail while it is booked: look again, and leave a stranger case to the sweeper. */
export const settlementRoundsMax = 4
/** Intents that one person makes in a window: a form that is opened again and again. */
export const intentTriesPerWallet = 30
export const intentWindowMs = 15 * 60_000
/** Confirms in a window: a page asks again and again, and each time the processor is asked. */
export const confirmTriesPerWallet = 600
/** Unpaid intents of one wallet that are cancelled to make room for a new one. */
export const supersededIntentsMax = 20
/** Of one wallet that are shown while a bank processes them; a day's limit keeps them few. */
export const pendingTopUpsMax = 20
/** An intent nobody has paid is cancelled after this; who pays later begins anew. */
export const intentOpenMs = 60 * 60_000

/** When an intent is first looked at, then in doubling pauses, and when a bank surely has ended. */
export const intentCheckMs = 60_000
export const intentCheckMaxMs = 60 * 60_000
export const intentGiveUpMs = 21 * 24 * 60 * 60_000
/** Paid ones are looked at in doubling pauses, for as long as a dispute may come. */
export const paidCheckMs = 60 * 60_000
export const paidCheckedForMs = 180 * 24 * 60 * 60_000

/** One round of the top-up sweeper: rows a claim, their lease, claims, and the pause between. */
export const intentBatchRows = 20
export const intentLeaseMs = 60_000
export const intentBatchesMax = 50
export const intentSweepMs = 15_000

/** The sandbox: what is due is looked for this often, and comes this long after the payment. */
export const sandboxTickMs = 250
export const sandboxBatchRows = 50
export const sandboxProcessingMs = 3_000
export const sandboxLaterMs = 5_000
/** Its webhooks: tries in doubling pauses (three hours in all), and each one's time. */
export const sandboxWebhookTriesMax = 10
export const sandboxWebhookPauseMs = 10_000
export const sandboxWebhookTimeoutMs = 9_000

/** Saved cards of one person: as many as a purse has. */
export const savedCardsMax = 5
/** What is to be removed at the processor: rows a round, tries in doubling pauses, three weeks. */
export const cardRemovalBatchRows = 20
export const cardRemovalSweepMs = 30_000
export const cardRemovalPauseMs = 60_000
export const cardRemovalPauseMaxMs = 24 * 60 * 60_000
export const cardRemovalTriesMax = 30

/** Automatic top-ups: how often they are looked for, rules a statement, statements a round. */
export const automaticSweepMs = 5_000
export const automaticPageRows = 500
export const automaticPagesMax = 40
/** A try is one process's so long, which is longer than what it asks the processor for. */
export const automaticLeaseMs = 60_000
/** Cards that one process charges at the same moment. */
export const automaticAtOnceMax = 10
/** After a top-up, before the next: what is booked is seen everywhere by then. */
export const automaticPauseMs = 60_000
/** After a bank's no, before the second and last try: a salary or a new limit may come. */
export const automaticFailurePauseMs = 6 * 60 * 60_000
export const automaticFailuresMax = 2
/** When nothing could be tried (processor away, day's limit): doubling pauses. */
export const automaticRetryMs = 60_000
export const automaticRetryMaxMs = 60 * 60_000
/** Mails about a rule that was switched off are tried so often in these pauses: three days. */
export const automaticTellTriesMax = 80
/** While a bank processes a try it is looked at this often; webhooks are usually faster. */
export const automaticLookMs = 15_000

/** Card returns: payments that a plan looks at, newest first, and how many at the same moment. */
export const returnPaymentsMax = 40
export const returnLooksAtOnceMax = 5
/** Their worker: pause, rows a claim, and whose a row is meanwhile; a try takes half a pause. */
export const returnSweepMs = 15_000
export const returnBatchRows = 20
export const returnLeaseMs = 120_000
/** Tries in doubling pauses, three weeks; a day is longer than the processor keeps a key. */
export const returnPauseMs = 60_000
export const returnPauseMaxMs = 24 * 60 * 60_000
export const returnTriesMax = 30
