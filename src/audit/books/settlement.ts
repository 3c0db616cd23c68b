/**
 * Settlement: what each client app debited and credited in a period, and what the platform owes it
 * for that. Promises: one snapshot; periods that follow each other leave nothing out and count
 * nothing twice, because a period takes its first moment and not its last.
 */
import type { ClientAppSum, TimeRange } from '../../../projections/queries/books.js'
import { inSnapshot, sumClientApps } from '../../../projections/queries/books.js'
import type { Client } from '../../platform/postgres.js'

export interface SettlementLine extends ClientAppSum {
  /** Debits minus credits: below zero the app owes it to the platform. */
  readonly netOwedMinor: bigint
}

export async function settle(
  client: Client,
  range: TimeRange,
  clientId?: string,
): Promise<SettlementLine[]> {
  return inSnapshot(client, async () => {
    const sums = await sumClientApps(client, range, clientId)
    return sums.map((sum) => ({ ...sum, netOwedMinor: sum.debitsMinor - sum.creditsMinor }))
  })
}
