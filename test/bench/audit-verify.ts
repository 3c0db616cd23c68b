/**
 * Prints how many events a second `audit verify` checks and how much memory it takes, on 100,000
 * and on 1,000,000 events (or the numbers given), 100 a wallet.
 * Run: node --import tsx test/bench/audit-verify.ts [events …]
 */
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import { migrations } from '../../src/compose/database.js'
import { systemClock } from '../../src/platform/clock.js'
import { newWalletId } from '../support/ledger.js'
import { FilledLedger, median, seconds } from './filled-ledger.js'

const sizes = process.argv.slice(2).map(Number)
const eventsOfWallet = 100
const rounds = 3

const ledger = await FilledLedger.open(migrations)
try {
  // Of an app that identity does not know an audit would say so.
  await ledger.pool.query(
    `insert into identity.client_apps (client_id, name, allowed_origins, allowed_iframe_parents,
       scopes, created_at) values ('bench', 'bench', '{}', '{}', '{}', now())`,
  )
  let filled = 0
  for (const size of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
    const startMs = performance.now()
    for (; filled < size; filled += eventsOfWallet)
      await ledger.fill(newWalletId(), eventsOfWallet - 1)
    await ledger.projectAll()
    await ledger.pool.query('vacuum analyze')
    console.log(`${size} events made in ${seconds(performance.now() - startMs)}`)
    await measure()
  }
} finally {
  await ledger.close()
}

async function measure(): Promise<void> {
  const { store, pool } = ledger
  const rates: number[] = []
  let peakBytes = 0
  for (let round = 1; round <= rounds; round += 1) {
    const startMs = performance.now()
    const onProgress = (): void => {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
    }
    const report = await verifyLedger({ store, pool, clock: systemClock }, { onProgress })
    if (report.divergence !== undefined) throw new Error(JSON.stringify(report.divergence))
    rates.push(report.events / ((performance.now() - startMs) / 1000))
  }
  const rate = Math.round(median(rates)).toLocaleString('en')
  const megabytes = Math.round(peakBytes / 1_000_000)
  console.log(`verified ${rate} events/s (median of ${rounds}), at most ${megabytes} MB`)
}
