/**
 * What a debit costs this process without HTTP and without PostgreSQL: body, order, lane, columns
 * of the append and of the projections, against a connection that says yes. In units of a fixed
 * loop that runs in between, so that a machine whose speed changes by the second tells builds
 * apart. `npm run bench-pipeline`, several times: four processes scatter by 4 µs. Prints, and
 * asserts nothing.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { openTables } from '../../projections/postgres-read-tables.js'
import { rowsOf } from '../../projections/rows.js'
import { walletIdOf, type WalletId } from '../../src/domain/ids.js'
import { findCurrency } from '../../src/domain/money.js'
import { emptyWallet, open } from '../../src/domain/wallet.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import type { EventStore, RecordedEvent } from '../../src/event-store/event-store.js'
import { GroupCommit } from '../../src/event-store/postgres-group-commit.js'
import { WriteGate } from '../../src/event-store/write-gate.js'
import { orderOf } from '../../src/http/command-order.js'
import { readJsonBody } from '../../src/http/json-body.js'
import { answerOf } from '../../src/http/outcome-answer.js'
import type { ClientApp } from '../../src/identity/client-apps.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import type { Client } from '../../src/platform/postgres.js'
import type { ReadModels } from '../../src/reading/read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { quietLog } from '../support/ledger.js'

const walletCount = 10_000
const clients = 64
const windows = 60
const windowMs = 120
/** What the loop takes on the machine that the first figures are from. */
const loopMicros = 3_000

/** A column of PostgreSQL's has its length at its fourth number. */
const lengthOf = (column: unknown): number => (column as Buffer).readInt32BE(12)

let position = 0n
const client = {
  release: () => undefined,
  async query(query: { name?: string; values: unknown[] }) {
    await turn()
    if (query.name !== 'append')
      return { rows: [{ wallets: lengthOf(query.values[0]), refunds: 0 }] }
    const count = lengthOf(query.values[2])
    const answer = `${position} ${'w'.repeat(count)}`
    position += BigInt(count)
    return { rows: [{ answer }] }
  },
}

const tables = openTables(client as unknown as Client, 'read')
let handed: RecordedEvent[] = []
let isProjecting = false
async function project(): Promise<void> {
  isProjecting = true
  for (let events = handed; events.length > 0; events = handed) {
    handed = []
    const last = events.at(-1)
    if (last !== undefined) await tables.write(rowsOf(events, new Map()), last)
  }
  isProjecting = false
}

const pool = { connect: () => Promise.resolve(client), end: () => Promise.resolve() }
const groups = new GroupCommit(pool as unknown as pg.Pool, {
  missing: () => Promise.resolve([]),
  onLost: () => undefined,
  gate: new WriteGate(systemClock),
  onWritten: (events) => {
    handed.push(...events)
    if (!isProjecting) void project()
  },
})
const store = { generation: 1, append: groups.append.bind(groups) } as unknown as EventStore
const time = new Date().toISOString()
const readModels = {
  load: (walletId: WalletId) => {
    const empty = emptyWallet(walletId)
    const { wallet, stored } = writeNext(empty, open(empty, { currency: 'usd', time }))
    const row = { ...wallet, balanceMinor: 10 ** 9, headId: stored.id, allOutcomes: [] }
    return Promise.resolve(row)
  },
} as unknown as ReadModels
const currency = findCurrency('usd')
if (currency === undefined) throw new Error('there is no such currency')
const writer = new WalletWriter({
  ...{ store, readModels, clock: systemClock, random: systemRandom, log: quietLog },
  verifyRows: () => Promise.resolve(true),
  currency: currency.code,
})

const clientApp = { clientId: `app_${randomUUID()}` } as ClientApp
const users = Array.from({ length: walletCount }, () => ({
  serviceUserId: `usr_${randomUUID()}`,
  walletId: walletIdOf(randomUUID()),
  sealingKey: randomBytes(32),
}))
const secret = `sk_${'x'.repeat(43)}`
let debits = 0

async function debit(number: number): Promise<void> {
  const user = users[Math.floor(Math.random() * walletCount)]
  if (user === undefined) return
  const { serviceUserId } = user
  const reference = { referenceType: 'ORDER_PAYMENT', referenceId: `r-${number}` }
  const sent = { clientId: clientApp.clientId, clientSecret: secret, serviceUserId, amount: 1.25 }
  const text = JSON.stringify({ ...sent, ...reference, description: `Order ${number}` })
  const fields = readJsonBody(Buffer.from(text)) as typeof sent & typeof reference
  const parts = { currency: currency as NonNullable<typeof currency>, random: systemRandom }
  const { command } = orderOf(parts, { clientApp, user }, { verb: 'debit', fields })
  const { outcome } = await writer.execute(user.walletId, command)
  answerOf(outcome, parts.currency)
  debits += 1
}

const micros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

function fixedLoop(): number {
  const before = process.cpuUsage()
  for (let round = 0; round < 4; round += 1) {
    const known = new Map<string, { index: number }>()
    for (let index = 0; index < 9_000; index += 1) known.set(`k${index % 500}`, { index })
  }
  return micros(before)
}

let sent = 0
const loading = { isOver: false }
const loads = Array.from({ length: clients }, async () => {
  while (!loading.isOver) await debit((sent += 1))
})
await pause(4_000)
for (let round = 0; round < 30; round += 1) fixedLoop()

let [units, took, counted] = [0, 0, 0]
for (let window = 0; window < windows; window += 1) {
  const loopBefore = fixedLoop()
  const [before, debitsBefore] = [process.cpuUsage(), debits]
  await pause(windowMs)
  const spent = micros(before)
  counted += debits - debitsBefore
  took += spent
  units += spent / ((loopBefore + fixedLoop()) / 2)
}
loading.isOver = true
await Promise.all(loads)
console.log(
  `${((units / counted) * loopMicros).toFixed(1)} µs a debit by the fixed loop, ` +
    `${(took / counted).toFixed(1)} by the clock; ${counted} debits`,
)
process.exit(0)
