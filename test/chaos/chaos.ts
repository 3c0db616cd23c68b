/**
 * `npm run chaos`: two services and their PostgreSQL, killed, frozen and cut off while shops go on
 * buying; then every answer that was given is looked for in the streams, and `audit verify` looks
 * at everything. About two minutes as it stands; `--kills 100 --database-kills 20` is the long one.
 * Exits with 1 when anything was lost, doubled or wrong. Loopback only; ends everything by itself.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Cluster } from './cluster.js'
import { Shops, type Shop } from './shops.js'
import { compare } from './verdict.js'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '8' },
    'database-kills': { type: 'string', default: '2' },
    freezes: { type: 'string', default: '3' },
    'database-freezes': { type: 'string', default: '2' },
    cuts: { type: 'string', default: '4' },
    wallets: { type: 'string', default: '20' },
  },
})

type Fault = (cluster: Cluster, shops: Shops) => Promise<void>

const faults: Readonly<Record<string, { readonly times: number; readonly work: Fault }>> = {
  'service killed (SIGKILL)': {
    times: count(values.kills),
    work: async ({ services }) => {
      const service = oneOf(services)
      await service.kill()
      await service.ready()
    },
  },
  'PostgreSQL killed (SIGKILL)': {
    times: count(values['database-kills']),
    work: async (cluster) => {
      await cluster.killDatabase()
      await Promise.all(cluster.services.map((service) => service.ready()))
    },
  },
  'service frozen (SIGSTOP)': {
    times: count(values.freezes),
    work: ({ services }) => oneOf(services).freeze(500 + Math.random() * 4_000),
  },
  'PostgreSQL frozen (SIGSTOP)': {
    times: count(values['database-freezes']),
    work: (cluster) => cluster.freezeDatabase(500 + Math.random() * 4_000),
  },
  'connections to PostgreSQL cut': {
    times: count(values.cuts),
    work: async ({ proxy }) => {
      proxy.cut()
      await pause(Math.random() * 2_000)
      proxy.mend()
    },
  },
}

process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  console.log('Starting PostgreSQL and two services …')
  const cluster = await Cluster.open(2)
  const interrupted = (): void => void cluster.close().finally(() => process.exit(1))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  try {
    const origins = cluster.services.map(({ origin }) => origin)
    const shops = new Shops(origins, await makeShop(cluster))
    const rows = await breakThings(cluster, shops)
    await Promise.all(cluster.services.map((service) => service.ready()))
    await shops.close()
    console.table(rows)
    return await judge(cluster, shops)
  } finally {
    await cluster.close()
  }
}

interface Row {
  times: number
  answers: number
  'longest silence (ms)': number
}

async function breakThings(cluster: Cluster, shops: Shops): Promise<Record<string, Row>> {
  const rows: Record<string, Row> = {}
  for (const name of shuffled(
    Object.entries(faults).flatMap(([name, { times }]) => Array<string>(times).fill(name)),
  )) {
    const row = (rows[name] ??= { times: 0, answers: 0, 'longest silence (ms)': 0 })
    const before = shops.acknowledged.length
    shops.takeSilence()
    await faults[name]?.work(cluster, shops)
    await pause(1_000 + Math.random() * 1_000)
    row.times += 1
    row.answers += shops.acknowledged.length - before
    const silenceMs = Math.max(row['longest silence (ms)'], shops.takeSilence())
    row['longest silence (ms)'] = silenceMs
    console.log(`${name}: ${shops.acknowledged.length} answers so far`)
  }
  return rows
}

async function judge(cluster: Cluster, shops: Shops): Promise<boolean> {
  const { acknowledged, repeats, unanswered, problems } = shops
  const { events, lost, doubled, wrong } = await compare(cluster.databaseUrl, acknowledged)
  console.log(
    `${acknowledged.length} answers, ${repeats} repeats, ${unanswered} commands given up, ` +
      `${events} events: ${lost.length} lost, ${doubled.length} doubled, ${wrong.length} wrong, ` +
      `${problems.length} problems`,
  )
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`)
  for (const answer of [...lost, ...wrong].slice(0, 20)) console.log(`  ${JSON.stringify(answer)}`)
  const doesAgree = await cluster.command('audit', 'verify').then(
    () => true,
    (error: unknown) => {
      console.log(String(error))
      return false
    },
  )
  console.log(doesAgree ? 'audit verify agrees' : 'audit verify does not agree')
  const faulty = lost.length + doubled.length + wrong.length + problems.length
  return faulty === 0 && doesAgree && acknowledged.length > 0
}

async function makeShop(cluster: Cluster): Promise<Shop> {
  const app = await cluster.command('client-apps', 'create', '--name', 'Chaos')
  const { clientId, clientSecret } = app as { clientId: string; clientSecret: string }
  const amounts = ['--wallets', values.wallets, '--balance', '100.00']
  const seeded = await cluster.command('seed', ...amounts, '--link', clientId)
  return { clientId, clientSecret, serviceUserIds: seeded['serviceUserIds'] as string[] }
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

function oneOf<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('there is none')
  return item
}

function count(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  console.error(`a number of times is a whole number, not "${text}"`)
  process.exit(2)
}
