/**
 * The owners of wallets, as top-ups and the audit ask for them. Promises: an answer stays true,
 * because rows of people and of client apps are never deleted.
 */
import type { WalletId } from '../domain/ids.js'
import type { Client, Pool } from '../platform/postgres.js'

/** The owner's serviceUserId; undefined when nobody owns the wallet or there is no such app. */
export async function ownerOf(
  pool: Pool,
  { walletId, clientId }: { readonly walletId: WalletId; readonly clientId: string },
): Promise<string | undefined> {
  const { rows } = await pool.query<{ service_user_id: string }>(
    'select u.service_user_id from identity.users u, identity.client_apps a ' +
      'where u.wallet_id = $1 and a.client_id = $2',
    [walletId, clientId],
  )
  return rows[0]?.service_user_id
}

/**
 * Until the transaction ends, nobody else holds the owner of this wallet. Not the strongest lock,
 * which would hold up everybody who makes a session for this person.
 */
export async function holdOwner(client: Client, walletId: WalletId): Promise<void> {
  await client.query('select 1 from identity.users where wallet_id = $1 for no key update', [
    walletId,
  ])
}

/** Who has a wallet, with the salt that hides it in what is signed. */
export interface SaltedOwner {
  readonly walletId: WalletId
  readonly serviceUserId: string
  /** Null once the person is erased. */
  readonly salt: Buffer | null
  readonly isErased: boolean
}

interface SaltedOwnerRow {
  readonly wallet_id: WalletId
  readonly service_user_id: string
  readonly owner_salt: Buffer | null
  readonly is_erased: boolean
}

const saltedColumns = 'wallet_id, service_user_id, owner_salt, erased_at is not null as is_erased'

/** All of them, in pages, in the order of their wallets. */
export async function* pageOwners(
  client: Client,
  limit: number,
): AsyncGenerator<readonly SaltedOwner[], void> {
  for (let after = lowestWalletId; ;) {
    const { rows } = await client.query<SaltedOwnerRow>({
      name: 'owners-salted-page',
      text: `
        select ${saltedColumns} from identity.users
        where wallet_id > $1 order by wallet_id limit $2`,
      values: [after, limit],
    })
    if (rows.length > 0) yield rows.map(toSaltedOwner)
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = last.wallet_id
  }
}

const lowestWalletId = '00000000-0000-0000-0000-000000000000'

/** By wallet; one that nobody has is left out. */
export async function readSaltedOwners(
  client: Client,
  walletIds: readonly WalletId[],
): Promise<ReadonlyMap<WalletId, SaltedOwner>> {
  const { rows } = await client.query<SaltedOwnerRow>({
    name: 'owners-salted',
    text: `select ${saltedColumns} from identity.users where wallet_id = any($1)`,
    values: [walletIds],
  })
  return new Map(rows.map((row) => [row.wallet_id, toSaltedOwner(row)]))
}

function toSaltedOwner(row: SaltedOwnerRow): SaltedOwner {
  return {
    walletId: row.wallet_id,
    serviceUserId: row.service_user_id,
    salt: row.owner_salt,
    isErased: row.is_erased,
  }
}
