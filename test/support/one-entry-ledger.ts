/**
 * The smallest signed ledger: one wallet with one entry. The service itself opens a wallet together
 * with its first booking, so that the opening is written here by hand.
 */
import type { Test } from 'tap'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet, open } from '../../src/domain/wallet.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import { SignedLedger } from './checkpoints.js'
import { newWalletId, TestDatabaseLedger } from './ledger.js'

export async function openOneEntryLedger(t: Test): Promise<SignedLedger> {
  const ledger = await TestDatabaseLedger.open(t)
  const walletId = newWalletId()
  const wallet = emptyWallet(walletId)
  const opening = { currency: 'usd', time: '2026-01-01T00:00:00.000Z' }
  const { stored } = writeNext(wallet, open(wallet, opening))
  const { revision: expectedRevision } = wallet
  await ledger.store.append({ stream: streamOf(walletId), expectedRevision, events: [stored] })
  await ledger.project()
  const wallets = [walletId, walletId, walletId] as const
  return Object.assign(Object.create(await SignedLedger.open(t)) as SignedLedger, {
    ledger,
    wallets,
  })
}
