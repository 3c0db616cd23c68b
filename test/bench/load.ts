/**
 * The load of the benchmark: requests of one pattern over some connections for some seconds, from
 * wrk where it is installed, else from autocannon. Promises: counts answers, and an answer that is
 * neither a 200 nor the decline that was asked for apart from them. At the end a connection may
 * hold one request whose answer nobody read; it is counted among the writes that were sent.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const debitPath = '/api/server/wallet/debit'

/**
 * `debits`: of random users, each with a reference of its own; `cold`: of one user after the other,
 * who are more than there are lanes; `reads`: GET wallet; `replays`: a hundred debits again and
 * again; `mix`: 70 % reads, 20 % debits, 8 % credits and 2 % debits of more than there is.
 */
export type Pattern = 'debits' | 'cold' | 'reads' | 'replays' | 'mix'

export interface Target {
  readonly origin: string
  readonly clientId: string
  readonly clientSecret: string
  readonly serviceUserIds: readonly string[]
}

export interface LoadOptions {
  readonly pattern: Pattern
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  /** Answers as they should be. */
  readonly acknowledged: number
  /** Answers with another status, and connections that broke. */
  readonly failures: number
  /** Requests that were sent and write an event. */
  readonly writes: number
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
}

export interface Load {
  /** For people: which program makes the load. */
  readonly name: string
  run(target: Target, options: LoadOptions): Promise<LoadResult>
}

/** `folder` takes the files that wrk reads. */
export async function findLoad(folder: string): Promise<Load> {
  const wrk = await wrkVersion()
  if (wrk !== undefined) return { name: wrk, run: (...run) => runWrk(folder, ...run) }
  const autocannon = findAutocannon()
  if (autocannon === undefined)
    throw new Error('Neither wrk nor autocannon is installed: apt-get install wrk, or npm install.')
  return { name: 'autocannon', run: (...run) => runAutocannon(autocannon, ...run) }
}

const execute = promisify(execFile)
let runs = 0

/** No reference of any run repeats one of another. */
function newLabel(): string {
  runs += 1
  return `${Date.now().toString(36)}-${String(runs).padStart(4, '0')}`
}

/** Where the next cold run begins: behind the users of the ones before. */
let coldStart = 0

async function wrkVersion(): Promise<string | undefined> {
  try {
    // It prints its version and then complains about a missing address.
    const { stdout } = await execute('wrk', ['--version']).catch((error: unknown) => {
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
      throw error
    })
    return /^wrk \S+/.exec(stdout)?.[0]
  } catch {
    return undefined
  }
}

type WrkCount =
  | 'answers'
  | 'refused'
  | 'broken'
  | 'writes'
  | 'declines'
  | 'durationMicros'
  | 'medianMicros'
  | 'p99Micros'

async function runWrk(
  folder: string,
  target: Target,
  { pattern, connections, seconds }: LoadOptions,
): Promise<LoadResult> {
  const label = newLabel()
  const file = join(folder, `requests-${label}.txt`)
  const { clientId, clientSecret, serviceUserIds } = target
  await writeFile(file, [clientId, clientSecret, ...serviceUserIds].join('\n'))
  const script = fileURLToPath(new URL('requests.lua', import.meta.url))
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '20s']
  const own = [file, label, pattern, String(coldStart)]
  const args = [...options, '-s', script, target.origin, '--', ...own]
  const { stdout } = await execute('wrk', args, { timeout: (seconds + 60) * 1_000 })
  const line = stdout.split('\n').find((text) => text.startsWith('{'))
  if (line === undefined) throw new Error(`wrk said nothing:\n${stdout}`)
  const counts = JSON.parse(line) as Record<WrkCount, number>
  if (pattern === 'cold') coldStart += counts.writes
  // A decline whose answer nobody read is sent and not counted as refused.
  const unexpected = Math.max(0, counts.refused - counts.declines)
  const acknowledged = counts.answers - unexpected
  return {
    acknowledged,
    failures: unexpected + counts.broken,
    writes: counts.writes,
    perSecond: (acknowledged / counts.durationMicros) * 1e6,
    medianMs: counts.medianMicros / 1_000,
    p99Ms: counts.p99Micros / 1_000,
  }
}

/** What we use of autocannon, which brings no types of its own. */
type Autocannon = (options: {
  readonly url: string
  readonly connections: number
  readonly duration: number
  readonly requests: readonly { setupRequest(request: object): object }[]
}) => Promise<{
  readonly '2xx': number
  readonly non2xx: number
  readonly errors: number
  readonly duration: number
  readonly latency: { readonly p50: number; readonly p99: number }
}>

function findAutocannon(): Autocannon | undefined {
  try {
    return createRequire(import.meta.url)('autocannon') as Autocannon
  } catch {
    return undefined
  }
}

async function runAutocannon(
  autocannon: Autocannon,
  target: Target,
  { pattern, connections, seconds }: LoadOptions,
): Promise<LoadResult> {
  const label = newLabel()
  const sent = { count: 0, writes: 0, declines: 0 }
  const setupRequest = (request: object): object => {
    sent.count += 1
    const made = requestOf(target, pattern, { label, place: sent.count })
    if (made.body !== undefined) sent.writes += 1
    if (made.isDecline) sent.declines += 1
    const headers = { 'content-type': 'application/json' }
    const how = made.body === undefined ? { method: 'GET' } : { method: 'POST', headers }
    return { ...request, ...how, path: made.path, body: made.body }
  }
  const result = await autocannon({
    url: target.origin,
    connections,
    duration: seconds,
    requests: [{ setupRequest }],
  })
  if (pattern === 'cold') coldStart += sent.writes
  const unexpected = Math.max(0, result.non2xx - sent.declines)
  const acknowledged = result['2xx'] + result.non2xx - unexpected
  return {
    acknowledged,
    failures: unexpected + result.errors,
    writes: sent.writes,
    perSecond: acknowledged / result.duration,
    medianMs: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}

interface Made {
  readonly path: string
  /** A read has none. */
  readonly body?: string
  readonly isDecline?: boolean
}

/** The same as requests.lua. */
function requestOf(
  { clientId, clientSecret, serviceUserIds }: Target,
  pattern: Pattern,
  { label, place }: { label: string; place: number },
): Made {
  const users = serviceUserIds.length
  const userAt = (index: number): string => serviceUserIds[index % users] ?? ''
  const read = (serviceUserId: string): Made => {
    const query = new URLSearchParams({ clientId, clientSecret, serviceUserId })
    return { path: `/api/server/wallet?${query.toString()}` }
  }
  const write = (
    verb: string,
    serviceUserId: string,
    amount: number,
    referenceId: string,
  ): Made => {
    const what = {
      amount,
      referenceType: 'BENCH',
      referenceId,
      description: `Order ${referenceId}`,
    }
    const body = JSON.stringify({ clientId, clientSecret, serviceUserId, ...what })
    return { path: `/api/server/wallet/${verb}`, body }
  }
  const id = `${label}-${String(place).padStart(9, '0')}`
  if (pattern === 'cold') return write('debit', userAt(coldStart + place), 0.01, id)
  const repeated = place % Math.min(users, 100)
  if (pattern === 'replays') return write('debit', userAt(repeated), 0.01, `replayed-${repeated}`)
  const user = userAt(Math.floor(Math.random() * users))
  if (pattern === 'reads') return read(user)
  if (pattern === 'debits') return write('debit', user, 0.01, id)
  const share = Math.random() * 100
  if (share < 70) return read(user)
  if (share < 90) return write('debit', user, 0.01, id)
  if (share < 98) return write('credit', user, 0.01, id)
  return { ...write('debit', user, 1_000_000, id), isDecline: true }
}
