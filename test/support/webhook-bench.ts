/**
 * Webhooks by hand: the feeder's steps and the sender's rounds happen when the test says so, on a
 * clock that the test moves; what is sent ends in a list instead of a socket.
 */
import { randomUUID } from 'node:crypto'
import { entryIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { EntryCommand } from '../../src/domain/wallet.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import { ClientApps } from '../../src/identity/client-apps.js'
import { Links } from '../../src/identity/links.js'
import { Users } from '../../src/identity/users.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { readCheckpoint } from '../../src/webhooks/checkpoint.js'
import { Deliveries } from '../../src/webhooks/deliveries.js'
import { Endpoints } from '../../src/webhooks/endpoints.js'
import { Feeder } from '../../src/webhooks/feeder.js'
import { feed } from '../../src/webhooks/feeding.js'
import type { OutgoingWebhook, RequestOutcome } from '../../src/webhooks/request.js'
import { postgresFeedTables, postgresLineTables } from '../../src/webhooks/postgres-tables.js'
import { SecretKey } from '../../src/webhooks/secret-key.js'
import { Sender } from '../../src/webhooks/sender.js'
import { webhookTypes } from '../../src/webhooks/webhook-types.js'
import { FakeClock } from './fake-clock.js'
import { anApp } from './identity.js'
import { quietLog, TestDatabaseLedger } from './ledger.js'
import { cheapPasswords } from './passwords.js'
import { usd } from './webhooks.js'
import type { Payload } from './webhooks.js'

interface Teardown {
  teardown(work: () => unknown): void
}

export interface Sent extends OutgoingWebhook {
  readonly payload: Payload
}

const arrived: RequestOutcome = { status: 200, answer: 'ok', fault: null }
export const down: RequestOutcome = { status: null, answer: null, fault: 'no connection' }

export interface Person {
  readonly serviceUserId: string
  readonly walletId: WalletId
}

export class WebhookBench {
  readonly ledger: TestDatabaseLedger
  /** Of the webhooks alone: the ledger's entries have the time of the day. */
  readonly clock = new FakeClock(Date.now())
  readonly clientApps: ClientApps
  readonly links: Links
  readonly users: Users
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly sent: Sent[] = []
  /** What becomes of what is sent from now on. */
  outcome: (webhook: Sent) => RequestOutcome | Promise<RequestOutcome> = () => arrived
  readonly sender: Sender
  readonly #secretKey = new SecretKey({
    config: { key: 'ab'.repeat(32), keyFile: 'unused' },
    random: systemRandom,
  })

  private constructor(ledger: TestDatabaseLedger) {
    this.ledger = ledger
    const { pool, url } = ledger
    const { clock } = this
    const system = { pool, clock, random: systemRandom, log: quietLog }
    const changes = new ChangeFeed({ url, clock, log: quietLog })
    this.clientApps = new ClientApps({ ...system, changes, production: false })
    this.links = new Links({ ...system, changes })
    this.users = new Users({ ...system, changes, links: this.links, passwords: cheapPasswords })
    const { store } = ledger
    const secretKey = this.#secretKey
    this.endpoints = new Endpoints({ ...system, store, secretKey, currency: usd })
    this.deliveries = new Deliveries(system)
    this.sender = this.newSender()
  }

  /** On a database of its own, or with another event store than that. */
  static async open(t: Teardown, given?: { readonly store: EventStore }): Promise<WebhookBench> {
    return new WebhookBench(await TestDatabaseLedger.open(t, given))
  }

  /** One that follows the log by itself, as a process on this store has it. */
  newFeeder(store: EventStore = this.ledger.store): Feeder {
    const { pool, reader } = this.ledger
    const system = { clock: systemClock, random: systemRandom, log: quietLog, currency: usd }
    const findEntry = reader.findEntry.bind(reader)
    const tables = postgresFeedTables(pool)
    return new Feeder({ ...system, store, tables, findEntry, onFed: () => undefined })
  }

  /** As another process would have it. */
  newSender(secretKey = this.#secretKey): Sender {
    const lines = postgresLineTables(this.ledger.pool)
    const system = { lines, clock: this.clock, random: systemRandom, log: quietLog }
    const send = async (webhook: OutgoingWebhook): Promise<RequestOutcome> => {
      const sent = { ...webhook, payload: JSON.parse(webhook.body) as Payload }
      this.sent.push(sent)
      return this.outcome(sent)
    }
    return new Sender({ ...system, secretKey, send })
  }

  async makeApp(scopes = anApp.scopes): Promise<string> {
    return (await this.clientApps.create({ ...anApp, scopes })).clientApp.clientId
  }

  /** For everything unless types are named. */
  async makeEndpoint(clientId: string, types: readonly string[] = webhookTypes) {
    const input = { url: 'https://shop.example/hooks', types }
    return this.endpoints.create(clientId, input, { allowPrivate: false })
  }

  async makePerson(clientId?: string): Promise<Person> {
    return this.users.create({ clientId })
  }

  /** An entry of the app, or of the service itself. */
  async book(
    { walletId }: Person,
    type: EntryCommand['type'],
    amountMinor: number,
    clientId?: string,
  ): Promise<string> {
    const issuer = clientId === undefined ? 'service' : (`client-app:${clientId}` as const)
    const reference = { referenceType: 'TEST', referenceId: randomUUID() }
    const entryId = entryIdOf({ issuer, walletId, reference })
    const command = { type, entryId, issuer, reference, amountMinor } as EntryCommand
    await this.ledger.send(walletId, command)
    return reference.referenceId
  }

  /** Everything that the log and the outbox hold by now. */
  async feed(): Promise<number> {
    const { pool, store, reader } = this.ledger
    const findEntry = reader.findEntry.bind(reader)
    const tables = postgresFeedTables(pool)
    const parts = { tables, store, clock: this.clock, currency: usd, findEntry }
    const after = await readCheckpoint(pool)
    const events = await this.ledger.events(after.position)
    const fed = await feed(parts, events.length === 0 ? undefined : { after, events })
    return fed.deliveries
  }

  /** All that is due, until nothing is. */
  async deliver(): Promise<void> {
    while ((await this.sender.sendDue()) > 0) continue
  }

  types(from = 0): string[] {
    return this.sent.slice(from).map(({ payload }) => payload.type)
  }
}
