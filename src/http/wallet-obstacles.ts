/**
 * What stands between a wallet and its closing: money in it, or money on its way. The one place
 * that says when a wallet is empty, for the person who closes and for the sweeper who erases.
 */
import type { WalletId } from '../domain/ids.js'
import type { WalletReader } from '../reading/wallet-reader.js'
import type { PendingTopUp } from '../top-ups/top-up-intents.js'

export interface ObstacleParts {
  readonly reader: WalletReader
  /** Left out: nothing can be topped up, so nothing is pending. */
  readonly topUps?: { pendingOf(walletId: WalletId): Promise<PendingTopUp[]> } | undefined
  /** Left out: nothing goes back to cards. */
  readonly cardReturns?: { countOpen(walletId: WalletId): Promise<number> } | undefined
}

export interface Obstacles {
  readonly balanceMinor: number
  /** What open holds set aside: they are captured or released first. */
  readonly heldMinor: number
  /** How many a bank still processes. */
  readonly pendingTopUps: number
  /** How many the processor has not taken yet: what it refuses comes back. */
  readonly openReturns: number
}

/** Undefined when the wallet is empty. */
export async function findObstacles(
  { reader, topUps, cardReturns }: ObstacleParts,
  walletId: WalletId,
): Promise<Obstacles | undefined> {
  // Before the wallet: what is booked in between is seen as both and never as neither.
  const pendingTopUps = ((await topUps?.pendingOf(walletId)) ?? []).length
  const openReturns = (await cardReturns?.countOpen(walletId)) ?? 0
  const { balanceMinor, heldMinor } = await reader.read(walletId, { limit: 0 })
  const isEmpty = balanceMinor === 0 && heldMinor === 0 && pendingTopUps === 0 && openReturns === 0
  return isEmpty ? undefined : { balanceMinor, heldMinor, pendingTopUps, openReturns }
}
