/**
 * What must be true of webhooks in a simulated world, by rules of its own: each event of the log
 * that an endpoint has asked for, and may hear of, is taken by it at least once; none before the
 * one before it of the same wallet; and nothing comes that the log or the outbox does not tell.
 * A low balance is told when the balance was above a threshold and is not any more.
 * After the log went back, what came of the lost part is forgiven; what comes is not.
 */
import { walletIdOfStream } from '../../src/domain/ids.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import type { OutboxRow } from '../../src/webhooks/outbox.js'
import { webhookIdOf } from '../../src/webhooks/webhook-id.js'
import type { MemoryLog } from '../support/memory-store.js'
import { hold } from './violation.js'

export interface CheckedEndpoint {
  readonly endpointId: string
  readonly clientId: string
  readonly types: readonly string[]
  readonly thresholdsMinor: readonly number[]
  readonly isLinked: (walletId: string) => boolean
}

export interface ArrivedWebhook {
  readonly endpointId: string
  readonly webhookId: string
  readonly payload: {
    readonly type: string
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>>
  }
}

/** What an endpoint is to hear of one wallet, in order, and how much of it has been taken. */
interface CheckedLine {
  readonly webhooks: Told[]
  taken: number
}

interface Told {
  readonly webhookId: string
  readonly line: CheckedLine
  readonly place: number
  readonly type: string
  readonly event: RecordedEvent
  readonly thresholdMinor: number | undefined
}

/** A row of the outbox: comes after so many of its line, and after earlier rows of it. */
interface ToldRow {
  readonly line: CheckedLine
  readonly outboxId: number
  after: number
  isTaken: boolean
}

interface EntryData {
  readonly time: string
  readonly entryId?: string
  readonly issuer?: string
  readonly referenceId?: string
  readonly balanceMinor?: number
}

/** Told to every app that is linked; the app's own entries are looked at apart. */
const linkedTypes: Readonly<Record<string, string>> = {
  WalletToppedUp: 'wallet.topped_up',
  TopUpReversed: 'wallet.top_up_reversed',
  WalletDeactivated: 'wallet.deactivated',
  WalletReactivated: 'wallet.reactivated',
}
const entryTypes = ['WalletCredited', 'WalletDebited', 'HoldCaptured']

export class WebhookCheck {
  readonly #log: MemoryLog
  readonly #endpoints: readonly CheckedEndpoint[]
  readonly #lines = new Map<string, CheckedLine>()
  readonly #told = new Map<string, Told>()
  readonly #rows = new Map<string, ToldRow>()
  /** Of a log that is not there any more. */
  readonly #forgiven = new Set<string>()
  readonly #holders = new Map<string, string>()
  /** By endpoint, wallet and threshold: the balance is above it. */
  readonly #above = new Set<string>()
  #folded = 0
  arrivals = 0

  constructor(log: MemoryLog, endpoints: readonly CheckedEndpoint[]) {
    this.#log = log
    this.#endpoints = endpoints
  }

  /** A row was written to the outbox. */
  noted(row: OutboxRow): void {
    this.#foldLog()
    for (const { endpointId, types, isLinked } of this.#endpoints) {
      if (!types.includes(row.type) || !isLinked(row.walletId)) continue
      const webhookId = webhookIdOf({ endpointId, sourceId: row.sourceId, type: row.type })
      const line = this.#line(endpointId, row.walletId)
      const { outboxId } = row
      this.#rows.set(webhookId, { line, outboxId, after: line.webhooks.length, isTaken: false })
    }
  }

  /** In the moment in which it comes; `isTaken`: it is answered with 200. */
  arrived(arrived: ArrivedWebhook, { isTaken }: { readonly isTaken: boolean }): void {
    this.#foldLog()
    this.arrivals += 1
    const { webhookId } = arrived
    const row = this.#rows.get(webhookId)
    const told = this.#told.get(webhookId)
    if (row !== undefined) {
      this.#rowArrived(row, isTaken)
      return
    }
    const isKnown = told !== undefined || this.#forgiven.has(webhookId)
    hold(isKnown, () => `nothing in the log tells of the webhook ${JSON.stringify(arrived)}`)
    if (told === undefined) return
    checkContent(told, arrived)
    const { line, place } = told
    const isNext = place <= line.taken
    hold(isNext, () => `number ${place} of a line came when ${line.taken} of it were taken`)
    if (isTaken && place === line.taken) line.taken += 1
  }

  /** The log and the outbox were cut off. */
  startAgain(outbox: ReadonlyMap<number, unknown>): void {
    const before = new Map(
      [...this.#lines].map(([key, { webhooks, taken }]) => [key, { webhooks, taken }]),
    )
    for (const webhookId of this.#told.keys()) this.#forgiven.add(webhookId)
    for (const [webhookId, { outboxId }] of this.#rows) {
      if (outbox.has(outboxId)) continue
      this.#forgiven.add(webhookId)
      this.#rows.delete(webhookId)
    }
    this.#told.clear()
    this.#holders.clear()
    this.#above.clear()
    for (const line of this.#lines.values()) line.webhooks.length = 0
    this.#folded = 0
    this.#foldLog()
    for (const [key, line] of this.#lines) {
      const known = before.get(key)?.webhooks ?? []
      const isSame = (told: Told, at: number): boolean => told.webhookId === known[at]?.webhookId
      const common = line.webhooks.findIndex((told, at) => !isSame(told, at))
      const kept = common === -1 ? line.webhooks.length : common
      line.taken = Math.min(line.taken, kept)
      for (const row of this.#rows.values())
        if (row.line === line) row.after = Math.min(row.after, kept)
    }
  }

  /** What has not been taken yet. */
  missing(): string[] {
    this.#foldLog()
    const missing = [...this.#lines.values()].flatMap(({ webhooks, taken }) =>
      webhooks.slice(taken).map(({ type, event }) => `${type} of ${event.position}`),
    )
    const rows = [...this.#rows.values()].filter(({ isTaken }) => !isTaken)
    return [...missing, ...rows.map(({ outboxId }) => `row ${outboxId} of the outbox`)]
  }

  #rowArrived(row: ToldRow, isTaken: boolean): void {
    const { line, outboxId } = row
    hold(line.taken >= row.after, () => `row ${outboxId} of the outbox overtakes the log`)
    for (const other of this.#rows.values())
      hold(
        other.line !== line || other.outboxId >= outboxId || other.isTaken,
        () => `row ${outboxId} of the outbox overtakes row ${other.outboxId}`,
      )
    row.isTaken ||= isTaken
  }

  #foldLog(): void {
    for (; this.#folded < this.#log.events.length; this.#folded += 1) {
      const event = this.#log.events[this.#folded]
      if (event !== undefined) this.#fold(event)
    }
  }

  #fold(event: RecordedEvent): void {
    const data = JSON.parse(event.data) as EntryData
    if (event.type === 'HoldPlaced') this.#holders.set(data.entryId ?? '', data.issuer ?? '')
    for (const endpoint of this.#endpoints) {
      const type = this.#typeFor(endpoint, event, data)
      if (type !== undefined) this.#tell(endpoint, event, { type })
      const thresholdMinor = this.#crossed(endpoint, walletIdOfStream(event.stream), data)
      if (thresholdMinor !== undefined)
        this.#tell(endpoint, event, { type: 'wallet.low_balance', thresholdMinor })
    }
  }

  #typeFor(
    { clientId, isLinked }: CheckedEndpoint,
    { type, stream }: RecordedEvent,
    data: EntryData,
  ): string | undefined {
    const own = `client-app:${clientId}`
    if (entryTypes.includes(type)) return data.issuer === own ? 'wallet.entry' : undefined
    if (type === 'HoldExpired')
      return this.#holders.get(data.referenceId ?? '') === own ? 'hold.expired' : undefined
    return isLinked(walletIdOfStream(stream)) ? linkedTypes[type] : undefined
  }

  /** The lowest threshold that the balance was above and is not any more. */
  #crossed(endpoint: CheckedEndpoint, walletId: string, data: EntryData): number | undefined {
    const { balanceMinor } = data
    if (balanceMinor === undefined) return undefined
    let lowest: number | undefined
    for (const minor of endpoint.thresholdsMinor) {
      const key = `${endpoint.endpointId} ${walletId} ${minor}`
      if (balanceMinor > minor) this.#above.add(key)
      else if (this.#above.delete(key)) lowest = Math.min(minor, lowest ?? minor)
    }
    return endpoint.isLinked(walletId) ? lowest : undefined
  }

  #tell(
    { endpointId, types }: CheckedEndpoint,
    event: RecordedEvent,
    { type, thresholdMinor }: { readonly type: string; readonly thresholdMinor?: number },
  ): void {
    if (!types.includes(type)) return
    const line = this.#line(endpointId, walletIdOfStream(event.stream))
    const webhookId = webhookIdOf({ endpointId, sourceId: event.id, type })
    const place = line.webhooks.length
    const told: Told = { webhookId, line, place, type, event, thresholdMinor }
    line.webhooks.push(told)
    this.#told.set(webhookId, told)
  }

  #line(endpointId: string, walletId: string): CheckedLine {
    const key = `${endpointId} ${walletId}`
    const known = this.#lines.get(key)
    if (known !== undefined) return known
    const line: CheckedLine = { webhooks: [], taken: 0 }
    this.#lines.set(key, line)
    return line
  }
}

function checkContent({ type, event, thresholdMinor }: Told, { payload }: ArrivedWebhook): void {
  const { time, balanceMinor, entryId } = JSON.parse(event.data) as EntryData
  const { data } = payload
  const isRight =
    payload.type === type &&
    payload.timestamp === time &&
    data['serviceUserId'] === `owner of ${walletIdOfStream(event.stream)}` &&
    (balanceMinor === undefined || data['balance'] === balanceMinor / 100) &&
    (type !== 'wallet.entry' || data['entryId'] === entryId) &&
    (thresholdMinor === undefined || data['threshold'] === thresholdMinor / 100)
  hold(isRight, () => `${JSON.stringify(payload)} is not ${event.type} ${event.data}`)
}
