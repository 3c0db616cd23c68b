/**
 * Accounts that their person has closed. Promises: closing takes every link, session and token at
 * once; for 30 days a login opens the account again; then it is erased, but never while there is
 * money in its wallet or on its way there: that puts the erasure off, day by day, and a login opens
 * it meanwhile.
 * Never: looks at the ledger itself; who asks says whether a wallet is empty.
 * States: open → closed → open (by a login), or closed → erased (by the sweeper).
 */
import { walletIdOf, type WalletId } from '../domain/ids.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import { closedAccountMs, erasurePutOffMs, erasuresPerRound } from './limits.js'
import type { Links } from './links.js'
import type { Swept } from './sweeper.js'

export interface ClosedAccountsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly links: Links
  readonly changes: ChangeFeed
}

export class ClosedAccounts {
  readonly #parts: ClosedAccountsParts

  constructor(parts: ClosedAccountsParts) {
    this.#parts = parts
  }

  /** Until when a login opens it again. Who asks has made sure that the wallet is empty. */
  async close(serviceUserId: string): Promise<string> {
    const { pool, clock, links, changes } = this.#parts
    const nowMs = clock.now()
    const eraseAt = new Date(nowMs + closedAccountMs)
    try {
      await transaction(pool, async (client) => {
        await client.query(closeUser, [serviceUserId, new Date(nowMs), eraseAt])
        await links.removeAll(serviceUserId, client)
        for (const table of ['password_resets', 'email_proofs', 'link_proofs'])
          await client.query(`delete from identity.${table} where service_user_id = $1`, [
            serviceUserId,
          ])
        await client.query(endSessions, [serviceUserId, new Date(nowMs)])
        await changes.announce(client)
      })
    } finally {
      // Also after a fault: a commit may have happened although its answer was lost.
      changes.flush()
    }
    return eraseAt.toISOString()
  }

  /** For a sweeper: erases those whose time has come. */
  erasing(by: ErasingParts): Swept {
    return { sweep: () => this.#eraseDue(by) }
  }

  async #eraseDue({ isEmpty, erase, onPutOff }: ErasingParts): Promise<number> {
    const { pool, clock } = this.#parts
    const now = new Date(clock.now())
    const { rows } = await pool.query<DueRow>(selectDue, [now, erasuresPerRound])
    let erased = 0
    for (const { service_user_id: serviceUserId, wallet_id, is_first } of rows)
      if (await isEmpty(walletIdOf(wallet_id))) erased += (await erase(serviceUserId)) ? 1 : 0
      else {
        const later = new Date(now.getTime() + erasurePutOffMs)
        await pool.query(putOff, [serviceUserId, later])
        // Once, not day by day.
        if (is_first) await onPutOff(serviceUserId)
      }
    return erased
  }
}

export interface ErasingParts {
  /** No balance, nothing held and nothing on its way. */
  readonly isEmpty: (walletId: WalletId) => Promise<boolean>
  readonly erase: (serviceUserId: string) => Promise<boolean>
  /** There is money in a wallet whose person has closed it. */
  readonly onPutOff: (serviceUserId: string) => Promise<void>
}

/** Within a login whose password was right, which holds the person's row. */
export async function reopen(client: Client, serviceUserId: string): Promise<void> {
  await client.query(
    'update identity.users set closed_at = null, erase_at = null ' +
      'where service_user_id = $1 and erased_at is null',
    [serviceUserId],
  )
}

const closeUser = `
  update identity.users set closed_at = $2, erase_at = $3
  where service_user_id = $1 and erased_at is null`

const endSessions =
  'update identity.widget_sessions set ended_at = $2 ' +
  'where service_user_id = $1 and ended_at is null'

interface DueRow {
  readonly service_user_id: string
  readonly wallet_id: string
  readonly is_first: boolean
}

const selectDue = `
  select service_user_id, wallet_id,
    erase_at < closed_at + ${closedAccountMs + erasurePutOffMs} * interval '1 ms' as is_first
  from identity.users where erase_at <= $1 order by erase_at limit $2`

// Whoever has opened it again meanwhile is left alone.
const putOff =
  'update identity.users set erase_at = $2 where service_user_id = $1 and erase_at is not null'
