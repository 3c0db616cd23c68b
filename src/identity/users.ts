/**
 * The people: each has one wallet, one key that seals the texts of its entries, and most have an
 * email and a password. Promises: ids and keys are drawn at random and derived from nothing; an
 * email has one account, however many sign up at once; a login does the same work whoever asks.
 * Never: hands out a key that was destroyed; the texts it sealed are gone then.
 * States: known ⇄ closed (closed-accounts.ts; a login opens it again) → erased, for ever; links and
 * wallet stay, so that refunds still work.
 */
import { readFileSync } from 'node:fs'
import { isUuid, walletIdOf } from '../domain/ids.js'
import type { WalletId } from '../domain/ids.js'
import { nameCharactersMax, seedBatchRows, seedUsersMax } from '../limits.js'
import type { ChangeFeed } from '../platform/change-feed.js'
import type { Clock } from '../platform/clock.js'
import type { Migration } from '../platform/migrations.js'
import type { Client, Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { sealingKeyBytes } from '../platform/sealing.js'
import type { Links } from './links.js'
import { isServiceUserId, UnknownLinkError } from './links.js'
import { InvalidFieldError } from './invalid-field-error.js'
import { PasswordResets } from './password-resets.js'
import { Passwords } from './passwords.js'
import { reopen } from './closed-accounts.js'
import { forgetRefusedLogins } from './refused-logins.js'
import { emailFault, emailKeyOf, nameFault, parseEmail, parsePassword } from './user-rules.js'

export const usersMigration: Migration = {
  name: '0003-users',
  sql: readFileSync(new URL('./users.sql', import.meta.url), 'utf8'),
}

export interface User {
  readonly serviceUserId: string
  readonly walletId: WalletId
  /** Missing once the person's texts are erased. */
  readonly sealingKey: Buffer | undefined
}

/** Email and names are missing for seeded users, and once the person is erased. */
export interface UserDetails extends User {
  readonly email: string | undefined
  readonly firstName: string | undefined
  readonly lastName: string | undefined
  readonly createdAt: string
  readonly isErased: boolean
}

export interface NewUser {
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** The client app that is linked at once. */
  readonly clientId?: string | undefined
}

export interface SignUp {
  readonly email: string
  readonly password: string
  readonly firstName: string
  readonly lastName: string
  readonly clientId: string
}

/** Somebody has an account with this email already. */
export class AccountExistsError extends Error {
  override readonly name = 'AccountExistsError'
}

export interface UsersParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly links: Links
  readonly changes: ChangeFeed
  readonly passwords?: Passwords
}

export class Users {
  readonly #parts: UsersParts
  readonly #passwords: Passwords
  readonly #resets: PasswordResets

  constructor(parts: UsersParts) {
    this.#parts = parts
    this.#passwords = parts.passwords ?? new Passwords(parts)
    this.#resets = new PasswordResets({ ...parts, passwords: this.#passwords })
  }

  /** Throws AccountExistsError and InvalidFieldError, which names the field. */
  async signUp(input: SignUp): Promise<User> {
    return this.create(input)
  }

  /** For the command line too, where everything may be left out; the same errors. */
  async create(input: NewUser): Promise<User> {
    const { pool, links, random } = this.#parts
    const emailKey = checkNewUser(input)
    // Looked for first, because a hash is expensive; the unique index decides all the same.
    if (emailKey !== null && (await this.#select('email_key = $1', emailKey)) !== undefined)
      throw taken()
    const passwordHash =
      input.password === undefined ? null : await this.#passwords.hash(input.password)
    const user = newUser(random)
    await transaction(pool, async (client) => {
      const account = { ...input, emailKey, passwordHash }
      await this.#insert(client, user, account)
      if (input.clientId !== undefined)
        await naming('clientId', links.add(input.clientId, user.serviceUserId, client))
    })
    return user
  }

  /**
   * Adds the link and answers the user, or undefined: unknown email, wrong password and an account
   * without a password are told apart neither by the answer nor by the work.
   */
  async login(input: {
    readonly email: string
    readonly password: string
    readonly clientId: string
  }): Promise<(User & { readonly isReopened?: true }) | undefined> {
    const { pool, links } = this.#parts
    const found = await this.#select('email_key = $1', loginKey(input.email))
    const hash = found?.password_hash ?? undefined
    const isRight = await this.#passwords.verify(input.password, hash)
    if (found === undefined || !isRight) return undefined
    return transaction(pool, async (client) => {
      // Checking takes a while, in which the password may have been changed or the person erased.
      const { rows } = await client.query<{ closed_at: Date | null; erase_at: Date | null }>(
        'select closed_at, erase_at from identity.users ' +
          'where service_user_id = $1 and password_hash = $2 for no key update',
        [found.service_user_id, hash],
      )
      const [locked] = rows
      const isReopened = locked !== undefined && locked.closed_at !== null
      // Once its time is over it is the sweeper's alone, who erases it or puts that off.
      const isOver = isReopened && (locked.erase_at ?? this.#now()) <= this.#now()
      if (locked === undefined || isOver) return undefined
      if (isReopened) await reopen(client, found.service_user_id)
      await naming('clientId', links.add(input.clientId, found.service_user_id, client))
      return isReopened ? { ...userOf(found), isReopened: true } : userOf(found)
    })
  }

  /** For demos and load tests: users without email, password and names, linked to one app. */
  async createMany(count: number, clientId: string): Promise<User[]> {
    const { pool, links, random } = this.#parts
    if (!Number.isInteger(count) || count < 1 || count > seedUsersMax)
      throw new RangeError(`the count must be a whole number from 1 to ${seedUsersMax}`)
    const users = Array.from({ length: count }, () => newUser(random))
    for (let start = 0; start < count; start += seedBatchRows) {
      const batch = users.slice(start, start + seedBatchRows)
      await transaction(pool, async (client) => {
        await client.query(insertMany, [
          batch.map((user) => user.serviceUserId),
          batch.map((user) => user.walletId),
          batch.map((user) => user.sealingKey),
          this.#now(),
        ])
        const ids = batch.map((user) => user.serviceUserId)
        await naming('clientId', links.addMany(clientId, ids, client))
      })
    }
    return users
  }

  async findByEmail(email: string): Promise<UserDetails | undefined> {
    const row = await this.#select('email_key = $1', loginKey(email))
    return row && detailsOf(row)
  }

  async find(serviceUserId: string): Promise<UserDetails | undefined> {
    if (!isServiceUserId(serviceUserId)) return undefined
    const row = await this.#select('service_user_id = $1', serviceUserId)
    return row && detailsOf(row)
  }

  async findByWallet(walletId: WalletId): Promise<UserDetails | undefined> {
    if (!isUuid(walletId)) return undefined
    const row = await this.#select('wallet_id = $1', walletId)
    return row && detailsOf(row)
  }

  /**
   * Destroys the key and everything that names the person; keeps ids, links and the ledger. False
   * when there is no such user; erasing twice is erasing once.
   */
  async erase(serviceUserId: string): Promise<boolean> {
    if (!isServiceUserId(serviceUserId)) return false
    const { pool, changes } = this.#parts
    try {
      return await transaction(pool, async (client) => {
        const { rowCount } = await client.query(eraseUser, [serviceUserId, this.#now()])
        for (const table of personsTables)
          await client.query(`delete from identity.${table} where service_user_id = $1`, [
            serviceUserId,
          ])
        await client.query(forgetRefusedLogins, [serviceUserId])
        await changes.announce(client)
        return rowCount !== 0
      })
    } finally {
      // Also after a fault: a commit may have happened although its answer was lost.
      changes.flush()
    }
  }

  /** One time, one hour. Throws InvalidFieldError for whom nothing could be reset. */
  async createResetToken(serviceUserId: string): Promise<string> {
    return this.#resets.create(serviceUserId)
  }

  /** False when the token is unknown, used or expired. Throws InvalidFieldError: the password. */
  async resetPassword(token: string, password: string): Promise<boolean> {
    return (await this.redeemReset(token, password)) !== undefined
  }

  /** As `resetPassword`; tells whose it was. */
  async redeemReset(token: string, password: string): Promise<string | undefined> {
    return this.#resets.redeem(token, password)
  }

  /** Whose password a token changes; undefined when it is unknown, used or expired. */
  async findResetEmail(token: string): Promise<string | undefined> {
    const serviceUserId = await this.#resets.find(token)
    return serviceUserId && (await this.find(serviceUserId))?.email
  }

  /** Removes reset tokens that expired; how many. */
  async sweep(): Promise<number> {
    return this.#resets.sweep()
  }

  async #insert(client: Client, user: User, account: Account): Promise<void> {
    const { rowCount } = await client.query(insertUser, [
      user.serviceUserId,
      user.walletId,
      user.sealingKey,
      account.email,
      account.emailKey,
      account.passwordHash,
      account.firstName,
      account.lastName,
      this.#now(),
    ])
    if (rowCount === 0) throw taken()
  }

  async #select(condition: string, value: string): Promise<Row | undefined> {
    const { rows } = await this.#parts.pool.query<Row>(
      `select * from identity.users where ${condition}`,
      [value],
    )
    return rows[0]
  }

  #now(): Date {
    return new Date(this.#parts.clock.now())
  }
}

/** A person with a wallet and nothing else, linked to nobody. */
export async function createUser(database: Pool | Client, random: Random): Promise<User> {
  const user = newUser(random)
  await database.query(
    'insert into identity.users (service_user_id, wallet_id, sealing_key) values ($1, $2, $3)',
    [user.serviceUserId, user.walletId, user.sealingKey],
  )
  return user
}

/** The key of the wallet's owner; undefined when it is destroyed or nobody owns the wallet. */
export async function sealingKeyOf(
  database: Pool,
  walletId: WalletId,
): Promise<Buffer | undefined> {
  const { rows } = await database.query<{ sealing_key: Buffer | null }>(
    'select sealing_key from identity.users where wallet_id = $1',
    [walletId],
  )
  return rows[0]?.sealing_key ?? undefined
}

/** The wallet of a serviceUserId; undefined when nobody has it. */
export async function walletOf(
  database: Pool,
  serviceUserId: string,
): Promise<WalletId | undefined> {
  const { rows } = await database.query<{ wallet_id: string }>(
    'select wallet_id from identity.users where service_user_id = $1',
    [serviceUserId],
  )
  return rows[0] && walletIdOf(rows[0].wallet_id)
}

interface Row {
  readonly service_user_id: string
  readonly wallet_id: string
  readonly sealing_key: Buffer | null
  readonly email: string | null
  readonly password_hash: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly created_at: Date
  readonly erased_at: Date | null
}

interface Account extends NewUser {
  readonly emailKey: string | null
  readonly passwordHash: string | null
}

const insertUser = `
  insert into identity.users (service_user_id, wallet_id, sealing_key, email, email_key,
    password_hash, first_name, last_name, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (email_key) do nothing`

const insertMany = `
  insert into identity.users (service_user_id, wallet_id, sealing_key, created_at)
  select *, $4::timestamptz from unnest($1::text[], $2::uuid[], $3::bytea[])`

/** What goes with the person. */
const personsTables = [
  'password_resets',
  'link_proofs',
  'widget_sessions',
  'email_proofs',
  'known_logins',
]

const eraseUser = `
  update identity.users set sealing_key = null, owner_salt = null, email = null,
    email_key = null, password_hash = null, first_name = null, last_name = null, language = null,
    email_confirmed_at = null, erase_at = null, erased_at = coalesce(erased_at, $2)
  where service_user_id = $1`

function newUser(random: Random): User {
  return {
    serviceUserId: `usr_${random.uuid()}`,
    walletId: walletIdOf(random.uuid()),
    sealingKey: random.bytes(sealingKeyBytes),
  }
}

/** The email as it is compared; throws the first fault. */
function checkNewUser(input: NewUser): string | null {
  const emailKey = input.email === undefined ? null : parseEmail(input.email)
  if (input.password !== undefined) parsePassword(input.password)
  if (input.password !== undefined && emailKey === null)
    throw new InvalidFieldError('email', 'is needed with a password')
  for (const field of ['firstName', 'lastName'] as const) {
    const name = input[field]
    const fault = name === undefined ? undefined : nameFault(name, nameCharactersMax)
    if (fault !== undefined) throw new InvalidFieldError(field, fault)
  }
  return emailKey
}

/** Nobody's key is empty: what is no email is looked for like one, and not found. */
function loginKey(email: string): string {
  return emailFault(email) === undefined ? emailKeyOf(email) : ''
}

function taken(): AccountExistsError {
  return new AccountExistsError('there is an account with this email already')
}

/** An app that is not known, as the fault of a field. */
async function naming(field: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof UnknownLinkError) throw new InvalidFieldError(field, 'is not known')
    throw error
  }
}

function userOf(row: Row): User {
  return {
    serviceUserId: row.service_user_id,
    walletId: walletIdOf(row.wallet_id),
    sealingKey: row.sealing_key ?? undefined,
  }
}

function detailsOf(row: Row): UserDetails {
  return {
    ...userOf(row),
    email: row.email ?? undefined,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
    createdAt: row.created_at.toISOString(),
    isErased: row.erased_at !== null,
  }
}
