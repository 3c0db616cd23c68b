/**
 * The webhooks of a simulated world: endpoints of two client apps, their receivers, which refuse,
 * are slow, are down for a while and whose answers are lost, and the tables that all processes
 * share, which go back with the rest. Each process runs the real feeder and the real sender.
 * Promises: every arrival goes to the check in its moment, and its signature is what the package
 * of the convention makes of it.
 */
import { Webhook } from 'standardwebhooks'
import type { WalletId } from '../../src/domain/ids.js'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import type { Clock } from '../../src/platform/clock.js'
import type { Log } from '../../src/platform/log.js'
import { Feeder } from '../../src/webhooks/feeder.js'
import type { FeedingParts } from '../../src/webhooks/feeding.js'
import { requestTimeoutMs } from '../../src/webhooks/limits.js'
import type { OutgoingWebhook, RequestOutcome } from '../../src/webhooks/request.js'
import { SecretKey } from '../../src/webhooks/secret-key.js'
import { Sender } from '../../src/webhooks/sender.js'
import { newSigningSecret } from '../../src/webhooks/signature.js'
import { webhookTypes } from '../../src/webhooks/webhook-types.js'
import type { WebhookType } from '../../src/webhooks/webhook-types.js'
import { MemoryWebhookTables } from '../support/memory-webhook-tables.js'
import type { MemoryEndpoint } from '../support/memory-webhook-tables.js'
import type { Line } from './network.js'
import { noFaults } from './plan.js'
import type { ReceiverPlan } from './plan.js'
import { hold } from './violation.js'
import { WebhookCheck } from './webhook-check.js'
import type { ArrivedWebhook } from './webhook-check.js'
import { simulatedFeedTables, simulatedLineTables } from './webhook-rows.js'
import type { World } from './world.js'

const dollars = findCurrency('usd') as Currency

/** Each with all types, or with those that are named. */
const wanted: readonly { readonly clientId: string; readonly types: readonly WebhookType[] }[] = [
  { clientId: 'shop', types: webhookTypes },
  { clientId: 'market', types: webhookTypes },
  { clientId: 'shop', types: ['wallet.entry', 'wallet.low_balance'] },
]
const thresholds: Readonly<Record<string, readonly number[]>> = { shop: [300, 40], market: [100] }

/** How far the clocks of processes are from the world's, and a second that is cut off. */
const clockSlackMs = 11_000

/** A world with top-ups lasts for a day. */
const pollMs = 2_000
const rarePollMs = 5 * 60_000

interface Receiver extends MemoryEndpoint {
  readonly secret: string
  downUntilMs: number
}

interface Copy {
  /** The length of the log then. */
  readonly events: number
  readonly tables: ReturnType<MemoryWebhookTables['snapshot']>
}

export class SimulatedWebhooks {
  readonly #world: World
  readonly #plan: ReceiverPlan
  readonly #tables: MemoryWebhookTables
  readonly #receivers: ReadonlyMap<string, Receiver>
  readonly #secretKey: SecretKey
  readonly #check: WebhookCheck
  /** Empty in a world that never goes back. */
  readonly #copies: Copy[] = []

  private constructor(world: World, plan: ReceiverPlan, made: Made) {
    const { log } = world.server
    this.#world = world
    this.#plan = plan
    this.#secretKey = made.secretKey
    this.#receivers = new Map(made.receivers.map((receiver) => [receiver.target.url, receiver]))
    const wallets = new Map(world.wallets.map((id, at) => [id as string, linksOf(id, at)]))
    const known = {
      endpoints: made.receivers,
      wallets,
      thresholds: (clientId: string) => thresholds[clientId] ?? [],
    }
    this.#tables = new MemoryWebhookTables(known, (log.marker ??= world.chance.uuid()))
    const endpoints = made.receivers.map(({ endpointId, clientId, types }) => {
      const isLinked = (walletId: string): boolean =>
        wallets.get(walletId)?.links.some((link) => link.clientId === clientId) === true
      return { endpointId, clientId, types, thresholdsMinor: thresholds[clientId] ?? [], isLinked }
    })
    this.#check = new WebhookCheck(log, endpoints)
    this.#onCommit()
    this.#refusePayments()
  }

  static async open(world: World, plan: ReceiverPlan): Promise<SimulatedWebhooks> {
    const { chance } = world
    const config = { key: 'ab'.repeat(32), keyFile: 'unused' }
    const secretKey = new SecretKey({ config, random: chance })
    const receivers: Receiver[] = []
    for (const [number, { clientId, types }] of wanted.entries()) {
      const endpointId = chance.uuid()
      const secret = newSigningSecret(chance)
      const sealed = await secretKey.seal(secret, { secretId: chance.uuid(), endpointId })
      const target = { clientId, url: `https://receiver.example/${number}`, secrets: [sealed] }
      receivers.push({
        ...{ endpointId, clientId, types, fromPosition: 0n, target, secret },
        downUntilMs: 0,
      })
    }
    return new SimulatedWebhooks(world, plan, { receivers, secretKey })
  }

  /** The real ones, for a new life of a process. */
  begin(
    line: Line,
    process: {
      readonly clock: Clock
      readonly log: Log
      readonly store: EventStore
      readonly findEntry: FeedingParts['findEntry']
    },
  ): void {
    const world = this.#world
    const shared = { tables: this.#tables, onCommit: () => this.#onCommit() }
    const system = { ...process, random: world.chance }
    const poll = { pollMs: world.plan.topUps > 0 ? rarePollMs : pollMs }
    const lines = simulatedLineTables(line, shared)
    const send = (webhook: OutgoingWebhook): Promise<RequestOutcome> => this.#send(line, webhook)
    const secretKey = this.#secretKey
    const sender = new Sender({ ...system, ...poll, lines, secretKey, send })
    const tables = simulatedFeedTables(world, line, shared)
    const onFed = (): void => sender.wake()
    new Feeder({ ...system, ...poll, tables, currency: dollars, onFed }).start()
    sender.start()
  }

  get arrivals(): number {
    return this.#check.arrivals
  }

  missing(): string[] {
    return this.#check.missing()
  }

  /** To some moment at which the log had no more than this many events. */
  goBackTo(events: number): void {
    const kept = this.#copies.findLastIndex((copy) => copy.events <= events)
    const at = Math.max(0, kept - this.#world.chance.pick([0, 0, 1, 5, 20]))
    const copy = this.#copies[at]
    if (copy === undefined) throw new Error('there is always a first copy')
    this.#copies.length = at + 1
    this.#tables.restore(copy.tables)
    this.#check.startAgain(this.#tables.outbox)
  }

  #onCommit(): void {
    const { plan, server } = this.#world
    if (plan.faults.goesBack === 0) return
    this.#copies.push({ events: server.log.events.length, tables: this.#tables.snapshot() })
  }

  /** Now and then: what is told through the outbox. */
  #refusePayments(): void {
    const { time, chance, wallets } = this.#world
    time.after(chance.fraction() * 8_000, () => {
      if (this.#world.faults === noFaults) return
      const walletId = chance.pick(wallets)
      const row = this.#tables.note({
        ...{ sourceId: chance.uuid(), type: 'wallet.top_up_failed', clientId: undefined },
        ...{ serviceUserId: `owner of ${walletId}`, walletId, details: {} },
        time: new Date(time.nowMs).toISOString(),
      })
      this.#world.trace(`payment refused ${row.outboxId} ${walletId}`)
      this.#check.noted(row)
      this.#onCommit()
      this.#refusePayments()
    })
  }

  async #send(line: Line, webhook: OutgoingWebhook): Promise<RequestOutcome> {
    const work = () => this.#arrive(webhook)
    const lost = () => new Error('no connection')
    return line
      .call({ work, lost, timeoutMs: requestTimeoutMs })
      .catch(() => ({ status: null, answer: null, fault: 'no connection' }))
  }

  async #arrive(webhook: OutgoingWebhook): Promise<RequestOutcome> {
    const { chance, time, faults } = this.#world
    const receiver = this.#receivers.get(webhook.url)
    if (receiver === undefined) throw new Error(`there is no receiver at ${webhook.url}`)
    const isCalm = faults === noFaults
    const { fails, hangs, goesDown } = this.#plan
    if (!isCalm && chance.happens(goesDown))
      receiver.downUntilMs = time.nowMs + chance.fraction() * 30_000
    const isTaken = isCalm || (time.nowMs >= receiver.downUntilMs && !chance.happens(fails))
    this.#see(receiver, webhook, isTaken)
    // Taken, and the sender hears of it too late.
    if (!isCalm && chance.happens(hangs)) await time.sleep(requestTimeoutMs + 1)
    if (isTaken) return { status: 200, answer: '', fault: null }
    this.#world.fault('webhook refused')
    return { status: 500, answer: '', fault: 'answered 500' }
  }

  #see(receiver: Receiver, { headers, body }: OutgoingWebhook, isTaken: boolean): void {
    const { endpointId, secret } = receiver
    const payload = JSON.parse(body) as ArrivedWebhook['payload']
    const webhookId = headers['webhook-id'] ?? ''
    this.#world.trace(`webhook ${endpointId} ${webhookId} ${isTaken ? 'taken' : 'refused'} ${body}`)
    try {
      const signedMs = Number(headers['webhook-timestamp']) * 1_000
      const isNow = Math.abs(signedMs - this.#world.time.nowMs) <= clockSlackMs + requestTimeoutMs
      const signature = new Webhook(secret).sign(webhookId, new Date(signedMs), body)
      hold(isNow && signature === headers['webhook-signature'], () => `signed wrongly: ${body}`)
      this.#check.arrived({ endpointId, webhookId, payload }, { isTaken })
    } catch (error) {
      this.#world.fail(error)
    }
  }
}

interface Made {
  readonly receivers: readonly Receiver[]
  readonly secretKey: SecretKey
}

/** The shop with all wallets, the market with all but the first. */
function linksOf(walletId: WalletId, at: number) {
  const apps = at === 0 ? ['shop'] : ['shop', 'market']
  const links = apps.map((clientId) => ({ clientId, sinceMs: 0 }))
  return { walletId, serviceUserId: `owner of ${walletId}`, links }
}
