/**
 * The whole service as `npm start` puts it together, with freshly built pages and the test cards of
 * the sandbox, on 127.0.0.1; and a shop's pages on localhost, another origin. What the backend of
 * the shop does it does over HTTP; what only an operator can do is done in the database.
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { startService } from '../../../src/compose.js'
import { loadConfig } from '../../../src/config.js'
import { ClientApps } from '../../../src/identity/client-apps.js'
import { Links } from '../../../src/identity/links.js'
import { Users, type User } from '../../../src/identity/users.js'
import { ChangeFeed } from '../../../src/platform/change-feed.js'
import { systemClock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { dataFolderOf, migratedDatabase } from '../../support/database.js'
import { quietLog, TestDatabaseLedger } from '../../support/ledger.js'
import { cheapPasswords } from '../../support/passwords.js'
import { builtPages } from './built-pages.js'
import { ShopPages } from './shop-pages.js'

export interface Entry {
  readonly type: 'credit' | 'debit'
  readonly amount: number
  readonly referenceType: string | null
  readonly referenceId: string | null
}

export interface ShopWallet {
  readonly balance: number
  readonly transactions: Entry[]
  readonly pendingTopUps?: readonly { readonly amount: number }[]
}

export class TopUpSite {
  /** Of every person here. */
  readonly password = 'correct horse battery staple'
  readonly origin: string
  readonly shop: ShopPages
  readonly #ledger: TestDatabaseLedger
  readonly #clientApps: ClientApps
  readonly #users: Users
  clientId = ''
  #clientSecret = ''

  private constructor(of: { origin: string; shop: ShopPages; ledger: TestDatabaseLedger }) {
    this.origin = of.origin
    this.shop = of.shop
    this.#ledger = of.ledger
    const { pool, url } = of.ledger
    const changes = new ChangeFeed({ url, clock: systemClock, log: quietLog })
    const system = { pool, clock: systemClock, random: systemRandom, changes }
    this.#clientApps = new ClientApps({ ...system, production: false })
    this.#users = new Users({ ...system, links: new Links(system), passwords: cheapPasswords })
  }

  /** `variables`: of the environment, on top of a test's own. */
  static async open(t: Test, variables: Record<string, string> = {}): Promise<TopUpSite> {
    const pagesFolder = await builtPages(t)
    const [{ url }, shop] = await Promise.all([migratedDatabase(t), ShopPages.open(t)])
    const limits = { TOPUP_MAX: '500.00', TOPUP_DAY_MAX: '600.00' }
    const place = { DATABASE_URL: url, DATA_DIR: dataFolderOf(url) }
    const own = { NODE_ENV: 'test', PORT: '0', ...place, ...limits }
    const outside = { log: quietLog, notice: () => undefined, pagesFolder }
    const surroundings = { ...outside, passwords: cheapPasswords }
    const service = await startService(loadConfig({ ...own, ...variables }), surroundings)
    t.teardown(() => service.close())
    const ledger = await TestDatabaseLedger.join(t, url)
    const site = new TopUpSite({ origin: service.origin, shop, ledger })
    await site.#makeApp()
    return site
  }

  async #makeApp(): Promise<void> {
    const origins = [this.shop.origin]
    const { clientApp, clientSecret } = await this.#clientApps.create({
      name: 'corner-shop',
      brandName: 'Corner Shop',
      accentColor: '#0f766e',
      // The second one matches nobody here: each listed origin is posted to all the same.
      allowedOrigins: [...origins, 'https://second.example'],
      allowedIframeParents: origins,
      scopes: ['wallet:read', 'wallet:write'],
    })
    this.clientId = clientApp.clientId
    this.#clientSecret = clientSecret
  }

  /** Payments that the sandbox's bank processes wait from now on, however slow the page is. */
  async holdBank(): Promise<void> {
    await this.#ledger.pool.query(
      `create function sandbox.hold() returns trigger language plpgsql as $$
       begin new.due_at := 'infinity'; return new; end $$;
       create trigger hold before insert on sandbox.acts
       for each row execute function sandbox.hold()`,
    )
  }

  /** They are paid. */
  async letBankGo(): Promise<void> {
    await this.#ledger.pool.query(
      'drop function sandbox.hold cascade; update sandbox.acts set due_at = now()',
    )
  }

  /** Linked to the shop, with an empty wallet. */
  async makePerson(): Promise<User & { readonly email: string }> {
    const email = `${randomUUID()}@example.com`
    const names = { firstName: 'Ada', lastName: 'Lovelace' }
    const account = { ...names, email, password: this.password, clientId: this.clientId }
    return { ...(await this.#users.create(account)), email }
  }

  /** As the shop's backend asks for it. */
  async session({ serviceUserId }: User): Promise<string> {
    const { sessionToken } = await this.#asShop<{ sessionToken: string }>(
      'POST',
      '/api/widget/session',
      { serviceUserId },
    )
    return sessionToken
  }

  async wallet({ serviceUserId }: User): Promise<ShopWallet> {
    return this.#asShop('GET', '/api/server/wallet', { serviceUserId })
  }

  async checkBalance({ serviceUserId }: User, requiredAmount: string): Promise<ShopWallet> {
    const path = '/api/server/wallet/check-balance'
    return this.#asShop('GET', path, { serviceUserId, requiredAmount })
  }

  /** Every session of this person is over now. */
  async endSessions({ serviceUserId }: User): Promise<void> {
    await this.#ledger.pool.query(
      'update identity.widget_sessions set expires_at = $2 where service_user_id = $1',
      [serviceUserId, new Date(Date.now() - 1)],
    )
  }

  /** As an admin does it. */
  async deactivate({ walletId }: User, reason: string): Promise<void> {
    await this.#ledger.send(walletId, { type: 'Deactivate', issuer: 'service', reason })
  }

  /** The address of a page of the widget. */
  page(name: 'topup' | 'wallet', query: Record<string, string>): string {
    return `${this.origin}/widget/${name}?${new URLSearchParams(query).toString()}`
  }

  /** The top-up page for a new session of this person. */
  async topUpPage(person: User, query: Record<string, string> = {}): Promise<string> {
    return this.page('topup', { session: await this.session(person), ...query })
  }

  async #asShop<Answer>(method: 'GET' | 'POST', path: string, fields: Record<string, string>) {
    const credentials = { clientId: this.clientId, clientSecret: this.#clientSecret }
    const all = { ...credentials, ...fields }
    const query = method === 'GET' ? `?${new URLSearchParams(all).toString()}` : ''
    const answer = await fetch(`${this.origin}${path}${query}`, {
      method,
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(all),
      }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return (await answer.json()) as Answer
  }
}
