/**
 * Where the time of a debit goes: a CPU profile of the service's main thread under load, its own
 * time summed up by the rooms of the code. Pure but for reading the file.
 * A profile samples by the clock on the wall: on a busy machine it counts waits for a processor.
 */
import { readFile } from 'node:fs/promises'

export interface Part {
  readonly name: string
  readonly micros: number
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Microseconds a request, the largest part first. */
export async function whereTimeGoes(file: string, requests: number): Promise<Part[]> {
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profile
  const rooms = new Map(profile.nodes.map(({ id, callFrame }) => [id, roomOf(callFrame)]))
  const sums = new Map<string, number>()
  for (const [index, id] of profile.samples.entries()) {
    const room = rooms.get(id)
    if (room === undefined) continue
    sums.set(room, (sums.get(room) ?? 0) + (profile.timeDeltas[index] ?? 0))
  }
  return [...sums]
    .map(([name, micros]) => ({ name, micros: micros / requests }))
    .sort((one, other) => other.micros - one.micros)
}

/** Undefined: the thread had nothing to do, or the profiler itself was at work. */
function roomOf({ functionName, url }: { functionName: string; url: string }): string | undefined {
  if (functionName === '(idle)' || functionName === 'dispatch') return undefined
  if (functionName === '(garbage collector)') return 'garbage collector'
  const room = rooms.find(([part]) => url.includes(part))
  if (room !== undefined) return room[1]
  if (url.startsWith('node:')) return 'Node: sockets, streams, HTTP'
  if (nativeWrites.has(functionName)) return 'writes to sockets'
  if (nativeHashes.has(functionName)) return 'hashes and ciphers'
  return url === '' ? 'native code and microtasks' : 'other packages'
}

const rooms: readonly (readonly [string, string])[] = [
  ['/projections/', 'projections'],
  ['/dist/src/domain/', 'domain: rules, ids, hashes'],
  ['/dist/src/writing/', 'writing: lanes and answers'],
  ['/dist/src/event-store/', 'event store: groups and columns'],
  ['/dist/src/platform/', 'platform: columns, logs, sealing'],
  ['/dist/src/identity/', 'identity: credentials and links'],
  ['/dist/src/', 'http: routes, schemas, budgets'],
  ['/node_modules/pg', 'pg, the driver'],
  ['/node_modules/fastify', 'Fastify'],
  ['/node_modules/find-my-way', 'Fastify'],
  ['/node_modules/fast-json-stringify', 'Fastify'],
  ['node:internal/crypto', 'hashes and ciphers'],
]

const nativeWrites = new Set(['writev', 'writeLatin1String', 'writeUtf8String', 'writeBuffer'])
const nativeHashes = new Set(['oneShotDigest', 'initiv', 'CipherBase', 'final', 'setAAD'])
