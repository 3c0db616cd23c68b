/**
 * Which client apps a person is linked to, with their names: a question of the admin area.
 * Never: cached; the admin area shows what stands now. Who may act is decided in links.ts.
 */
import type { Pool } from '../platform/postgres.js'

export interface LinkedApp {
  readonly clientId: string
  readonly name: string
}

/** In the order of their names; at most as many as there are client apps. */
export async function listLinkedApps(pool: Pool, serviceUserId: string): Promise<LinkedApp[]> {
  const { rows } = await pool.query<{ client_id: string; name: string }>(
    'select l.client_id, c.name from identity.links l ' +
      'join identity.client_apps c on c.client_id = l.client_id ' +
      'where l.service_user_id = $1 order by c.name, l.client_id',
    [serviceUserId],
  )
  return rows.map((row) => ({ clientId: row.client_id, name: row.name }))
}
