/**
 * The widget as people meet it, on two origins: the service (built pages, real API, a database of
 * the test's own, read models that follow) on 127.0.0.1, and a small shop's pages on localhost.
 * The shop's backend makes sessions over HTTP, as a client app does.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Test } from 'tap'
import { holdSecondsMin } from '../../../src/domain/holds.js'
import { entryIdOf, type EntryId, type Issuer, type WalletId } from '../../../src/domain/ids.js'
import { findCurrency, type Currency } from '../../../src/domain/money.js'
import { reference } from '../../../src/domain/reference.js'
import { checkpointParts } from '../../../src/audit/proofs/checkpoint-parts.js'
import { registerAccountRoutes } from '../../../src/http/routes/account/account-routes.js'
import { registerPages } from '../../../src/http/routes/pages.js'
import { PersonLanguages } from '../../../src/identity/person-languages.js'
import { registerPasswordReset } from '../../../src/http/routes/password-reset.js'
import { registerWidgetPages } from '../../../src/http/routes/widget-pages.js'
import { registerWidgetRoutes } from '../../../src/http/routes/widget-routes.js'
import { ClientApps } from '../../../src/identity/client-apps.js'
import { FairShares } from '../../../src/http/fair-shares.js'
import { Links } from '../../../src/identity/links.js'
import { LoginLine } from '../../../src/identity/login-line.js'
import { RefusedLogins } from '../../../src/identity/refused-logins.js'
import { Throttle } from '../../../src/identity/throttle.js'
import { Users, type User } from '../../../src/identity/users.js'
import { WidgetSessions } from '../../../src/identity/widget-sessions.js'
import { ChangeFeed } from '../../../src/platform/change-feed.js'
import { systemClock } from '../../../src/platform/clock.js'
import type { Mailer } from '../../../src/platform/mail.js'
import { systemRandom } from '../../../src/platform/random.js'
import { seal } from '../../../src/platform/sealing.js'
import { unnamedService, type ServiceIdentity } from '../../../src/platform/service-identity.js'
import { accountParts } from '../../support/account-parts.js'
import { quietLog, TestDatabaseLedger } from '../../support/ledger.js'
import { cheapPasswords } from '../../support/passwords.js'
import { serve, type CapturedLog } from '../../support/served-app.js'
import { builtPages } from './built-pages.js'
import { ShopPages } from './shop-pages.js'

export const password = 'correct horse battery staple'
export const accent = '#0f766e'

export type Verb = 'TopUp' | 'Debit' | 'Credit' | 'PlaceHold' | 'ReverseTopUp' | 'GrantBonus'

export interface Booking {
  readonly amountMinor: number
  /** Of its own kind where nothing else matters. */
  readonly pair?: readonly [string, string]
  readonly clientId?: string
  readonly description?: string
}

export interface SiteOptions {
  /** Left out: a service that sends no mail, as at its first start. */
  readonly mailer?: Mailer
  /** Who runs it; left out: nobody is named. */
  readonly service?: ServiceIdentity
}

export class WidgetSite {
  readonly ledger: TestDatabaseLedger
  readonly clientApps: ClientApps
  readonly users: Users
  readonly links: Links
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  readonly shop: ShopPages
  origin = ''
  captured: CapturedLog | undefined
  clientId = ''
  clientSecret = ''
  /** Another client app, whose entries the shop's backend may not see. */
  otherClientId = ''

  readonly #changes: ChangeFeed

  private constructor(ledger: TestDatabaseLedger, shop: ShopPages) {
    this.ledger = ledger
    this.shop = shop
    const { pool, url } = ledger
    const changes = new ChangeFeed({ url, clock: systemClock, log: quietLog })
    this.#changes = changes
    const system = { pool, clock: systemClock, random: systemRandom, changes }
    this.clientApps = new ClientApps({ ...system, production: false })
    this.links = new Links(system)
    this.users = new Users({ ...system, links: this.links, passwords: cheapPasswords })
    this.widgetSessions = new WidgetSessions(system)
    this.throttle = new Throttle(system)
  }

  static async open(t: Test, options: SiteOptions = {}): Promise<WidgetSite> {
    const folder = await builtPages(t)
    const [ledger, shop] = await Promise.all([TestDatabaseLedger.open(t), ShopPages.open(t)])
    const site = new WidgetSite(ledger, shop)
    ledger.runner(t).start()
    await site.#serve(t, folder, options)
    await site.#makeApps()
    return site
  }

  async #serve(t: Test, folder: string, options: SiteOptions): Promise<void> {
    const { mailer, service = unnamedService } = options
    const { pool, store, reader, writer } = this.ledger
    const { clientApps, links, users, widgetSessions, throttle } = this
    const shares = new FairShares(systemClock)
    const logins = {
      loginLine: new LoginLine({ clock: systemClock }),
      refusedLogins: new RefusedLogins({ pool, clock: systemClock }),
    }
    const publicOrigin = (): string => this.origin
    const place = { pool, clock: systemClock, links, changes: this.#changes, service }
    const personLanguages = new PersonLanguages(pool)
    const account = accountParts({ ...place, personLanguages, mailer, publicOrigin })
    const people = { users, personLanguages, widgetSessions, throttle, ...logins, ...account }
    const identity = { clientApps, links, shares, service, ...people }
    const system = { clock: systemClock, log: quietLog, currency, production: false }
    const parts = { ...identity, ...system, pool, store, reader, writer }
    const { origin, captured } = await serve(t, {}, (app) => {
      registerWidgetRoutes(app, parts)
      const sendsMail = mailer !== undefined
      registerWidgetPages(app, { ...parts, folder, payments, sendsMail })
      registerPasswordReset(app, { ...parts, mailer, publicOrigin })
      registerPages(app, { folder, service })
      const random = systemRandom
      const key = { signingKeyFile: join(t.testdir(), 'key.pem'), witnesses: [], everyMinutes: 60 }
      const signing = checkpointParts(key, { ...parts, random })
      registerAccountRoutes(app, {
        ...parts,
        publicOrigin,
        signing,
        topUps: undefined,
        savedCards: undefined,
        automaticTopUps: undefined,
        cardReturns: undefined,
        payments: { minimumMinor: 100, maximumMinor: 10_000 },
      })
    })
    this.origin = origin
    this.captured = captured
  }

  async #makeApps(): Promise<void> {
    const origins = [this.shop.origin]
    const scopes = ['wallet:read', 'wallet:write'] as const
    const shop = await this.clientApps.create({
      name: 'corner-shop',
      brandName: 'Corner Shop',
      accentColor: accent,
      allowedOrigins: origins,
      // The second one matches nobody here: each listed origin is posted to all the same.
      allowedIframeParents: [...origins, 'https://second.example'],
      scopes,
    })
    this.clientId = shop.clientApp.clientId
    this.clientSecret = shop.clientSecret
    const lists = { allowedOrigins: [], allowedIframeParents: ['https://other.example'] }
    const other = await this.clientApps.create({ ...lists, name: 'Print House', scopes })
    this.otherClientId = other.clientApp.clientId
  }

  /** A person with an account, linked to the shop. */
  async makePerson(names: { firstName?: string; lastName?: string } = {}) {
    const email = `${randomUUID()}@example.com`
    const account = { firstName: 'Ada', lastName: 'Lovelace', ...names, email, password }
    return { ...(await this.users.create({ ...account, clientId: this.clientId })), email }
  }

  /** As the shop's backend asks for it. */
  async createSession({ serviceUserId }: Pick<User, 'serviceUserId'>, fields: object = {}) {
    const { clientId, clientSecret } = this
    const answer = await fetch(`${this.origin}/api/widget/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, serviceUserId, ...fields }),
    })
    const { sessionToken } = (await answer.json()) as { sessionToken: string }
    return sessionToken
  }

  async book(walletId: WalletId, type: Verb, booking: Booking): Promise<void> {
    const { amountMinor, pair = ['ORDER_PAYMENT', randomUUID()] } = booking
    const isOwn = type === 'Debit' || type === 'Credit' || type === 'PlaceHold'
    const issuer: Issuer = isOwn ? `client-app:${booking.clientId ?? this.clientId}` : 'service'
    const named = reference(...pair)
    const entryId = entryIdOf({ issuer, walletId, reference: named })
    const text = booking.description
    const description = text === undefined ? {} : await this.#seal(text, { walletId, entryId })
    const order = { issuer, entryId, reference: named, amountMinor, ...description }
    const lifetimeSeconds = holdSecondsMin
    if (type === 'PlaceHold') await this.ledger.send(walletId, { type, ...order, lifetimeSeconds })
    else await this.ledger.send(walletId, { type, ...order })
  }

  async #seal(text: string, { walletId, entryId }: { walletId: WalletId; entryId: EntryId }) {
    const { rows } = await this.ledger.pool.query<{ service_user_id: string }>(
      'select service_user_id from identity.users where wallet_id = $1',
      [walletId],
    )
    const owner = await this.users.find(rows[0]?.service_user_id ?? '')
    const key = owner?.sealingKey
    return key === undefined ? {} : { description: seal(text, { key, entryId }, systemRandom) }
  }

  async setActive(walletId: WalletId, isActive: boolean, reason: string): Promise<void> {
    const type = isActive ? 'Reactivate' : 'Deactivate'
    await this.ledger.send(walletId, { type, issuer: 'service', reason })
  }

  /** Every session of this person ends then. */
  async endSessionsIn({ serviceUserId }: Pick<User, 'serviceUserId'>, ms: number): Promise<void> {
    await this.ledger.pool.query(
      'update identity.widget_sessions set expires_at = $2 where service_user_id = $1',
      [serviceUserId, new Date(Date.now() + ms)],
    )
  }

  walletUrl(query: Record<string, string> = {}): string {
    const { clientId } = this
    return `${this.origin}/widget/wallet?${new URLSearchParams({ clientId, ...query }).toString()}`
  }
}

const currency = findCurrency('usd') as Currency

const payments = {
  kind: 'sandbox',
  publishableKey: null,
  testMode: true,
  minimum: 1,
  maximum: 1_000,
} as const
