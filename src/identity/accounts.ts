/**
 * A person's own account: what it says of them, and what they may change of it. Promises: a new
 * password ends every other login and every link for a new one; an email changes when its own link
 * is used, or at once where no mail can be sent; what is an email, a name and a password is said in
 * user-rules.ts. Never: asks whether the person may; the routes do, with the password where it must
 * be.
 */
import { nameCharactersMax } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { isUniqueViolation, transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { InvalidFieldError } from './invalid-field-error.js'
import { Passwords } from './passwords.js'
import { nameFault, parseEmail, passwordFault } from './user-rules.js'

export interface Account {
  readonly email: string | undefined
  readonly isEmailConfirmed: boolean
  readonly firstName: string | undefined
  readonly lastName: string | undefined
  readonly createdAt: string
}

/** A client app of the person's: linked, or linked once. */
export interface AppOfPerson {
  readonly clientId: string
  readonly name: string
  readonly isLinked: boolean
  /** Since when it is linked, or since when it is no more. */
  readonly since: string
}

export interface AccountsParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly passwords?: Passwords
}

export class Accounts {
  readonly #parts: AccountsParts
  readonly #passwords: Passwords

  constructor(parts: AccountsParts) {
    this.#parts = parts
    this.#passwords = parts.passwords ?? new Passwords(parts)
  }

  async find(serviceUserId: string): Promise<Account | undefined> {
    const { rows } = await this.#parts.pool.query<AccountRow>(
      'select * from identity.users where service_user_id = $1 and erased_at is null',
      [serviceUserId],
    )
    const [row] = rows
    return (
      row && {
        email: row.email ?? undefined,
        isEmailConfirmed: row.email_confirmed_at !== null,
        firstName: row.first_name ?? undefined,
        lastName: row.last_name ?? undefined,
        createdAt: row.created_at.toISOString(),
      }
    )
  }

  /** At most as many as there are client apps; linked ones first, by their names. */
  async apps(serviceUserId: string): Promise<AppOfPerson[]> {
    const { rows } = await this.#parts.pool.query<AppRow>(selectApps, [serviceUserId])
    return rows.map((row) => ({
      clientId: row.client_id,
      name: row.name,
      isLinked: row.is_linked,
      since: row.since.toISOString(),
    }))
  }

  /** Does the same work for whoever has no password. */
  async isPassword(serviceUserId: string, password: string): Promise<boolean> {
    const { rows } = await this.#parts.pool.query<{ password_hash: string | null }>(
      'select password_hash from identity.users where service_user_id = $1',
      [serviceUserId],
    )
    return this.#passwords.verify(password, rows[0]?.password_hash ?? undefined)
  }

  /** Throws InvalidFieldError, which names the field. */
  async rename(
    serviceUserId: string,
    names: { readonly firstName: string; readonly lastName: string },
  ): Promise<void> {
    for (const field of ['firstName', 'lastName'] as const) {
      const fault = nameFault(names[field], nameCharactersMax)
      if (fault !== undefined) throw new InvalidFieldError(field, fault)
    }
    await this.#parts.pool.query(
      'update identity.users set first_name = $2, last_name = $3 ' +
        'where service_user_id = $1 and erased_at is null',
      [serviceUserId, names.firstName, names.lastName],
    )
  }

  /** `loginId` is of the login that goes on. Throws InvalidFieldError: the new password. */
  async changePassword(
    serviceUserId: string,
    { newPassword, loginId }: { readonly newPassword: string; readonly loginId: string },
  ): Promise<void> {
    const fault = passwordFault(newPassword)
    if (fault !== undefined) throw new InvalidFieldError('newPassword', fault)
    const hash = await this.#passwords.hash(newPassword)
    await transaction(this.#parts.pool, async (client) => {
      await client.query(writePassword, [serviceUserId, hash])
      await client.query('delete from identity.password_resets where service_user_id = $1', [
        serviceUserId,
      ])
      // Whoever knew the old password may sit in one of these.
      await client.query(endLogins, [serviceUserId, loginId, new Date(this.#parts.clock.now())])
    })
  }

  async hasEmail(email: string): Promise<boolean> {
    const { rowCount } = await this.#parts.pool.query(
      'select 1 from identity.users where email_key = $1',
      [parseEmail(email)],
    )
    return rowCount !== 0
  }

  /** Without proof, for a service that sends no mail. False when another account has it. */
  async setEmail(serviceUserId: string, email: string): Promise<boolean> {
    try {
      await this.#parts.pool.query(
        'update identity.users set email = $2, email_key = $3, email_confirmed_at = null ' +
          'where service_user_id = $1 and email_key is not null',
        [serviceUserId, email, parseEmail(email)],
      )
      return true
    } catch (error) {
      if (isUniqueViolation(error)) return false
      throw error
    }
  }
}

interface AccountRow {
  readonly email: string | null
  readonly email_confirmed_at: Date | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly created_at: Date
}

interface AppRow {
  readonly client_id: string
  readonly name: string
  readonly is_linked: boolean
  readonly since: Date
}

const selectApps = `
  select a.client_id, coalesce(a.brand_name, a.name) as name, l.client_id is not null as is_linked,
    coalesce(l.created_at, f.removed_at) as since
  from identity.client_apps a
  left join identity.links l on l.client_id = a.client_id and l.service_user_id = $1
  left join identity.former_links f on f.client_id = a.client_id and f.service_user_id = $1
  where l.client_id is not null or f.client_id is not null
  order by is_linked desc, name, a.client_id`

const writePassword =
  'update identity.users set password_hash = $2 where service_user_id = $1 and erased_at is null'

const endLogins =
  'update identity.widget_sessions set ended_at = $3 ' +
  "where service_user_id = $1 and login_id <> $2 and made_by = 'login' and ended_at is null"
