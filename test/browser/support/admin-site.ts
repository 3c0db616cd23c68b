/**
 * The admin area as people meet it: the built pages and the real admin API in one application, on a
 * database with a month of history: two client apps, a person with a statement of every kind of
 * entry, and one with more entries than a page holds. Read models follow as in the real service.
 */
import type { Test } from 'tap'
import { projectionLagMs } from '../../../projections/health.js'
import type { Issuer, WalletId } from '../../../src/domain/ids.js'
import { entryIdOf } from '../../../src/domain/ids.js'
import { LostEvents } from '../../../src/audit/verifying/lost-events.js'
import { findCurrency, type Currency } from '../../../src/domain/money.js'
import { reference } from '../../../src/domain/reference.js'
import type { WalletCommand } from '../../../src/domain/wallet.js'
import { registerAdminRoutes } from '../../../src/http/routes/admin/admin-routes.js'
import type { AdminParts } from '../../../src/http/routes/admin/admin-routes.js'
import { registerPages } from '../../../src/http/routes/pages.js'
import { AdminLog } from '../../../src/identity/admin-log.js'
import { Admins } from '../../../src/identity/admins.js'
import { ClientApps } from '../../../src/identity/client-apps.js'
import { Links } from '../../../src/identity/links.js'
import { LoginLine } from '../../../src/identity/login-line.js'
import { RefusedLogins } from '../../../src/identity/refused-logins.js'
import { Throttle } from '../../../src/identity/throttle.js'
import { Users } from '../../../src/identity/users.js'
import { ChangeFeed } from '../../../src/platform/change-feed.js'
import { systemClock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { PostgresReadModels } from '../../../src/reading/postgres-read-models.js'
import { WalletWriter } from '../../../src/writing/wallet-writer.js'
import { FakeClock } from '../../support/fake-clock.js'
import { quietLog, TestDatabaseLedger } from '../../support/ledger.js'
import { cheapPasswords } from '../../support/passwords.js'
import { serve, type CapturedLog } from '../../support/served-app.js'
import { builtPages } from './built-pages.js'
import { testWebhooks } from '../../support/webhooks.js'

export const password = 'correct horse battery staple'
export const adminEmail = 'grace@example.com'
export const auditorEmail = 'audit@example.com'
export const person = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }
export const busyPerson = { email: 'bea@example.com', firstName: 'Bea', lastName: 'Busy' }

const dayMs = 24 * 3_600_000

export interface AdminSite {
  readonly origin: string
  readonly captured: CapturedLog
  readonly parts: AdminParts
  readonly ledger: TestDatabaseLedger
  readonly shopId: string
}

export async function openAdminSite(t: Test): Promise<AdminSite> {
  const folder = await builtPages(t)
  const ledger = await TestDatabaseLedger.open(t)
  let origin = ''
  const parts = partsOn(ledger, () => origin)
  const shopId = await fill(parts, ledger)
  ledger.runner(t).start()
  const served = await serve(t, {}, (app) => {
    registerAdminRoutes(app, parts)
    registerPages(app, { folder })
  })
  origin = served.origin
  return { origin, captured: served.captured, parts, ledger, shopId }
}

function partsOn(ledger: TestDatabaseLedger, publicOrigin: () => string): AdminParts {
  const { pool, store, reader, writer, url } = ledger
  const system = { pool, clock: systemClock, random: systemRandom }
  const changes = new ChangeFeed({ url, clock: systemClock, log: quietLog })
  const links = new Links({ ...system, changes })
  return {
    ...system,
    admins: new Admins({ ...system, passwords: cheapPasswords }),
    adminLog: new AdminLog(system),
    clientApps: new ClientApps({ ...system, changes, production: false }),
    users: new Users({ ...system, changes, links, passwords: cheapPasswords }),
    throttle: new Throttle(system),
    loginLine: new LoginLine(system),
    refusedLogins: new RefusedLogins(system),
    lostEvents: new LostEvents(system),
    webhooks: testWebhooks(ledger),
    reader,
    store,
    writer,
    currency: findCurrency('usd') as Currency,
    amountMaxMinor: 100_000_000,
    environment: 'test',
    publicOrigin,
    projectionLagMs: () => projectionLagMs({ store, pool, clock: systemClock }),
  }
}

async function fill(parts: AdminParts, ledger: TestDatabaseLedger): Promise<string> {
  const { admins, clientApps, users } = parts
  await admins.create({ email: adminEmail, password, role: 'admin' })
  await admins.create({ email: auditorEmail, password, role: 'auditor' })
  const origins = ['https://shop.example']
  const input = { allowedOrigins: origins, allowedIframeParents: origins }
  const scopes = ['wallet:read', 'wallet:write'] as const
  const shop = await clientApps.create({ ...input, name: 'Corner Shop', scopes })
  const { clientId } = shop.clientApp
  await clientApps.create({ ...input, name: 'Print Shop', scopes: ['wallet:read'] })
  const ada = await users.create({ ...person, password, clientId })
  const bea = await users.create({ ...busyPerson, password, clientId })
  const history = new History(ledger, `client-app:${clientId}`)
  await history.write(ada.walletId, bea.walletId)
  await history.close()
  await ledger.project()
  return clientId
}

/** Writes what happened over the last 30 days, each entry at its own time. */
class History {
  readonly #clock = new FakeClock(Date.now() - 30 * dayMs)
  readonly #writer: WalletWriter
  readonly #issuer: Issuer

  constructor({ store, pool }: TestDatabaseLedger, issuer: Issuer) {
    const clock = this.#clock
    const readModels = new PostgresReadModels(pool)
    const system = { clock, random: systemRandom, log: quietLog }
    this.#writer = new WalletWriter({ store, readModels, currency: 'usd', ...system })
    this.#issuer = issuer
  }

  async write(ada: WalletId, bea: WalletId): Promise<void> {
    for (let day = 30; day >= 1; day -= 1) {
      this.#clock.set(Date.now() - day * dayMs)
      await this.#send(bea, 'TopUp', ['TOPUP', `pi_${day}`], 2_000 + 731 * ((day * 7) % 11))
      await this.#send(bea, 'Debit', ['ORDER_PAYMENT', `B-${day}`], 900 + 517 * ((day * 5) % 7))
      if (day % 4 === 0) await this.#send(bea, 'Debit', ['ORDER_PAYMENT', `X-${day}`], 9_000_000)
    }
    this.#clock.set(Date.now() - 3 * dayMs)
    await this.#send(ada, 'TopUp', ['TOPUP', 'pi_ada'], 5_000)
    await this.#send(ada, 'Debit', ['ORDER_PAYMENT', 'ORDER-1'], 1_250)
    this.#clock.set(Date.now() - 2 * 3_600_000)
    await this.#send(ada, 'Debit', ['ORDER_PAYMENT', 'ORDER-2'], 99_900)
    await this.#send(ada, 'Credit', ['ORDER_REFUND', 'REFUND-1'], 250)
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  async #send(
    walletId: WalletId,
    type: 'TopUp' | 'Debit' | 'Credit',
    pair: [string, string],
    amountMinor: number,
  ): Promise<void> {
    const issuer = type === 'TopUp' ? 'service' : this.#issuer
    const named = reference(...pair)
    const entryId = entryIdOf({ issuer, walletId, reference: named })
    const command: WalletCommand = { type, issuer, entryId, reference: named, amountMinor }
    await this.#writer.execute(walletId, command)
  }
}
