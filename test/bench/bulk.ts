/**
 * `npm run bench-bulk`: debits a second of one connection in sequence, of 64 connections, and of
 * lists of 500 commands on 500 wallets over one connection, on one service in alternating rounds;
 * prints the medians and the two ratios. Options: --rounds 5 --seconds 4.
 * Fails when an answer is no 200. A missed goal is printed and is no failure: machines differ.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startOurs } from './contenders.js'
import { findLoad, type Load, type Target } from './load.js'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
})
const seconds = Number(options.seconds)
const listLength = 500
const connections = 64

const folder = await mkdtemp(join(tmpdir(), 'wallet-bench-'))
try {
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const ours = await startOurs({ folder: join(folder, 'ours') })
  try {
    const { clientId, clientSecret, origins, users } = ours
    const [origin = ''] = origins
    const serviceUserIds = users.spread
    await compare(await findLoad(folder), { origin, clientId, clientSecret, serviceUserIds })
  } finally {
    await ours.stop()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function compare(load: Load, target: Target): Promise<void> {
  const few = { ...target, serviceUserIds: target.serviceUserIds.slice(0, listLength) }
  const ways = [
    { name: 'one connection in sequence', run: () => single(load, few, 1) },
    { name: `${connections} connections`, run: () => single(load, few, connections) },
    { name: `lists of ${listLength}`, run: () => lists(few) },
  ].map((way) => ({ ...way, results: [] as number[] }))
  for (const { run } of ways) await run()
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const way of ways) way.results.push(await way.run())
  const medians = ways.map(({ results }) => median(results))
  for (const [index, { name }] of ways.entries())
    console.log(`${name.padEnd(28)} ${Math.round(medians[index] ?? 0)} debits/s`)
  const [sequence = 0, many = 0, bulk = 0] = medians
  tell('of one connection', bulk / sequence, 4)
  tell(`of ${connections} connections`, bulk / many, 1.3)
}

async function single(load: Load, target: Target, count: number): Promise<number> {
  const options = { pattern: 'debits', connections: count, seconds } as const
  const { failures, perSecond } = await load.run(target, options)
  if (failures > 0) throw new Error(`${failures} answers were no 200`)
  return perSecond
}

/** One request after the other, each a debit on every one of these wallets. */
async function lists({ origin, clientId, clientSecret, serviceUserIds }: Target): Promise<number> {
  const label = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
  const startedMs = performance.now()
  let booked = 0
  for (let list = 0; performance.now() - startedMs < seconds * 1_000; list += 1) {
    const commands = serviceUserIds.map((serviceUserId, index) => ({
      ...{ verb: 'debit', serviceUserId, amount: 0.01, referenceType: 'BENCH' },
      referenceId: `${label}-${list}-${index}`,
    }))
    const answer = await fetch(`${origin}/api/server/wallet/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, commands }),
    })
    const { results } = (await answer.json()) as { results: readonly { status: number }[] }
    if (!results.every(({ status }) => status === 200)) throw new Error('a debit was no 200')
    booked += results.length
  }
  return (booked / (performance.now() - startedMs)) * 1_000
}

function tell(of: string, ratio: number, goal: number): void {
  const verdict = ratio >= goal ? 'as wanted' : 'missed'
  console.log(`lists: ${ratio.toFixed(2)} times the debits ${of} (goal ${goal}: ${verdict})`)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
