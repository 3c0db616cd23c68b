/**
 * `npm run webhook-kills`: ten thousand entries of two client apps on a real service that is killed
 * (SIGKILL) twenty times meanwhile; then the verdict of their receivers: every entry has arrived at
 * the app that booked it, in order per wallet, signed, and at nobody else's. `-- --events 1000
 * --kills 5` for other runs; `--processes 2` on one PostgreSQL, of which the first is killed and
 * each has the requests of one app. Exit code 1 when anything is wrong.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { WalletClient } from '../../src/client/wallet-client.js'
import { lineDeliveriesMax } from '../../src/webhooks/limits.js'
import { ServiceProcess } from '../support/service-process.js'
import { openSharedPostgres } from '../support/shared-postgres.js'
import { Receiver, verified } from '../support/webhooks.js'
import type { Received } from '../support/webhooks.js'

const text = { type: 'string' } as const
const options = { events: text, kills: text, processes: text }
const { values } = parseArgs({ options })
const events = Number(values.events ?? 10_000)
const kills = Number(values.kills ?? 20)
const processes = Number(values.processes ?? 1)
const wallets = 8
const atOnce = 32
/** Leases of the last one that was killed, and then some. */
const patienceMs = 120_000
/** What may come again: of each app and wallet what a line sends before it goes back. */
const doublesPerKillMax = 2 * wallets * lineDeliveriesMax

interface App {
  readonly name: string
  readonly clientId: string
  readonly client: WalletClient
  readonly receiver: Receiver
  readonly booked: Set<string>
  /** Found at their arrival: after five minutes no signature is good any more. */
  readonly unsigned: string[]
}

const closing: (() => unknown)[] = []
const teardown = { teardown: (work: () => unknown) => void closing.push(work) }
const shared = processes > 1 ? await openSharedPostgres('wallet-kills-') : undefined
const place = shared && { DATABASE_URL: shared.url, DATA_DIR: shared.folder }
const services: { readonly port: number; readonly service: ServiceProcess }[] = []
for (let number = 0; number < processes; number += 1) {
  const port = await freePort()
  const settings = { PORT: String(port), WEBHOOKS_ALLOW_PRIVATE: 'true', ...place }
  services.push({ port, service: await ServiceProcess.prepare(settings) })
}
const { service, port } = services[0] as (typeof services)[number]
const startedMs = performance.now()
try {
  // One after the other: the first one makes the tables.
  for (const each of services) await each.service.start()
  const apps = [await makeApp('shop'), await makeApp('market')]
  const people = await makePeople(apps)
  let done = 0
  const killing = killOften(() => done)
  const worker = async (first: number): Promise<void> => {
    for (let number = first; number < events; number += atOnce) {
      const app = apps[number % 2] as App
      const referenceId = `${app.name}-${number}`
      const reference = { referenceType: 'KILLS', referenceId }
      const serviceUserId = people[Math.floor(number / 2) % wallets] as string
      const { outcome } = await app.client.debit({ serviceUserId, amount: 0.01, ...reference })
      if (outcome === 'applied') app.booked.add(referenceId)
      done += 1
    }
  }
  await Promise.all([killing, ...Array.from({ length: atOnce }, (_, first) => worker(first))])
  const bookedMs = performance.now()
  await allArrived(apps)
  const sum = (count: (app: App) => number): number =>
    apps.reduce((total, app) => total + count(app), 0)
  const doubles = sum(({ receiver }) => receiver.all.length - idsOf(receiver).size)
  const wrong = apps.flatMap(faultsOf)
  if (doubles > kills * doublesPerKillMax) wrong.push(`${doubles} came more than once`)
  const verdict = {
    kills,
    booked: sum(({ booked }) => booked.size),
    arrived: sum(({ receiver }) => idsOf(receiver).size),
    doubles,
    wrong: wrong.slice(0, 20),
    secondsOfBooking: Math.round((bookedMs - startedMs) / 1_000),
    secondsInAll: Math.round((performance.now() - startedMs) / 1_000),
  }
  console.log(JSON.stringify(verdict, null, 2))
  const isRight = wrong.length === 0 && verdict.booked === events + wallets
  console.log(isRight ? 'each has arrived, in order, signed, and nowhere else' : 'WRONG')
  process.exitCode = isRight ? 0 : 1
} finally {
  for (const each of services) await each.service.remove()
  await shared?.close()
  for (const close of closing) await close()
}

async function makeApp(name: string): Promise<App> {
  const receiver = await Receiver.open(teardown)
  const made = await service.run<{ clientId: string; clientSecret: string }>(
    ...['client-apps', 'create', '--name', name],
  )
  const { clientId } = made
  const { secret } = await service.run<{ secret: string }>(
    ...['webhooks', 'create', '--client-app', clientId, '--url', `${receiver.origin}/${name}`],
    ...['--type', 'wallet.entry'],
  )
  const url = `http://127.0.0.1:${(name === 'shop' ? services[0] : services.at(-1))?.port ?? 0}`
  // A restart takes longer than a person would wait.
  const client = new WalletClient({ ...made, url, triesMax: 100, totalMs: 120_000 })
  const unsigned: string[] = []
  receiver.answer = (received) => {
    if (!isSigned(received, secret)) unsigned.push(referenceOf(received))
    return { status: 204 }
  }
  return { name, clientId, client, receiver, booked: new Set(), unsigned }
}

/** All are linked to both apps, so that each has entries that the other must not see. */
async function makePeople([shop, market]: readonly App[]): Promise<string[]> {
  if (shop === undefined || market === undefined) throw new Error('two apps are needed')
  const people: string[] = []
  for (let number = 1; number <= wallets; number += 1) {
    const account = { email: `person-${number}@example.com`, password: 'correct horse battery' }
    const names = { firstName: 'Ada', lastName: 'Byron' }
    const { serviceUserId } = await enter('signup', { ...account, ...names }, shop)
    await enter('login', account, market)
    const reference = { referenceType: 'START', referenceId: `shop-start-${number}` }
    await shop.client.credit({ serviceUserId, amount: 1_000, ...reference })
    shop.booked.add(reference.referenceId)
    people.push(serviceUserId)
  }
  return people
}

async function enter(way: string, account: object, { clientId }: App) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/widget/auth/${way}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, clientId }),
  })
  return (await answer.json()) as { readonly serviceUserId: string }
}

async function killOften(progress: () => number): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    while (progress() < (events * kill) / (kills + 1)) await sleep(10)
    const killedMs = performance.now()
    await service.stop('SIGKILL')
    await service.start()
    const seconds = [killedMs - startedMs, performance.now() - killedMs].map((ms) => ms / 1_000)
    const [at, back] = seconds.map((each) => each.toFixed(1))
    console.log(`kill ${kill} at ${at} s and ${progress()} debits, back after ${back} s`)
  }
}

async function allArrived(apps: readonly App[]): Promise<void> {
  const untilMs = performance.now() + patienceMs
  const isMissing = (app: App): boolean => missingOf(app).length > 0
  while (apps.some(isMissing) && performance.now() < untilMs) await sleep(200)
}

function missingOf({ booked, receiver }: App): string[] {
  const arrived = new Set(receiver.all.map(referenceOf))
  return [...booked].filter((reference) => !arrived.has(reference))
}

function faultsOf(app: App): string[] {
  const faults = [
    ...missingOf(app).map((reference) => `${reference} has not arrived`),
    ...app.unsigned.map((reference) => `${reference} is not signed`),
  ]
  const seen = new Set<string>()
  const balances = new Map<unknown, number>()
  for (const received of app.receiver.all) {
    const reference = referenceOf(received)
    if (!app.booked.has(reference)) faults.push(`${reference} is not of ${app.name}`)
    if (received.path !== `/${app.name}`) faults.push(`${reference} came to ${received.path}`)
    // Every debit takes the balance down: what is first seen must be lower than all before it.
    if (seen.has(received.id)) continue
    seen.add(received.id)
    const { serviceUserId, balance } = received.payload.data
    if (Number(balance) >= (balances.get(serviceUserId) ?? Infinity))
      faults.push(`${reference} is out of order`)
    balances.set(serviceUserId, Number(balance))
  }
  return faults
}

function idsOf(receiver: Receiver): Set<string> {
  return new Set(receiver.all.map(({ id }) => id))
}

function isSigned(received: Received, secret: string): boolean {
  try {
    verified(received, secret)
    return true
  } catch {
    return false
  }
}

function referenceOf({ payload }: Received): string {
  return String(payload.data['referenceId'])
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
