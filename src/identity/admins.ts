/**
 * Admin accounts and their sessions. Promises: a login does the same work whether or not the
 * account exists; of a session only the hash of its token is at rest, and its CSRF token is derived
 * from that token, so it is at rest nowhere.
 * States of a session: live → ended by idleness, by age or by logout; none comes back.
 * Never: counts tries; whoever serves the login does.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { adminSessionIdleMs, adminSessionLifetimeMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Migration } from '../platform/migrations.js'
import type { Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { browserIdOf, browserToken, newBrowserId, type BrowserOwner } from './known-browsers.js'
import { Passwords } from './passwords.js'
import { digestOf } from './secrets.js'
import { emailKeyOf, isStorable, parseEmail, parsePassword } from './user-rules.js'

export const adminsMigration: Migration = {
  name: '0010-admins',
  sql: readFileSync(new URL('./admins.sql', import.meta.url), 'utf8'),
}

export type AdminRole = 'admin' | 'auditor'

export interface Admin {
  readonly adminId: string
  /** In lower case. */
  readonly email: string
  readonly role: AdminRole
  readonly createdAt: string
}

export interface AdminSession {
  readonly admin: Admin
  readonly csrfToken: string
}

/** What the login answers, and nobody can ask for again. */
export interface NewAdminSession extends AdminSession {
  readonly sessionToken: string
  readonly browserToken: string
}

/** There is an admin with this email already. */
export class AdminExistsError extends Error {
  override readonly name = 'AdminExistsError'
}

export class Admins {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #random: Random
  readonly #passwords: Passwords

  /** `passwords` left out: what new hashes cost today. */
  constructor(parts: { pool: Pool; clock: Clock; random: Random; passwords?: Passwords }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
    this.#random = parts.random
    this.#passwords = parts.passwords ?? new Passwords(parts)
  }

  /** Throws InvalidFieldError, which names the field, and AdminExistsError. */
  async create(input: { email: string; password: string; role: AdminRole }): Promise<Admin> {
    const email = parseEmail(input.email)
    const passwordHash = await this.#passwords.hash(parsePassword(input.password))
    const { rows } = await this.#pool.query<AdminRow>(
      'insert into identity.admins (admin_id, email, password_hash, role, created_at) ' +
        `values ($1, $2, $3, $4, $5) on conflict (email) do nothing returning ${adminColumns}`,
      [`adm_${this.#random.uuid()}`, email, passwordHash, input.role, this.#time()],
    )
    if (rows[0] === undefined) throw new AdminExistsError('there is an admin with this email')
    return toAdmin(rows[0])
  }

  /** Ends the account's sessions. Undefined: nobody has this email. Throws InvalidFieldError. */
  async setPassword(email: string, password: string): Promise<Admin | undefined> {
    const passwordHash = await this.#passwords.hash(parsePassword(password))
    if (!isStorable(email)) return undefined
    const { rows } = await this.#pool.query<AdminRow>(
      'with changed as (' +
        `update identity.admins set password_hash = $2 where email = $1 returning ${adminColumns}` +
        '), ended as (delete from identity.admin_sessions s using changed c ' +
        `where s.admin_id = c.admin_id) select ${adminColumns} from changed`,
      [emailKeyOf(email), passwordHash],
    )
    return rows[0] && toAdmin(rows[0])
  }

  /** Nobody logs in to it until a password is set again; what it did stays in the log. */
  async lock(email: string): Promise<Admin | undefined> {
    return this.setPassword(email, this.#random.bytes(sessionTokenBytes).toString('base64url'))
  }

  async count(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(
      'select count(*) from identity.admins',
    )
    return rows[0]?.count ?? 0
  }

  /** The id of a browser in which this admin has logged in before; undefined for any other. */
  async findBrowser(email: string, token: string): Promise<string | undefined> {
    const row = await this.#findByEmail(email)
    const owner = row === undefined ? nobody : ownerOf(row)
    const browserId = browserIdOf(owner, token, this.#clock.now())
    return row && browserId
  }

  /** `browserId` is that of a known browser, which stays known; any other becomes known. */
  async login(input: {
    email: string
    password: string
    browserId?: string | undefined
  }): Promise<NewAdminSession | undefined> {
    const row = await this.#findByEmail(input.email)
    const isRight = await this.#passwords.verify(input.password, row?.password_hash)
    if (row === undefined || !isRight) return undefined
    const admin = toAdmin(row)
    const sessionToken = this.#random.bytes(sessionTokenBytes).toString('base64url')
    await this.#pool.query(
      'insert into identity.admin_sessions (token_hash, admin_id, created_at, last_used_at) ' +
        'values ($1, $2, $3, $3)',
      [digestOf(sessionToken), admin.adminId, this.#time()],
    )
    await this.#sweep()
    const browserId = input.browserId ?? newBrowserId(this.#random)
    return {
      admin,
      sessionToken,
      csrfToken: csrfTokenOf(sessionToken),
      browserToken: browserToken(ownerOf(row), browserId, this.#clock.now()),
    }
  }

  /** A live session; asking for it is what keeps it from being idle. */
  async findSession(sessionToken: string): Promise<AdminSession | undefined> {
    const { rows } = await this.#pool.query<AdminRow>(
      'update identity.admin_sessions s set last_used_at = greatest(s.last_used_at, $2) ' +
        'from identity.admins a where s.token_hash = $1 and a.admin_id = s.admin_id ' +
        'and s.last_used_at > $3 and s.created_at > $4 ' +
        'returning a.admin_id, a.email, a.role, a.created_at',
      [
        digestOf(sessionToken),
        this.#time(),
        this.#time(-adminSessionIdleMs),
        this.#time(-adminSessionLifetimeMs),
      ],
    )
    return rows[0] && { admin: toAdmin(rows[0]), csrfToken: csrfTokenOf(sessionToken) }
  }

  async logout(sessionToken: string): Promise<void> {
    await this.#pool.query('delete from identity.admin_sessions where token_hash = $1', [
      digestOf(sessionToken),
    ])
  }

  async #findByEmail(email: string): Promise<AccountRow | undefined> {
    // What no account can have need not reach the database, which refuses some of it.
    if (!isStorable(email)) return undefined
    const { rows } = await this.#pool.query<AccountRow>(
      `select ${adminColumns}, password_hash from identity.admins where email = $1`,
      [emailKeyOf(email)],
    )
    return rows[0]
  }

  /** There are few, so every login clears away what has ended. */
  async #sweep(): Promise<void> {
    await this.#pool.query(
      'delete from identity.admin_sessions where last_used_at <= $1 or created_at <= $2',
      [this.#time(-adminSessionIdleMs), this.#time(-adminSessionLifetimeMs)],
    )
  }

  #time(offsetMs = 0): Date {
    return new Date(this.#clock.now() + offsetMs)
  }
}

const sessionTokenBytes = 32
const adminColumns = 'admin_id, email, role, created_at'

interface AdminRow {
  readonly admin_id: string
  readonly email: string
  readonly role: AdminRole
  readonly created_at: Date
}

interface AccountRow extends AdminRow {
  readonly password_hash: string
}

function ownerOf({ admin_id, password_hash }: AccountRow): BrowserOwner {
  return { adminId: admin_id, passwordHash: password_hash }
}

/** Checked against where there is no account: the same work, and never a known browser. */
const nobody: BrowserOwner = { adminId: '', passwordHash: '' }

function toAdmin(row: AdminRow): Admin {
  return {
    adminId: row.admin_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at.toISOString(),
  }
}

/** The page may know it while the script on it cannot read the cookie: it leads nowhere back. */
function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('csrf').digest('base64url')
}
