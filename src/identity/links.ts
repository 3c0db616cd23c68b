/**
 * Links: which client app may act on which user's wallet; and link proofs, which tell an app's
 * backend once who has just logged in. Promises: an unknown user and one who is not linked are the
 * same nothing; a removed link is gone here at once and in every process within two seconds.
 * One that was removed is kept apart: its app may still give back what it took, nothing else.
 * Never: remembers that there was no link; keeps a proof, only its hash.
 * States of a proof: made → redeemed, or made → expired; both are the end.
 */
import { isUuid, walletIdOf } from '../domain/ids.js'
import type { WalletId } from '../domain/ids.js'
import { linkProofMs } from '../limits.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { AnswerCache, countChanges } from './answer-cache.js'
import { isClientId } from './client-apps.js'
import { digestOf, newToken } from './secrets.js'
import { deleteInBatches } from './sweeper.js'

export interface LinkedUser {
  readonly serviceUserId: string
  readonly walletId: WalletId
  /** Missing once the person's texts are erased. */
  readonly sealingKey: Buffer | undefined
}

/** A link needs an app and a user that exist; `field` names the one that does not. */
export class UnknownLinkError extends Error {
  override readonly name = 'UnknownLinkError'
  readonly field: 'clientId' | 'serviceUserId'

  constructor(field: 'clientId' | 'serviceUserId') {
    super(`${field} is not known`)
    this.field = field
  }
}

export interface LinksParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly changes: ChangeFeed
}

export class Links {
  readonly #parts: LinksParts
  readonly #users: AnswerCache<LinkedUser>

  constructor(parts: LinksParts) {
    this.#parts = parts
    const { clock, changes, pool } = parts
    const load = (keys: readonly string[]) => loadUsers(pool, keys)
    const count = () => countChanges(pool)
    this.#users = new AnswerCache({ clock, changes, load, countChanges: count })
  }

  /** Unknown user and unlinked user alike: undefined. Without a promise when it is remembered. */
  findUser(
    clientId: string,
    serviceUserId: string,
  ): LinkedUser | undefined | Promise<LinkedUser | undefined> {
    const key = `${clientId} ${serviceUserId}`
    const known = this.#users.peek(key)
    if (known !== undefined) return known
    // What is no id of ours cannot be known, and need not reach the database.
    return areIds(clientId, serviceUserId) ? this.#users.ask(key) : undefined
  }

  /**
   * Adding twice is adding once. Nobody needs to be told: that there was no link is remembered
   * nowhere. Throws UnknownLinkError.
   */
  async add(clientId: string, serviceUserId: string, database?: Pool | Client): Promise<void> {
    if (!isClientId(clientId)) throw new UnknownLinkError('clientId')
    if (!isServiceUserId(serviceUserId)) throw new UnknownLinkError('serviceUserId')
    const { rows } = await (database ?? this.#parts.pool).query<Missing>(insertLink, [
      clientId,
      serviceUserId,
      this.#time(0),
    ])
    if (rows[0]?.has_app !== true) throw new UnknownLinkError('clientId')
    if (!rows[0].has_user) throw new UnknownLinkError('serviceUserId')
  }

  /** For users made just before, in the same transaction. Throws UnknownLinkError. */
  async addMany(
    clientId: string,
    serviceUserIds: readonly string[],
    database: Client,
  ): Promise<void> {
    const { rowCount } = isClientId(clientId)
      ? await database.query(insertLinks, [clientId, serviceUserIds, this.#time(0)])
      : { rowCount: 0 }
    if (rowCount === 0) throw new UnknownLinkError('clientId')
  }

  async remove(clientId: string, serviceUserId: string): Promise<void> {
    if (!areIds(clientId, serviceUserId)) return
    const { pool, changes } = this.#parts
    try {
      await transaction(pool, async (client) => {
        await client.query(removeLinks, [serviceUserId, clientId, this.#time(0)])
        await changes.announce(client)
      })
    } finally {
      // Also after a fault: a commit may have happened although its answer was lost.
      changes.flush()
    }
  }

  /** All links of a person; whoever asks announces the change and flushes after the commit. */
  async removeAll(serviceUserId: string, client: Client): Promise<void> {
    await client.query(removeLinks, [serviceUserId, null, this.#time(0)])
  }

  /** Who was linked to this app and is no more. Asked rarely, and remembered by nobody. */
  async findFormer(clientId: string, serviceUserId: string): Promise<LinkedUser | undefined> {
    if (!areIds(clientId, serviceUserId)) return undefined
    const { rows } = await this.#parts.pool.query<LinkRow>(selectFormer, [clientId, serviceUserId])
    return rows[0] && linkedUserOf(rows[0])
  }

  /** One time, five minutes. Throws UnknownLinkError. */
  async createProof(clientId: string, serviceUserId: string): Promise<string> {
    const { pool, random } = this.#parts
    const linkProof = newToken('lp_', random)
    const { rowCount } = areIds(clientId, serviceUserId)
      ? await pool.query(insertProof, [
          digestOf(linkProof),
          clientId,
          serviceUserId,
          this.#time(linkProofMs),
        ])
      : { rowCount: 0 }
    if (rowCount === 0) throw new UnknownLinkError('serviceUserId')
    return linkProof
  }

  /**
   * The serviceUserId it was made for, once. Another app's proof is nothing to this one, and stays
   * as it is; without the link it is worth nothing any more.
   */
  async redeemProof(clientId: string, linkProof: string): Promise<string | undefined> {
    if (!isClientId(clientId)) return undefined
    const { rows } = await this.#parts.pool.query<{ service_user_id: string }>(redeem, [
      digestOf(linkProof),
      clientId,
      this.#time(0),
    ])
    return rows[0]?.service_user_id
  }

  /** Removes proofs that expired; how many. */
  async sweep(): Promise<number> {
    const rows = { table: 'identity.link_proofs', column: 'expires_at', before: this.#time(0) }
    return deleteInBatches(this.#parts.pool, rows)
  }

  #time(inMs: number): Date {
    return new Date(this.#parts.clock.now() + inMs)
  }
}

export function isServiceUserId(text: string): boolean {
  return text.startsWith('usr_') && isUuid(text.slice('usr_'.length))
}

function areIds(clientId: string, serviceUserId: string): boolean {
  return isClientId(clientId) && isServiceUserId(serviceUserId)
}

interface Missing {
  readonly has_app: boolean
  readonly has_user: boolean
}

const insertLink = `
  with found as (
    select exists (select from identity.client_apps where client_id = $1) as has_app,
           exists (select from identity.users where service_user_id = $2) as has_user
  ), added as (
    insert into identity.links (client_id, service_user_id, created_at)
    select $1, $2, $3::timestamptz from found where has_app and has_user
    on conflict do nothing
  )
  select has_app, has_user from found`

const insertLinks = `
  insert into identity.links (client_id, service_user_id, created_at)
  select client_id, id, $3::timestamptz
  from identity.client_apps cross join unnest($2::text[]) as id
  where client_id = $1`

const removeLinks = `
  with removed as (
    delete from identity.links
    where service_user_id = $1 and ($2::text is null or client_id = $2)
    returning service_user_id, client_id
  )
  insert into identity.former_links (service_user_id, client_id, removed_at)
  select service_user_id, client_id, $3::timestamptz from removed
  on conflict (service_user_id, client_id) do update set removed_at = excluded.removed_at`

const selectFormer = `
  select f.client_id, u.service_user_id, u.wallet_id, u.sealing_key
  from identity.former_links f join identity.users u using (service_user_id)
  where f.client_id = $1 and f.service_user_id = $2`

const insertProof = `
  insert into identity.link_proofs (proof_hash, client_id, service_user_id, expires_at)
  select $1::bytea, client_id, service_user_id, $4::timestamptz from identity.links
  where client_id = $2 and service_user_id = $3`

const redeem = `
  delete from identity.link_proofs p using identity.links l
  where p.proof_hash = $1 and p.client_id = $2 and p.expires_at > $3
    and l.client_id = p.client_id and l.service_user_id = p.service_user_id
  returning p.service_user_id`

interface LinkRow {
  readonly client_id: string
  readonly service_user_id: string
  readonly wallet_id: string
  readonly sealing_key: Buffer | null
}

async function loadUsers(pool: Pool, keys: readonly string[]): Promise<Map<string, LinkedUser>> {
  const pairs = keys.map((key) => key.split(' '))
  const { rows } = await pool.query<LinkRow>({
    name: 'links-users',
    text:
      'select client_id, service_user_id, wallet_id, sealing_key ' +
      'from unnest($1::text[], $2::text[]) as asked (client_id, service_user_id) ' +
      'join identity.links using (client_id, service_user_id) ' +
      'join identity.users using (service_user_id)',
    values: [pairs.map(([clientId]) => clientId), pairs.map(([, serviceUserId]) => serviceUserId)],
  })
  const found = new Map<string, LinkedUser>()
  for (const row of rows) found.set(`${row.client_id} ${row.service_user_id}`, linkedUserOf(row))
  return found
}

function linkedUserOf(row: LinkRow): LinkedUser {
  return {
    serviceUserId: row.service_user_id,
    walletId: walletIdOf(row.wallet_id),
    sealingKey: row.sealing_key ?? undefined,
  }
}
