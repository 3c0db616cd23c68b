/**
 * One-time links that prove that mail to an address reaches a person: the address they have, or the
 * one that is to become theirs. Known to us only as their hash, valid for a day.
 * Promises: an address changes only when its own link is used; with it all other links of that
 * person end, also those for a new password, which went to the old address.
 * States of a token: made → used, or made → expired; both are the end.
 */
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { isUniqueViolation, transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { emailProofMs, emailProofsMax } from './limits.js'
import { digestOf, newToken } from './secrets.js'
import { deleteInBatches } from './sweeper.js'
import { parseEmail } from './user-rules.js'

export interface EmailProofsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
}

/** What a link led to. */
export type ProvenEmail =
  | { readonly kind: 'confirmed'; readonly serviceUserId: string }
  | { readonly kind: 'changed'; readonly serviceUserId: string; readonly oldEmail: string }
  /** Somebody else has made an account with it since. */
  | { readonly kind: 'taken' }

export class EmailProofs {
  readonly #parts: EmailProofsParts

  constructor(parts: EmailProofsParts) {
    this.#parts = parts
  }

  /** Throws InvalidFieldError: the email. Undefined for whom nothing could be proven. */
  async create(serviceUserId: string, email: string): Promise<string | undefined> {
    const { pool, random } = this.#parts
    const emailKey = parseEmail(email)
    const token = newToken('eml_', random)
    const row = [digestOf(token), serviceUserId, email, emailKey, this.#time(emailProofMs)]
    return transaction(pool, async (client) => {
      const { rowCount } = await client.query(insertProof, row)
      await client.query(deleteSurplus, [serviceUserId, emailProofsMax])
      return rowCount === 0 ? undefined : token
    })
  }

  /** The newest address that waits for its link; undefined when none does. */
  async waiting(serviceUserId: string): Promise<string | undefined> {
    const { rows } = await this.#parts.pool.query<{ email: string }>(selectWaiting, [
      serviceUserId,
      this.#time(0),
    ])
    return rows[0]?.email
  }

  /** Undefined when the token is unknown, used or expired. */
  async redeem(token: string): Promise<ProvenEmail | undefined> {
    try {
      return await this.#redeem(token)
    } catch (error) {
      if (isUniqueViolation(error)) return { kind: 'taken' }
      throw error
    }
  }

  async #redeem(token: string): Promise<ProvenEmail | undefined> {
    const now = this.#time(0)
    return transaction(this.#parts.pool, async (client) => {
      const live = [digestOf(token), now]
      const { rows: found } = await client.query<{ service_user_id: string }>(selectOwner, live)
      const serviceUserId = found[0]?.service_user_id
      if (serviceUserId === undefined) return undefined
      // The person's row before everything that belongs to it, as everywhere: no deadlock.
      const { rows: users } = await client.query<UserRow>(lockUser, [serviceUserId])
      const { rows } = await client.query<ProofRow>(useProof, live)
      const [proof, user] = [rows[0], users[0]]
      if (proof === undefined || user?.email == null) return undefined
      await client.query(writeEmail, [serviceUserId, proof.email, proof.email_key, now])
      await client.query('delete from identity.email_proofs where service_user_id = $1', [
        serviceUserId,
      ])
      if (user.email_key === proof.email_key) return { kind: 'confirmed', serviceUserId }
      await client.query('delete from identity.password_resets where service_user_id = $1', [
        serviceUserId,
      ])
      return { kind: 'changed', serviceUserId, oldEmail: user.email }
    })
  }

  async sweep(): Promise<number> {
    const rows = { table: 'identity.email_proofs', column: 'expires_at', before: this.#time(0) }
    return deleteInBatches(this.#parts.pool, rows)
  }

  #time(inMs: number): Date {
    return new Date(this.#parts.clock.now() + inMs)
  }
}

interface UserRow {
  readonly email: string | null
  readonly email_key: string | null
}

interface ProofRow {
  readonly email: string
  readonly email_key: string
}

// Locked: whoever is being erased right now gets no token that would outlive it.
const insertProof = `
  insert into identity.email_proofs (token_hash, service_user_id, email, email_key, expires_at)
  select $1::bytea, service_user_id, $3, $4, $5::timestamptz from identity.users
  where service_user_id = $2 and email_key is not null for share`

const deleteSurplus = `
  delete from identity.email_proofs where token_hash in (
    select token_hash from identity.email_proofs where service_user_id = $1
    order by expires_at desc, token_hash offset $2)`

const selectWaiting = `
  select p.email from identity.email_proofs p join identity.users u using (service_user_id)
  where p.service_user_id = $1 and p.expires_at > $2 and p.email_key <> u.email_key
  order by p.expires_at desc limit 1`

const selectOwner =
  'select service_user_id from identity.email_proofs where token_hash = $1 and expires_at > $2'

const lockUser = 'select email, email_key from identity.users where service_user_id = $1 for update'

const useProof =
  'delete from identity.email_proofs where token_hash = $1 and expires_at > $2 ' +
  'returning email, email_key'

const writeEmail =
  'update identity.users set email = $2, email_key = $3, email_confirmed_at = $4 ' +
  'where service_user_id = $1'
