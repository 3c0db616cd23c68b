/**
 * The owner of a wallet, as top-ups ask for it. Promises: an answer stays true, because rows of
 * people and of client apps are never deleted.
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
