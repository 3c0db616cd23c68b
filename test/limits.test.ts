/**
 * How the bounds stand to each other. A bound alone says what is large enough; these say which of
 * two must be reached first, and what would break if somebody moved one of them.
 */
import t from 'tap'
import * as audit from '../src/audit/limits.js'
import * as identity from '../src/identity/limits.js'
import * as eventStore from '../src/event-store/limits.js'
import * as http from '../src/http/limits.js'
import * as limits from '../src/limits.js'
import * as topUps from '../src/top-ups/limits.js'
import * as webhooks from '../src/webhooks/limits.js'
import { adminAnswerMs, widgetAnswerMs } from '../widget-ui/src/shared/answer-limits.js'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** What the contract and the world outside set, and no constant of ours. */
const clientsGiveUpMs = 10 * secondMs
const loadBalancersIdleMs = 60 * secondMs
const eventStoreAppendBytes = 1024 * 1024
const workerThreads = 4

/** What must be so, the smaller value, the larger one. */
type Relation = readonly [sentence: string, smaller: number, larger: number]

const below: Readonly<Record<string, readonly Relation[]>> = {
  'a webhook is one process’s until it has ended': [
    ['a lease outlasts two requests', 2 * webhooks.requestTimeoutMs, webhooks.leaseMs],
    [
      'one endpoint has a part of what is sent',
      webhooks.sendsPerEndpointMax,
      webhooks.sendsAtOnceMax,
    ],
    ['a claim looks at more than it takes', webhooks.sendsAtOnceMax, webhooks.claimRowsMax],
    ['pauses have room to double', webhooks.retryPauseMinMs, webhooks.retryPauseMaxMs],
    ['many tries fit before it is given up', 10 * webhooks.retryPauseMaxMs, webhooks.giveUpAfterMs],
    ['what waits is never too old to be kept', webhooks.giveUpAfterMs, webhooks.keptMs],
    [
      'a late one is noticed while it is still tried',
      webhooks.backlogDegradedMs,
      webhooks.giveUpAfterMs,
    ],
  ],
  'a command is answered before its client gives up': [
    ['its deadline ends before the client does', limits.commandDeadlineMs, clientsGiveUpMs],
    [
      'credentials and then a link leave the lane some of the deadline',
      2 * limits.answerWaitMs,
      limits.commandDeadlineMs,
    ],
    [
      'a silent append can be sent a second time within the deadline',
      2 * limits.appendWatchdogMs,
      limits.commandDeadlineMs,
    ],
    [
      'a frozen leader costs five seconds: watchdog, one client that is sent to it again, the next',
      limits.appendWatchdogMs + eventStore.clientTrialMinMs + 2 * limits.clientDisposeMs,
      5 * secondMs,
    ],
    ['a read is given up within the deadline', limits.readTimeoutMs, limits.commandDeadlineMs],
    [
      'what waits in a process is answered within half of it, at 2,500 commands a second',
      limits.queuedCommandsMax / 2_500,
      limits.commandDeadlineMs / secondMs / 2,
    ],
    [
      'four client apps fit beside each other',
      4 * http.appCommandsMax,
      limits.queuedCommandsMax + 1,
    ],
    ['no pause eats up the deadline', limits.retryPauseMaxMs, limits.commandDeadlineMs / 4],
    ['pauses have room to double', limits.retryPauseMinMs, limits.retryPauseMaxMs],
    [
      'the last password in line is hashed in time, at a quarter of a second each',
      (limits.passwordHashesWaitingMax / limits.passwordHashesAtOnceMax) * 0.25 * secondMs,
      limits.commandDeadlineMs,
    ],
    [
      'hashing leaves worker threads to files and names',
      limits.passwordHashesAtOnceMax,
      workerThreads,
    ],
    [
      'a login waits for its delay, a turn and its hash, and is answered',
      identity.loginDelayMaxMs + identity.loginTurnWaitMs + secondMs,
      clientsGiveUpMs,
    ],
    [
      'logins leave room in the line of the hashes to whoever else needs one',
      identity.loginsAtOnceMax,
      limits.passwordHashesWaitingMax,
    ],
    ['a delay has room to double', identity.loginDelayMinMs, identity.loginDelayMaxMs / 8],
    ['the widget waits longer than the service needs', limits.commandDeadlineMs, widgetAnswerMs],
    ['and so does the admin area', limits.commandDeadlineMs, adminAnswerMs],
  ],
  'an append that nobody waits for any more does not go on': [
    [
      'PostgreSQL gives it up before the watchdog',
      limits.appendStatementMs,
      limits.appendWatchdogMs,
    ],
    [
      'and gives up waiting for its lock before that',
      limits.appendLockMs,
      limits.appendStatementMs,
    ],
    ['a server that is away is noticed first', limits.storeConnectMs, limits.appendWatchdogMs],
    [
      'a balance is final after deadline, last try and clocks that differ by some seconds',
      limits.commandDeadlineMs + limits.appendWatchdogMs + 5 * secondMs,
      limits.balanceFinalMs,
    ],
  ],
  'after a signal everybody gets an answer before the process ends': [
    [
      'running requests get more than their deadline',
      limits.commandDeadlineMs,
      limits.requestDrainMs,
    ],
    [
      'and logins in line get their turn',
      identity.loginDelayMaxMs + identity.loginTurnWaitMs,
      limits.requestDrainMs,
    ],
    ['lanes get what is left after the requests', limits.requestDrainMs, limits.shutdownMs],
    ['open pages are told the end first', limits.walletStreamEndMs, limits.requestDrainMs],
    ['an audit looks whether it was stopped', audit.auditPauseMs, limits.shutdownMs],
    ['an event store client is given up in time', limits.clientDisposeMs, limits.shutdownMs],
  ],
  'a connection outlives what it carries': [
    [
      'a silent one is closed well after the slowest answer',
      2 * limits.commandDeadlineMs,
      limits.connectionTimeoutMs,
    ],
    ['and after the slowest request', limits.requestTimeoutMs, limits.connectionTimeoutMs],
    ['load balancers close an idle one first', loadBalancersIdleMs, limits.keepAliveTimeoutMs],
    ['slow clients are found soon', limits.connectionsCheckMs, limits.requestTimeoutMs],
    [
      'a stream of changes is never silent for so long',
      limits.walletStreamHeartbeatMs,
      limits.connectionTimeoutMs,
    ],
    [
      'an ended session is noticed before the next sign of life',
      limits.walletStreamCheckMs,
      limits.walletStreamHeartbeatMs,
    ],
  ],
  'health is told in time': [
    [
      'a check that hangs is begun anew only after it was called down',
      limits.healthCheckTimeoutMs,
      limits.healthCheckAbandonMs,
    ],
    ['an answer is not older than a check', limits.healthCacheMs, limits.healthCheckTimeoutMs],
    [
      'the ordinary wait of the projections is no lag',
      limits.projectionWaitMs,
      limits.projectionLagDegradedMs,
    ],
  ],
  'embedded PostgreSQL may be stopped and may recover while it is opened': [
    [
      'one stop and one start fit',
      limits.embeddedStopMs + limits.embeddedStartMs,
      limits.embeddedOpenMs,
    ],
    ['so does a server that refuses us first', limits.embeddedAdoptMs, limits.embeddedOpenMs],
    [
      'a connection is given up before the server is',
      limits.embeddedConnectMs,
      limits.embeddedAdoptMs,
    ],
    ['looks are quicker than what they wait for', limits.embeddedPollMs, limits.embeddedAdoptMs],
    [
      'a lock that lingers is waited for before the server is given up',
      limits.embeddedLockReleaseMs,
      limits.embeddedAdoptMs,
    ],
    [
      'an initdb that still runs is not taken for an abandoned one',
      limits.embeddedStartMs,
      limits.embeddedAbandonedMs,
    ],
  ],
  'batches fit what takes them': [
    ['a call waits for fewer than it takes', eventStore.groupBatchesEnough, limits.groupBatchesMax],
    [
      'and hardly any of a command’s time',
      100 * eventStore.groupGatherMs,
      limits.commandDeadlineMs,
    ],
    [
      'a full batch of ordinary debits is below the bound in bytes',
      limits.batchCommandsMax * 700,
      limits.batchBytesMax,
    ],
    ['EventStoreDB takes the largest batch', limits.batchBytesMax, eventStoreAppendBytes],
    ['a group holds the largest batch', limits.batchBytesMax, limits.groupBytesMax],
    [
      'a lost race shows more than one batch of another process',
      limits.batchCommandsMax,
      limits.conflictEventsMax,
    ],
    [
      'more lag than one batch of the projections can be read',
      limits.projectionBatchMax,
      limits.tailEventsMax,
    ],
    [
      'a check remembers more than the largest lag that is no outage',
      limits.tailEventsMax,
      audit.unprojectedOutcomesMax,
    ],
  ],
  'one wallet or one caller does not take the place of all': [
    ['waiting commands', limits.laneQueueMax, limits.queuedCommandsMax],
    [
      'references in memory: a small wallet holds all of its own',
      limits.smallWalletEventsMax,
      limits.laneReferencesMax,
    ],
    ['lanes that one eviction looks at', limits.evictionLooksMax, limits.lanesMax],
    ['searches under way and in line', http.searchesAtOnceMax, http.searchesWaitingMax],
    ['open pages of one person', limits.walletStreamsPerWalletMax, limits.walletStreamsMax],
    [
      'tries of an address for one account, and for all of them',
      identity.loginTriesPerPair,
      identity.loginTriesPerAddress,
    ],
    [
      'tries of an address for one admin, and for all of them',
      identity.loginTriesPerPair,
      identity.adminLoginTriesPerAddress,
    ],
    [
      'admins of one address, and its customers',
      identity.adminLoginTriesPerAddress,
      identity.loginTriesPerAddress,
    ],
    [
      'a person is delayed before they are refused',
      identity.loginTriesWithoutDelay,
      identity.loginTriesPerPair,
    ],
    [
      'tries are counted for as long as they rank an address',
      identity.loginTriesPerAddress,
      identity.loginTriesCountedMax,
    ],
    [
      'logins of one address in line, and of all',
      identity.loginsWaitingPerAddressMax,
      identity.loginsWaitingMax,
    ],
    [
      'rows of refused logins of one address, and of all',
      identity.refusedLoginRowsPerAddress,
      identity.refusedLoginRowsPerDay,
    ],
    ['a body, and a webhook of Stripe', limits.bodyBytesMax, topUps.webhookBytesMax],
  ],
  'what is believed or kept ends when it must': [
    ['credentials and links: two seconds', limits.answerCacheMs, 2 * secondMs],
    [
      'an admin who is away is logged out before one who works',
      limits.adminSessionIdleMs,
      limits.adminSessionLifetimeMs,
    ],
    [
      'a widget session is explained long after it ended',
      limits.widgetSessionMs,
      limits.widgetSessionKeptMs,
    ],
    [
      'a change is shown within about a second',
      limits.walletWatchPollMs + limits.projectionWaitMs,
      secondMs,
    ],
    ['origins fit one header', limits.originsMax * limits.originCharactersMax, 16 * 1024],
  ],
  'a wait is longer than the pause between two looks': [
    ['for a database that starts', limits.startRetryMs, limits.startWaitMs],
    ['for another checkpoint', audit.checkpointRetryMs, audit.checkpointWaitMs],
    ['for projections before an export', audit.exportCatchUpPauseMs, audit.exportCatchUpMs],
    ['of an export, for the projections’ own', limits.projectionWaitMs, audit.exportCatchUpMs],
    [
      'of seed, for projections whose lock was left behind',
      limits.projectionLockIdleMs,
      limits.seedProjectionStallMs,
    ],
    ['a sum over a table, and a read', limits.readTimeoutMs, limits.slowQueryTimeoutMs],
    ['a checkpoint is due a little before its pause is over', audit.checkpointDueShare, 1],
    ['a running payment of the shop, and its stop', 3 * secondMs, limits.demoShopStopMs],
  ],
}

for (const [rule, relations] of Object.entries(below))
  t.test(rule, (t) => {
    for (const [sentence, smaller, larger] of relations)
      t.ok(smaller < larger, `${sentence}: ${smaller} is below ${larger}`)
    t.end()
  })

const atMost: readonly Relation[] = [
  ['every lane has a place in line at the store', limits.lanesMax, limits.appendsWaitingMax],
  ['all lanes at 15 kB are 300 MB', limits.lanesMax * 15_000, 300_000_000],
  [
    'each loser of a full group is shown an event',
    limits.groupBatchesMax,
    limits.groupMissingEventsMax,
  ],
  [
    'a read notices a frozen leader as an append does',
    eventStore.readSilenceMs,
    limits.appendWatchdogMs,
  ],
  ['a slow server is waited for in the end', limits.appendWatchdogMs, eventStore.clientTrialMaxMs],
  ['a full batch fits the queue', limits.batchCommandsMax, limits.laneQueueMax],
  ['seed makes at most a full group at a time', limits.seedChunkWallets, limits.groupBatchesMax],
  ['a statement of seed is a part of a seed', limits.seedBatchRows, limits.seedUsersMax],
  ['a page without a wish fits', limits.pageEntriesStandard, limits.pageEntriesMax],
  ['a brand is a name that fits a phone', limits.brandCharactersMax, limits.nameCharactersMax],
  [
    'every mail of a window holds a link that works',
    limits.resetMailsPerAccount,
    limits.resetTokensMax,
  ],
  ['the newest checkpoint has a witness', 2, audit.checkpointLeavesKept],
  ['a bundle is a text a browser holds', audit.bundleEventsMax * 600, 500_000_000],
  ['Stripe takes eight digits', topUps.topUpMaxMinor, 99_999_999],
]

t.test('what is shared is large enough for whoever shares it', (t) => {
  for (const [sentence, smaller, larger] of atMost)
    t.ok(smaller <= larger, `${sentence}: ${smaller} is at most ${larger}`)
  t.end()
})

t.test('what people are promised in words is what the bounds say', (t) => {
  t.equal(limits.widgetSessionMs, 5 * minuteMs, 'a widget session lives five minutes')
  t.equal(limits.widgetEntries, 10, 'the widget shows ten entries')
  t.equal(limits.resetTokenMs, hourMs, 'the mail says that a link works for one hour')
  t.equal(topUps.intentOpenMs, hourMs, 'an unpaid intent is cancelled after an hour')
  const { sandboxWebhookPauseMs: pauseMs, sandboxWebhookTriesMax: tries } = topUps
  const allMs = pauseMs * (2 ** tries - 1)
  t.equal(Math.round(allMs / hourMs), 3, 'the sandbox tries a webhook for three hours')
  t.end()
})
