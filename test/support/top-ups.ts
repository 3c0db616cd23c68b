/**
 * Top-ups on a database of the test's own: ledger, sandbox, adapter, intents and `settle`, with a
 * clock that the test moves. `another()` is a second process on the same database: its own pool,
 * lanes, sandbox server and settlements. `Served` adds the HTTP routes.
 */
import { createHmac } from 'node:crypto'
import type { Test } from 'tap'
import { findCurrency, type Currency } from '../../src/domain/money.js'
import type { Entry } from '../../src/reading/wallet-reader.js'
import { registerTopUpRoutes } from '../../src/http/routes/top-up-routes.js'
import { ClientApps } from '../../src/identity/client-apps.js'
import { Links } from '../../src/identity/links.js'
import { Throttle } from '../../src/identity/throttle.js'
import { Users, type User } from '../../src/identity/users.js'
import { WidgetSessions } from '../../src/identity/widget-sessions.js'
import { AutomaticTopUps } from '../../src/top-ups/automatic-top-ups.js'
import { AutomaticTopUpWorker } from '../../src/top-ups/automatic-top-up-worker.js'
import { CardRemovals } from '../../src/top-ups/card-removals.js'
import type { RefundingProcessor } from '../../src/top-ups/card-processor.js'
import { CardReturnRows } from '../../src/top-ups/card-return-rows.js'
import { CardReturns } from '../../src/top-ups/card-returns.js'
import type { PaymentsConfig } from '../../src/top-ups/payments-config.js'
import { startSandboxServer, type SandboxServer } from '../../src/top-ups/sandbox/server.js'
import { SandboxWebhooks } from '../../src/top-ups/sandbox/webhooks.js'
import { Sandbox, type SandboxKeys } from '../../src/top-ups/sandbox/sandbox.js'
import { SavedCards, type CardNews } from '../../src/top-ups/saved-cards.js'
import { StripeProcessor } from '../../src/top-ups/stripe.js'
import { TopUpIntents } from '../../src/top-ups/top-up-intents.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemRandom } from '../../src/platform/random.js'
import { RollOut } from '../../src/platform/roll-out.js'
import { TopUpSweeper } from '../../src/top-ups/top-up-sweeper.js'
import { TopUps } from '../../src/top-ups/top-up.js'
import { anApp } from './identity.js'
import { FakeClock } from './fake-clock.js'
import { quietLog, TestDatabaseLedger } from './ledger.js'
import { cheapPasswords } from './passwords.js'
import { serve, type CapturedLog } from './served-app.js'

export const startMs = Date.UTC(2026, 2, 15, 12)
export const usd = findCurrency('usd') as Currency

export const success = { cardNumber: '4242424242424242', expiry: '12/40', cvc: '123' }

/** Generous, so that only the tests about limits meet them. */
export const payments: PaymentsConfig = {
  kind: 'sandbox',
  publishableKey: 'pk_test_sandbox',
  testMode: true,
  minimumMinor: 100,
  maximumMinor: 100_000,
  dayMaximumMinor: 1_000_000,
  stripe: undefined,
}

/** What a booked entry is to a support agent: its type, reference and amount. */
export type Line = [type: string, reference: string, amountMinor: number]

interface Shared {
  readonly clock: FakeClock
  readonly config: PaymentsConfig
}

export class TestTopUps {
  readonly ledger: TestDatabaseLedger
  readonly clock: FakeClock
  readonly config: PaymentsConfig
  readonly sandbox: Sandbox
  readonly keys: SandboxKeys
  readonly server: SandboxServer
  readonly processor: StripeProcessor
  readonly intents: TopUpIntents
  readonly removals: CardRemovals
  readonly savedCards: SavedCards
  /** What people were told about their cards. */
  readonly told: CardNews[] = []
  isMailAway = false
  readonly cardReturns: CardReturns
  readonly topUps: TopUps
  readonly sweeper: TopUpSweeper
  readonly rules: AutomaticTopUps
  readonly worker: AutomaticTopUpWorker
  readonly webhooks: SandboxWebhooks
  readonly users: Users
  readonly links: Links
  readonly clientApps: ClientApps
  readonly widgetSessions: WidgetSessions
  readonly throttle: Throttle
  clientId = ''

  private constructor(
    ledger: TestDatabaseLedger,
    { clock, config }: Shared,
    made: { sandbox: Sandbox; keys: SandboxKeys; server: SandboxServer },
  ) {
    this.ledger = ledger
    this.clock = clock
    this.config = config
    this.sandbox = made.sandbox
    this.keys = made.keys
    this.server = made.server
    const { pool, url } = ledger
    const system = { pool, clock, random: systemRandom, log: quietLog }
    this.processor = new StripeProcessor({
      name: 'sandbox',
      clock,
      ...made.keys,
      apiBase: made.server.origin,
    })
    const { processor } = this
    this.intents = new TopUpIntents({ ...system, processor: processor.name })
    const { intents } = this
    const { dayMaximumMinor } = config
    const ledgerParts = { writer: ledger.writer, reader: ledger.reader, currency: usd }
    this.removals = new CardRemovals({ ...system, processor })
    const cardParts = { processor, removals: this.removals }
    const tell = (news: CardNews) => void this.told.push(news)
    this.savedCards = new SavedCards({ ...system, ...cardParts, tell })
    const onPaid = this.savedCards.keep.bind(this.savedCards)
    const settling = { processor, intents, dayMaximumMinor, onPaid }
    this.topUps = new TopUps({ ...system, ...ledgerParts, ...settling })
    this.rules = new AutomaticTopUps({ ...system, processor, currency: usd, dayMaximumMinor })
    this.worker = new AutomaticTopUpWorker({
      ...system,
      ...ledgerParts,
      ...settling,
      rules: this.rules,
      topUps: this.topUps,
      savedCards: this.savedCards,
      tellSwitchedOff: async (serviceUserId) => {
        if (this.isMailAway) throw new Error('the mail server is away')
        tell({ kind: 'automatic-top-up-failed', serviceUserId })
      },
    })
    this.cardReturns = this.returnsWith(processor)
    this.sweeper = new TopUpSweeper({ ...system, topUps: this.topUps, intents })
    const { webhookSecret } = made.keys
    this.webhooks = new SandboxWebhooks({ ...system, sandbox: made.sandbox, webhookSecret })
    const changes = new ChangeFeed({ url, clock, log: quietLog })
    this.links = new Links({ ...system, changes })
    this.users = new Users({ ...system, changes, links: this.links, passwords: cheapPasswords })
    this.clientApps = new ClientApps({ ...system, changes, production: false })
    this.widgetSessions = new WidgetSessions(system)
    this.throttle = new Throttle(system)
  }

  static async open(t: Test, given: Partial<PaymentsConfig> = {}): Promise<TestTopUps> {
    const ledger = await TestDatabaseLedger.open(t)
    const shared = { clock: new FakeClock(startMs), config: { ...payments, ...given } }
    const made = await TestTopUps.#start(t, ledger, shared)
    made.clientId = (await made.clientApps.create(anApp)).clientApp.clientId
    return made
  }

  /** Another process on the same database. */
  async another(t: Test): Promise<TestTopUps> {
    const ledger = await TestDatabaseLedger.join(t, this.ledger.url)
    const made = await TestTopUps.#start(t, ledger, this)
    made.clientId = this.clientId
    return made
  }

  static async #start(t: Test, ledger: TestDatabaseLedger, shared: Shared): Promise<TestTopUps> {
    const { pool } = ledger
    const sandbox = new Sandbox({ pool, clock: shared.clock, random: systemRandom })
    const keys = await sandbox.keys()
    const { secretKey } = keys
    const server = await startSandboxServer({ sandbox, secretKey, log: quietLog })
    t.teardown(() => server.close())
    return new TestTopUps(ledger, shared, { sandbox, keys, server })
  }

  /** Of a process whose line to the processor is as the test says. */
  returnsWith(processor: RefundingProcessor): CardReturns {
    const { clock, topUps } = this
    const { pool, writer, reader } = this.ledger
    const rows = new CardReturnRows({ pool, clock, random: systemRandom, processor })
    const rollOut = new RollOut(pool)
    const system = { clock, log: quietLog }
    return new CardReturns({ ...system, rows, processor, topUps, writer, reader, rollOut })
  }

  /** As the processor would sign it at this moment. */
  signed(body: string): string {
    const { webhookSecret: secret } = this.keys
    return sign({ body, secret, seconds: Math.floor(this.clock.now() / 1_000) })
  }

  async makeUser(): Promise<User> {
    return this.users.create({ clientId: this.clientId })
  }

  /** An intent of this user that nobody has paid yet. */
  async order(user: User, amountMinor = 2_500) {
    const { walletId, serviceUserId } = user
    const order = { walletId, serviceUserId, clientId: this.clientId, amountMinor }
    const created = await this.topUps.create(order)
    if (created.kind !== 'created') throw new Error(`over the limit: ${created.leftMinor} left`)
    return created
  }

  /** An intent that is paid, and about which our side has heard nothing. */
  async paid(user: User, amountMinor = 2_500): Promise<string> {
    const key = await this.order(user, amountMinor)
    const answer = await this.sandbox.pay(key, success)
    if (answer?.status !== 'succeeded') throw new Error('the payment did not succeed')
    return key.paymentIntentId
  }

  /** Pays with this test card, saves it, and settles; the card's id. */
  async saveCard(user: User, cardNumber = success.cardNumber): Promise<string> {
    const key = await this.order(user)
    const intent = await this.intents.find(key.paymentIntentId)
    if (intent === undefined || !(await this.savedCards.wish(user.serviceUserId, intent)))
      throw new Error('there are too many cards')
    const answer = await this.sandbox.pay(key, { ...success, cardNumber })
    if (answer?.status === 'requires_action') await this.sandbox.authenticate(key, true)
    await this.topUps.settle(key.paymentIntentId)
    const cards = await this.savedCards.list(user.serviceUserId)
    return cards.find(({ lastFour }) => cardNumber.endsWith(lastFour))?.cardId ?? ''
  }

  /** What the ledger holds, oldest first. */
  async lines({ walletId }: User): Promise<Line[]> {
    const { entries } = await this.ledger.reader.read(walletId, { limit: 500 })
    return entries.map(lineOf).reverse()
  }

  async balance({ walletId }: User): Promise<number> {
    return (await this.ledger.reader.read(walletId, { limit: 1 })).balanceMinor
  }

  async status(paymentIntentId: string): Promise<string | undefined> {
    return (await this.intents.find(paymentIntentId))?.status
  }

  /** The routes over real HTTP. */
  async serve(t: Test, { isOff = false } = {}): Promise<TopUpHttp> {
    const { origin, captured } = await serve(t, { clock: this.clock }, (app) => {
      const { widgetSessions, links, throttle, topUps, processor, sandbox } = this
      const { reader } = this.ledger
      const parts = { widgetSessions, links, throttle, reader, currency: usd }
      const nothing = { topUps: undefined, processor: undefined, sandbox: undefined }
      const open = isOff ? nothing : { topUps, processor, sandbox }
      registerTopUpRoutes(app, { ...parts, ...open, payments: this.config })
    })
    return new TopUpHttp(this, origin, captured)
  }
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A browser and a processor in front of the routes. */
export class TopUpHttp {
  readonly #topUps: TestTopUps
  readonly origin: string
  readonly captured: CapturedLog

  constructor(topUps: TestTopUps, origin: string, captured: CapturedLog) {
    this.#topUps = topUps
    this.origin = origin
    this.captured = captured
  }

  get webhookAddress(): string {
    return `${this.origin}/api/webhooks/stripe`
  }

  /** The query of a session of this user. */
  async session({ serviceUserId }: User): Promise<string> {
    const { clientId, widgetSessions } = this.#topUps
    const made = await widgetSessions.create({ clientId, serviceUserId, madeBy: 'backend' })
    return `?session=${made.sessionToken}`
  }

  async post(path: string, body: unknown): Promise<Answer> {
    const answer = await fetch(this.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  createIntent(session: string, amount: unknown): Promise<Answer> {
    return this.post(`/api/widget/topup/create-intent${session}`, { amount })
  }

  confirm(session: string, paymentIntentId: unknown, more: object = {}): Promise<Answer> {
    return this.post(`/api/widget/topup/confirm${session}`, { paymentIntentId, ...more })
  }

  /** A webhook with this signature. */
  async send(body: string, signature: string | undefined): Promise<Answer> {
    const headers = signature === undefined ? {} : { 'stripe-signature': signature }
    const answer = await fetch(this.webhookAddress, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  /** Lets the sandbox deliver what is due. */
  deliver(): Promise<number> {
    return this.#topUps.webhooks.tick(this.webhookAddress)
  }
}

/** By hand, from Stripe's description: the library must not only agree with itself. */
export function sign(of: { body: string; secret: string; seconds: number }): string {
  const mac = createHmac('sha256', of.secret).update(`${of.seconds}.${of.body}`).digest('hex')
  return `t=${of.seconds},v1=${mac}`
}

/** The body of a webhook about this intent. */
export function intentEvent(paymentIntentId: string, more: object = {}): string {
  const object = { object: 'payment_intent', id: paymentIntentId, ...more }
  return JSON.stringify({ type: 'payment_intent.succeeded', data: { object } })
}

function lineOf(entry: Entry): Line {
  return [entry.type, `${entry.referenceType} ${entry.referenceId}`, entry.amountMinor]
}
