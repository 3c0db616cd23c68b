/**
 * What others notice of a flood: a debit's median while nothing else goes on, while a stranger
 * sends bodies of 64 KiB of brackets, and while another client app reads long pages, 40 at once;
 * and what such a body costs beside a plain one. Run: node --import tsx test/bench/flood.ts
 * The service runs in this process on an embedded PostgreSQL of its own; who measures and who makes
 * the load are processes of their own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../../src/compose.js'
import { openDatabase } from '../../src/compose/database.js'
import { openIdentity } from '../../src/compose/identity.js'
import { loadConfig } from '../../src/config.js'
import { bodyBytesMax, pageEntriesMax } from '../../src/limits.js'
import { createLog } from '../../src/platform/log.js'
import { median } from './filled-ledger.js'

type Load = 'plain bodies' | 'brackets' | 'long reads'

interface Clients {
  readonly origin: string
  readonly apps: readonly { readonly clientId: string; readonly clientSecret: string }[]
  readonly serviceUserIds: readonly string[]
}

const debits = 200
const floodConnections = 8
const readsAtOnce = 40
/** Until the other process is up and the budget of its address is used up. */
const loadStartMs = 4_000
const plain = `{"a":"${'x'.repeat(bodyBytesMax - 8)}"}`
const brackets = '['.repeat(bodyBytesMax / 2) + ']'.repeat(bodyBytesMax / 2)
const ordinary = new Agent({ keepAlive: true })

const [, program = '', given, load] = process.argv
if (given === undefined) await serve()
else if (load === undefined) await measure(JSON.parse(given) as Clients)
else await makeLoad(JSON.parse(given) as Clients, load as Load)

async function serve(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wallet-flood-'))
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  const config = loadConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn', PAYMENTS: 'off' })
  const log = createLog({ level: 'error' })
  const surroundings = { log, notice: () => undefined }
  const service = await startService(config, surroundings)
  const database = await openDatabase(config, surroundings)
  const { clientApps, users, links } = openIdentity(database, config, surroundings)
  const rules = { allowedOrigins: [], allowedIframeParents: [] }
  const scopes = ['wallet:read', 'wallet:write'] as const
  const apps = []
  const serviceUserIds = []
  for (const name of ['Busy', 'Bystander']) {
    const { clientApp, clientSecret } = await clientApps.create({ name, scopes, ...rules })
    const { serviceUserId } = await users.create({})
    await links.add(clientApp.clientId, serviceUserId)
    apps.push({ clientId: clientApp.clientId, clientSecret })
    serviceUserIds.push(serviceUserId)
  }
  const clients: Clients = { origin: service.origin, apps, serviceUserIds }
  await once(start(clients), 'exit')
  await database.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

/** A process of this file's own with this task; without a load it measures. */
function start(clients: Clients, ...load: readonly Load[]): ChildProcess {
  const args = ['--import', 'tsx', program, JSON.stringify(clients), ...load]
  return spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] })
}

async function measure(clients: Clients): Promise<void> {
  const tell = (line: string): void => console.log(line)
  for (let index = 0; index < 600; index += 1) await book(clients, 0, 'credit')
  await book(clients, 1, 'credit', 1_000)
  await bodyMs(clients, plain)
  const plainMs = await bodyMs(clients, plain)
  const bracketsMs = await bodyMs(clients, brackets)
  tell(`a body of 64 KiB, refused: plain ${ms(plainMs)}, brackets ${ms(bracketsMs)}`)

  await debitMs(clients)
  tell(`a debit, quiet: ${ms(await debitMs(clients))}`)
  for (const load of ['plain bodies', 'brackets', 'long reads'] as const)
    tell(`a debit, beside ${load}: ${ms(await beside(clients, load))}`)
  tell(`a debit, quiet again: ${ms(await debitMs(clients))}`)
  ordinary.destroy()
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}

/** The median of a few hundred debits of the bystander, one after the other. */
async function debitMs(clients: Clients): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < debits; index += 1) {
    const startedMs = performance.now()
    const status = await book(clients, 1, 'debit')
    if (status !== 200) throw new Error(`a debit of the bystander got ${status}`)
    times.push(performance.now() - startedMs)
  }
  return median(times)
}

/** The same while another process makes the load. */
async function beside(clients: Clients, load: Load): Promise<number> {
  const child = start(clients, load)
  await pause(loadStartMs)
  const measured = await debitMs(clients)
  child.stdin?.end()
  await once(child, 'exit')
  return measured
}

/** Until the input ends. */
async function makeLoad(clients: Clients, load: Load): Promise<void> {
  const stop =
    load === 'long reads' ? reads(clients) : flood(clients, load === 'brackets' ? brackets : plain)
  await once(process.stdin.resume(), 'close')
  await stop()
  process.exit(0)
}

/** The median of a body without credentials; each from an address of its own, within its budget. */
async function bodyMs(clients: Clients, body: string): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < 100; index += 1) {
    const startedMs = performance.now()
    const localAddress = `127.0.2.${index + 1}`
    await send(clients, { path: '/api/server/wallet/debit', body, localAddress })
    times.push(performance.now() - startedMs)
  }
  return median(times)
}

function flood(clients: Clients, body: string): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: floodConnections })
  const sent = { path: '/api/server/wallet/debit', body, localAddress: '127.0.3.1', agent }
  return repeat(floodConnections, () => send(clients, sent))
}

function reads(clients: Clients): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: readsAtOnce })
  const query = new URLSearchParams({
    ...clients.apps[0],
    serviceUserId: clients.serviceUserIds[0] ?? '',
    limit: String(pageEntriesMax),
  })
  const sent = { path: `/api/server/wallet?${query.toString()}`, agent }
  return repeat(readsAtOnce, () => send(clients, sent))
}

/** So many at once, again and again, until it is stopped. */
function repeat(atOnce: number, work: () => Promise<unknown>): () => Promise<void> {
  const over = new AbortController()
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) await work()
  }
  const running = Promise.all(Array.from({ length: atOnce }, run))
  return async () => {
    over.abort()
    await running
  }
}

function book(clients: Clients, which: 0 | 1, verb: string, amount = 0.01): Promise<number> {
  const body = JSON.stringify({
    ...clients.apps[which],
    serviceUserId: clients.serviceUserIds[which],
    amount,
    referenceType: 'FLOOD',
    referenceId: randomUUID(),
    description: 'A text that is sealed',
  })
  return send(clients, { path: `/api/server/wallet/${verb}`, body })
}

interface Sent {
  readonly path: string
  readonly body?: string
  readonly localAddress?: string
  readonly agent?: Agent
}

/** The status of the answer, when all of it has come; 0 when the connection broke. */
function send({ origin }: Clients, { path, body, localAddress, agent }: Sent): Promise<number> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const options = { method, headers, agent: agent ?? ordinary, localAddress }
  return new Promise((resolve) => {
    const sent = request(origin + path, options, (answer) => {
      answer.on('end', () => resolve(answer.statusCode ?? 0)).resume()
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}
