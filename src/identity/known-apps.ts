/**
 * Which client apps there are, as audits ask. Promises: an answer stays true, because rows of
 * client apps are never deleted; one that was deactivated is known too.
 */
import type { Pool } from '../platform/postgres.js'

/** Those of these ids that are client apps. */
export async function findKnownApps(
  pool: Pool,
  clientIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ client_id: string }>({
    name: 'known-apps',
    text: 'select client_id from identity.client_apps where client_id = any($1)',
    values: [clientIds],
  })
  return rows.map((row) => row.client_id)
}
