/**
 * Client apps, links, users, widget sessions and throttle on a database of the test's own, with a
 * clock that stands still. `another()` is a second process on the same database: its own pool,
 * change feed and caches.
 */
import { pino } from 'pino'
import { ClientApps } from '../../src/identity/client-apps.js'
import type { ClientAppInput, MadeSecret } from '../../src/identity/client-apps.js'
import { Links } from '../../src/identity/links.js'
import { Passwords } from '../../src/identity/passwords.js'
import { Throttle } from '../../src/identity/throttle.js'
import { Users } from '../../src/identity/users.js'
import { WidgetSessions } from '../../src/identity/widget-sessions.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool } from '../../src/platform/postgres.js'
import type { Pool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { migratedDatabase } from './database.js'
import { FakeClock } from './fake-clock.js'
import { cheap } from './passwords.js'

interface Teardown {
  teardown(work: () => unknown): void
}

export class TestIdentity {
  readonly url: string
  readonly pool: Pool
  readonly clock: FakeClock
  readonly changes: ChangeFeed
  readonly clientApps: ClientApps
  readonly links: Links
  readonly passwords = new WatchedPasswords({ random: systemRandom, cost: cheap })
  readonly users: Users
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  /** Everything that was written to the log. */
  readonly lines: string[] = []
  /** How often a connection was taken from the pool: once a query or a transaction. */
  queries = 0

  private constructor(url: string, { clock = new FakeClock(), production = false }: Options) {
    this.url = url
    this.clock = clock
    this.pool = createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
    this.pool.on('acquire', () => (this.queries += 1))
    const log = pino({}, { write: (line: string) => this.lines.push(line) })
    this.changes = new ChangeFeed({ url, clock: systemClock, log })
    const { pool, changes, passwords } = this
    const system = { pool, clock, random: systemRandom, changes }
    this.clientApps = new ClientApps({ ...system, production, log })
    this.links = new Links(system)
    this.users = new Users({ ...system, links: this.links, passwords })
    this.widgetSessions = new WidgetSessions(system)
    this.throttle = new Throttle(system)
  }

  static async open(t: Teardown, options: Options = {}): Promise<TestIdentity> {
    const { url } = await migratedDatabase(t)
    return TestIdentity.#start(t, url, options)
  }

  static async #start(t: Teardown, url: string, options: Options): Promise<TestIdentity> {
    const identity = new TestIdentity(url, options)
    t.teardown(async () => {
      await identity.changes.close()
      await identity.pool.end()
    })
    await identity.changes.start()
    return identity
  }

  /** Another process on the same database. */
  async another(t: Teardown, options: Options = {}): Promise<TestIdentity> {
    return TestIdentity.#start(t, this.url, { clock: this.clock, ...options })
  }

  async makeApp(input: Partial<ClientAppInput> = {}): Promise<MadeSecret & { clientId: string }> {
    const made = await this.clientApps.create({ ...anApp, ...input })
    return { ...made, clientId: made.clientApp.clientId }
  }

  /** An app and one user who is linked to it. */
  async makeLinkedUser(): Promise<{ clientId: string; serviceUserId: string }> {
    const { clientId } = await this.makeApp()
    const { serviceUserId } = await this.users.create({ clientId })
    return { clientId, serviceUserId }
  }

  /** How many connections `work` takes from the pool. */
  async queriesOf(work: () => unknown): Promise<number> {
    const before = this.queries
    await work()
    return this.queries - before
  }

  /**
   * A race that cannot be missed: begins `work` while `lock` is held, lets go when so many wait
   * for a lock, and answers what became of them.
   */
  async race<T>(
    race: { readonly lock: string; readonly waiters: number },
    work: () => readonly Promise<T>[],
  ): Promise<PromiseSettledResult<T>[]> {
    const client = await this.pool.connect()
    await client.query('begin')
    await client.query(race.lock)
    const results = Promise.allSettled(work())
    // Asked on another connection: within one transaction this view never changes.
    const waiting = async (): Promise<number> =>
      (await this.pool.query<{ count: number }>(waitingForLocks)).rows[0]?.count ?? 0
    while ((await waiting()) < race.waiters) continue
    await client.query('commit')
    client.release()
    return results
  }

  /** Resolves at the next change that this process hears of; begin to wait before it is made. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => this.changes.onChange(resolve))
  }
}

const waitingForLocks =
  'select count(*)::int as count from pg_stat_activity ' +
  "where datname = current_database() and wait_event_type = 'Lock'"

export const anApp: ClientAppInput = {
  name: 'Example Shop',
  allowedOrigins: ['https://shop.example'],
  allowedIframeParents: ['https://shop.example'],
  scopes: ['wallet:read', 'wallet:write'],
}

interface Options {
  readonly clock?: FakeClock
  readonly production?: boolean
}

/** The real thing, and what it was asked to do. */
export class WatchedPasswords extends Passwords {
  readonly calls: string[] = []

  override async hash(password: string): Promise<string> {
    this.calls.push('hash')
    return super.hash(password)
  }

  override async verify(password: string, stored: string | undefined): Promise<boolean> {
    this.calls.push('verify')
    return super.verify(password, stored)
  }
}
