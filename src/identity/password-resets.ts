/**
 * One-time links for a forgotten password; known to us only as their hash, valid for an hour.
 * Promises: one token changes one password once, however many use it at the same moment; the other
 * tokens and the login sessions of that person end with it.
 * States of a token: made → used, or made → expired; both are the end.
 */
import { resetTokenMs, resetTokensMax } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { InvalidFieldError } from './invalid-field-error.js'
import { isServiceUserId } from './links.js'
import type { Passwords } from './passwords.js'
import { digestOf, newToken } from './secrets.js'
import { deleteInBatches } from './sweeper.js'
import { parsePassword } from './user-rules.js'

export interface PasswordResetsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly passwords: Passwords
}

export class PasswordResets {
  readonly #parts: PasswordResetsParts

  constructor(parts: PasswordResetsParts) {
    this.#parts = parts
  }

  async create(serviceUserId: string): Promise<string> {
    const { pool, random } = this.#parts
    const token = newToken('rst_', random)
    const isMade =
      isServiceUserId(serviceUserId) &&
      (await transaction(pool, async (client) => {
        const row = [digestOf(token), serviceUserId, this.#time(resetTokenMs)]
        const { rowCount } = await client.query(insertToken, row)
        await client.query(deleteSurplus, [serviceUserId, resetTokensMax])
        return rowCount !== 0
      }))
    if (!isMade) throw new InvalidFieldError('serviceUserId', 'is of nobody who has an email')
    return token
  }

  /** The serviceUserId whose password it changes, while it lives. */
  async find(token: string): Promise<string | undefined> {
    const live = [digestOf(token), this.#time(0)]
    const { rows } = await this.#parts.pool.query<{ service_user_id: string }>(selectToken, live)
    return rows[0]?.service_user_id
  }

  /** Whose password it was; undefined when the token is unknown, used or expired. */
  async redeem(token: string, password: string): Promise<string | undefined> {
    const { pool, passwords } = this.#parts
    parsePassword(password)
    const live = [digestOf(token), this.#time(0)]
    // Looked for first, because a hash is expensive and anybody can make up a token.
    const userId = await this.find(token)
    if (userId === undefined) return undefined
    const hash = await passwords.hash(password)
    return transaction(pool, async (client) => {
      // The person's row before everything that belongs to it, as everywhere: no deadlock.
      await client.query(changePassword.lock, [userId])
      const used = await client.query(useToken, live)
      if (used.rowCount === 0) return undefined
      await client.query(changePassword.write, [userId, hash])
      await client.query(changePassword.endTokens, [userId])
      // Whoever knew the old password may sit in one of these.
      await client.query(changePassword.endSessions, [userId, this.#time(0)])
      return userId
    })
  }

  async sweep(): Promise<number> {
    const rows = { table: 'identity.password_resets', column: 'expires_at', before: this.#time(0) }
    return deleteInBatches(this.#parts.pool, rows)
  }

  #time(inMs: number): Date {
    return new Date(this.#parts.clock.now() + inMs)
  }
}

// Locked: whoever is being erased right now gets no token that would outlive it.
const insertToken = `
  insert into identity.password_resets (token_hash, service_user_id, expires_at)
  select $1::bytea, service_user_id, $3::timestamptz from identity.users
  where service_user_id = $2 and email_key is not null for share`

const deleteSurplus = `
  delete from identity.password_resets where token_hash in (
    select token_hash from identity.password_resets where service_user_id = $1
    order by expires_at desc, token_hash offset $2)`

const selectToken =
  'select service_user_id from identity.password_resets where token_hash = $1 and expires_at > $2'

const useToken = 'delete from identity.password_resets where token_hash = $1 and expires_at > $2'

/** An erased person has no tokens, so whoever holds one that is live may write. */
const changePassword = {
  lock: 'select 1 from identity.users where service_user_id = $1 for update',
  write: 'update identity.users set password_hash = $2 where service_user_id = $1',
  endTokens: 'delete from identity.password_resets where service_user_id = $1',
  endSessions:
    'update identity.widget_sessions set ended_at = $2 ' +
    "where service_user_id = $1 and made_by = 'login' and ended_at is null",
}
