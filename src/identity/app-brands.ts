/**
 * What people are shown of client apps: the brand of each, or its name. For the widget, where an
 * entry says who made it. Never: cached; a changed brand stands in the next answer.
 */
import type { Pool } from '../platform/postgres.js'

/** By clientId; those that do not exist are left out. */
export async function readBrands(
  pool: Pool,
  clientIds: readonly string[],
): Promise<Map<string, string>> {
  if (clientIds.length === 0) return new Map()
  const { rows } = await pool.query<{ client_id: string; brand: string }>(
    'select client_id, coalesce(brand_name, name) as brand from identity.client_apps ' +
      'where client_id = any($1)',
    [[...new Set(clientIds)]],
  )
  return new Map(rows.map((row) => [row.client_id, row.brand]))
}
