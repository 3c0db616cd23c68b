/**
 * Who may be told of what happens in wallets: the owner and the linked apps of many wallets at
 * once, and which apps may read at all. A question of the webhooks.
 * Never: cached; it is asked inside the transaction that uses the answer.
 */
import type { Client } from '../platform/postgres.js'

export interface LinkedWallet {
  readonly walletId: string
  readonly serviceUserId: string
  readonly links: readonly { readonly clientId: string; readonly sinceMs: number }[]
}

/** By wallet; one that nobody owns is left out. */
export async function readLinkedWallets(
  client: Client,
  walletIds: readonly string[],
): Promise<ReadonlyMap<string, LinkedWallet>> {
  const { rows } = await client.query<{
    wallet_id: string
    service_user_id: string
    client_ids: (string | null)[]
    since: (Date | null)[]
  }>({
    name: 'linked-wallets',
    text:
      'select u.wallet_id, u.service_user_id, array_agg(l.client_id order by l.client_id) ' +
      'as client_ids, array_agg(l.created_at order by l.client_id) as since ' +
      'from identity.users u left join identity.links l using (service_user_id) ' +
      'where u.wallet_id = any($1::uuid[]) group by u.wallet_id, u.service_user_id',
    values: [walletIds],
  })
  return new Map(
    rows.map((row) => {
      const links = row.client_ids.flatMap((clientId, index) => {
        const sinceMs = row.since[index]?.getTime()
        return clientId === null || sinceMs === undefined ? [] : [{ clientId, sinceMs }]
      })
      const { wallet_id: walletId, service_user_id: serviceUserId } = row
      return [walletId, { walletId, serviceUserId, links }]
    }),
  )
}

/** Of these apps, the active ones that have the scope to read. */
export async function readReadingApps(
  database: Pick<Client, 'query'>,
  clientIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ client_id: string }>(
    'select client_id from identity.client_apps ' +
      "where client_id = any($1) and is_active and 'wallet:read' = any(scopes)",
    [clientIds],
  )
  return new Set(rows.map((row) => row.client_id))
}
