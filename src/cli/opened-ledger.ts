/**
 * What commands that look at wallets begin and end with: the database, the event store and
 * identity, without a service. Promises: all is closed again, whatever becomes of the work.
 * Never: refuses a store that does not fit the read models, as the service does; an audit says so.
 */
import { hasTraces } from '../audit/verifying/traces.js'
import type { Identity } from '../compose/parts.js'
import { openIdentity } from '../compose/identity.js'
import { openStore } from '../compose/store.js'
import type { Config } from '../config.js'
import type { WalletId } from '../domain/ids.js'
import { isUuid, walletIdOf } from '../domain/ids.js'
import type { EventStore } from '../event-store/event-store.js'
import { walletOf } from '../identity/users.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import { printable } from './identity.js'
import { withDatabase } from './opened-database.js'
import { CommandError } from './terminal.js'

export interface AuditWork {
  readonly config: Config
  readonly pool: Pool
  /** Of the database, for a connection of one's own. */
  readonly url: string
  readonly store: EventStore
  readonly identity: Identity
  readonly log: Log
}

/** Opens what an audit reads; not the ledger, which refuses a store that an audit reports. */
export function withLedgerData<T>(work: (parts: AuditWork) => Promise<T>): Promise<T> {
  return withDatabase(async ({ config, log, database }) => {
    const { pool, url } = database
    const identity = openIdentity(database, config, { log })
    const store = await openStore(config, url, log)
    try {
      return await work({ config, pool, url, store, identity, log })
    } finally {
      await store.close()
      await identity.close()
    }
  })
}

/** The wallet of a walletId or a serviceUserId, which somebody or something knows. */
export async function findWallet(
  { pool, store, identity }: Pick<AuditWork, 'pool' | 'store' | 'identity'>,
  id: string,
): Promise<WalletId> {
  const found = isUuid(id) ? walletIdOf(id) : await walletOf(pool, id)
  if (found !== undefined) {
    if ((await identity.users.findByWallet(found)) !== undefined) return found
    if (await hasTraces({ pool, store }, found)) return found
  }
  throw new CommandError(
    `'${printable(id)}' is no wallet that this service knows.`,
    'Give a walletId (a UUID in lower case) or a serviceUserId (usr_ and a UUID).',
  )
}
