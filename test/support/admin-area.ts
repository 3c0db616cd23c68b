/**
 * The admin API over real HTTP on a database of the test's own, with a clock that the test moves:
 * sessions, throttle, log and the ledger's entries all live by it. `AdminBrowser` is a browser
 * tab: it keeps the cookie and the CSRF token and sends our own origin.
 */
import type { Test } from 'tap'
import { projectionLagMs } from '../../projections/health.js'
import { LostEvents } from '../../src/audit/verifying/lost-events.js'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import type { EntryCommand, WalletCommand } from '../../src/domain/wallet.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { AppOptions } from '../../src/http/app.js'
import { registerAdminRoutes } from '../../src/http/routes/admin/admin-routes.js'
import type { AdminParts } from '../../src/http/routes/admin/admin-routes.js'
import { AdminLog } from '../../src/identity/admin-log.js'
import { Admins } from '../../src/identity/admins.js'
import type { AdminRole } from '../../src/identity/admins.js'
import { ClientApps } from '../../src/identity/client-apps.js'
import { Links } from '../../src/identity/links.js'
import { LoginLine } from '../../src/identity/login-line.js'
import { RefusedLogins } from '../../src/identity/refused-logins.js'
import { Throttle } from '../../src/identity/throttle.js'
import { Users } from '../../src/identity/users.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import type { Answer, EntryAnswer } from '../../src/writing/waiting-command.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { FakeClock } from './fake-clock.js'
import { quietLog, TestDatabaseLedger } from './ledger.js'
import { cheapPasswords } from './passwords.js'
import { serve } from './served-app.js'
import type { CapturedLog } from './served-app.js'
import { testWebhooks } from './webhooks.js'

export const password = 'a long enough password'
export const startMs = Date.UTC(2026, 2, 15, 12)

export interface AdminRoute {
  readonly method: string
  readonly url: string
}

export class AdminArea {
  readonly clock = new FakeClock(startMs)
  readonly ledger: TestDatabaseLedger
  readonly parts: AdminParts
  readonly links: Links
  readonly routes: AdminRoute[] = []
  origin = ''

  private constructor(ledger: TestDatabaseLedger, given: Partial<AdminParts>) {
    this.ledger = ledger
    const { pool, store, reader, url } = ledger
    const { clock } = this
    const system = { pool, clock, random: systemRandom }
    const changes = new ChangeFeed({ url, clock, log: quietLog })
    this.links = new Links({ ...system, changes })
    const writing = { store, readModels: new PostgresReadModels(pool), currency: 'usd' }
    this.parts = {
      ...system,
      admins: new Admins({ ...system, passwords: cheapPasswords }),
      adminLog: new AdminLog(system),
      clientApps: new ClientApps({ ...system, changes, production: false }),
      users: new Users({ ...system, changes, links: this.links, passwords: cheapPasswords }),
      throttle: new Throttle(system),
      loginLine: new LoginLine(system),
      refusedLogins: new RefusedLogins(system),
      lostEvents: new LostEvents(system),
      webhooks: testWebhooks(ledger, { clock }),
      reader,
      store,
      writer: new WalletWriter({ ...writing, clock, random: systemRandom, log: quietLog }),
      currency: findCurrency('usd') as Currency,
      amountMaxMinor: 100_000_000,
      environment: 'test',
      publicOrigin: () => this.origin,
      projectionLagMs: () => projectionLagMs({ store, pool, clock }),
      ...given,
    }
  }

  static async open(
    t: Test,
    given: Partial<AdminParts> = {},
    options: Partial<AppOptions> = {},
  ): Promise<AdminArea & { captured: CapturedLog }> {
    const ledger = await TestDatabaseLedger.open(t)
    const area = new AdminArea(ledger, given)
    const { captured, origin } = await serve(t, options, (app) => {
      app.addHook('onRoute', ({ method, url }) => {
        for (const name of [method].flat()) area.routes.push({ method: name, url })
      })
      registerAdminRoutes(app, area.parts)
    })
    area.origin = origin
    return Object.assign(area, { captured })
  }

  /** A tab of somebody who has just logged in. */
  async enter(role: AdminRole = 'admin', email = `${role}@example.com`): Promise<AdminBrowser> {
    await this.parts.admins.create({ email, password, role })
    const browser = this.browser()
    await browser.login(email)
    return browser
  }

  /** `address`: as the proxy of the options names it. */
  browser(address?: string): AdminBrowser {
    const browser = new AdminBrowser(this.origin)
    if (address !== undefined) browser.headers['x-forwarded-for'] = address
    return browser
  }

  send(walletId: WalletId, command: EntryCommand): Promise<EntryAnswer>
  send(walletId: WalletId, command: WalletCommand): Promise<Answer>
  send(walletId: WalletId, command: WalletCommand): Promise<Answer> {
    return this.parts.writer.execute(walletId, command)
  }
}

export interface AdminAnswer {
  readonly status: number
  // Tests look into it with t.match, so its shape is theirs to say.
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

export class AdminBrowser {
  readonly #origin: string
  /** Sent with every request. */
  readonly headers: Record<string, string> = {}
  cookie = ''
  /** By which the login knows the browser again. */
  browserCookie = ''
  csrfToken = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  async login(email: string, given = password): Promise<AdminAnswer> {
    const answer = await this.post('/login', { email, password: given })
    const [cookie, browserCookie] = answer.headers.getSetCookie().map((set) => set.split(';')[0])
    this.cookie = cookie ?? this.cookie
    this.browserCookie = browserCookie ?? this.browserCookie
    const { csrfToken } = answer.body
    if (typeof csrfToken === 'string') this.csrfToken = csrfToken
    return answer
  }

  get(path: string): Promise<AdminAnswer> {
    return this.send('GET', path)
  }

  post(path: string, body?: unknown): Promise<AdminAnswer> {
    return this.send('POST', path, body)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<AdminAnswer> {
    const all = {
      cookie: [this.cookie, this.browserCookie].filter(Boolean).join('; '),
      origin: method === 'GET' ? undefined : this.#origin,
      'x-csrf-token': method === 'GET' ? undefined : this.csrfToken,
      'content-type': body === undefined ? undefined : 'application/json',
      ...this.headers,
      ...headers,
    }
    const sent = Object.entries(all).filter((pair): pair is [string, string] => Boolean(pair[1]))
    const answer = await fetch(`${this.#origin}/api/admin${path}`, {
      method,
      headers: sent,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    return { status: answer.status, body: parsed, headers: answer.headers }
  }
}
