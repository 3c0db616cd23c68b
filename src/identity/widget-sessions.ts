/**
 * Widget sessions: what a page of the widget shows in place of a password, for five minutes.
 * Promises: only the hash of a token is kept; a session is good while its app is active and its
 * link stands, asked anew at every call; what a login allows goes on, by new sessions, for half an
 * hour. Never: lengthens a session, or makes a login's of a backend's.
 * States: live → ended (by the person) or expired; after 24 h it was never there.
 */
import { widgetSessionKeptMs, widgetSessionMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { loginLifeMs, openSessionsMax } from './limits.js'
import { digestOf } from './secrets.js'
import { deleteInBatches } from './sweeper.js'

export interface WidgetSession {
  readonly clientId: string
  readonly serviceUserId: string
  readonly parentOrigin: string | undefined
  /** A login inside the widget shows what other apps did; a session of a backend does not. */
  readonly madeBy: 'backend' | 'login'
  readonly expiresAt: string
  /** The same for all sessions of one login. */
  readonly loginId: string
}

/** A live session as its person sees it; the sessions of one login are one. */
export interface OpenSession {
  readonly loginId: string
  readonly clientId: string
  readonly madeBy: 'backend' | 'login'
  /** Missing for those that were made before this was kept. */
  readonly beganAt: string | undefined
  readonly device: string | undefined
}

export interface WidgetSessionInput {
  readonly clientId: string
  readonly serviceUserId: string
  readonly parentOrigin?: string | undefined
  readonly madeBy: 'backend' | 'login'
  /** In words, such as "Firefox · Linux". */
  readonly device?: string | undefined
}

export class WidgetSessions {
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #random: Random

  constructor(parts: { pool: Pool; clock: Clock; random: Random }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
    this.#random = parts.random
  }

  /** Who asks has made sure that app, link and parentOrigin are as they must be. */
  async create(input: WidgetSessionInput): Promise<MadeSession> {
    const sessionToken = `ws_${this.#random.uuid()}`
    const nowMs = this.#clock.now()
    const expiresAt = new Date(nowMs + widgetSessionMs)
    await this.#pool.query(insertSession, [
      digestOf(sessionToken),
      input.clientId,
      input.serviceUserId,
      input.parentOrigin ?? null,
      input.madeBy,
      expiresAt,
      this.#random.uuid(),
      new Date(nowMs),
      input.madeBy === 'login' ? new Date(nowMs) : null,
      input.device ?? null,
    ])
    return { sessionToken, expiresAt: expiresAt.toISOString() }
  }

  /**
   * Another session of the same login, as long as that is fresh enough and the old one lives; else
   * undefined.
   */
  async goOn(sessionToken: string): Promise<MadeSession | undefined> {
    const next = `ws_${this.#random.uuid()}`
    const nowMs = this.#clock.now()
    const { rows } = await this.#pool.query<{ expires_at: Date }>(insertNext, [
      digestOf(sessionToken),
      digestOf(next),
      new Date(nowMs),
      new Date(nowMs + widgetSessionMs),
      loginLifeMs,
    ])
    const [row] = rows
    return row && { sessionToken: next, expiresAt: row.expires_at.toISOString() }
  }

  /** Newest first. */
  async openOf(serviceUserId: string): Promise<OpenSession[]> {
    const { rows } = await this.#pool.query<OpenRow>(selectOpen, [
      serviceUserId,
      new Date(this.#clock.now()),
      openSessionsMax,
    ])
    return rows.map((row) => ({
      loginId: row.login_id,
      clientId: row.client_id,
      madeBy: row.made_by,
      beganAt: row.began_at?.toISOString(),
      device: row.device ?? undefined,
    }))
  }

  /** Of this person alone: all sessions of one login, or of every login but one. */
  async endOf(
    serviceUserId: string,
    which: { readonly loginId: string } | { readonly allBut: string },
  ): Promise<void> {
    const [loginId, compare] = 'loginId' in which ? [which.loginId, '='] : [which.allBut, '<>']
    await this.#pool.query(
      'update identity.widget_sessions set ended_at = $3 ' +
        `where service_user_id = $1 and login_id ${compare} $2 and ended_at is null`,
      [serviceUserId, loginId, new Date(this.#clock.now())],
    )
  }

  /** Only a live one; undefined for whatever reason: SESSION_EXPIRED. */
  async find(sessionToken: string): Promise<WidgetSession | undefined> {
    const found = await this.findEvenEnded(sessionToken)
    if (found?.isLive !== true) return undefined
    const { isLive: _isLive, ...session } = found
    return session
  }

  /** Also one that ended within 24 h: its page still knows whom it may tell so. */
  async findEvenEnded(
    sessionToken: string,
  ): Promise<(WidgetSession & { readonly isLive: boolean }) | undefined> {
    const nowMs = this.#clock.now()
    const { rows } = await this.#pool.query<Row>(selectSession, [
      digestOf(sessionToken),
      new Date(nowMs),
      new Date(nowMs - widgetSessionKeptMs),
    ])
    const [row] = rows
    if (row === undefined) return undefined
    return {
      clientId: row.client_id,
      serviceUserId: row.service_user_id,
      parentOrigin: row.parent_origin ?? undefined,
      madeBy: row.made_by,
      expiresAt: row.expires_at.toISOString(),
      loginId: row.login_id,
      isLive: row.is_live,
    }
  }

  /** Which of these are live, by one statement; a page that stays open is asked about so. */
  async liveAmong(sessionTokens: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ place: number }>(selectLive, [
      sessionTokens.map(digestOf),
      new Date(this.#clock.now()),
    ])
    const live = new Set(rows.map(({ place }) => place))
    // Places are counted from one.
    return new Set(sessionTokens.filter((_token, index) => live.has(index + 1)))
  }

  /** Ending one that has ended, or that never was, changes nothing. */
  async end(sessionToken: string): Promise<void> {
    await this.#pool.query(
      'update identity.widget_sessions set ended_at = $2 ' +
        'where token_hash = $1 and ended_at is null',
      [digestOf(sessionToken), new Date(this.#clock.now())],
    )
  }

  /** Removes those that expired more than 24 h ago; how many. */
  async sweep(): Promise<number> {
    return deleteInBatches(this.#pool, {
      table: 'identity.widget_sessions',
      column: 'expires_at',
      before: new Date(this.#clock.now() - widgetSessionKeptMs),
    })
  }
}

export interface MadeSession {
  readonly sessionToken: string
  readonly expiresAt: string
}

interface OpenRow {
  readonly login_id: string
  readonly client_id: string
  readonly made_by: 'backend' | 'login'
  readonly began_at: Date | null
  readonly device: string | null
}

interface Row {
  readonly login_id: string
  readonly client_id: string
  readonly service_user_id: string
  readonly parent_origin: string | null
  readonly made_by: 'backend' | 'login'
  readonly expires_at: Date
  readonly is_live: boolean
}

const insertSession = `
  insert into identity.widget_sessions (token_hash, client_id, service_user_id, parent_origin,
    made_by, expires_at, login_id, created_at, logged_in_at, device)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// The last one ends with what the login allows, never after it.
const insertNext = `
  insert into identity.widget_sessions (token_hash, client_id, service_user_id, parent_origin,
    made_by, expires_at, login_id, created_at, logged_in_at, device)
  select $2::bytea, s.client_id, s.service_user_id, s.parent_origin, 'login',
    least($4::timestamptz, s.logged_in_at + $5 * interval '1 ms'), s.login_id,
    $3::timestamptz, s.logged_in_at, s.device
  from identity.widget_sessions s
  join identity.client_apps a using (client_id)
  join identity.links l using (client_id, service_user_id)
  where s.token_hash = $1 and s.made_by = 'login' and s.ended_at is null and s.expires_at > $3
    and a.is_active and s.logged_in_at + $5 * interval '1 ms' > $3
  returning expires_at`

const selectOpen = `
  select s.login_id, s.client_id, s.made_by, min(s.device) as device,
    min(coalesce(s.logged_in_at, s.created_at)) as began_at
  from identity.widget_sessions s
  join identity.client_apps a using (client_id)
  join identity.links l using (client_id, service_user_id)
  where s.service_user_id = $1 and s.ended_at is null and s.expires_at > $2 and a.is_active
  group by s.login_id, s.client_id, s.made_by
  order by began_at desc nulls last limit $3`

const selectSession = `
  select s.client_id, s.service_user_id, s.parent_origin, s.made_by, s.expires_at,
    s.login_id,
    s.ended_at is null and s.expires_at > $2 and a.is_active and l.client_id is not null as is_live
  from identity.widget_sessions s
  join identity.client_apps a using (client_id)
  left join identity.links l
    on l.client_id = s.client_id and l.service_user_id = s.service_user_id
  where s.token_hash = $1 and s.expires_at > $3`

const selectLive = `
  select asked.place::int as place
  from unnest($1::bytea[]) with ordinality as asked (token_hash, place)
  join identity.widget_sessions s using (token_hash)
  join identity.client_apps a using (client_id)
  join identity.links l using (client_id, service_user_id)
  where s.ended_at is null and s.expires_at > $2 and a.is_active`
