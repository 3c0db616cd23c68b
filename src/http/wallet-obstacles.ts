/**
 * What stands between a wallet and its closing: money in it, or money on its way. The one place
 * that says when a wallet is empty, for the person who closes and for the sweeper who erases.
 * Never: lets money be forfeited; what can go back to cards is offered, and the rest stays.
 */
import type { WalletId } from '../domain/ids.js'
import { signOf, type EntryType } from '../domain/wallet-events.js'
import { pageEntriesMax } from '../limits.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { PendingTopUp } from '../top-ups/top-up-intents.js'

export interface ObstacleParts {
  readonly reader: WalletReader
  /** Left out: nothing can be topped up, so nothing is pending. */
  readonly topUps?: { pendingOf(walletId: WalletId): Promise<PendingTopUp[]> } | undefined
}

export interface Obstacles {
  readonly balanceMinor: number
  /** What open holds set aside: they are captured or released first. */
  readonly heldMinor: number
  /** How many a bank still processes. */
  readonly pendingTopUps: number
  /** What of the balance came by card and was neither spent nor taken back. */
  readonly refundableMinor: number
}

/** Undefined when the wallet is empty. */
export async function findObstacles(
  { reader, topUps }: ObstacleParts,
  walletId: WalletId,
): Promise<Obstacles | undefined> {
  // Before the wallet: what is booked in between is seen as both and never as neither.
  const pending = (await topUps?.pendingOf(walletId)) ?? []
  const { balanceMinor, heldMinor } = await reader.read(walletId, { limit: 0 })
  if (balanceMinor === 0 && heldMinor === 0 && pending.length === 0) return undefined
  const filter = { appliedOnly: true, types: cardTypes }
  const { entries } = await reader.read(walletId, { limit: pageEntriesMax, filter })
  const byCardMinor = entries.reduce((sum, { type, amountMinor }) => {
    return sum + signOf[type] * amountMinor
  }, 0)
  const refundableMinor =
    topUps === undefined ? 0 : Math.max(0, Math.min(balanceMinor - heldMinor, byCardMinor))
  return { balanceMinor, heldMinor, pendingTopUps: pending.length, refundableMinor }
}

const cardTypes: readonly EntryType[] = ['WalletToppedUp', 'TopUpReversed', 'TopUpReinstated']
