/**
 * Widget sessions: what a page of the widget shows in place of a password, for five minutes.
 * Promises: only the hash of a token is kept; a session is good while its app is active and its
 * link stands, asked anew at every call. Never: lengthens a session.
 * States: live → ended (by the person) or expired; after 24 h it was never there.
 */
import { widgetSessionKeptMs, widgetSessionMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { digestOf } from './secrets.js'
import { deleteInBatches } from './sweeper.js'

export interface WidgetSession {
  readonly clientId: string
  readonly serviceUserId: string
  readonly parentOrigin: string | undefined
  /** A login inside the widget shows what other apps did; a session of a backend does not. */
  readonly madeBy: 'backend' | 'login'
  readonly expiresAt: string
}

export interface WidgetSessionInput {
  readonly clientId: string
  readonly serviceUserId: string
  readonly parentOrigin?: string | undefined
  readonly madeBy: 'backend' | 'login'
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
  async create(input: WidgetSessionInput): Promise<{ sessionToken: string; expiresAt: string }> {
    const sessionToken = `ws_${this.#random.uuid()}`
    const expiresAt = new Date(this.#clock.now() + widgetSessionMs)
    await this.#pool.query(
      'insert into identity.widget_sessions ' +
        '(token_hash, client_id, service_user_id, parent_origin, made_by, expires_at) ' +
        'values ($1, $2, $3, $4, $5, $6)',
      [
        digestOf(sessionToken),
        input.clientId,
        input.serviceUserId,
        input.parentOrigin ?? null,
        input.madeBy,
        expiresAt,
      ],
    )
    return { sessionToken, expiresAt: expiresAt.toISOString() }
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

interface Row {
  readonly client_id: string
  readonly service_user_id: string
  readonly parent_origin: string | null
  readonly made_by: 'backend' | 'login'
  readonly expires_at: Date
  readonly is_live: boolean
}

const selectSession = `
  select s.client_id, s.service_user_id, s.parent_origin, s.made_by, s.expires_at,
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
