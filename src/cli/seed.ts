/**
 * `seed`: many users with a balance, for demos and load tests. They have no password and no email.
 * Promises: balances are real events, written through the event store in large groups; when the
 * command ends, the read models hold them. Never: runs in production.
 */
import type { Command } from 'commander'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { openIdentity } from '../compose/identity.js'
import { openLedger } from '../compose/ledger.js'
import type { Ledger } from '../compose/parts.js'
import { readConfig } from '../config.js'
import type { Config } from '../config.js'
import { entryIdOf, streamOf } from '../domain/ids.js'
import type { WalletId } from '../domain/ids.js'
import { invariant } from '../domain/invariant.js'
import { formatMoney, parseAmount, toMajor } from '../domain/money.js'
import { reference } from '../domain/reference.js'
import { OutcomeMemory } from '../domain/outcome-memory.js'
import { decide, emptyWallet, open } from '../domain/wallet.js'
import { writeNext } from '../domain/wallet-stream.js'
import type { AppendBatch } from '../event-store/event-store.js'
import { noStream, OutcomeUnknownError } from '../event-store/event-store.js'
import {
  projectionWaitMs,
  retryPauseMaxMs,
  seedChunkWallets,
  seedProjectionStallMs,
  seedTriesMax,
  seedUsersMax,
} from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { createLog, stderrLines } from '../platform/log.js'
import type { Log } from '../platform/log.js'
import { findClientApp, printable, recorded } from './identity.js'
import { CommandError, notice, print, printJson, Progress } from './terminal.js'

export function registerSeed(program: Command): void {
  program
    .command('seed')
    .description('make many users with a balance, for demos and load tests; not in production')
    .requiredOption('--wallets <count>', `how many, 1 to ${seedUsersMax}`)
    .requiredOption('--balance <amount>', 'what each wallet holds, such as 100.00')
    .requiredOption('--link <clientId>', 'the client app that may act on them')
    .option('--json', 'print the serviceUserIds as JSON')
    .action(seed)
}

interface SeedOptions {
  readonly wallets: string
  readonly balance: string
  readonly link: string
  readonly json?: true
}

interface Order {
  readonly count: number
  readonly balanceMinor: number
  readonly clientId: string
}

async function seed(options: SeedOptions): Promise<void> {
  const config = readConfig()
  if (config.environment === 'production')
    throw new CommandError(
      'seed is refused in production: it gives money away.',
      'Use a database of its own, without NODE_ENV=production.',
    )
  const order = {
    count: countOf(options.wallets),
    balanceMinor: balanceOf(options.balance, config),
    clientId: options.link,
  }
  const log = createLog({ level: config.logLevel, destination: stderrLines() })
  const ledger = await openLedger(config, { log, notice })
  try {
    const startMs = systemClock.now()
    const serviceUserIds = await makeAll({ ledger, config, log }, order)
    await untilProjected(ledger)
    const seconds = Math.max(systemClock.now() - startMs, 1) / 1_000
    const walletsPerSecond = Math.round(order.count / seconds)
    if (options.json) printJson({ serviceUserIds, seconds, walletsPerSecond })
    else print(serviceUserIds.join('\n'))
    notice(
      `Made ${order.count.toLocaleString('en')} users with ` +
        `${formatMoney(order.balanceMinor, config.currency)} each in ${seconds.toFixed(1)} s, ` +
        `${walletsPerSecond.toLocaleString('en')} a second.`,
    )
  } finally {
    await ledger.close()
  }
}

interface SeedParts {
  readonly ledger: Ledger
  readonly config: Config
  readonly log: Log
}

/** Users and their first entries, chunk by chunk. */
async function makeAll(parts: SeedParts, order: Order): Promise<string[]> {
  const { ledger, config, log } = parts
  const identity = openIdentity(ledger, config, { log })
  const { count, balanceMinor, clientId } = order
  const balance = toMajor(balanceMinor, config.currency)
  try {
    await findClientApp(identity, clientId)
    const act = { action: 'seed', subject: clientId, details: { wallets: count, balance } }
    return await recorded(identity, act, async () => {
      const progress = new Progress('Seeding')
      const serviceUserIds: string[] = []
      while (serviceUserIds.length < count) {
        const chunk = Math.min(seedChunkWallets, count - serviceUserIds.length)
        const users = await identity.users.createMany(chunk, clientId)
        await openWallets(ledger, users, { balanceMinor, currency: config.currency.code })
        serviceUserIds.push(...users.map((user) => user.serviceUserId))
        const events = serviceUserIds.length * (balanceMinor === 0 ? 0 : 2)
        progress.show({ done: serviceUserIds.length / count, count: events })
      }
      progress.end()
      return serviceUserIds
    })
  } finally {
    await identity.close()
  }
}

interface Opening {
  readonly balanceMinor: number
  readonly currency: string
}

async function openWallets(
  { store }: Ledger,
  users: readonly { readonly walletId: WalletId }[],
  opening: Opening,
): Promise<void> {
  // A wallet without a stream reads as 0, active: there is nothing to write for it.
  if (opening.balanceMinor === 0) return
  await Promise.all(users.map(({ walletId }) => append({ store }, opened(walletId, opening))))
}

/** The two events that give a new wallet its balance, as the writer would have written them. */
function opened(walletId: WalletId, { balanceMinor, currency }: Opening): AppendBatch {
  const time = new Date(systemClock.now()).toISOString()
  const empty = emptyWallet(walletId)
  const first = writeNext(empty, open(empty, { currency, time }))
  const pair = reference('BONUS', `seed-${walletId}`)
  const issuer = 'service'
  const entryId = entryIdOf({ issuer, walletId, reference: pair })
  const decision = decide(
    first.wallet,
    { type: 'GrantBonus', entryId, issuer, reference: pair, amountMinor: balanceMinor },
    new OutcomeMemory(),
    time,
  )
  invariant(decision.kind === 'record', 'a new wallet has used no reference')
  const second = writeNext(first.wallet, decision.event)
  const events = [first.stored, second.stored]
  return { stream: streamOf(walletId), expectedRevision: noStream, events }
}

async function append({ store }: Pick<Ledger, 'store'>, batch: AppendBatch): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const verdict = await store.append(batch)
      invariant(verdict.kind === 'written', 'nobody else writes to a wallet that was just made')
      return
    } catch (error) {
      // The very same batch at the same revision: if it was written, the store says so.
      if (!(error instanceof OutcomeUnknownError) || tries >= seedTriesMax) throw error
      await systemClock.sleep(retryPauseMaxMs)
    }
  }
}

/**
 * Follows the log with a runner of its own: any number of runners may try at once, so this is right
 * whether or not a service runs beside it.
 */
async function untilProjected({ store, pool, runner }: Ledger): Promise<void> {
  const last = await store.lastEvent()
  if (last === undefined) return
  runner.start()
  let reached = -1n
  let movedMs = systemClock.now()
  for (;;) {
    const { position } = await readCheckpoint(pool)
    if (position >= last.position) return
    const nowMs = systemClock.now()
    if (position > reached) movedMs = nowMs
    reached = position
    if (runner.contradiction !== undefined || nowMs - movedMs > seedProjectionStallMs)
      throw new CommandError(
        `The wallets are made, but the projections stand at ${position} of ${last.position}.`,
        runner.contradiction ?? 'Is the database overloaded? The service catches up by itself.',
      )
    await systemClock.sleep(projectionWaitMs)
  }
}

function countOf(text: string): number {
  const count = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= seedUsersMax) return count
  throw new CommandError(
    `--wallets is '${printable(text)}'.`,
    `Give a whole number from 1 to ${seedUsersMax}.`,
  )
}

function balanceOf(text: string, { currency, amountMaxMinor: maxMinor }: Config): number {
  const value = /^[0-9]{1,15}(\.[0-9]{1,4})?$/.test(text) ? Number(text) : undefined
  const amount = parseAmount(value, { currency, maxMinor, zeroAllowed: true })
  if ('minor' in amount) return amount.minor
  throw new CommandError(
    `--balance is '${printable(text)}'.`,
    `Give an amount from 0 to ${toMajor(maxMinor, currency)} with at most ` +
      `${currency.decimals} decimals.`,
  )
}
