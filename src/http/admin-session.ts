/**
 * Who is at the admin area: the session of the cookie, and what it may do. The guards run before a
 * body is read. Promises: a change needs a live session, our own origin where the browser names
 * one, the session's CSRF token and the role; checked in this order.
 * Never: takes a session token from anywhere but the cookie, or lets a page of another origin act.
 */
import { timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminSession, Admins } from '../identity/admins.js'
import { knownBrowserMs } from '../identity/limits.js'
import { ApiError } from './errors.js'

export interface AdminGuardParts {
  readonly admins: Admins
  /** Known once the service listens. */
  readonly publicOrigin: () => string
  readonly isProduction: boolean
}

export interface LiveSession extends AdminSession {
  readonly sessionToken: string
}

type Guard = (request: FastifyRequest) => Promise<void>

export class AdminGuard {
  readonly #parts: AdminGuardParts
  readonly #sessions = new WeakMap<FastifyRequest, LiveSession>()

  constructor(parts: AdminGuardParts) {
    this.#parts = parts
  }

  /** For the login: there is no session yet. */
  readonly enter: Guard = async (request) => this.#requireOwnOrigin(request)

  /** Any role may look. */
  readonly look: Guard = async (request) => {
    await this.#requireSession(request)
  }

  /** Any role may log out. */
  readonly leave: Guard = async (request) => {
    const session = await this.#requireSession(request)
    this.#requireOwnOrigin(request)
    requireCsrfToken(request, session)
  }

  readonly change: Guard = async (request) => {
    await this.leave(request)
    if (this.sessionOf(request).admin.role !== 'admin') throw new ApiError('ADMIN_ROLE_REQUIRED')
  }

  /** Of a request that passed a guard. */
  sessionOf(request: FastifyRequest): LiveSession {
    const session = this.#sessions.get(request)
    if (session === undefined) throw new ApiError('ADMIN_SESSION_REQUIRED')
    return session
  }

  setCookie(reply: FastifyReply, sessionToken: string): void {
    void reply.setCookie(cookieName, sessionToken, this.#cookieRules())
  }

  clearCookie(reply: FastifyReply): void {
    void reply.setCookie(cookieName, '', { ...this.#cookieRules(), maxAge: 0 })
  }

  /** It outlives the session, because it is for the next login, and goes nowhere else. */
  setBrowserCookie(reply: FastifyReply, browserToken: string): void {
    const maxAge = knownBrowserMs / 1_000
    const rules = { ...this.#cookieRules(), path: '/api/admin/login', maxAge }
    void reply.setCookie(browserCookieName, browserToken, rules)
  }

  async #requireSession(request: FastifyRequest): Promise<LiveSession> {
    const sessionToken = sessionTokenOf(request)
    const found =
      sessionToken === undefined ? undefined : await this.#parts.admins.findSession(sessionToken)
    if (sessionToken === undefined || found === undefined)
      throw new ApiError('ADMIN_SESSION_REQUIRED')
    const session = { ...found, sessionToken }
    this.#sessions.set(request, session)
    request.caller = 'trusted'
    return session
  }

  #requireOwnOrigin(request: FastifyRequest): void {
    const { origin } = request.headers
    if (origin === undefined || origin === this.#parts.publicOrigin()) return
    // On a developer's machine the service answers as localhost and as 127.0.0.1 alike.
    if (!this.#parts.isProduction && origin === `http://${request.host}`) return
    throw new ApiError('ORIGIN_NOT_ALLOWED', { message: 'This origin may not use the admin area.' })
  }

  // Without a domain it is sent to this host only, without an age it ends with the browser.
  #cookieRules(): CookieSerializeOptions {
    const secure = this.#parts.publicOrigin().startsWith('https:')
    return { path: '/', httpOnly: true, sameSite: 'strict', secure }
  }
}

const cookieName = 'wallet_admin'
const browserCookieName = 'wallet_admin_browser'
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** The token of the cookie, live or not. */
export function sessionTokenOf({ cookies }: FastifyRequest): string | undefined {
  const token = cookies[cookieName]
  return token !== undefined && tokenPattern.test(token) ? token : undefined
}

/** Of a browser in which somebody has logged in before, as it says; the login checks it. */
export function browserTokenOf({ cookies }: FastifyRequest): string | undefined {
  return cookies[browserCookieName]
}

function requireCsrfToken(request: FastifyRequest, { csrfToken }: AdminSession): void {
  const given = request.headers['x-csrf-token']
  const presented = Buffer.from(typeof given === 'string' ? given : '')
  const expected = Buffer.from(csrfToken)
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected))
    throw new ApiError('CSRF_TOKEN_INVALID')
}
