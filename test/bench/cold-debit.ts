/**
 * Prints how long a cold debit takes on a wallet with 10 entries and on one with 1,000,000 (or the
 * number given as the first argument): the medians of alternating rounds, and their ratio.
 * Run: node --import tsx test/bench/cold-debit.ts [entries]
 */
import type { WalletId } from '../../src/domain/ids.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { newWalletId, quietLog } from '../support/ledger.js'
import { benchCommand, FilledLedger, median, seconds } from './filled-ledger.js'

const largeEntries = Number(process.argv[2] ?? 1_000_000)
const smallEntries = 10
const warmUps = 20
const rounds = 200

const ledger = await FilledLedger.open()
try {
  // A wallet of its own for each round: a debit adds an entry, and ten shall stay ten.
  const small = Array.from({ length: warmUps + rounds }, newWalletId)
  const large = newWalletId()
  for (const walletId of small) await ledger.fill(walletId, smallEntries)
  const startMs = performance.now()
  await ledger.fill(large, largeEntries)
  console.log(`filled ${largeEntries} entries in ${seconds(performance.now() - startMs)}`)
  await ledger.projectAll()
  console.log(`projected them in ${seconds(performance.now() - startMs)} in all`)
  await ledger.analyze()
  await measure({ small, large })
} finally {
  await ledger.close()
}

async function measure(wallets: { small: WalletId[]; large: WalletId }): Promise<void> {
  const times = { small: [] as number[], large: [] as number[] }
  for (const [round, small] of wallets.small.entries()) {
    const smallMs = await coldDebitMs(small, round)
    const largeMs = await coldDebitMs(wallets.large, round)
    if (round % 20 === 0) await ledger.projectAll()
    if (round < warmUps) continue
    times.small.push(smallMs)
    times.large.push(largeMs)
  }
  const [smallMs, largeMs] = [median(times.small), median(times.large)]
  console.log(`cold debit, ${smallEntries} entries: ${smallMs.toFixed(2)} ms (median of ${rounds})`)
  console.log(`cold debit, ${largeEntries} entries: ${largeMs.toFixed(2)} ms (median of ${rounds})`)
  console.log(`ratio: ${(largeMs / smallMs).toFixed(2)}`)
}

/** A new writer has no lanes: this is what the first debit after a start or an eviction costs. */
async function coldDebitMs(walletId: WalletId, round: number): Promise<number> {
  const system = { clock: systemClock, random: systemRandom, log: quietLog }
  const { store, pool } = ledger
  const readModels = new PostgresReadModels(pool)
  const writer = new WalletWriter({ store, readModels, currency: 'usd', ...system })
  const startMs = performance.now()
  await writer.execute(walletId, benchCommand('Debit', walletId, `COLD-${round}`))
  return performance.now() - startMs
}
