/**
 * The top-ups that a bank is at, beside a wallet. Promises: they are read before the wallet, so
 * that one which is booked meanwhile may be seen as both and is then left out here; it is never
 * seen as neither.
 */
import type { WalletId } from '../domain/ids.js'
import { toMajor, type Currency } from '../domain/money.js'
import type { Entry } from '../reading/wallet-reader.js'
import type { PendingTopUp as PendingRow } from '../top-ups/top-up-intents.js'
import type { PendingTopUp } from './schemas/answers/wallets.js'

export interface PendingParts {
  readonly currency: Currency
  /** Left out: nothing can be topped up, so nothing is pending. */
  readonly topUps?: { pendingOf(walletId: WalletId): Promise<PendingRow[]> } | undefined
}

/** What is still pending beside the entries of a wallet that was read after this was called. */
export type StillPending = (entries: readonly Entry[]) => PendingTopUp[]

export async function readPending(parts: PendingParts, walletId: WalletId): Promise<StillPending> {
  const pending = (await parts.topUps?.pendingOf(walletId)) ?? []
  return (entries) => {
    const booked = new Set(entries.map(({ referenceId }) => referenceId))
    return pending
      .filter(({ paymentIntentId }) => !booked.has(paymentIntentId))
      .map(({ paymentIntentId, amountMinor, createdMs }) => ({
        paymentIntentId,
        amount: toMajor(amountMinor, parts.currency),
        createdAt: new Date(createdMs).toISOString(),
      }))
  }
}
