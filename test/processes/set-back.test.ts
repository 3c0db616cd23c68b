// A database that goes back under two running service processes: failed over to a streaming replica
// that lacks the newest commits, and replaced by an older copy of itself; under load, without a
// restart. Whatever is answered afterwards is in the database, and what is gone is named.
// SET_BACK_ROUNDS=20 npm run set-back does it again and again.
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { LostEvents } from '../../src/audit/verifying/lost-events.js'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import { streamOf, walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import { readNext } from '../../src/domain/wallet-stream.js'
import { systemClock } from '../../src/platform/clock.js'
import { runJson } from '../cli/json-commands.js'
import { startCommand } from '../support/command-line.js'
import { TestDatabaseLedger } from '../support/ledger.js'
import { propertySeed, randomNumbers } from '../support/property.js'
import { ReplaceablePostgres } from '../support/replaceable-postgres.js'
import type { Server } from '../support/replaceable-postgres.js'

const rounds = Number(process.env['SET_BACK_ROUNDS'] ?? '1')
/** Answers before, between and after: counted and not timed, for machines differ. */
const answersEach = rounds > 1 ? 1_000 : 100
const clients = 8
const patienceMs = 120_000
t.setTimeout(rounds * 10 * patienceMs)

t.test('set back under load: nothing is invented, and what is gone is named', async (t) => {
  const seed = propertySeed(t)
  const postgres = await ReplaceablePostgres.open(t)
  let primary = await postgres.create()
  const environment = { DATABASE_URL: await postgres.address(primary) }
  const shop = await openShop(t, environment)
  for (let round = 0; round < rounds; round += 1) {
    const isFailover = { failover: true, restored: false }
    for (const [kind, viaReplica] of Object.entries(isFailover)) {
      const load = new Load(shop, seed + round)
      const older = viaReplica ? await postgres.replica(primary) : await postgres.copy(primary)
      await load.run(async () => {
        await load.more(answersEach)
        if (viaReplica) await older.cutOff()
        await load.more(answersEach)
        postgres.lead(undefined)
        load.isSetBack = true
        await primary.stop()
        if (viaReplica) await older.promote()
        else await older.start()
        postgres.lead(older)
        await load.more(2 * answersEach)
      })
      primary = older
      await check(t, { shop, load, server: primary, kind })
    }
  }
})

interface Shop {
  readonly origins: readonly string[]
  readonly credentials: { readonly clientId: string; readonly clientSecret: string }
  readonly users: readonly string[]
}

/** Two services on one address, a client app, and some people with money. */
async function openShop(t: Test, environment: { DATABASE_URL: string }): Promise<Shop> {
  const start = (more: Record<string, string>) => {
    const service = startCommand(t, ['serve', '--json'], { ...environment, ...more })
    return service.says(/"origin":\s*"([^"]+)"/)
  }
  const quiet = { LOG_LEVEL: 'fatal', AUDIT_EVENTS_PER_SECOND: '0' }
  const [, first = ''] = await start(quiet)
  const [, second = ''] = await start({ ...quiet, PROJECTIONS: 'off' })
  const credentials = await runJson<Shop['credentials']>(
    t,
    ['client-apps', 'create', '--name', 'Shop'],
    environment,
  )
  const seed = ['seed', '--wallets', '6', '--balance', '100', '--link', credentials.clientId]
  const { serviceUserIds } = await runJson<{ serviceUserIds: string[] }>(t, seed, environment)
  return { origins: [first, second], credentials, users: serviceUserIds }
}

interface Given {
  readonly user: string
  readonly referenceId: string
  readonly balance: number
  readonly isSentAfter: boolean
}

let references = 0

class Load {
  isSetBack = false
  readonly given: Given[] = []
  readonly #shop: Shop
  readonly #random: (below: number) => number
  readonly #sent: { user: string; referenceId: string; body: string; path: string }[] = []
  #isOver = false

  constructor(shop: Shop, seed: number) {
    this.#shop = shop
    this.#random = randomNumbers(seed)
  }

  async run(work: () => Promise<void>): Promise<void> {
    const running = Array.from({ length: clients }, () => this.#client())
    try {
      await work()
    } finally {
      this.#isOver = true
      await Promise.all(running)
    }
  }

  /** Until this many further answers have come. */
  async more(count: number): Promise<void> {
    const wanted = this.given.length + count
    const giveUpMs = Date.now() + patienceMs
    while (this.given.length < wanted) {
      if (Date.now() > giveUpMs) throw new Error('the answers do not come')
      await pause(10)
    }
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const command = this.#next()
      const origin = this.#shop.origins[this.#random(2)] ?? ''
      const isSentAfter = this.isSetBack
      const answer = await fetch(`${origin}/api/server/wallet/${command.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: command.body,
      }).catch(() => undefined)
      const text = await answer?.json().catch(() => undefined)
      const { balance } = (text ?? {}) as { balance?: number }
      const { user, referenceId } = command
      // Declines and outages have no balance; they are no promise either.
      if (answer?.status === 200 && balance !== undefined)
        this.given.push({ user, referenceId, balance, isSentAfter })
      else await pause(20)
    }
  }

  /** One in three is a repeat of something that was sent before, perhaps to the other process. */
  #next() {
    const earlier = this.#sent[this.#random(this.#sent.length)]
    if (earlier !== undefined && this.#random(3) === 0) return earlier
    const user = this.#shop.users[this.#random(this.#shop.users.length)] ?? ''
    const referenceId = `R-${(references += 1)}`
    const amount = (1 + this.#random(500)) / 100
    const fields = { serviceUserId: user, amount, referenceType: 'ORDER', referenceId }
    const body = JSON.stringify({ ...this.#shop.credentials, ...fields })
    const command = { user, referenceId, body, path: this.#random(2) === 0 ? 'debit' : 'credit' }
    this.#sent.push(command)
    return command
  }
}

async function check(
  t: Test,
  at: { shop: Shop; load: Load; server: Server; kind: string },
): Promise<void> {
  const { shop, load, server, kind } = at
  const ledger = await TestDatabaseLedger.join(t, server.url)
  const truth = await balancesInStreams(ledger, shop)
  const isTrue = ({ user, referenceId, balance }: Given): boolean =>
    truth.get(`${user} ${referenceId}`) === Math.round(balance * 100)
  const after = load.given.filter(({ isSentAfter }) => isSentAfter)
  const before = load.given.filter(({ isSentAfter }) => !isSentAfter)
  t.ok(after.length > 20, `${kind}: ${before.length} answers before, ${after.length} after it`)
  t.same(after.filter((given) => !isTrue(given)).slice(0, 3), [], 'each after it is in the streams')

  const gone = before.filter((given) => !isTrue(given))
  t.ok(gone.length > 0, `${gone.length} answers were lost`)
  const named = await untilNamed(ledger, gone)
  t.same(gone.filter(({ referenceId }) => !named.has(referenceId)).slice(0, 3), [], 'all are named')
  await healthIs(t, shop, 'degraded')
  const metrics = await Promise.all(shop.origins.map((origin) => metricsOf(origin)))
  t.ok(metrics.some((text) => /^wallet_lost_events_total [1-9]/m.test(text)))
  t.ok(metrics.every((text) => /^wallet_lost_events_unseen [1-9]/m.test(text)))

  const lost = new LostEvents({ pool: ledger.pool, clock: systemClock })
  await lost.markSeen({ through: Number.MAX_SAFE_INTEGER, adminId: newAdminId })
  await healthIs(t, shop, 'ready')
  const { store, pool } = ledger
  const { divergence } = await verifyLedger({ store, pool, clock: systemClock })
  t.equal(divergence, undefined, 'streams, rows and totals agree')
}

const newAdminId = 'adm_test'

/** Folds every stream, with its chain and its sums. */
async function balancesInStreams(
  ledger: TestDatabaseLedger,
  shop: Shop,
): Promise<Map<string, number>> {
  const { rows } = await ledger.pool.query<{ service_user_id: string; wallet_id: string }>(
    'select service_user_id, wallet_id from identity.users where service_user_id = any($1)',
    [shop.users],
  )
  const balances = new Map<string, number>()
  for (const row of rows) {
    const walletId: WalletId = walletIdOf(row.wallet_id)
    let wallet: Wallet = emptyWallet(walletId)
    const options = { fromRevision: 0, maxCount: 1_000_000 }
    for await (const recorded of ledger.store.readStream(streamOf(walletId), options)) {
      const next = readNext(wallet, recorded)
      wallet = next.wallet
      if (!isEntry(next.event)) continue
      const key = `${row.service_user_id} ${next.event.data.referenceId}`
      if (balances.has(key)) throw new Error(`two outcomes of ${key}`)
      balances.set(key, next.event.data.balanceMinor)
    }
  }
  return balances
}

async function untilNamed(ledger: TestDatabaseLedger, gone: readonly Given[]) {
  const named = new Set<string>()
  for (let tries = 0; tries < 300; tries += 1) {
    const { rows } = await ledger.pool.query<{ reference_id: string | null }>(
      'select reference_id from audit.lost_events',
    )
    for (const row of rows) named.add(row.reference_id ?? '')
    if (gone.every(({ referenceId }) => named.has(referenceId))) break
    await pause(100)
  }
  return named
}

async function healthIs(t: Test, { origins }: Shop, wanted: string): Promise<void> {
  for (const origin of origins) {
    let status = ''
    for (let tries = 0; tries < 300 && status !== wanted; tries += 1) {
      const answer = await fetch(`${origin}/health/ready`)
      status = ((await answer.json()) as { status: string }).status
      if (status !== wanted) await pause(100)
    }
    t.equal(status, wanted)
  }
}

async function metricsOf(origin: string): Promise<string> {
  return (await fetch(`${origin}/metrics`)).text()
}
