/**
 * Our own service for the suite: in this process, on a database of its own, on either event store,
 * logging everything; with two client apps, and users on demand. `Control` is the hand inside: a
 * second set of the service's parts on the same data, as another process would have it.
 */
import type { Test } from 'tap'
import { startService } from '../../../src/compose.js'
import { openLedger } from '../../../src/compose/ledger.js'
import type { Ledger } from '../../../src/compose/parts.js'
import { loadConfig } from '../../../src/config.js'
import { streamOf } from '../../../src/domain/ids.js'
import type { WalletId } from '../../../src/domain/ids.js'
import type { WalletCommand } from '../../../src/domain/wallet.js'
import type { RecordedEvent } from '../../../src/event-store/event-store.js'
import { Admins } from '../../../src/identity/admins.js'
import { ClientApps } from '../../../src/identity/client-apps.js'
import type { Scope } from '../../../src/identity/client-apps.js'
import { Links } from '../../../src/identity/links.js'
import { Users } from '../../../src/identity/users.js'
import { ChangeFeed } from '../../../src/platform/change-feed.js'
import { systemClock } from '../../../src/platform/clock.js'
import { systemRandom } from '../../../src/platform/random.js'
import { startCommand } from '../../support/command-line.js'
import { dataFolderOf, migratedDatabase } from '../../support/database.js'
import { eventStoreForTests } from '../../support/eventstoredb/server.js'
import { cheapPasswords } from '../../support/passwords.js'
import { CapturedLog } from '../../support/served-app.js'
import type { Deployment } from './deployment.js'
import { Account, WalletApi } from './wallet-api.js'
import type { Credentials } from './wallet-api.js'

/** What looks like a secret, whoever made it. */
export const secretShapes =
  /sk_[\w-]{20,}|(usr|ws)_[0-9a-f]{8}-|clientSecret=|serviceUserId=|session=/

export type Store = 'PostgreSQL' | 'EventStoreDB'

export interface OwnService extends Deployment {
  readonly control: Control
}

export async function startOwnService(t: Test, store: Store): Promise<OwnService> {
  const environment = await environmentFor(t, store)
  const captured = new CapturedLog()
  const surroundings = { log: captured.log, notice: () => undefined, passwords: cheapPasswords }
  const config = loadConfig(environment)
  const service = await startService(config, surroundings)
  t.teardown(() => service.close())
  const ledger = await openLedger(config, surroundings)
  t.teardown(() => ledger.close())
  const control = await Control.open(t, { ledger, captured, environment })
  const api = new WalletApi(service.origin)
  const first = await control.createApp(['wallet:read', 'wallet:write'])
  const second = await control.createApp(['wallet:read', 'wallet:write'])
  const account = async (balance = 0): Promise<Account> => {
    const user = await control.createUser(first.clientId, second.clientId)
    const made = new Account(api, first, user)
    await made.setBalance(balance)
    return made
  }
  return { api, first, second, account, parentOrigin: ownParent, control }
}

const ownParent = 'http://localhost:4000'

export type Environment = Readonly<Record<string, string>>

async function environmentFor(t: Test, store: Store): Promise<Environment> {
  const { url } = await migratedDatabase(t)
  return {
    DATABASE_URL: url,
    DATA_DIR: dataFolderOf(url),
    HOST: '127.0.0.1',
    PORT: '0',
    NODE_ENV: 'test',
    LOG_LEVEL: 'trace',
    ...(store === 'EventStoreDB' && { EVENTSTORE_URL: (await eventStoreForTests(t)).url }),
  }
}

interface Parts {
  readonly ledger: Ledger
  readonly captured: CapturedLog
  readonly environment: Environment
}

export class Control {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  /** What another process on the same data is started with. */
  readonly environment: Environment
  readonly #parts: Parts
  /** What no line of the log may hold. */
  readonly #secrets = new Set<string>()
  #otherOutput = ''

  private constructor(parts: Parts, changes: ChangeFeed) {
    const { pool } = parts.ledger
    const shared = { pool, clock: systemClock, random: systemRandom, changes }
    this.environment = parts.environment
    this.#parts = parts
    this.clientApps = new ClientApps({ ...shared, production: false })
    this.links = new Links(shared)
    this.users = new Users({ ...shared, links: this.links, passwords: cheapPasswords })
  }

  static async open(t: Test, parts: Parts): Promise<Control> {
    const { url } = parts.ledger
    const changes = new ChangeFeed({ url, clock: systemClock, log: parts.captured.log })
    await changes.start()
    t.teardown(() => changes.close())
    return new Control(parts, changes)
  }

  async createApp(scopes: readonly Scope[]): Promise<Credentials> {
    const { clientApp, clientSecret } = await this.clientApps.create({
      name: 'A shop of the suite',
      allowedOrigins: [ownParent],
      allowedIframeParents: [ownParent],
      scopes,
    })
    this.mustStaySecret(clientSecret)
    return { clientId: clientApp.clientId, clientSecret }
  }

  async createAdmin(account: { readonly email: string; readonly password: string }) {
    const { pool } = this.#parts.ledger
    const admins = new Admins({
      pool,
      clock: systemClock,
      random: systemRandom,
      passwords: cheapPasswords,
    })
    await admins.create({ ...account, role: 'admin' })
  }

  async createUser(...clientIds: readonly string[]): Promise<string> {
    const { serviceUserId } = await this.users.create({})
    this.mustStaySecret(serviceUserId)
    for (const clientId of clientIds) await this.links.add(clientId, serviceUserId)
    return serviceUserId
  }

  /** A second live secret of the app. */
  async rotate(app: Credentials): Promise<Credentials> {
    const rotated = await this.clientApps.rotate(app.clientId)
    if (rotated === undefined) throw new Error('the client app is gone')
    this.mustStaySecret(rotated.clientSecret)
    return { clientId: app.clientId, clientSecret: rotated.clientSecret }
  }

  async walletIdOf({ app, serviceUserId }: Account): Promise<WalletId> {
    const user = await this.links.findUser(app.clientId, serviceUserId)
    if (user === undefined) throw new Error('the user is not linked')
    return user.walletId
  }

  async execute(account: Account, make: (walletId: WalletId) => WalletCommand): Promise<void> {
    const walletId = await this.walletIdOf(account)
    await this.#parts.ledger.writer.execute(walletId, make(walletId))
  }

  /** Five minutes at once, as the service sees it. */
  async expire(sessionToken: string): Promise<void> {
    await this.#parts.ledger.pool.query(
      "update identity.widget_sessions set expires_at = now() - interval '1 millisecond' " +
        "where token_hash = sha256(convert_to($1, 'UTF8'))",
      [sessionToken],
    )
  }

  setActive(account: Account, isActive: boolean): Promise<void> {
    const type = isActive ? 'Reactivate' : 'Deactivate'
    return this.execute(account, () => ({ type, issuer: 'service', reason: 'a test' }))
  }

  /** Everything in the wallet's stream. */
  async events(account: Account): Promise<RecordedEvent[]> {
    const stream = streamOf(await this.walletIdOf(account))
    const options = { fromRevision: 0, maxCount: 10_000 }
    const events: RecordedEvent[] = []
    for await (const event of this.#parts.ledger.store.readStream(stream, options))
      events.push(event)
    return events
  }

  /** Another process of the service on the same data. */
  async startSecondProcess(t: Test): Promise<WalletApi> {
    const { child, says } = startCommand(t, ['serve', '--json'], this.#parts.environment)
    child.stdout.on('data', (chunk: string) => (this.#otherOutput += chunk))
    child.stderr.on('data', (chunk: string) => (this.#otherOutput += chunk))
    const [, origin = ''] = await says(/"origin":"([^"]+)"/)
    return new WalletApi(origin)
  }

  /** What was told to stay secret and stands in an output all the same. */
  secretsIn(output: string): string[] {
    return [...this.#secrets].filter((secret) => output.includes(secret))
  }

  /** From now on no line of the log may hold this text. */
  mustStaySecret(...texts: readonly string[]): void {
    for (const text of texts) this.#secrets.add(text)
  }

  async requireCleanLog(t: Test): Promise<void> {
    await t.test('5 rule 6: the log of this file at level trace holds no secret', async (t) => {
      const { text, lines } = this.#parts.captured
      t.ok(
        lines.some(({ msg }) => msg === 'request'),
        'requests are logged',
      )
      const output = text + this.#otherOutput
      const compared = `${lines.length} lines and ${this.#secrets.size} secrets compared`
      t.same(this.secretsIn(output), [], compared)
      t.notMatch(output, secretShapes)
    })
  }
}
