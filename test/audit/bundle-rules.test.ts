// What no command could have made does not hold in a bundle, however well it is hashed and signed.
import t from 'tap'
import { nodeCrypto, verifyBundle } from '../../src/verify-bundle/verify-bundle.mjs'
import { AuditedLedger } from '../support/audited-ledger.js'
import { SignedLedger } from '../support/checkpoints.js'
import { forgeries, hashed, history, honest } from '../support/forgeries.js'
import { reactivate, walletId } from '../support/given.js'
import { signedBundle } from './forged-bundle.js'

const crypto = await nodeCrypto()

t.test('what commands made holds, so the forgeries below differ in one entry only', async (t) => {
  for (const [what, stream] of Object.entries({ history, ...honest })) {
    const result = await verifyBundle(signedBundle(walletId, hashed(walletId, stream)), crypto)
    t.match(result, { isValid: true, events: stream.length }, what)
  }
})

for (const [what, { before, forged, bundle }] of Object.entries(forgeries))
  t.test(`a signed bundle does not hold with ${what}`, async (t) => {
    const stream = hashed(walletId, [...before, forged])
    const result = await verifyBundle(signedBundle(walletId, stream), crypto)
    const revision = before.length
    t.match(result, { isValid: false, revision, problem: bundle })
    t.match(result, { place: new RegExp(`entry at revision ${revision}$`) })
  })

t.test('a bundle that would not hold is never finished', async (t) => {
  const audited = await AuditedLedger.open(t)
  const [, of] = audited.wallets
  await audited.ledger.send(of, reactivate)
  await audited.forge(3, { amountMinor: 151, referenceId: 'R-2' })
  await audited.ledger.project()
  const signed = await SignedLedger.over(t, audited)
  const problem = /revision 8 .*refunds more than its debit has left/
  await t.rejects(signed.bundle(), { name: 'DivergenceError', message: problem })
})
