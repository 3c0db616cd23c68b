/**
 * How the bounds of top-ups stand to each other and to those of a command: a top-up is answered in
 * time, and looked at until its end (test/limits.test.ts has the others).
 */
import t from 'tap'
import * as limits from '../../src/limits.js'
import * as topUps from '../../src/top-ups/limits.js'
import { pausesMs } from '../../widget-ui/src/topup/settling.js'

/** What must be so, the smaller value, the larger one. */
const below: readonly (readonly [sentence: string, smaller: number, larger: number])[] = [
  [
    'a person hears from us before the command’s deadline',
    topUps.processorDeadlineMs,
    limits.commandDeadlineMs,
  ],
  [
    'a request to the processor and its repeats fit',
    topUps.processorTimeoutMs * (1 + topUps.processorRetriesMax),
    topUps.processorDeadlineMs,
  ],
  [
    'a page that asks until it gives up, for every intent it may make, is not refused',
    topUps.intentTriesPerWallet * (pausesMs.length + 1),
    topUps.confirmTriesPerWallet,
  ],
  ['pauses between looks have room to double', topUps.intentCheckMs, topUps.intentCheckMaxMs],
  ['the sweeper comes oftener than a look is due', topUps.intentSweepMs, topUps.intentCheckMs],
  [
    'an unpaid intent is looked at before it is cancelled',
    topUps.intentCheckMs,
    topUps.intentOpenMs,
  ],
  ['cancelled long before a bank has surely ended', topUps.intentOpenMs, topUps.intentGiveUpMs],
  ['a paid one is looked at more than once', topUps.paidCheckMs, topUps.paidCheckedForMs],
  [
    'the sandbox waits for a webhook that settles',
    topUps.processorDeadlineMs,
    topUps.sandboxWebhookTimeoutMs,
  ],
  [
    'and for its end before it sends it again',
    topUps.sandboxWebhookTimeoutMs,
    topUps.sandboxWebhookPauseMs,
  ],
  ['what is due comes at the tick', topUps.sandboxTickMs, topUps.sandboxProcessingMs],
  [
    'made, assigned, charged and looked at twice: a try by itself ends within its lease',
    5 * topUps.processorDeadlineMs,
    topUps.automaticLeaseMs,
  ],
  [
    'booked, looked at, asked for and settled: a try of a return has time',
    3 * topUps.processorDeadlineMs + limits.commandDeadlineMs,
    topUps.returnPauseMs / 2,
  ],
  ['and ends within its lease', topUps.returnPauseMs / 2, topUps.returnLeaseMs],
  ['rules are looked at oftener than one is due', topUps.automaticSweepMs, topUps.automaticLookMs],
  ['a try that found nobody waits longer', topUps.automaticRetryMs, topUps.automaticRetryMaxMs],
  ['a bank’s no has time to change', topUps.automaticRetryMaxMs, topUps.automaticFailurePauseMs],
  ['removals wait longer each time', topUps.cardRemovalPauseMs, topUps.cardRemovalPauseMaxMs],
]

t.test('of two bounds the one that must is reached first', (t) => {
  for (const [sentence, smaller, larger] of below)
    t.ok(smaller < larger, `${sentence}: ${smaller} is below ${larger}`)
  t.end()
})
