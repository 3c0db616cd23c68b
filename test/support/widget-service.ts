/**
 * The widget's API and pages over real HTTP on a database of the test's own, with a clock that the
 * test moves: sessions, streams and throttle live by it. Client backends book through the server
 * API beside it. Projections run when the test says so (`ledger.project()`).
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import { FairShares } from '../../src/http/fair-shares.js'
import { registerServerCommands } from '../../src/http/routes/server-commands.js'
import { registerWidgetPages } from '../../src/http/routes/widget-pages.js'
import type { PageData, PagePayments } from '../../src/http/schemas/answers/page-data.js'
import { registerWidgetRoutes } from '../../src/http/routes/widget-routes.js'
import type { App } from '../../src/http/app.js'
import { ClientApps } from '../../src/identity/client-apps.js'
import type { ClientAppInput } from '../../src/identity/client-apps.js'
import { Links } from '../../src/identity/links.js'
import { PersonLanguages } from '../../src/identity/person-languages.js'
import { RefusedLogins } from '../../src/identity/refused-logins.js'
import { Throttle } from '../../src/identity/throttle.js'
import { unnamedService } from '../../src/platform/service-identity.js'
import { Users } from '../../src/identity/users.js'
import type { NewUser, User } from '../../src/identity/users.js'
import { WidgetSessions } from '../../src/identity/widget-sessions.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { Counters } from '../../src/platform/counters.js'
import { RollOut } from '../../src/platform/roll-out.js'
import { systemRandom } from '../../src/platform/random.js'
import { accountParts } from './account-parts.js'
import { FakeClock } from './fake-clock.js'
import { Mailbox } from './mailbox.js'
import { anApp } from './identity.js'
import { quietLog, TestDatabaseLedger } from './ledger.js'
import { cheapPasswords } from './passwords.js'
import { serve } from './served-app.js'
import { WatchedLine } from './watched-line.js'
import type { CapturedLog } from './served-app.js'

export interface WidgetOptions {
  readonly production?: boolean
  readonly walletStreamsMax?: number
  readonly payments?: Partial<PagePayments>
  /** Whose X-Forwarded-For is believed. */
  readonly proxies?: number
  /** Whether mails about accounts go to `mailbox`. */
  readonly hasMail?: boolean
  /** Further routes, of the same parts. */
  readonly addRoutes?: (app: App, parts: RouteParts) => void
}

/** What the routes of the widget are made of here. */
export type RouteParts = WidgetService['parts'] &
  Pick<TestDatabaseLedger, 'pool' | 'store' | 'reader' | 'writer'> & { readonly currency: Currency }

export interface MadeApp {
  readonly clientId: string
  readonly clientSecret: string
}

export interface WidgetAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests look into it with t.match, so its shape is theirs to say.
  readonly body: Record<string, unknown>
}

export class WidgetService {
  readonly clock: FakeClock
  readonly ledger: TestDatabaseLedger
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  readonly loginLine: WatchedLine
  readonly refusedLogins: RefusedLogins
  readonly mailbox = new Mailbox()
  readonly account: ReturnType<typeof accountParts>
  readonly production: boolean
  origin = ''

  private constructor(
    ledger: TestDatabaseLedger,
    clock: FakeClock,
    { production = false, hasMail = false }: WidgetOptions,
  ) {
    this.ledger = ledger
    this.clock = clock
    this.production = production
    const { pool, url } = ledger
    const changes = new ChangeFeed({ url, clock: systemClock, log: quietLog })
    const system = { pool, clock, random: systemRandom, changes }
    this.clientApps = new ClientApps({ ...system, production })
    this.links = new Links(system)
    this.users = new Users({ ...system, links: this.links, passwords: cheapPasswords })
    this.widgetSessions = new WidgetSessions(system)
    this.throttle = new Throttle(system)
    this.loginLine = new WatchedLine(system)
    this.refusedLogins = new RefusedLogins(system)
    const publicOrigin = (): string => this.origin
    const mailer = hasMail ? this.mailbox : undefined
    const personLanguages = new PersonLanguages(pool)
    const mailing = { mailer, publicOrigin, personLanguages }
    this.account = accountParts({ ...system, links: this.links, ...mailing })
  }

  static async open(t: Test, options: WidgetOptions = {}): Promise<WidgetService & Running> {
    const ledger = await TestDatabaseLedger.open(t)
    // The ledger writes by the machine's clock: one that is far from it would surprise nobody.
    const service = new WidgetService(ledger, new FakeClock(), options)
    const { proxies = 0 } = options
    const { app, captured, origin } = await serve(t, { proxies }, (app) => {
      const { pool, store, reader, writer } = ledger
      const parts = { ...service.parts, pool, store, reader, writer, currency }
      const { walletStreamsMax } = options
      const streams = walletStreamsMax === undefined ? {} : { walletStreamsMax }
      registerWidgetRoutes(app, { ...parts, log: quietLog, ...streams })
      const rollOut = new RollOut(pool)
      const system = { random: systemRandom, counters: new Counters(), rollOut }
      const booking = { ...system, amountMaxMinor: 10 ** 8 }
      // The clock of the ledger's writer: a command's time runs from here to there.
      registerServerCommands(app, { ...parts, ...booking, clock: systemClock })
      const payments = { ...noPayments, ...options.payments }
      registerWidgetPages(app, { ...parts, folder: builtPages(t), payments, sendsMail: false })
      options.addRoutes?.(app, parts)
    })
    service.origin = origin
    return Object.assign(service, { app, captured })
  }

  /** What routes are made of. */
  get parts() {
    const { clock, clientApps, links, users, widgetSessions, throttle, production } = this
    const { loginLine, refusedLogins } = this
    const personLanguages = new PersonLanguages(this.ledger.pool)
    const shares = new FairShares(clock)
    const logins = { throttle, loginLine, refusedLogins, log: quietLog, ...this.account }
    const people = { users, personLanguages, widgetSessions, service: unnamedService, ...logins }
    return { clock, clientApps, links, shares, production, ...people }
  }

  async makeApp(input: Partial<ClientAppInput> = {}): Promise<MadeApp> {
    const { clientApp, clientSecret } = await this.clientApps.create({ ...anApp, ...input })
    return { clientId: clientApp.clientId, clientSecret }
  }

  /** A person linked to these apps. */
  async makePerson(apps: readonly MadeApp[], account: NewUser = {}): Promise<User> {
    const user = await this.users.create({ firstName: 'Ada', lastName: 'Byron', ...account })
    for (const { clientId } of apps) await this.links.add(clientId, user.serviceUserId)
    return user
  }

  /** An app, a person who is linked to it, and a session of the app's backend. */
  async makeSession(fields: Record<string, unknown> = {}) {
    const app = await this.makeApp()
    const user = await this.makePerson([app])
    const answer = await this.createSession(app, user, fields)
    return { app, user, sessionToken: String(answer.body['sessionToken']) }
  }

  createSession(app: MadeApp, { serviceUserId }: User, fields: Record<string, unknown> = {}) {
    return this.post('/api/widget/session', { ...app, serviceUserId, ...fields })
  }

  book(verb: 'credit' | 'debit', app: MadeApp, user: User, fields: Record<string, unknown> = {}) {
    const { serviceUserId } = user
    const reference = { referenceType: 'TEST', referenceId: randomUUID() }
    const body = { ...app, serviceUserId, amount: 1, ...reference, ...fields }
    return this.post(`/api/server/wallet/${verb}`, body)
  }

  wallet(sessionToken: string): Promise<WidgetAnswer> {
    return this.get(`/api/widget/wallet?session=${sessionToken}`)
  }

  get(path: string, headers: Record<string, string> = {}): Promise<WidgetAnswer> {
    return this.send('GET', path, { headers })
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<WidgetAnswer> {
    if (body === undefined) return this.send('POST', path, { headers })
    return this.send('POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  async send(method: string, path: string, init: RequestInit): Promise<WidgetAnswer> {
    const answer = await fetch(this.origin + path, { ...init, method })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Record<string, unknown>
    return { status: answer.status, headers: answer.headers, text, body }
  }
}

interface Running {
  readonly app: App
  readonly captured: CapturedLog
}

const currency = findCurrency('usd') as Currency

export const noPayments: PagePayments = {
  kind: 'off',
  publishableKey: null,
  testMode: false,
  minimum: 1,
  maximum: 1_000,
}

/** A small folder as widget-ui/build.mjs makes it. */
function builtPages(t: Test): string {
  const page = (title: string) => ({
    'index.html': `<!doctype html><title>${title}</title><!--page-data--><p>$& ${title}</p>`,
  })
  return t.testdir({
    wallet: page('Wallet'),
    topup: page('Top up'),
    doctor: page('Doctor'),
    'loader.js': 'window.WalletWidget = {}',
    'loader.d.ts': 'export {}',
  })
}

/** The JSON block of a page. */
export function pageData({ text }: WidgetAnswer): PageData {
  const [, json = ''] =
    /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(text) ?? []
  return JSON.parse(json) as PageData
}
