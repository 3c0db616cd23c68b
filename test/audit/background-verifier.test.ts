// The checks of a running service: recorded, one process at a time, loud when something differs.
import { rm } from 'node:fs/promises'
import t from 'tap'
import {
  checkLedger,
  createBackgroundVerifier,
} from '../../src/audit/verifying/background-verifier.js'
import { rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { lastCheck } from '../../src/audit/verifying/integrity-checks.js'
import { integrityPauseMs } from '../../src/audit/limits.js'
import { createLog } from '../../src/platform/log.js'
import { connect } from '../../src/platform/postgres.js'
import { SignedLedger } from '../support/checkpoints.js'
import { FakeClock } from '../support/fake-clock.js'
import { credit } from '../support/given.js'
import { newWalletId, quietLog, TestDatabaseLedger } from '../support/ledger.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

async function open(t: Teardown) {
  const ledger = await TestDatabaseLedger.audited(t)
  const of = newWalletId()
  await ledger.send(of, credit(500, 'C-1', { of }))
  await ledger.project()
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const clock = new FakeClock()
  const { store, pool, url } = ledger
  const parts = { store, pool, url, clock, log, eventsPerSecondMax: 1_000_000 }
  const verifier = createBackgroundVerifier(parts)
  t.teardown(() => verifier.stop())
  return { ledger, verifier, parts, lines, clock, pool }
}

t.test('a check is recorded, and a divergence is a loud line too', async (t) => {
  const { ledger, parts, lines, pool } = await open(t)
  t.equal(await lastCheck(pool), undefined)
  t.equal(await checkLedger(parts), true)
  t.match(await lastCheck(pool), { events: 2, wallets: 1, position: '2', divergence: null })
  t.same(lines, [])
  await ledger.pool.query('update read.wallets set balance_minor = 1')
  await checkLedger(parts)
  t.match(await lastCheck(pool), { divergence: { kind: 'wallet-row', problem: /a balance of 1,/ } })
  t.match(lines.join(), /"level":"error".*the ledger contradicts itself/)
})

t.test('while another process checks, this one does not', async (t) => {
  const { ledger, parts, pool } = await open(t)
  const other = await connect(ledger.url, 'test')
  await other.query('select pg_advisory_lock($1)', ['7308604758453055862'])
  t.equal(await checkLedger(parts), false)
  t.equal(await lastCheck(pool), undefined)
  await other.end()
})

t.test('it checks after each pause, until it is stopped', async (t) => {
  const { verifier, clock, pool } = await open(t)
  verifier.start()
  await clock.advance(integrityPauseMs)
  while ((await lastCheck(pool)) === undefined) await clock.advance(0)
  await verifier.stop()
  t.match(await lastCheck(pool), { divergence: null })
})

t.test('it knows the keys that the operator vouches for', async (t) => {
  const signed = await SignedLedger.open(t)
  const { pool, url } = signed.ledger
  await signed.sign()
  await rm(signed.keyFile)
  const { keyId } = (await rotateKey(signed.parts, { isLost: true })).key
  const parts = { ...signed.parts, url, log: quietLog, eventsPerSecondMax: 1_000_000 }
  await checkLedger(parts)
  t.match(await lastCheck(pool), { divergence: { place: `signing key 2, ${keyId}` } })
  await checkLedger({ ...parts, trustedKeys: [keyId] })
  t.match(await lastCheck(pool), { divergence: null })
})
