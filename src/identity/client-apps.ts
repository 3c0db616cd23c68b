/**
 * Client apps: their origins, scopes and secrets, and who may call in their name.
 * Promises: a secret is shown once and kept as its hash; refusing one takes the same work whether
 * or not the app exists; a change holds here at once and in every process within two seconds.
 * Never: lets an inactive app or a revoked secret in, or remembers that a secret was wrong.
 * States: an app is active or not, both ways; a secret is live, then gone for ever.
 */
import { isUuid } from '../domain/ids.js'
import { clientAppsMax, liveSecretsMax } from '../limits.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { AnswerCache, countChanges } from './answer-cache.js'
import type { ClientAppInput, Scope } from './client-app-rules.js'
import { checkClientApp } from './client-app-rules.js'
import { InvalidFieldError } from './invalid-field-error.js'
import { SecretUses } from './secret-uses.js'
import { digestOf, matchingDigest, newToken } from './secrets.js'

export type { ClientAppInput, Scope } from './client-app-rules.js'

export interface ClientApp {
  /** `app_` and a UUID. */
  readonly clientId: string
  readonly name: string
  readonly allowedOrigins: readonly string[]
  readonly allowedIframeParents: readonly string[]
  readonly scopes: readonly Scope[]
  /** What the widget calls the app, instead of its name. */
  readonly brandName: string | null
  /** `#rrggbb`. */
  readonly accentColor: string | null
  readonly isActive: boolean
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string
}

/** A live secret, never the secret itself. */
export interface ClientSecret {
  readonly secretId: string
  readonly createdAt: string
  /** To the minute. */
  readonly lastUsedAt: string | null
}

export interface ClientAppDetails extends ClientApp {
  /** The live ones, at most two, oldest first. */
  readonly secrets: readonly ClientSecret[]
}

export interface MadeSecret {
  readonly clientApp: ClientAppDetails
  /** `sk_` and the base64url of 32 random bytes: nobody can show it again. */
  readonly clientSecret: string
}

export interface ClientAppsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly changes: ChangeFeed
  /** Origins must be https then. */
  readonly production: boolean
  /** For writes that nobody waits for. */
  readonly log?: Log
}

/** What authenticating needs: an active app, and the hashes of its live secrets. */
interface Credentials {
  readonly clientApp: ClientApp
  readonly secretIds: readonly string[]
  readonly digests: readonly Buffer[]
}

export class ClientApps {
  readonly #parts: ClientAppsParts
  readonly #credentials: AnswerCache<Credentials>
  readonly #uses: SecretUses

  constructor(parts: ClientAppsParts) {
    this.#parts = parts
    this.#uses = new SecretUses(parts)
    const { clock, changes, pool } = parts
    const load = (clientIds: readonly string[]) => loadCredentials(pool, clientIds)
    const count = () => countChanges(pool)
    this.#credentials = new AnswerCache({ clock, changes, load, countChanges: count })
  }

  async create(input: ClientAppInput): Promise<MadeSecret> {
    const { pool, random, production } = this.#parts
    checkClientApp(input, { production })
    const clientId = `app_${random.uuid()}`
    const made = await transaction(pool, async (client) => {
      const { rowCount } = await client.query(insertApp, [
        clientId,
        input.name,
        input.allowedOrigins,
        input.allowedIframeParents,
        input.scopes,
        this.#now(),
        clientAppsMax,
        input.brandName,
        input.accentColor,
      ])
      if (rowCount === 0) return undefined
      return this.#addSecret(client, clientId)
    })
    if (made !== undefined) return made
    throw new InvalidFieldError('name', `is one too many: ${clientAppsMax} client apps exist`)
  }

  /** Oldest first. */
  async list(): Promise<ClientAppDetails[]> {
    const { rows } = await this.#parts.pool.query<Row>(`${selectRows} ${inOrder}`)
    return detailsOf(rows)
  }

  async find(clientId: string): Promise<ClientAppDetails | undefined> {
    return isClientId(clientId) ? readDetails(this.#parts.pool, clientId) : undefined
  }

  /** The one active app that lets this origin embed the widget; undefined for none and for two. */
  async findByIframeParent(origin: string): Promise<ClientAppDetails | undefined> {
    const { rows } = await this.#parts.pool.query<{ client_id: string }>(byIframeParent, [origin])
    const [first, second] = rows
    return first && !second ? readDetails(this.#parts.pool, first.client_id) : undefined
  }

  async update(
    clientId: string,
    patch: Partial<ClientAppInput>,
  ): Promise<ClientAppDetails | undefined> {
    checkClientApp(patch, { production: this.#parts.production })
    return this.#change(clientId, (client) =>
      client.query(updateApp, [
        clientId,
        patch.name,
        patch.allowedOrigins,
        patch.allowedIframeParents,
        patch.scopes,
        // Null takes a brand away, so "not given" needs a sign of its own.
        patch.brandName !== undefined,
        patch.brandName,
        patch.accentColor !== undefined,
        patch.accentColor,
      ]),
    )
  }

  async setActive(clientId: string, isActive: boolean): Promise<ClientAppDetails | undefined> {
    return this.#change(clientId, (client) =>
      client.query('update identity.client_apps set is_active = $2 where client_id = $1', [
        clientId,
        isActive,
      ]),
    )
  }

  /** A further secret; the one before stays live until it is revoked. A third one is refused. */
  async rotate(clientId: string): Promise<MadeSecret | undefined> {
    if (!isClientId(clientId)) return undefined
    const made = await transaction(this.#parts.pool, async (client) => {
      // Held until the commit, and a statement of its own: one that also counted would count what
      // was there before it waited, and two rotations at once would both see room for one.
      const locked = await client.query(lockApp, [clientId])
      if (locked.rowCount === 0) return undefined
      const clientApp = await readDetails(client, clientId)
      const isFull = clientApp !== undefined && clientApp.secrets.length >= liveSecretsMax
      return isFull ? 'full' : this.#addSecret(client, clientId)
    })
    if (made !== 'full') return made
    throw new InvalidFieldError(
      'secrets',
      `are ${liveSecretsMax} already: revoke one before making another`,
    )
  }

  /** Undefined when there is no such app, or it has no such live secret. */
  async revoke(clientId: string, secretId: string): Promise<ClientAppDetails | undefined> {
    if (!isUuid(secretId)) return undefined
    return this.#change(clientId, (client) =>
      client.query('delete from identity.client_secrets where client_id = $1 and secret_id = $2', [
        clientId,
        secretId,
      ]),
    )
  }

  /**
   * The active app whose live secret this is; undefined: INVALID_CLIENT. Without a promise when it
   * is remembered: every request of an app comes by here.
   */
  authenticate(clientId: string, clientSecret: string): ClientApp | Promise<ClientApp | undefined> {
    const presented = digestOf(clientSecret)
    const known = this.#match(this.#credentials.peek(clientId), presented)
    // Not found among what is remembered says nothing: the secret may be newer than that.
    return known ?? this.#ask(clientId, presented)
  }

  async #ask(clientId: string, presented: Buffer): Promise<ClientApp | undefined> {
    const asked = isClientId(clientId) ? await this.#credentials.ask(clientId) : undefined
    return this.#match(asked, presented)
  }

  #match(credentials: Credentials | undefined, presented: Buffer): ClientApp | undefined {
    const digests = credentials?.digests ?? []
    const index = matchingDigest(presented, { digests, comparisons: liveSecretsMax })
    const secretId = credentials?.secretIds[index]
    if (secretId === undefined) return undefined
    this.#uses.note(secretId)
    return credentials?.clientApp
  }

  /** Resolves when nothing is being written by itself any more: then the database may be closed. */
  async settled(): Promise<void> {
    await this.#uses.settled()
  }

  /** One change of one app: told to every process at its commit, and to this one at once. */
  async #change(
    clientId: string,
    work: (client: Client) => Promise<{ rowCount: number | null }>,
  ): Promise<ClientAppDetails | undefined> {
    if (!isClientId(clientId)) return undefined
    const { pool, changes } = this.#parts
    try {
      return await transaction(pool, async (client) => {
        const { rowCount } = await work(client)
        if (rowCount === 0) return undefined
        await changes.announce(client)
        return readDetails(client, clientId)
      })
    } finally {
      // Also after a fault: a commit may have happened although its answer was lost.
      changes.flush()
    }
  }

  async #addSecret(client: Client, clientId: string): Promise<MadeSecret> {
    const { random } = this.#parts
    const clientSecret = newToken('sk_', random)
    await client.query(
      'insert into identity.client_secrets (secret_id, client_id, secret_hash, created_at) ' +
        'values ($1, $2, $3, $4)',
      [random.uuid(), clientId, digestOf(clientSecret), this.#now()],
    )
    const clientApp = await readDetails(client, clientId)
    if (clientApp === undefined) throw new Error('a client app vanished while it was being changed')
    return { clientApp, clientSecret }
  }

  #now(): Date {
    return new Date(this.#parts.clock.now())
  }
}

/** What people are shown: a brand where there is one. */
export function brandOf({ brandName, name }: ClientApp): string {
  return brandName ?? name
}

/** The shape of every client id; anything else is nobody's and need not reach the database. */
export function isClientId(text: string): boolean {
  return text.startsWith('app_') && isUuid(text.slice('app_'.length))
}

/** One row a live secret; an app without any has one row with nulls. */
interface Row {
  readonly client_id: string
  readonly name: string
  readonly allowed_origins: string[]
  readonly allowed_iframe_parents: string[]
  readonly scopes: Scope[]
  readonly brand_name: string | null
  readonly accent_color: string | null
  readonly is_active: boolean
  readonly created_at: Date
  readonly secret_id: string | null
  readonly secret_hash: Buffer | null
  readonly secret_created_at: Date | null
  readonly last_used_at: Date | null
}

const selectRows =
  'select a.*, s.secret_id, s.secret_hash, s.created_at as secret_created_at, s.last_used_at ' +
  'from identity.client_apps a left join identity.client_secrets s using (client_id)'
const inOrder = 'order by a.created_at, client_id, s.created_at, s.secret_id'

// The bound is there for the list; that two at once may pass it by one harms nobody.
const insertApp = `
  insert into identity.client_apps
    (client_id, name, allowed_origins, allowed_iframe_parents, scopes, created_at,
      brand_name, accent_color)
  select $1::text, $2::text, $3::text[], $4::text[], $5::text[], $6::timestamptz,
    $8::text, $9::text
  where (select count(*) from identity.client_apps) < $7`

const updateApp = `
  update identity.client_apps set
    name = coalesce($2, name),
    allowed_origins = coalesce($3, allowed_origins),
    allowed_iframe_parents = coalesce($4, allowed_iframe_parents),
    scopes = coalesce($5, scopes),
    brand_name = case when $6 then $7 else brand_name end,
    accent_color = case when $8 then $9 else accent_color end
  where client_id = $1`

const byIframeParent =
  'select client_id from identity.client_apps ' +
  'where allowed_iframe_parents @> array[$1::text] and is_active limit 2'

const lockApp = 'select 1 from identity.client_apps where client_id = $1 for update'

async function readDetails(
  database: Pool | Client,
  clientId: string,
): Promise<ClientAppDetails | undefined> {
  const { rows } = await database.query<Row>(`${selectRows} where client_id = $1 ${inOrder}`, [
    clientId,
  ])
  return detailsOf(rows)[0]
}

async function loadCredentials(
  pool: Pool,
  clientIds: readonly string[],
): Promise<Map<string, Credentials>> {
  const { rows } = await pool.query<Row>(
    `${selectRows} where client_id = any($1) and a.is_active ${inOrder}`,
    [clientIds],
  )
  const found = new Map<string, Credentials>()
  for (const [clientId, rowsOfApp] of byApp(rows)) {
    const [first] = rowsOfApp
    if (first === undefined) continue
    const secrets = rowsOfApp.flatMap(({ secret_id: id, secret_hash: hash }) =>
      id === null || hash === null ? [] : [{ id, hash }],
    )
    found.set(clientId, {
      clientApp: clientAppOf(first),
      secretIds: secrets.map(({ id }) => id),
      digests: secrets.map(({ hash }) => hash),
    })
  }
  return found
}

function detailsOf(rows: readonly Row[]): ClientAppDetails[] {
  return [...byApp(rows).values()].flatMap((rowsOfApp) =>
    rowsOfApp.slice(0, 1).map((row) => ({
      ...clientAppOf(row),
      secrets: rowsOfApp.flatMap(secretOf),
    })),
  )
}

function byApp(rows: readonly Row[]): Map<string, Row[]> {
  const apps = new Map<string, Row[]>()
  for (const row of rows) {
    const rowsOfApp = apps.get(row.client_id)
    if (rowsOfApp === undefined) apps.set(row.client_id, [row])
    else rowsOfApp.push(row)
  }
  return apps
}

function clientAppOf(row: Row): ClientApp {
  return {
    clientId: row.client_id,
    name: row.name,
    allowedOrigins: row.allowed_origins,
    allowedIframeParents: row.allowed_iframe_parents,
    scopes: row.scopes,
    brandName: row.brand_name,
    accentColor: row.accent_color,
    isActive: row.is_active,
    createdAt: row.created_at.toISOString(),
  }
}

function secretOf(row: Row): ClientSecret[] {
  const { secret_id: secretId, secret_created_at: createdAt, last_used_at: lastUsedAt } = row
  if (secretId === null || createdAt === null) return []
  const used = lastUsedAt === null ? null : lastUsedAt.toISOString()
  return [{ secretId, createdAt: createdAt.toISOString(), lastUsedAt: used }]
}
