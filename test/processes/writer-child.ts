/**
 * A writer process for tests: hammers the given wallets with references that other processes use
 * too, and prints every answer it got as one JSON line. Runs until its rounds are over or it is
 * killed. Arguments: database URL, wallet ids (comma-separated), seed, rounds, "project" or "-".
 */
import { PostgresReadTables } from '../../projections/postgres-read-tables.js'
import { ProjectionRunner } from '../../projections/runner.js'
import { walletIdOf } from '../../src/domain/ids.js'
import type { EntryCommand } from '../../src/domain/wallet.js'
import { PostgresEventStore } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { CommandUnavailableError } from '../../src/writing/waiting-command.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { captureHold, credit, debit, placeHold, releaseHold } from '../support/given.js'
import { quietLog } from '../support/ledger.js'

const [url = '', wallets = '', seed = '1', rounds = '1', mode = '-'] = process.argv.slice(2)
const walletIds = wallets.split(',').map(walletIdOf)
const store = new PostgresEventStore({ url, clock: systemClock })
const pool = createPool({ url, max: 4, applicationName: 'child', onIdleError: () => undefined })
const system = { clock: systemClock, random: systemRandom, log: quietLog }
const readModels = new PostgresReadModels(pool)
const writer = new WalletWriter({ store, readModels, currency: 'usd', ...system })
const runner = new ProjectionRunner({ store, tables: new PostgresReadTables(pool), ...system })
if (mode === 'project') runner.start()

let state = Number(seed)
for (let round = 0; round < Number(rounds); round += 1)
  await Promise.all(Array.from({ length: 32 }, () => sendOne(round)))

await writer.close()
await runner.stop()
await store.close()
await pool.end()

async function sendOne(round: number): Promise<void> {
  const walletId = walletIds[random(walletIds.length)] ?? walletIdOf('')
  const command = commandFor(walletId, round)
  try {
    const { outcome } = await writer.execute(walletId, command)
    process.stdout.write(`${JSON.stringify({ walletId, outcome })}\n`)
  } catch (error) {
    if (!(error instanceof CommandUnavailableError)) throw error
  }
}

/** Both processes draw from the same references, with amounts of their own. */
function commandFor(of: ReturnType<typeof walletIdOf>, round: number): EntryCommand {
  const id = `R-${round}-${random(6)}`
  const amount = 1 + random(50)
  if (random(4) === 0) return holdCommand(of, round, id)
  if (random(3) > 0) return debit(amount, id, { of })
  return round > 0 && random(2) === 0
    ? credit(amount, id, { of, refundOf: `R-${round - 1}-${random(6)}` })
    : credit(amount, id, { of })
}

/** Of seconds, so that captures and releases meet expiries too. */
function holdCommand(of: ReturnType<typeof walletIdOf>, round: number, id: string): EntryCommand {
  const holdOf = `H-${Math.floor(round / 4)}-${random(4)}`
  const kind = random(5)
  if (kind < 2) return placeHold(1 + random(30), holdOf, { of, seconds: 1 })
  if (kind === 2) return releaseHold(holdOf, id, { of })
  const isFinal = random(2) === 0
  return captureHold(holdOf, id, {
    of,
    isFinal,
    ...(kind === 3 && { amountMinor: 1 + random(20) }),
  })
}

// A small generator of its own, so that a printed seed repeats the same commands.
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
