/**
 * The endpoints of client apps: address, types and signing secrets. Promises: a secret is shown
 * once and kept sealed (secret-key.ts); two of them may be live, and both sign; an endpoint is told
 * of what happens after it was made. Never: more than five of one app, or a third live secret.
 * States: live → removed, with all of its deliveries; a secret is live, then gone for ever.
 */
import { isUuid } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import type { EventStore } from '../event-store/event-store.js'
import { startOfLog } from '../event-store/event-store.js'
import { InvalidFieldError } from '../identity/invalid-field-error.js'
import type { Clock } from '../platform/clock.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { beginAtEnd, lockFeed } from './checkpoint.js'
import { checkEndpoint, checkThresholds, type EndpointInput } from './endpoint-rules.js'
import {
  endpointsPerAppMax,
  removalBatchesMax,
  removalBatchRows,
  signingSecretsMax,
  thresholdStandardMajor,
} from './limits.js'
import type { SecretKey } from './secret-key.js'
import { newSigningSecret } from './signature.js'
import type { WebhookType } from './webhook-types.js'

export interface Endpoint {
  readonly endpointId: string
  readonly clientId: string
  readonly url: string
  readonly types: readonly WebhookType[]
  readonly createdAt: string
  /** Since when deliveries of it die; null while they arrive. */
  readonly deadSince: string | null
  /** The live ones, oldest first, never the secret itself. */
  readonly secrets: readonly { readonly secretId: string; readonly createdAt: string }[]
}

export interface MadeEndpointSecret {
  readonly endpoint: Endpoint
  /** `whsec_…`: nobody can show it again. */
  readonly secret: string
}

export interface EndpointsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly secretKey: SecretKey
  readonly currency: Currency
  readonly store: Pick<EventStore, 'lastEvent' | 'readMarker' | 'createMarker'>
}

export class Endpoints {
  readonly #parts: EndpointsParts

  constructor(parts: EndpointsParts) {
    this.#parts = parts
  }

  /** The app must exist. Throws InvalidFieldError and SecretKeyError. */
  async create(
    clientId: string,
    input: EndpointInput,
    rules: { readonly allowPrivate: boolean },
  ): Promise<MadeEndpointSecret> {
    checkEndpoint(input, rules)
    const { pool, random } = this.#parts
    const endpointId = random.uuid()
    const made = await transaction(pool, async (client) => {
      // Held until the commit: the sixth of two that come at once is seen, and nobody feeds.
      await lockFeed(client)
      const known = await readEndpoints(client, 'where client_id = $1', [clientId])
      if (known.length >= endpointsPerAppMax) return undefined
      const values = [endpointId, clientId, input.url, input.types, await this.#begin(client)]
      await client.query(insertEndpoint, [...values, this.#now()])
      return this.#addSecret(client, endpointId)
    })
    if (made !== undefined) return made
    throw new InvalidFieldError('url', `is one too many: the app has ${endpointsPerAppMax}`)
  }

  /** Oldest first; of one app, or of all. */
  async list(clientId?: string): Promise<Endpoint[]> {
    const { pool } = this.#parts
    if (clientId === undefined) return readEndpoints(pool, '', [])
    return readEndpoints(pool, 'where client_id = $1', [clientId])
  }

  async find(endpointId: string): Promise<Endpoint | undefined> {
    return isUuid(endpointId) ? readEndpoint(this.#parts.pool, endpointId) : undefined
  }

  async update(
    endpointId: string,
    patch: Partial<EndpointInput>,
    rules: { readonly allowPrivate: boolean },
  ): Promise<Endpoint | undefined> {
    checkEndpoint(patch, rules)
    if (!isUuid(endpointId)) return undefined
    const { pool } = this.#parts
    await pool.query(
      'update webhooks.endpoints set url = coalesce($2, url), types = coalesce($3, types) ' +
        'where endpoint_id = $1',
      [endpointId, patch.url, patch.types],
    )
    return readEndpoint(pool, endpointId)
  }

  /** With everything that was to be told or has been. False when there is no such endpoint. */
  async remove(endpointId: string): Promise<boolean> {
    if (!isUuid(endpointId)) return false
    // Most of it before anybody has to wait for us.
    await this.#removeDeliveries(endpointId)
    return transaction(this.#parts.pool, async (client) => {
      // Nobody makes deliveries for it meanwhile.
      await lockFeed(client)
      const { rowCount } = await client.query(
        'delete from webhooks.endpoints where endpoint_id = $1',
        [endpointId],
      )
      return rowCount === 1
    })
  }

  /** A further secret; the one before signs too until it is revoked. A third one is refused. */
  async rotate(endpointId: string): Promise<MadeEndpointSecret | undefined> {
    if (!isUuid(endpointId)) return undefined
    const made = await transaction(this.#parts.pool, async (client) => {
      await client.query('select 1 from webhooks.endpoints where endpoint_id = $1 for update', [
        endpointId,
      ])
      const endpoint = await readEndpoint(client, endpointId)
      if (endpoint === undefined) return undefined
      const isFull = endpoint.secrets.length >= signingSecretsMax
      return isFull ? 'full' : this.#addSecret(client, endpointId)
    })
    if (made !== 'full') return made
    throw new InvalidFieldError(
      'secrets',
      `are ${signingSecretsMax} already: revoke one before making another`,
    )
  }

  /** Undefined when there is no such live secret. Throws InvalidFieldError: the only one stays. */
  async revoke(endpointId: string, secretId: string): Promise<Endpoint | undefined> {
    if (!isUuid(endpointId) || !isUuid(secretId)) return undefined
    const left = await transaction(this.#parts.pool, async (client) => {
      await client.query('select 1 from webhooks.endpoints where endpoint_id = $1 for update', [
        endpointId,
      ])
      const endpoint = await readEndpoint(client, endpointId)
      if (endpoint?.secrets.some((secret) => secret.secretId === secretId) !== true)
        return undefined
      if (endpoint.secrets.length === 1) return 'last'
      await client.query('delete from webhooks.secrets where secret_id = $1', [secretId])
      return readEndpoint(client, endpointId)
    })
    if (left !== 'last') return left
    throw new InvalidFieldError('secrets', 'is the only one: make another one first')
  }

  /** In minor units, highest first. */
  async thresholds(clientId: string): Promise<readonly number[]> {
    const found = await readThresholds(this.#parts.pool, [clientId], this.#parts.currency)
    return found(clientId)
  }

  /** Throws InvalidFieldError. */
  async setThresholds(clientId: string, thresholdsMinor: readonly number[]): Promise<void> {
    checkThresholds(thresholdsMinor)
    await this.#parts.pool.query(
      'insert into webhooks.low_balances (client_id, thresholds_minor) values ($1, $2) ' +
        'on conflict (client_id) do update set thresholds_minor = excluded.thresholds_minor',
      [clientId, [...thresholdsMinor].sort((one, other) => other - one)],
    )
  }

  async #removeDeliveries(endpointId: string): Promise<void> {
    for (let batch = 0; batch < removalBatchesMax; batch += 1) {
      const { rowCount } = await this.#parts.pool.query(
        'delete from webhooks.deliveries where delivery_id = any(array(' +
          'select delivery_id from webhooks.deliveries where endpoint_id = $1 limit $2))',
        [endpointId, removalBatchRows],
      )
      if ((rowCount ?? 0) < removalBatchRows) return
    }
  }

  /** Nobody follows the log while there is no endpoint: with the first one it begins at the end. */
  async #begin(client: Client): Promise<bigint> {
    const { store } = this.#parts
    if (!(await hasEndpoints(client))) return (await beginAtEnd(client, store)).position
    return (await store.lastEvent())?.position ?? startOfLog
  }

  async #addSecret(client: Client, endpointId: string): Promise<MadeEndpointSecret> {
    const { random, secretKey } = this.#parts
    const secret = newSigningSecret(random)
    const { secretId, keyId, sealed } = await secretKey.seal(secret, {
      secretId: random.uuid(),
      endpointId,
    })
    await client.query(
      'insert into webhooks.secrets (secret_id, endpoint_id, key_id, sealed, created_at) ' +
        'values ($1, $2, $3, $4, $5)',
      [secretId, endpointId, keyId, sealed, this.#now()],
    )
    const endpoint = await readEndpoint(client, endpointId)
    if (endpoint === undefined) throw new Error('an endpoint vanished while it was being changed')
    return { endpoint, secret }
  }

  #now(): Date {
    return new Date(this.#parts.clock.now())
  }
}

export async function hasEndpoints(database: Pool | Client): Promise<boolean> {
  const text = 'select exists (select from webhooks.endpoints) as yes'
  const { rows } = await database.query<{ yes: boolean }>(text)
  return rows[0]?.yes === true
}

/** In minor units by client app; the standard one where an app has named none. */
export async function readThresholds(
  database: Pool | Client,
  clientIds: readonly string[],
  currency: Currency,
): Promise<(clientId: string) => readonly number[]> {
  const { rows } = await database.query<{ client_id: string; thresholds: string[] }>(
    'select client_id, thresholds_minor::text[] as thresholds from webhooks.low_balances ' +
      'where client_id = any($1)',
    [clientIds],
  )
  const known = new Map(rows.map((row) => [row.client_id, row.thresholds.map(Number)]))
  const standard = [thresholdStandardMajor * 10 ** currency.decimals]
  return (clientId) => known.get(clientId) ?? standard
}

const insertEndpoint = `
  insert into webhooks.endpoints (endpoint_id, client_id, url, types, from_position, created_at)
  values ($1, $2, $3, $4, $5, $6)`

interface Row {
  readonly endpoint_id: string
  readonly client_id: string
  readonly url: string
  readonly types: WebhookType[]
  readonly created_at: Date
  readonly dead_since: Date | null
  readonly secret_ids: string[]
  readonly secret_times: Date[]
}

async function readEndpoint(
  database: Pool | Client,
  endpointId: string,
): Promise<Endpoint | undefined> {
  const [endpoint] = await readEndpoints(database, 'where e.endpoint_id = $1', [endpointId])
  return endpoint
}

async function readEndpoints(
  database: Pool | Client,
  condition: string,
  values: readonly string[],
): Promise<Endpoint[]> {
  const { rows } = await database.query<Row>(
    'select e.*, array_agg(s.secret_id::text order by s.created_at, s.secret_id) as secret_ids, ' +
      'array_agg(s.created_at order by s.created_at, s.secret_id) as secret_times ' +
      'from webhooks.endpoints e left join webhooks.secrets s using (endpoint_id) ' +
      `${condition} group by e.endpoint_id order by e.created_at, e.endpoint_id`,
    [...values],
  )
  return rows.map(endpointOf)
}

function endpointOf(row: Row): Endpoint {
  return {
    endpointId: row.endpoint_id,
    clientId: row.client_id,
    url: row.url,
    types: row.types,
    createdAt: row.created_at.toISOString(),
    deadSince: row.dead_since?.toISOString() ?? null,
    // One that was just made has none yet: the join then gives one row of nulls.
    secrets: row.secret_ids.flatMap((secretId: string | null, index) => {
      const createdAt = row.secret_times[index]?.toISOString()
      return secretId === null || createdAt === undefined ? [] : [{ secretId, createdAt }]
    }),
  }
}
