// The tables of webhooks in memory, which simulations use, do what those in PostgreSQL do: the same
// random work on both, and every answer compared.
import { isDeepStrictEqual } from 'node:util'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { Test } from 'tap'
import type { ClaimedLine, TryResult } from '../../src/webhooks/delivery-rows.js'
import { giveUpAfterMs, leaseMs, retryPauseMinMs } from '../../src/webhooks/limits.js'
import { postgresFeedTables, postgresLineTables } from '../../src/webhooks/postgres-tables.js'
import { MemoryWebhookTables } from '../support/memory-webhook-tables.js'
import { propertySeed } from '../support/property.js'
import { WebhookBench } from '../support/webhook-bench.js'
import { Chance } from '../simulation/chance.js'

const steps = 150

/** A webhook that is given up needs luck: with most seeds there is one long before this. */
const stepsMax = 2_000

t.test('lines and deliveries in memory are what PostgreSQL makes of the same work', async (t) => {
  const { chance, real, memory, endpointIds } = await tables(t)
  const walletIds = [chance.uuid(), chance.uuid()]
  const claimed: ClaimedLine[] = []
  const webhookIds: string[] = []
  let nowMs = Date.UTC(2026, 0, 1)
  let position = 0n
  const seen = { claims: 0, waiting: 0, repeats: 0, dead: 0 }

  const feed = async (): Promise<void> => {
    position += 1n
    const place = { position, eventId: chance.uuid() }
    const isAgain = webhookIds.length > 0 && chance.happens(0.2)
    const webhookId = isAgain ? chance.pick(webhookIds) : chance.uuid()
    if (isAgain) seen.repeats += 1
    webhookIds.push(webhookId)
    const line = { endpointId: chance.pick(endpointIds), walletId: chance.pick(walletIds) }
    const planned = [{ webhookId, ...line, type: 'wallet.entry', body: `{"n":${position}}` }]
    const isLost = chance.happens(0.2)
    for (const each of [real.feed, memory])
      await each
        .transaction(async (open) => {
          await open.insertDeliveries(planned, nowMs)
          await open.moveCheckpoint(place)
          if (isLost) throw new Error('lost')
        })
        .catch(() => undefined)
  }
  const claim = async (): Promise<void> => {
    const lease = chance.uuid()
    const asked = { nowMs, lease, max: 10, active: new Map<string, number>() }
    const answers = [await real.lines.claimLines(asked), await memory.claimLines(asked)]
    const [one, other] = answers.map((lines) => lines.map((line) => JSON.stringify(line)).sort())
    t.same(one, other, 'claimed')
    seen.claims += one?.length ?? 0
    claimed.push(...(answers[0] ?? []))
  }
  const finish = async (): Promise<void> => {
    // Often the last one, whose lease still holds; else any, whose lease is mostly lost by now.
    const at = chance.happens(0.5) ? claimed.length - 1 : chance.integer(0, claimed.length - 1)
    const line = claimed.splice(Math.max(at, 0), 1)[0]
    if (line === undefined) return
    const [waiting, known] = [await real.lines.readWaiting(line), await memory.readWaiting(line)]
    const textOf = ({ webhookId, body }: { webhookId: string; body: string }) => webhookId + body
    t.same(waiting.map(textOf), known.map(textOf), 'waiting')
    seen.waiting += waiting.length
    if (chance.happens(0.2)) {
      for (const each of [real.lines, memory]) await each.putBack(line, nowMs + 1_000)
      return
    }
    const isFailed = chance.happens(0.5)
    const count = chance.integer(0, waiting.length)
    const resultsOf = (rows: typeof waiting): TryResult[] =>
      rows.slice(0, count).map(({ deliveryId }, at) => {
        const isDelivered = !(isFailed && at === count - 1)
        const status = isDelivered ? 200 : 500
        return { deliveryId, isDelivered, atMs: nowMs, status, answer: '', fault: null }
      })
    for (const [each, rows] of [
      [real.lines, waiting],
      [memory, known],
    ] as const)
      await each.finishLine({ line, results: resultsOf(rows), nowMs, random: fixed })
  }
  const isDead = () => [...memory.deliveries.values()].some(({ state }) => state === 'dead')
  for (let step = 0; step < steps || (step < stepsMax && !isDead()); step += 1) {
    await chance.pick([feed, feed, claim, claim, finish, finish])()
    nowMs += chance.pick([0, 1_000, retryPauseMinMs, leaseMs, leaseMs, giveUpAfterMs / 2])
    const [one, other] = [await real.feed.readCheckpoint(), await memory.readCheckpoint()]
    t.ok(isDeepStrictEqual({ ...one, marker: '' }, { ...other, marker: '' }), 'checkpoint')
  }
  const states = await real.states()
  t.same(
    states,
    [...memory.deliveries.values()].map(({ webhookId, state }) => `${webhookId} ${state}`),
  )
  seen.dead = states.filter((state) => state.endsWith('dead')).length
  t.ok(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  )
})

/** Both back off by the same chance. */
const fixed = {
  fraction: () => 0.5,
  uuid: randomUUID,
  bytes: (count: number) => Buffer.alloc(count),
}

async function tables(t: Test) {
  const bench = await WebhookBench.open(t)
  const { pool } = bench.ledger
  const shop = await bench.makeApp()
  const endpointIds = [
    (await bench.makeEndpoint(shop)).endpoint.endpointId,
    (await bench.makeEndpoint(shop)).endpoint.endpointId,
  ]
  const states = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ told: string }>(
      "select webhook_id || ' ' || state as told from webhooks.deliveries order by delivery_id",
    )
    return rows.map(({ told }) => told)
  }
  const real = { feed: postgresFeedTables(pool), lines: postgresLineTables(pool), states }
  const known = { endpoints: [], wallets: new Map(), thresholds: () => [] }
  const memory = new MemoryWebhookTables(known, '')
  return { chance: new Chance(propertySeed(t)), real, memory, endpointIds }
}
