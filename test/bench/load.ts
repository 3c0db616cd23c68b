/**
 * The load of the benchmark: debits with distinct references over 64 connections for some seconds,
 * from wrk where it is installed, else from autocannon. Promises: counts answers, and an answer
 * that is not a 200 apart from them. At the end a connection may hold one debit whose answer nobody
 * read; it is counted nowhere here.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const connections = 64
export const debitPath = '/api/server/wallet/debit'

export interface Target {
  readonly origin: string
  readonly clientId: string
  readonly clientSecret: string
  /** Each debit takes one of these at random. */
  readonly serviceUserIds: readonly string[]
}

export interface LoadResult {
  /** Answers with status 200. */
  readonly acknowledged: number
  /** Answers with another status, and connections that broke. */
  readonly failures: number
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
}

export interface Load {
  /** For people: which program makes the load. */
  readonly name: string
  /** Over 64 connections when left out. */
  run(target: Target, durationSeconds: number, connectionCount?: number): Promise<LoadResult>
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

/** The JSON body of a debit, cut where the user and the reference stand. */
export function bodyParts({ clientId, clientSecret }: Target): [string, string, string] {
  return [
    `{"clientId":"${clientId}","clientSecret":"${clientSecret}","serviceUserId":"`,
    '","amount":0.01,"referenceType":"BENCH","referenceId":"',
    '"}',
  ]
}

const execute = promisify(execFile)
let runs = 0

/** No reference of any run repeats one of another. */
function newLabel(): string {
  runs += 1
  return `${Date.now().toString(36)}-${String(runs).padStart(4, '0')}`
}

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

async function runWrk(
  folder: string,
  target: Target,
  durationSeconds: number,
  connectionCount = connections,
): Promise<LoadResult> {
  const file = join(folder, 'requests.txt')
  await writeFile(file, [...bodyParts(target), ...target.serviceUserIds].join('\n'))
  const script = fileURLToPath(new URL('debits.lua', import.meta.url))
  const options = ['-t', '1', '-c', String(connectionCount), '-d', `${durationSeconds}s`]
  const address = target.origin + debitPath
  const args = [...options, '-s', script, address, '--', file, newLabel()]
  const { stdout } = await execute('wrk', args, { timeout: (durationSeconds + 30) * 1_000 })
  const line = stdout.split('\n').find((text) => text.startsWith('{'))
  if (line === undefined) throw new Error(`wrk said nothing:\n${stdout}`)
  const counts = JSON.parse(line) as Record<
    'answers' | 'refused' | 'broken' | 'durationMicros' | 'medianMicros' | 'p99Micros',
    number
  >
  const acknowledged = counts.answers - counts.refused
  return {
    acknowledged,
    failures: counts.refused + counts.broken,
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
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
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
  durationSeconds: number,
  connectionCount = connections,
): Promise<LoadResult> {
  const [before, between, after] = bodyParts(target)
  const label = newLabel()
  let count = 0
  const setupRequest = (request: object): object => {
    count += 1
    const user = target.serviceUserIds[Math.floor(Math.random() * target.serviceUserIds.length)]
    const referenceId = `${label}-${String(count).padStart(9, '0')}`
    return { ...request, body: before + (user ?? '') + between + referenceId + after }
  }
  const result = await autocannon({
    url: target.origin + debitPath,
    connections: connectionCount,
    duration: durationSeconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: [{ setupRequest }],
  })
  return {
    acknowledged: result['2xx'],
    failures: result.non2xx + result.errors,
    perSecond: result['2xx'] / result.duration,
    medianMs: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
