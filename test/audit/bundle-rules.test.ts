// What no command could have made does not hold in a bundle, however well it is hashed.
import t from 'tap'
import { nodeCrypto, verifyBundle } from '../../src/verify-bundle/verify-bundle.mjs'
import { decodeHash, encodeHash, eventIdOf, nextHash } from '../../src/domain/hash-chain.js'
import type { Issuer } from '../../src/domain/ids.js'
import { walletIdOf } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { canonicalJson } from '../../src/domain/wallet-events.js'
import { AuditedLedger } from '../support/audited-ledger.js'
import { SignedLedger } from '../support/checkpoints.js'
import { entryOf, reactivate, shop } from '../support/given.js'
import { at, forge, makeBundle, parse } from './forged-bundle.js'
import type { Bundle } from './forged-bundle.js'

const crypto = await nodeCrypto()

/** Entries that no command could have made, each with what it says of itself. */
const lies: Record<string, [keep: number, entry: Partial<Entry>, named: RegExp]> = {
  'nothing wrong': [9, { type: 'WalletToppedUp', changeMinor: 70 }, /^The inclusion proof/],
  'a second outcome': [
    9,
    { type: 'WalletToppedUp', changeMinor: 70, id: 'pi_1', issuer: 'service', label: 'TOPUP' },
    /revision 9 is a second outcome/,
  ],
  'a debit of an inactive wallet': [9, { changeMinor: -1 }, /revision 9 moves money of a wallet/],
  'a credit of an inactive wallet': [
    9,
    { type: 'WalletCredited', changeMinor: 1 },
    /revision 9 moves money of a wallet/,
  ],
  'a refund of more than is left': [
    4,
    { type: 'WalletCredited', changeMinor: 151, refundOf: 'O-1' },
    /revision 4 refunds more than its debit has left/,
  ],
  'a refund of nothing': [
    4,
    { type: 'WalletCredited', changeMinor: 1, refundOf: 'O-404' },
    /revision 4 refunds more than its debit has left/,
  ],
  'a decline for no reason': [
    4,
    { type: 'DebitDeclined', amountMinor: 350, code: 'INSUFFICIENT_BALANCE' },
    /revision 4 is declined with INSUFFICIENT_BALANCE, but/,
  ],
  'a decline of an active wallet': [
    4,
    { type: 'DebitDeclined', amountMinor: 1, code: 'WALLET_INACTIVE' },
    /revision 4 is declined with WALLET_INACTIVE, but/,
  ],
}

interface Entry {
  type: string
  changeMinor: number
  amountMinor: number
  id: string
  issuer: Issuer
  label: string
  refundOf: string
  code: string
}

/** The first entries of a bundle and one more, hashed as its operator would. */
function lie(bundle: Bundle, keep: number, entry: Partial<Entry>): Bundle {
  const { type = 'WalletDebited', changeMinor = 0, id = 'X-1', issuer = shop, code } = entry
  const { label = 'ORDER', refundOf, amountMinor = Math.abs(changeMinor) } = entry
  const walletId = walletIdOf(bundle.walletId)
  const events = bundle.events.slice(0, keep)
  const last = at(events, keep - 1)
  const before = JSON.parse(last.data) as { balanceMinor?: number; time: string }
  const entryId = entryOf(id, { issuer, label, of: walletId })
  const data = canonicalJson({
    amountMinor,
    balanceMinor: (before.balanceMinor ?? 0) + changeMinor,
    ...(code === undefined ? {} : { code }),
    entryId,
    issuer,
    referenceId: id,
    ...(refundOf === undefined ? {} : { refundOf: reference('ORDER', refundOf) }),
    referenceType: label,
    time: before.time,
  })
  const hash = nextHash(decodeHash(last.metadata), { walletId, revision: keep, type, data })
  const metadata = encodeHash(hash)
  events.push({ revision: keep, id: eventIdOf(entryId, hash), type, data, metadata })
  return { ...bundle, events, head: { revision: keep, hash } }
}

t.test('an entry against the rules is told, however well it is hashed', async (t) => {
  const { bytes } = await makeBundle(t)
  for (const [what, [keep, entry, named]] of Object.entries(lies)) {
    const result = await verifyBundle(forge(lie(parse(bytes), keep, entry)), crypto)
    t.equal(result.isValid, false, what)
    if (!result.isValid) t.match(`${result.place} ${result.problem}`, named, what)
  }
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
