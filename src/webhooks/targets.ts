/**
 * Where a line is delivered to: the address and the opened signing secrets of its endpoint. Read
 * anew for each line, so a change or a rotation holds for the next request of every process.
 */
import type { Pool } from '../platform/postgres.js'
import type { SealedSecret, SecretKey } from './secret-key.js'

export interface Target {
  readonly clientId: string
  readonly url: string
  /** Newest first. */
  readonly secrets: readonly string[]
}

export interface SealedTarget {
  readonly clientId: string
  readonly url: string
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
}

/** Undefined when there is no such endpoint. */
export async function readTarget(
  pool: Pool,
  endpointId: string,
): Promise<SealedTarget | undefined> {
  const { rows } = await pool.query<{
    client_id: string
    url: string
    secret_id: string
    key_id: string
    sealed: Buffer
  }>(
    'select e.client_id, e.url, s.secret_id, s.key_id, s.sealed from webhooks.endpoints e ' +
      'join webhooks.secrets s using (endpoint_id) where e.endpoint_id = $1 ' +
      'order by s.created_at desc, s.secret_id',
    [endpointId],
  )
  const [first] = rows
  if (first === undefined) return undefined
  const secrets = rows.map(({ secret_id: secretId, key_id: keyId, sealed }) => {
    return { secretId, endpointId, keyId, sealed }
  })
  return { clientId: first.client_id, url: first.url, secrets }
}

/** Throws SecretKeyError. */
export async function openTarget(target: SealedTarget, secretKey: SecretKey): Promise<Target> {
  const secrets: string[] = []
  for (const secret of target.secrets) secrets.push(await secretKey.open(secret))
  return { ...target, secrets }
}
